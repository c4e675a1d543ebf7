#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# nohz.sh - tests/live/tick_nohz in a guest with two processors, one of them of nohz_full.
#
# By the clock of the host, whose CPUs should have nothing else to do: where instructions are counted a processor
# without timers keeps the other one from its own. KERNEL (arm64-6.12: on x86 processors take turns) is one of the matrix,
# VM_SECONDS (600) what it may take. Prints TAP; the last line is "N passed, N failed, N skipped".
# Exit status 1 if a point failed.
set -eu
. "$(dirname "$0")/lib.sh"

kernel=${KERNEL:-arm64-6.12}
known "$kernel"
build_for "$kernel" nohz
status=0
"$LAB/run.sh" -r -a nohz_full=1 -t "${VM_SECONDS:-600}" -l "$VM/nohz.console" "$kernel" \
	"sh guest.sh live/tick_nohz" >"$VM/nohz.out" || status=$?
awk -f "$LAB/tap.awk" "$VM/nohz.out" >"$VM/nohz.tap"
cat "$VM/nohz.tap"
# Where it skips it has not been run.
failed=$(grep -c '^not ok\|# SKIP' "$VM/nohz.tap" || :)
[ $status = 0 ] || failed=$((failed + 1))
echo "$(grep -c '^ok' "$VM/nohz.tap" || :) passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
