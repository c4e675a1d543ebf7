#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What list lists is what tracefs, /proc/kallsyms, nm and readelf have; and what it says opens does.
. "$(dirname "$0")/../lib.sh"
need_root
tracefs=/sys/kernel/tracing
[ -d $tracefs/events ] || skip_all "tracefs: it is not mounted at /sys/kernel/tracing"

# names - the first words of the last output, sorted
names() {
	awk '{ print $1 }' "$T/out" | sort
}

# same - our lines are theirs, of which there are some; the first that differs. cmp is not everywhere.
same() {
	awk 'NR == FNR { theirs[NR] = $0; n = NR; next }
		theirs[FNR] != $0 { print "line " FNR ": \"" $0 "\" should be \"" theirs[FNR] "\""; bad = 1; exit }
		END { if (!bad && n != FNR) print FNR " lines should be " n
			exit bad || !n || n != FNR }' "$T/theirs" "$T/ours"
}

plan 29

# Each with an id, which is what perf_event_open(2) takes.
check 0 "all tracepoints" "$PMUTRACE" list -k tracepoint
names >"$T/ours"
for id in "$tracefs"/events/*/*/id; do
	path=${id%/id}
	name=${path##*/} category=${path%/*}
	echo "${category##*/}:$name"
done | sort >"$T/theirs"
ok "are those with an id" same
check 0 "of one category" "$PMUTRACE" list 'sched:*'
ok "are its folders" equal "$(wc -l <"$T/out")" "$(find $tracefs/events/sched -mindepth 2 -name id | wc -l)"

# A line for each field: EVENT FIELD offset N size N TYPE
for event in sched:sched_switch sched:sched_process_exec syscalls:sys_enter_openat; do
	check 0 "the fields of $event" "$PMUTRACE" list --fields "$event"
	awk -v event="$event" '$1 == event { print $2, $4, $6 }' "$T/out" >"$T/ours"
	awk -F '[:;]' '/^\tfield:/ {
		name = $2
		sub(/\[[^] ]*\]$/, "", name)
		sub(/.*[ *]/, "", name)
		print name, $4, $6
	}' "$tracefs/events/$(echo $event | tr : /)/format" >"$T/theirs"
	ok "$event: names, offsets and sizes" same
done
check 0 "as JSON" "$PMUTRACE" list --fields --json sched:sched_switch
ok "an array" equal "$(json "$T/out" 'my ($r) = @{$d->{rows}};
	join " ", map { "$_->{type} $_->{size}" } grep { $_->{name} eq "prev_comm" } @{$r->{fields}}')" "char[] 16"
ok "all tracepoints have the common ones" equal "$(json "$T/out" 'my ($r) = @{$d->{rows}};
	scalar grep { $_->{common} } @{$r->{fields}}')" "$(grep -c 'field:.*[ *]common_' $tracefs/events/sched/sched_switch/format)"

# Functions of the kernel: a name and module each once, without what the linker or BPF has made and
# what was thrown away behind booting.
check 0 "functions of the kernel by a glob" "$PMUTRACE" list kprobe 'vfs_*'
awk '{ print $1 }' "$T/out" >"$T/ours"
blacklist=/sys/kernel/debug/kprobes/blacklist
[ -r "$blacklist" ] || blacklist=/dev/null
awk '
	FILENAME != "/proc/kallsyms" { forbidden[$2]; next }
	$3 == "_sinittext" { start = $1 }
	$3 == "_einittext" { end = $1 }
	$2 ~ /^[tTwW]$/ && $3 ~ /^vfs_/ && $4 != "[bpf]" && !($3 in forbidden) {
		line[++n] = $1 " kprobe:" $3 " " $4
	}
	END {
		for (i = 1; i <= n; i++) {
			split(line[i], part, " ")
			if (!(part[1] "" >= start "" && part[1] "" < end ""))
				print part[2], part[3]
		}
	}' "$blacklist" /proc/kallsyms | sort -u | awk '{ print $1 }' >"$T/theirs"
ok "are those of /proc/kallsyms" same
ok "of which there are some" test "$(wc -l <"$T/ours")" -ge 10
check 0 "pasted, with its prefix" "$PMUTRACE" list kprobe kprobe:vfs_read
says out "it is found, too" '^kprobe:vfs_read '

# Functions and static probes of a program.
if command -v nm >/dev/null; then
	check 0 "functions of a program" "$PMUTRACE" list --functions "$PROG/names"
	names | sed 's/.*://' >"$T/ours"
	nm "$PROG/names" | awk '$2 ~ /^[tT]$/ { print $3 }' | sort -u >"$T/theirs"
	ok "are those that nm knows" same
else
	skip 2 "no-nm: nm is not installed"
fi
check 0 "one of them by a part of its name" "$PMUTRACE" list --functions "$PROG/usdt" sell_b
ok "alone" equal "$(names)" "uprobe:$PROG/usdt:sell_bread"
if command -v readelf >/dev/null; then
	check 0 "static probes" "$PMUTRACE" list --usdt "$PROG/usdt"
	names | sed "s|^usdt:$PROG/usdt:||" >"$T/ours"
	readelf -n "$PROG/usdt" | awk '/Provider:/ { p = $2 } /Name:/ && p { print p ":" $2; p = "" }' |
		sort -u >"$T/theirs"
	ok "are those that readelf knows" same
else
	skip 2 "no-readelf: readelf is not installed"
fi

# What opens is what stat counts.
check 0 "hardware and software events" "$PMUTRACE" list --json hw sw
for event in cycles page-faults; do
	listed=$(json "$T/out" "(map { \$_->{state} } grep { \$_->{key}{name} eq '$event' } @{\$d->{rows}})[0]")
	counted=$("$PMUTRACE" stat -e $event -o "$T/stat.json" -- true >/dev/null 2>&1 &&
		json "$T/stat.json" '$d->{events}[0]{value} ? "opens" : "not-supported"' || echo not-supported)
	ok "$event: $listed" equal "$listed" "$counted"
done

check 0 "--explain of a tracepoint" "$PMUTRACE" list --explain sched:sched_switch
says out "has its id" "^  config +$(printf '0x%x' "$(cat $tracefs/events/sched/sched_switch/id)") "
