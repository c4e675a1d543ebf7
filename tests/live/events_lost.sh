#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Process events that the kernel had no room for, since pmutrace could not run: it is told, and /proc
# is asked instead.
. "$(dirname "$0")/../lib.sh"
need_bpf

plan 9

# An exec that nobody hears of: pmutrace is stopped by its own command, more is mapped than its ring
# takes, and the shell becomes another program.
cat >"$T/unheard" <<EOF
kill -STOP \$PPID
"$PROG/flood" 30000
(sleep 0.2; kill -CONT \$PPID) &
exec "$PROG/after_exec" 2
EOF
# All that is sampled meanwhile has to wait in the tables.
pm -F 997 --stacks 65536 -o "$T/x.folded" -- taskset -c 0 sh "$T/unheard"
ok "measured" test "$status" = 0
says err "the loss is told" '[0-9]{4,} process events were lost'
all=$(folded_sum "$T/x.folded" '^after_exec;')
ok "2 s of the program whose start was lost" is_time "$all" 2
ok "its functions have their names" between $((all * 97 / 100)) \
	"$(folded_sum "$T/x.folded" '^after_exec;.*;main;after_exec_work[; ]')" "$all"

# Nothing comes after it in these rings: the loss of all of them is told where the kernel counts it.
# A ring has room for some 4,000 such events.
if [ "$(printf '6.0\n%s\n' "$(uname -r)" | sort -V | head -n 1)" != 6.0 ]; then
	skip 3 "kernel: does not count what its rings lose (6.0)"
else
	cat >"$T/last" <<EOF
kill -STOP \$PPID
taskset -c "$(sed 's/.*[-,]//' /sys/devices/system/cpu/online)" "$PROG/flood" 30000 &
taskset -c 0 "$PROG/flood" 30000
wait
(sleep 1; kill -CONT \$PPID) &
EOF
	pm -F 997 -o "$T/l.folded" -- sh "$T/last"
	ok "measured to the end" test "$status" = 0
	says err "a loss at the end is told" 'process events were lost'
	ok "that of every CPU" between 45000 "$(sed -n 's/.* \([0-9]*\) process events were lost.*/\1/p' "$T/err")" 70000
fi

# Without one nothing is said of it.
pm -F 997 -o "$T/n.folded" -- "$PROG/flood" 1000
ok "measured without a loss" test "$status" = 0
ok "nothing is said" test -z "$(grep 'events were lost' "$T/err")"
