#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A process id that another program gets within the run: names and commands of both are right.
. "$(dirname "$0")/../lib.sh"
need_bpf

[ "$("$PROG/same_pid" "$PROG/after_exec" 0 "$PROG/after_exec" 0)" ] ||
	skip_all "no-set-tid: no process id can be asked for"

plan 13

cat >"$T/first" <<EOF
#!/bin/sh
exec "$PROG/syscalls" -s "\$1"
EOF
chmod 755 "$T/first"
two="$PROG/same_pid $T/first 0.4 $PROG/after_exec 0.4"

# of_pid CONDITION - samples of the one process id for whose rows it is true
of_pid() {
	json "$T/p.json" "sum0 map { \$_->{values}{'cpu-clock'} } grep { \$_->{key}{pid} == $pid && ($1) } @{\$d->{rows}}"
}
# shellcheck disable=SC2086 # words
pm -F 997 -o "$T/p.folded" -o "$T/p.json" -- $two
ok "measured" test "$status" = 0
pid=$(cat "$T/out")
ok "the first one has its name" is_time "$(of_pid "\$_->{key}{comm} eq 'syscalls'")" 0.4
ok "the second one has its own" is_time "$(of_pid "\$_->{key}{comm} eq 'after_exec'")" 0.4
ok "0.4 s of the first one's code" is_time "$(folded_sum "$T/p.folded" '^syscalls;.*;main;syscall_work[; ]')" 0.4
ok "0.4 s of the second one's" is_time "$(folded_sum "$T/p.folded" '^after_exec;.*;main;after_exec_work[; ]')" 0.4
ok "neither has the other's" equal "$(folded_sum "$T/p.folded" '^syscalls;.*after_exec_work')-$(folded_sum "$T/p.folded" '^after_exec;.*syscall_work')" 0-0

# By process alone it is one row: of both.
# shellcheck disable=SC2086 # words
pm -F 997 --by pid -o "$T/p.json" -o "$T/p.folded" -- $two
ok "by process id alone: measured" test "$status" = 0
pid=$(cat "$T/out")
ok "both are its" is_time "$(of_pid 1)" 0.8
ok "with the first one's code" is_time "$(folded_sum "$T/p.folded" ';main;syscall_work[; ]')" 0.4
ok "and the second one's" is_time "$(folded_sum "$T/p.folded" ';main;after_exec_work[; ]')" 0.4

# -p is of the process, not of its number; the run goes on with another one.
start sleep 60
sleeper=$started
"$PROG/same_pid" "$T/first" 1.5 "$PROG/after_exec" 0.5 >"$T/pid" 2>&1 &
both=$!
all_started="$all_started $both"
first() {
	pid=$(sed -n 1p "/proc/$both/task/$both/children" | cut -d' ' -f1)
	grep -q syscalls "/proc/$pid/comm"
}
within 10 first
"$PMUTRACE" profile -e cpu-clock -F 997 -o "$T/n.folded" -p "$pid,$sleeper" 2>"$T/err" &
pmu=$!
all_started="$all_started $pmu"
wait "$both"
forget "$both"
stop "$sleeper"
wait "$pmu"
ok "-p sees the process" between 100 "$(folded_sum "$T/n.folded" '^syscalls;.*syscall_work')" 2000
ok "but not who has its number then" equal "$(folded_sum "$T/n.folded" after_exec)" 0
ok "whose number was used again" equal "$(cat "$T/pid")" "$pid"
