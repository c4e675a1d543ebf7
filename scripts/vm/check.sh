#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# check.sh - the live tests, and the loading of every BPF object, on the kernels of the matrix.
#
# KERNELS: names (amd64-6.1), versions (6.1), or all; ARCH: amd64 or arm64, both when empty. Of a
# kernel NAME:TEST,TEST.. these tests alone. By default every test that depends on the kernel runs on
# one: on arm64-6.12 with its hardware PMU, on amd64-6.12, or else on amd64-6.1; those of many of the
# kernel's functions on the last two, of which one has links and sessions for them and the other has not.
# TESTS: names of tests/live alone ("pmu shares"); VM_TESTS=all: also those that are the same on every
# kernel. VM_SECONDS: what one guest may take; VM_JOBS: guests at once. SKIPS, when not empty: skips
# that tests/skips does not list for a kernel that is in it fail. VM_REFRESH=1: what was fetched is fetched anew.
#
# Prints TAP. A kernel that cannot be fetched, or the libraries of its architecture, is "not run",
# which is no pass. The last line is "N passed, N failed, N skipped"; the exit status 1 when any
# failed, 3 when no kernel ran.
set -u
. "$(dirname "$0")/lib.sh"

results=$VM/results

# These are the same on every kernel, or need two CPUs: what is printed, and where to; what a user is
# told; strangers' files; signals; tables of functions by intervals of a second, in which a guest's one
# slow CPU finds no names. They are left to the running kernel, unless VM_TESTS=all.
same="build_ids capture command contexts continuous continuous_metrics count_output count_refused debuginfod diff \
export export_config export_exemplars export_hotplug export_profile export_prometheus export_scrapes export_tasks files \
first_names forever formats go hostile hotplug html inlines interrupt java jit large_host large_maps low_limits \
many_cgroups memory output output_disk overhead parsers \
perf_script pprof privileges readme resolve signals slow_names soak stat_refused strangers surroundings tick_nohz \
top_functions top_hotplug top_output top_record top_screen top_write truth verify_unwind viewer"

# By default: on arm64-6.12, and on no other; on amd64-6.12, and on no other; on amd64-6.12 as well. Guests
# run at the same time, so each has its part.
pmu="calls_pmu chain color count_fields count_stack events exec export_pmu filters hits hits_lost \
interval_times intervals list losses match_races passed_over pid_again pmu process_names shares stat_pmu threads \
top_pmu totals windows"
newer="code_32bit count count_patterns jail mappings named_programs targets_end top_ended unwind_memory unwind_targets"
functions="calls_kernel count_kernel hits_kernel"

# by_default - a kernel and its tests, KERNEL:TEST,TEST.., a line each
by_default() {
	for test in "$TOP"/tests/live/*.sh; do
		test=$(basename "$test" .sh)
		case " $same $pmu $newer " in
		*" $test "*) ;;
		*) echo "$test" ;;
		esac
	done | paste -sd , | sed 's/^/amd64-6.1:/'
	echo "arm64-6.12:$pmu" | tr ' ' ,
	echo "amd64-6.12:$functions $newer" | tr ' ' ,
}

# tests_for TESTS - as the guest wants them: these, or all that depend on the kernel
tests_for() {
	if [ -n "$1$TESTS" ]; then
		echo "$1 $TESTS" | tr -s ', ' '\n'
	else
		ls "$TOP/tests/live"
	fi | while read -r test; do
		test=$(basename "$test" .sh)
		case "$1$TESTS${VM_TESTS-} $same " in
		" "*" $test "*) continue ;;
		esac
		[ -z "$test" ] || echo "live/$test"
	done | tr '\n' ' '
}

# run_tests KERNEL TESTS - prints TAP without numbers
run_tests() {
	log=$results/$1
	if [ ! -e "$results/fetched-${1%%-*}" ] ||
		! "$LAB/fetch-kernel.sh" "$1" >/dev/null 2>"$log.err"; then
		tail -n 5 "$log.err" "$results/fetch-${1%%-*}" 2>/dev/null | sed 's/^/# /'
		echo "ok - # SKIP not-run: $1 cannot be fetched"
		return
	fi
	"$LAB/run.sh" -l "$log.console" -t "${VM_SECONDS:-4200}" "$1" "sh guest.sh load $(tests_for "$2")" \
		>"$log.out" 2>"$log.err"
	status=$?
	awk -f "$LAB/tap.awk" "$log.out"
	awk -f "$TOP/scripts/tries.awk" "$log.out"
	[ -z "${SKIPS-}" ] || ! grep -q "^\([^ #]*,\)\?$1[, ]" "$TOP/tests/skips" ||
		awk -f "$TOP/scripts/skips.awk" -v environment="$1" "$TOP/tests/skips" "$log.out"
	"$LAB/budget.sh" "$log.out" "$1"
	if btf=$("$LAB/fetch-btf.sh" "$1" 2>>"$log.err") && "$TOP/scripts/check-vmlinux.sh" "$btf" \
		>"$log.vmlinux" 2>&1; then
		echo "ok - has every member of vmlinux.h"
	else
		sed 's/^/# /' "$log.vmlinux"
		echo "not ok - has every member of vmlinux.h"
	fi
	if [ $status != 0 ]; then
		sed 's/^/# /' "$log.err"
		echo "not ok - the guest ends well"
	fi
}

TESTS=${TESTS-}
# check.sh --one KERNEL[:TESTS] - its points in one file, its sums in another
if [ "${1-}" = --one ]; then
	start=$(date +%s)
	case $2 in
	*:*) set -- "$1" "${2%%:*}" "${2#*:}" ;;
	*) set -- "$1" "$2" '' ;;
	esac
	run_tests "$2" "$3" | sed "s/^\(ok\|not ok\) - /&$2: /" >"$results/$2.tap"
	awk -v kernel="$2" -v seconds=$(($(date +%s) - start)) \
		-v package="$(cat "$VM/kernels/$2/package" "$VM_CACHE/kernels/$2/package" 2>/dev/null | head -n 1)" '
		/^not ok/ { failed++ }
		/^ok .*# SKIP/ { skipped++ }
		/^ok .*# SKIP not-run/ { not_run = 1 }
		/^ok/ { good++ }
		END {
			if (not_run) print "# " kernel ": not run"
			else print "# " kernel " (" package "): " good - skipped " passed, " failed + 0 \
				" failed, " skipped + 0 " skipped, " seconds " s"
		}' "$results/$2.tap" | tee "$results/$2.sum"
	exit
fi

[ -z "$TESTS" ] || KERNELS=${KERNELS:-amd64-6.1 arm64-6.12}
KERNELS=${KERNELS:-$(by_default)}
ARCH=${ARCH:-amd64 arm64}
[ "$KERNELS" != all ] || KERNELS=$MATRIX
rm -rf "$results"
mkdir -p "$results" || exit 1

# chosen - the kernels of the matrix that were asked for, KERNEL[:TESTS], a line each
chosen() {
	for word in $KERNELS; do
		for kernel in $MATRIX; do
			case " $ARCH " in
			*" ${kernel%%-*} "*) ;;
			*) continue ;;
			esac
			case ${word%%:*} in
			"$kernel" | "${kernel#*-}") echo "$kernel${word#"${word%%:*}"}" ;;
			esac
		done
	done | awk -F : '!seen[$1]++'
}

[ -n "$(chosen)" ] || complain "no such kernels: '$KERNELS' of '$ARCH'; there are: $MATRIX"
if [ -n "${VM_REFRESH-}" ]; then
	for kernel in $(chosen | sed 's/:.*//'); do
		rm -rf "$VM/kernels/$kernel" "$VM_CACHE/kernels/$kernel"
		rm -rf "$VM/tree-$(arch_of "$kernel")" "$VM_CACHE/tree-$(arch_of "$kernel")"-*
	done
fi
for arch in $(chosen | sed 's/-.*//' | sort -u); do
	"$LAB/fetch-tree.sh" "$arch" >"$results/fetch-$arch" 2>&1 || continue
	: >"$results/fetched-$arch"
	"$LAB/build.sh" "$arch" >"$results/build-$arch" 2>&1 && continue
	tail -n 30 "$results/build-$arch" >&2
	complain "cannot build for $arch"
done
chosen | xargs -n 1 -P "${VM_JOBS:-1}" "$LAB/check.sh" --one

# The points of all kernels are one list.
for kernel in $(chosen | sed 's/:.*//'); do
	cat "$results/$kernel.tap"
done | awk '
	/^ok - / { sub(/^ok - /, "ok " ++n " - ") }
	/^not ok - / { sub(/^not ok - /, "not ok " ++n " - ") }
	{ print }
	END { print "1.." n + 0 }' | tee "$results/all"
echo
cat "$results"/*.sum
passed=$(grep '^ok' "$results/all" | grep -c -v '# SKIP')
failed=$(grep -c '^not ok' "$results/all")
echo "$passed passed, $failed failed, $(grep -c '^ok.*# SKIP' "$results/all") skipped"
[ "$failed" = 0 ] || exit 1
[ "$passed" != 0 ] || exit 3
