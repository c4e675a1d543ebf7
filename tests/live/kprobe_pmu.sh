#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# BPF on the kprobe PMU, by PERF_EVENT_IOC_SET_BPF: n calls are n runs, and closing detaches.
. "$(dirname "$0")/../lib.sh"
need_bpf
[ -e /sys/bus/event_source/devices/kprobe ] || skip_all "no-kprobes: kernel without kprobes"

plan 6
for option in '-n 1000' '-r -n 1000' '-n 100000'; do
	# shellcheck disable=SC2086 # words
	check 0 "kprobe_calls $option" "$PROG/kprobe_calls" $option
	ok "${option##* } calls are as many runs, then none" equal "$(paste -s -d ' ' "$T/out")" \
		"${option##* } ${option##* }"
done
