#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# func with a PMU: a function of a known number of instructions, alone and beside a task that wants
# the same CPU, and what is derived of them.
. "$(dirname "$0")/../lib.sh"
need_bpf
"$PMUTRACE" stat -q --strict -e '{cycles:u,instructions:u}' -o "$T/out.json" -- true 2>/dev/null ||
	skip_all "pmu: this machine cannot count cycles and instructions"

loop=$PROG/loop
n=40000000

# func ARGS.. - JSON into $T/calls.json
func() {
	run_func "$T/calls.json" "$@"
}
instructions() {
	json "$T/calls.json" '$d->{rows}[0]{metrics}{"instructions:u"}{sum}'
}

plan 6
func "$loop:loop_work" -e cycles:u,instructions:u -- "$loop" -n $n
ok "alone: within 1 %" between $((n * 99 / 100)) "$(instructions)" $((n * 101 / 100))
start taskset -c 0 "$PROG/burn" -s 600
start taskset -c 0 "$PROG/burn" -s 600
func "$loop:loop_work" -e cycles:u,instructions:u -- taskset -c 0 "$loop" -n $n
ok "beside others on its CPU: within 1 %" between $((n * 99 / 100)) "$(instructions)" $((n * 101 / 100))
ok "who had it meanwhile" between 1 "$(json "$T/calls.json" '$d->{rows}[0]{metrics}{"off-cpu"}{sum}')" 1e12
run "$PMUTRACE" func "$loop:loop_work" -e cycles:u,instructions:u -- "$loop" -n $n
says out "instructions per cycle" 'IPC'
ok "of one call" equal "$status" 0
func "$loop:loop_work" -- "$loop" -n $n
ok "the default events" json "$T/calls.json" 'die unless exists $d->{rows}[0]{metrics}{instructions}'
