#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# run-fuzz.sh TARGET.. - runs each libFuzzer program for FUZZ_SECONDS (default 60), FUZZ_JOBS of them
# at once (default: as there are CPUs).
#
# It starts from the files in tests/fuzz/corpus/NAME, which are left as they are; what a target
# NAME_fuzz learns beyond them is kept in $O/fuzz-corpus/NAME for the next time. An input that
# crashes it, leaks or takes long is left in $O/fuzz-crashes/, and the exit status is 1.
set -u

cd "$(dirname "$0")/.." || exit 1
export O="${O:-build}"

if [ $# -eq 0 ]; then
	echo "usage: run-fuzz.sh TARGET.." >&2
	exit 2
fi

# fuzz TARGET - prints what came of it in one piece
fuzz() {
	name=$(basename "$1" _fuzz)
	corpus=$O/fuzz-corpus/$name
	seeds=tests/fuzz/corpus/$name
	if [ -z "$(ls "$seeds" 2>/dev/null)" ]; then
		echo "fuzz $name: there is nothing to start from in $seeds"
		return 1
	fi
	mkdir -p "$corpus" "$O/fuzz-crashes" || return 1
	log=$O/fuzz-corpus/$name.log
	if "$1" -max_total_time="${FUZZ_SECONDS:-60}" -timeout=10 -rss_limit_mb=2048 \
		-artifact_prefix="$O/fuzz-crashes/$name-" -print_final_stats=1 \
		"$corpus" "$seeds" \
		</dev/null >"$log" 2>&1; then
		echo "fuzz $name, ${FUZZ_SECONDS:-60} s:$(sed -n 's/^stat::\(number_of_executed_units\|average_exec_per_sec\): */ \1 /p' "$log" |
			paste -sd,)"
		return 0
	fi
	echo "fuzz $name: failed
$(tail -n 60 "$log")"
	return 1
}

# run-fuzz.sh --one TARGET: what xargs starts for each.
if [ "$1" = --one ]; then
	fuzz "$2"
	exit
fi
printf '%s\n' "$@" | xargs -n 1 -P "${FUZZ_JOBS:-$(getconf _NPROCESSORS_ONLN)}" scripts/run-fuzz.sh --one ||
	exit 1
