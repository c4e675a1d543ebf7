#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# guest.sh [load|live/NAME].. - runs tests inside a guest, by default all live ones: what each prints
# below a line "# FILE NAME", then its exit status. `load` alone loads the BPF objects.
set -u
cd "$(dirname "$0")" || exit 1
TOP=$(pwd) O=$TOP/build
# run.sh counts four nanoseconds for an instruction, and the emulated PMU a cycle for each.
CYCLES_PER_INSTRUCTION=4
export TOP O CYCLES_PER_INSTRUCTION

run() {
	echo "# FILE $1"
	shift
	timeout -k 5 "${TEST_SECONDS:-240}" "$@" </dev/null 2>&1
	echo "# STATUS $? at $(cut -d ' ' -f 1 /proc/uptime) s"
}

if [ "${1-}" = load ]; then
	run load build/tests/vm/load
	run load build/tests/vm/load -u
	shift
fi
# shellcheck disable=SC2046 # a list
[ $# -gt 0 ] || set -- $(cd tests && echo live/*.sh)
for test; do
	run "${test%.sh}" sh "tests/${test%.sh}.sh"
done
