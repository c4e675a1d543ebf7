#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Each thing that keeps a hit from its row, or a process from being followed and named, is told by its
# reason and number: what is rare by itself is brought about.
. "$(dirname "$0")/../lib.sh"
need_bpf

mkfifo "$T/to"
# A shell that does what it is told.
start sh -c 'exec <>"$T/to"; trap "" URG; while read -r line; do eval "$line"; echo "done"; done'
told=0
sh=$started
tell() {
	told=$((told + 1))
	echo "$1" >"$T/to"
	within 15 sh -c "[ \"\$(grep -c '^done' '$T/started.out')\" = $told ]" || echo "# not done: $1"
}
signals() {
	tell "i=0; while [ \$i -lt $1 ]; do kill -URG $sh; i=\$((i + 1)); done"
}
# begin WORD ARGS.. - pmutrace, until it says the word; JSON into $T/out.json
begin() {
	word=$1
	shift
	rm -f "$T/out.json" "$T/err" # or what the last run said is found
	"$PMUTRACE" "$@" -p "$sh" -o "$T/out.json" >"$T/out" 2>"$T/err" &
	pmutrace=$!
	all_started="$all_started $pmutrace"
	within 20 grep -q "$word" "$T/err" || show
}
end() {
	kill -INT "$pmutrace"
	wait "$pmutrace"
	forget "$pmutrace"
}
# stopped STEP - while pmutrace sleeps, tables and rings are not emptied
stopped() {
	kill -STOP "$pmutrace"
	tell "$1"
	kill -CONT "$pmutrace"
}
of() {
	json "$T/out.json" "$1"
}

plan 16

# A raw tracepoint is hit by an interrupt while another hit is being counted: as if in all lanes.
begin counting count signal:signal_generate --by 'TASK->comm'
"$PROG/meddle" "$pmutrace" busy 1 | diag
signals 7
"$PROG/meddle" "$pmutrace" busy 0 | diag
signals 5
end
ok "all lanes in use: seen, lost, kept" equal "$(of '"$d->{seen} $d->{losses}{interrupted} $d->{kept}"')" "12 7 5"
ok "no other loss" equal "$(of 'sum0 values %{$d->{losses}}')" 7
says err "told in words" '7 hit while another was being counted'

# Each in the interval that it is of.
begin counting count -I 200 signal:signal_generate --by 'TASK->comm'
"$PROG/meddle" "$pmutrace" busy 1 | diag
signals 7
"$PROG/meddle" "$pmutrace" busy 0 | diag
ok "intervals behind a loss" within 10 awk '/"interrupted": *[1-9]/ { of = NR } END { exit !of || NR < of + 2 }' "$T/out.json"
signals 5
end
ok "it is lost once" equal "$(perl -MJSON::PP -ne '
	my $d = decode_json($_);
	$seen += $d->{seen}, $lost += $d->{losses}{interrupted} // 0, $kept += $d->{kept};
	END { print "$seen $lost $kept" }' "$T/out.json")" "12 7 5"

# A key for which there is a slot, but whose words have no room. Stacks are of 118 calls and more, where
# room is made for some 40 each.
begin counting count "uprobe:$PROG/touch:touch_page" --by ustack --keys 1000
stopped "'$PROG/touch' -n 4000 -k 4000 -r 105"
end
ok "store full: all are seen" equal "$(of '$d->{seen}')" 4000
ok "no room for most of them" between 1000 "$(of '$d->{losses}{store_full}')" 3999
ok "that is all that was lost" equal "$(of 'join " ", keys %{$d->{losses}}')" store_full
ok "the others are kept" equal "$(of '$d->{kept} + $d->{losses}{store_full}')" 4000
ok "and in rows" equal "$(of 'sum0 map { values %{$_->{values}} } @{$d->{rows}}')" "$(of '$d->{kept}')"
says err "told with the option" 'no room for another key.s fields \(--keys N\)'

# So many processes are followed that there is no room for a child: what it does is not counted.
begin counting count syscalls:sys_enter_getppid
tell "'$PROG/exact' -g 10"
# The kernel frees a process some time after its end: only then the table is full for good.
full() {
	[ "$("$PROG/meddle" "$pmutrace" fill targets)" = 16384 ]
}
within 10 full
tell "'$PROG/exact' -g 10"
tell "'$PROG/exact' -g 10"
end
ok "no room for two children: the first one alone is counted" equal "$(of '$d->{kept}')" 10
says err "the others are told" '^pmutrace: 2 new processes were not followed'

# Names that change are events of processes: 40 bytes or more, and a CPU has room for 512 KiB.
begin sampling profile -e cpu-clock
stopped 'taskset -pc 0 $$; i=0; while [ $i -lt 14000 ]; do echo pmutrace-$i; i=$((i + 1)); done >/proc/$$/comm'
# The kernel tells a CPU's losses with the next event of it.
sleep 0.5
tell 'taskset -c 0 true'
end
lost=$(sed -n 's/^pmutrace: \([0-9]*\) process events were lost.*/\1/p' "$T/err")
ok "process events that found no room are told" between $((14000 - 524288 / 40)) "${lost:-0}" 20000

# Nothing of all that: nothing is said.
begin counting count signal:signal_generate --by 'TASK->comm'
signals 20
end
ok "else nothing is lost" equal "$(of '"$d->{seen} $d->{kept} " . join ",", %{$d->{losses}}')" "20 20 "
ok "and nothing is said of it" sh -c "! grep -q 'lost:\|were lost\|not followed' '$T/err'"
