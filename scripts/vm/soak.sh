#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# soak.sh - scripts/soak.sh for HOURS (8) by the clock of a guest, whose idle time passes at once.
#
# The guest's clock counts instructions, four nanoseconds each, and goes on to the next timer when there is
# nothing to do: hours of timers, requests, processes and cgroups take as long as their instructions need.
# KERNEL (amd64-6.12) is one of the matrix; SOAK_EVERY (5), SOAK_PAUSE (0.25) and SOAK_ARGS are those of
# scripts/soak.sh; VM_SECONDS is what it may take here (four hours). What it writes is in SOAK_DIR
# ($O/soak-vm), what it said so far in out. Exit status: that of scripts/soak.sh.
set -eu
. "$(dirname "$0")/lib.sh"

kernel=${KERNEL:-amd64-6.12} dir=${SOAK_DIR:-$O/soak-vm}
known "$kernel"
mkdir -p "$dir"
build_for "$kernel" soak
extra=$(mktemp -d "$VM/soak.XXXXXX")
trap 'rm -rf "$extra"' EXIT
whole_in "$extra"
mkdir "$extra/pmutrace/scripts"
cp -r "$TOP/scripts/soak" "$TOP/scripts/soak.sh" "$extra/pmutrace/scripts/"
# All of perl's library, of which guests have what tests load.
tree=$("$LAB/fetch-tree.sh" "$(arch_of "$kernel")")
(cd "$tree" && find usr/share/perl usr/lib/*/perl/5* -type f ! -name '*.pod' -o -type l | cpio --quiet -pdm "$extra")

start=$(date +%s) status=0
"$LAB/run.sh" -t "${VM_SECONDS:-14400}" -l "$VM/soak.console" -f "$dir/packed" -x "$extra" "$kernel" "$WHOLE_IN_GUEST
tail -n +1 -F /tmp/soak/soak.csv 2>/dev/null &
HOURS=${HOURS:-8} SOAK_EVERY=${SOAK_EVERY:-5} SOAK_PAUSE=${SOAK_PAUSE:-0.25} SOAK_ARGS='${SOAK_ARGS-}' \\
	SOAK_DIR=/tmp/soak sh scripts/soak.sh
status=\$?
tar -C /tmp/soak -cf \$VM_FILE .
exit \$status" >"$dir/out" || status=$?
tar -C "$dir" -xf "$dir/packed" || complain "nothing came back: $dir/out, $VM/soak.console"
rm -f "$dir/packed"
echo "took $((($(date +%s) - start) / 60)) minutes here; the guest's clock counts instructions" >>"$dir/summary.txt"
cat "$dir/summary.txt"
exit "$status"
