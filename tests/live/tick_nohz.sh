#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# profile --source tick beside a CPU of nohz_full, which has no tick while one task runs there: its time is
# lost, and told; cpu-clock sees it. scripts/vm/nohz.sh boots a guest with such a CPU.
. "$(dirname "$0")/../lib.sh"
need_bpf

cpu=$(sed -n 's/^\([0-9]\{1,\}\).*/\1/p' /sys/devices/system/cpu/nohz_full 2>/dev/null)
[ -n "$cpu" ] || skip_all "no-nohz-full: each CPU has its tick"

# ticks - of that CPU, up to now, by the kernel's own count of interrupts
ticks() {
	awk -v field=$((cpu + 2)) '/^ *LOC:/ || / arch_timer$/ { n += $field } END { print n + 0 }' /proc/interrupts
}
# ran PID - ns of CPU time, by the scheduler
ran() {
	awk '{ print $1 }' "/proc/$1/schedstat"
}
# due - samples of a CPU that is busy for the whole run
due() {
	json "$T/v.json" 'int(99e-9 * $d->{duration_ns})'
}
# there PID - samples of a process
there() {
	json "$T/v.json" "sum0 map { values %{\$_->{values}} } grep { \$_->{key}{pid} == $1 } @{\$d->{rows}}"
}
lost() {
	json "$T/v.json" '$d->{losses}{passed_over} // 0'
}
# about NAME N WANT - to 6 %
about() {
	ok "$1" between $(($3 * 94 / 100)) "$2" $(($3 * 106 / 100))
}
sampled() {
	run "$PMUTRACE" profile -F 99 -o "$T/v.json" "$@"
}

plan 14
start taskset -c "$cpu" "$PROG/burn" -s 1000
loop=$started
sleep 1
before=$(ticks) ran=$(ran "$loop")
sleep 1
echo "# CPU $cpu, a second: $(($(ticks) - before)) interrupts of its timer; its task ran for $(($(ran "$loop") - ran)) ns"
ok "the CPU has no tick" between 0 $(($(ticks) - before)) 25

sampled --source tick -a --by pid 4
says err "which CPU is told" "CPU $cpu: without a tick while one task runs there \(nohz_full\)"
says err "and what to do" 'lost: [0-9]* of any task, without a tick \(--source cpu-clock\)'
about "its task's time is in samples and losses" $(($(there "$loop") + $(lost))) "$(due)"
ok "most of it is lost" between $(($(due) * 9 / 10)) "$(lost)" $(($(due) * 106 / 100))
ok "seen is kept and lost" equal "$(json "$T/v.json" '$d->{seen}')" \
	"$(json "$T/v.json" '$d->{kept} + sum0 values %{$d->{losses}}')"
sampled --source tick -a --strict 1
ok "--strict" test "$status" = 3
check 1 "that CPU alone is refused" "$PMUTRACE" profile --source tick -C "$cpu" 1
says err "with a reason" "CPUs $cpu have no tick .*nohz_full.*--source cpu-clock"

sampled --source cpu-clock -a --by pid 4
about "cpu-clock sees the task" "$(there "$loop")" "$(due)"
ok "and loses next to nothing of it" between 0 "$(lost)" $(($(due) / 20))

# A second task brings the tick back.
start taskset -c "$cpu" "$PROG/burn" -s 1000
second=$started
sleep 1
sampled --source tick -a --by pid 4
about "with two tasks it has a tick" $(($(there "$loop") + $(there "$second"))) "$(due)"
ok "and loses next to nothing" between 0 "$(lost)" $(($(due) / 20))
stop "$second"

# Without a task there nothing is lost; pmutrace's own would have no tick there either.
stop "$loop"
run taskset -c 0 "$PMUTRACE" profile -F 99 -o "$T/v.json" --source tick -a 2
ok "without a task nothing is lost" between 0 "$(lost)" 6
