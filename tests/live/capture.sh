#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A capture has all that the run's other outputs have, and its windows have what was sampled in their
# time: two programs run one after the other, and the clock of the command between them is the witness.
# tests/pmut.pl reads what is in the file.
. "$(dirname "$0")/../lib.sh"
need_bpf

plan 29

pmut() {
	perl "$TOP/tests/pmut.pl" "$@"
}

# rows FILE - of a JSON file, as lines of text in order, and what was lost
rows() {
	json "$1" 'join "\n", (sort map { my ($k, $v, $w) = @$_{qw(key values weights)};
		join " ", (map { "$_=" . (ref $k->{$_} ? join(";", @{$k->{$_}}) : $k->{$_} // "") } sort keys %$k),
			(map { "$_=$v->{$_}" } sort keys %$v), (map { "$_=$w->{$_}" } sort keys %{$w // {}}) } @{$d->{rows}}),
		(map { "$_->{event} $_->{value} $_->{enabled_ns} $_->{running_ns}" } @{$d->{events}}),
		"$d->{seen} $d->{kept} $d->{duration_ns}",
		(map { "$_ $d->{losses}{$_}" } sort keys %{$d->{losses}}),
		(map { "$_ $d->{incomplete}{$_}" } sort keys %{$d->{incomplete} // {}})'
}

check 0 "two events, all keys" "$PMUTRACE" profile -e cpu-clock,faults -F 997 --by comm,pid,tid,cpu,cgroup \
	-o "$T/p.pmut" -o "$T/p.json" -o "$T/p.folded" -- \
	sh -c "$PROG/syscalls -s 0.2; seq 30000 | sort -r >/dev/null"
check 0 "reported later" "$PMUTRACE" report -q "$T/p.pmut" -o "$T/r.json" -o "$T/r.folded"
rows "$T/p.json" >"$T/p.rows"
rows "$T/r.json" >"$T/r.rows"
ok "there were some" test "$(wc -l <"$T/p.rows")" -gt 10
ok "rows, times and losses are the same" cmp "$T/p.rows" "$T/r.rows"
ok "folded stacks are" cmp "$T/p.folded" "$T/r.folded"
ok "by its description, too" sh -c 'perl "$1" folded "$2" >"$4" && sort "$3" | cmp - "$4"' sh \
	"$TOP/tests/pmut.pl" "$T/p.pmut" "$T/p.folded" "$T/by_perl"
ok "it knows where it is from" equal "$(pmut head "$T/p.pmut" | cut -d' ' -f4-)" \
	"1 $(uname -n) cpu-clock faults"

# Of all that is there: one process, and a cgroup that everything is in.
pid=$(json "$T/p.json" '(sort { $b <=> $a } map { $_->{key}{pid} } grep { $_->{key}{comm} eq "syscalls" } @{$d->{rows}})[0]')
check 0 "one process" "$PMUTRACE" report -q -f folded "$T/p.pmut" -p "$pid" -G '*'
ok "has its samples" equal "$(folded_sum "$T/out" .)" "$(json "$T/p.json" \
	"sum0 map { \$_->{values}{'cpu-clock'} } grep { \$_->{key}{pid} == $pid } @{\$d->{rows}}")"
check 0 "a process that is not there has none" sh -c '"$PMUTRACE" report -q -f folded "$1" -p 4294967290 | cmp - /dev/null' \
	sh "$T/p.pmut"

# By less than it has: sums of its rows.
check 0 "by cgroup" "$PMUTRACE" report -q --json "$T/p.pmut" --by cgroup
ok "sums are those of its rows" equal \
	"$(json "$T/out" 'join " ", sort map { "$_->{key}{cgroup}=" . ($_->{values}{"cpu-clock"} // 0) } @{$d->{rows}}')" \
	"$(json "$T/p.json" 'my %n; $n{$_->{key}{cgroup}} += $_->{values}{"cpu-clock"} // 0 for @{$d->{rows}};
		join " ", sort map { "$_=$n{$_}" } keys %n')"

# One program, then the other. The command tells when it goes from one to the next.
check 0 "windows of 50 ms" "$PMUTRACE" profile -F 997 --windows 50ms -o "$T/w.pmut" -o "$T/w.json" -- \
	sh -c "$PROG/syscalls -s 0.4; date +%s%N >'$T/when'; $PROG/after_exec 0.4"
pmut windows "$T/w.pmut" >"$T/windows"
begin=$(pmut head "$T/w.pmut" | cut -d' ' -f1)
turn=$(awk -v begin="$begin" '{ printf "%.0f", ($1 - begin) / 1000 }' "$T/when") # us
windows=$(wc -l <"$T/windows")
ok "there are as many as the run has room for" between 14 "$windows" \
	"$(json "$T/w.json" '1 + int($d->{duration_ns} / 45e6)')"
ok "their samples are those of the run" equal "$(awk '{ n += $3 } END { print n }' "$T/windows")" \
	"$(json "$T/w.json" '$d->{kept}')"
ok "they follow one another" awk '$1 != end { bad = 1 } { end = $2 } END { exit bad }' "$T/windows"
# A hundredth of a second: between reading the clock and running.
ok "before the turn nothing of the second one" awk -v turn="$turn" '$2 / 1000 < turn && /after_exec=/ { print; bad = 1 }
	END { exit bad }' "$T/windows"
ok "behind it nothing of the first one" awk -v turn="$turn" '$1 / 1000 > turn + 10000 && /syscalls=/ { print; bad = 1 }
	END { exit bad }' "$T/windows"

# The same by --from and --to.
check 0 "up to the turn" "$PMUTRACE" report -q -f folded "$T/w.pmut" --to "$(awk -v t="$turn" \
	'$2 / 1000 < t { end = $2 } END { printf "%dus", end / 1000 }' "$T/windows")"
ok "is of the first one" equal "$(grep -c '^after_exec;' "$T/out")-$(folded_sum "$T/out" '^syscalls;')" \
	"0-$(awk -v t="$turn" '$2 / 1000 < t { for (i = 4; i <= NF; i++) if (sub(/^syscalls=/, "", $i)) n += $i } END { print n + 0 }' "$T/windows")"
# Windows are of one run: with samples of another file, in whatever order, what is there is of one piece.
printf 'sh;work 7\nsh;rest 2\n' >"$T/b.folded"
"$PMUTRACE" report -q "$T/b.folded" -o "$T/b.pb.gz"
all=$(($(json "$T/w.json" '$d->{kept}') + 9))
for files in "$T/w.pmut $T/b.folded" "$T/w.pmut $T/b.pb.gz" "$T/b.folded $T/w.pmut"; do
	# shellcheck disable=SC2086 # two words
	"$PMUTRACE" report -q -o "$T/k.pmut" -o "$T/k.json" $files
	ok "${files##*/}, and the other one" equal "$(json "$T/k.json" '$d->{kept}')" "$all"
	"$PMUTRACE" report -q --json "$T/k.pmut" >"$T/k2.json"
	ok "are the same when they are read again" equal "$(json "$T/k2.json" 'join " ", $d->{kept},
		map { "$_->{event} $_->{value}" } sort { $a->{event} cmp $b->{event} } @{$d->{events}}')" \
		"$(json "$T/k.json" 'join " ", $d->{kept},
		map { "$_->{event} $_->{value}" } sort { $a->{event} cmp $b->{event} } @{$d->{events}}')"
done

# Where somebody takes the CPUs away, as hypervisors do, between a look at the clock and one at the
# events: no CPU was offline for that. One in three such runs told so.
for cpu in $(seq 0 $(($(nproc) - 1))); do
	start chrt -f 10 taskset -c "$cpu" perl -MTime::HiRes=time,sleep -e '
		while (1) {
			my $until = time + 0.06;
			1 while time < $until;
			sleep 0.04;
		}'
done
for _ in 1 2 3; do
	"$PMUTRACE" profile -q -a -F 997 --windows 10ms -o "$T/h.pmut" -o "$T/h.json" --duration 1.5 2>"$T/err"
	json "$T/h.json" '$d->{losses}{cpu_away} // 0'
done >"$T/away"
ok "CPUs that are taken away were not offline" equal "$(tr '\n' ' ' <"$T/away")" "0 0 0 "
for one in $all_started; do stop "$one"; done
check 2 "windows are of captures" "$PMUTRACE" profile --windows 50ms -o "$T/x.folded" -- true
check 2 "and not too short" "$PMUTRACE" profile --windows 5ms -o "$T/x.pmut" -- true
