#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Folded stacks with a count of each event: sums that each event has by itself, as awk adds them up; read
# again; what flamegraph.pl makes of them, where it is there.
. "$(dirname "$0")/../lib.sh"

plan 17

{
	for n in 41 42 43; do
		printf 'python3   %s/%s    [001] 73307.670903:    1003009 cpu-clock: \n' $n $n
		printf '\tffffffff8225fd19 irq_enable+0x19 ([kernel.kallsyms])\n\t 6241 outer(int, char)+0xd6 (/usr/lib/libouter.so.2)\n\n'
	done
	printf 'sh    9/9     [000] 73307.670908:          3 faults: \n\t            1111 read_file (/bin/sh)\n\n'
	printf 'sh    9/9     [000] 73307.670909:    1003009 cpu-clock: \n\t            1111 read_file (/bin/sh)\n\n'
} >"$T/p.txt"

# column N FILE - the sum of the N-th count from behind
column() {
	awk -v n="$1" '!/^#/ { sum += $(NF - n + 1) } END { print sum + 0 }' "$2"
}

check 0 "of two events" "$PMUTRACE" report -q -f folded --all-events "$T/p.txt"
cp "$T/out" "$T/all.folded"
ok "the first line tells which" equal "$(head -n 1 "$T/all.folded")" \
	"$(printf '# counts of\tcpu-clock\tfaults\tof each stack')"
for event in cpu-clock faults; do
	"$PMUTRACE" report -q -f folded --event "$event" "$T/p.txt" >"$T/one.folded"
	n=$((1 + ($(printf %s "$event" | wc -c) == 9)))
	ok "$event: counts are its own" equal "$(column "$n" "$T/all.folded")" "$(column 1 "$T/one.folded")"
	ok "$event: stack by stack" sh -c 'awk -v n="$3" "!/^#/ && \$(NF - n + 1) {
		count = \$(NF - n + 1); sub(/ [0-9]+ [0-9]+\$/, \"\"); print \$0, count }" "$1" | cmp - "$2"' \
		sh "$T/all.folded" "$T/one.folded" "$n"
done
check 0 "read again" "$PMUTRACE" report -f folded --all-events "$T/all.folded"
ok "it is the same" cmp "$T/out" "$T/all.folded"
ok "two counts are no surprise" sh -c '! grep -q "two counts" "$1"' sh "$T/err"
"$PMUTRACE" report -q --json "$T/all.folded" >"$T/out"
ok "both events are there" equal "$(json "$T/out" 'join " ", map { "$_->{event}=$_->{raw}" } @{$d->{events}}')" "cpu-clock=4 faults=1"
check 0 "one of a file of both" "$PMUTRACE" report -q -f folded --event faults "$T/all.folded"
ok "is that one" equal "$(cat "$T/out")" "sh;read_file 1"
cp "$T/out" "$T/one.folded"
check 0 "of one event" "$PMUTRACE" report -q -f folded --all-events "$T/one.folded"
ok "it is a count with a head" equal "$(cat "$T/out")" "$(printf '# counts of\tsamples\tof each stack\nsh;read_file 1')"
check 2 "it is of folded stacks" "$PMUTRACE" report --all-events --json "$T/p.txt"
says err "which is told" '--all-events is of folded stacks: -f folded'
flamegraph=$(command -v flamegraph.pl || ls /usr/share/perl5/Devel/NYTProf/flamegraph.pl 2>/dev/null)
if [ -n "$flamegraph" ]; then
	ok "flamegraph.pl takes two for before and after" equal \
		"$(perl "$flamegraph" "$T/all.folded" 2>/dev/null | grep -o -a 'read_file (1 samples, 100.00%; 0.00%)' | sort -u)" \
		"read_file (1 samples, 100.00%; 0.00%)"
else
	skip 1 "tool: no flamegraph.pl"
fi
