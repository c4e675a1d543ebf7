#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# large.sh - tests/live/large_host in a guest with VM_CPUS (64) processors and VM_MEMORY (4096) MB.
#
# KERNEL (amd64-6.12) is one of the matrix, VM_SECONDS (3000) what it may take, SLEEPERS how many processes
# sleep beside it (2000). The exporter, which the guests' static build does not have, is that of $O with its
# libraries; where the guest cannot run it, there is none. Prints TAP and how long it took; exit status
# 1 if a point failed. Time in the guest is counted in instructions, of all processors together.
set -eu
. "$(dirname "$0")/lib.sh"

kernel=${KERNEL:-amd64-6.12} seconds=${VM_SECONDS:-3000}
known "$kernel"
build_for "$kernel" large
extra=$(mktemp -d "$VM/large.XXXXXX")
trap 'rm -rf "$extra"' EXIT
whole_in "$extra"

start=$(date +%s) status=0
"$LAB/run.sh" -c "${VM_CPUS:-64}" -m "${VM_MEMORY:-4096}" -t "$seconds" -l "$VM/large.console" -x "$extra" "$kernel" \
	"$WHOLE_IN_GUEST
SLEEPERS=${SLEEPERS:-2000} TEST_SECONDS=$seconds sh guest.sh live/large_host" >"$VM/large.out" || status=$?
cat "$VM/large.out"
echo "# $(grep -c '^ok' "$VM/large.out" || :) passed, $(grep -c '^not ok' "$VM/large.out" || :) failed;" \
	"$(($(date +%s) - start)) s with ${VM_CPUS:-64} processors"
[ $status = 0 ] && grep -q '^# STATUS 0 ' "$VM/large.out" && ! grep -q '^not ok' "$VM/large.out"
