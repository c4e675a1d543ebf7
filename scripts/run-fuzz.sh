#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# run-fuzz.sh TARGET.. - runs each libFuzzer program for FUZZ_SECONDS (default 60).
#
# It starts from the files in tests/fuzz/corpus/NAME, which are left as they are; what a target
# NAME_fuzz learns beyond them is kept in $O/fuzz-corpus/NAME for the next time. An input that
# crashes it, leaks or takes long is left in $O/fuzz-crashes/, and the exit status is 1.
set -u

cd "$(dirname "$0")/.." || exit 1
O=${O:-build}
status=0

if [ $# -eq 0 ]; then
	echo "usage: run-fuzz.sh TARGET.." >&2
	exit 2
fi

for target; do
	name=$(basename "$target" _fuzz)
	corpus=$O/fuzz-corpus/$name
	seeds=tests/fuzz/corpus/$name
	if [ -z "$(ls "$seeds" 2>/dev/null)" ]; then
		echo "fuzz $name: there is nothing to start from in $seeds"
		status=1
		continue
	fi
	mkdir -p "$corpus" "$O/fuzz-crashes" || exit 1
	log=$O/fuzz-corpus/$name.log
	echo "fuzz $name, ${FUZZ_SECONDS:-60} s"
	if "$target" -max_total_time="${FUZZ_SECONDS:-60}" -timeout=10 -rss_limit_mb=2048 \
		-artifact_prefix="$O/fuzz-crashes/$name-" -print_final_stats=1 \
		"$corpus" "$seeds" \
		</dev/null >"$log" 2>&1; then
		grep 'number_of_executed_units\|average_exec_per_sec' "$log" | sed 's/^stat::/  /'
	else
		echo "fuzz $name: failed"
		tail -n 60 "$log"
		status=1
	fi
done
exit $status
