#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What cannot be measured is said; what was not named may fall back, and says that too.
. "$(dirname "$0")/../lib.sh"
need_bpf

has_pmu() {
	for pmu in /sys/bus/event_source/devices/*; do
		case ${pmu##*/} in
		cpu | cpu_core | armv8_*) return 0 ;;
		esac
	done
	return 1
}

plan 8
check 0 "the default event" "$PMUTRACE" profile -f folded -o "$T/p.folded" -- "$PROG/burn" -s 0.3
ok "99 Hz" is_time "$(folded_sum "$T/p.folded" ';work;')" 0.3 99
if has_pmu; then
	skip 3 "pmu: this machine has what others fall back from"
else
	says err "falls back and says so" 'cpu-clock'
	ok "in one line" equal "$(grep -c 'instead of' "$T/err")" 1
	check 1 "a named event is never replaced" "$PMUTRACE" profile -e cycles --duration 0.2
fi

pm -c 10000000 -f folded -o "$T/c.folded" -- "$PROG/burn" -s 0.5
ok "-c 10 ms: 100 Hz" is_time "$(folded_sum "$T/c.folded" ';work;')" 0.5 100

limit=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
pm -F $((limit * 2)) -f folded -o "$T/h.folded" --duration 0.1
ok "a frequency over the limit is said" grep -q -e "$limit" -e perf_event_max_sample_rate "$T/err"
ok "and lowered or refused" sh -c "[ $status = 0 ] || [ $status = 1 ]"
