#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# run.sh [SECTION].. - measures ours beside perf, bpftrace and bcc. `make bench` calls it.
#
#   sample    time inside BPF for one sample, by depth of the user stack
#   startup   exec to the first sample
#   pipeline  end of collection to a finished flame graph; CPU and memory of the whole run
#   losses    samples kept at 9999 Hz, default sizes
#   memory    of the collector, and of its BPF maps, at 99 Hz
#   draw      10,000 distinct stacks, folded, to SVG
#   library   pmutrace_read() and pmutrace_measure() of an empty function
#   count     CPU time of counting every 100 ms; opening and reading counters
#
# O says where the build is, ROUNDS how often each is measured (5). In each round every tool has
# its turn; a table shows medians, and in brackets how many times ours a peer needs: judge by
# those, figures of different runs do not compare. Figures are also kept in $O/bench/*.csv.
# A workload keeps every CPU busy, at raised priority, so that little else is sampled.
set -u

top=$(cd "$(dirname "$0")/../.." && pwd)
O=${O:-$top/build}
ROUNDS=${ROUNDS:-5}
SECONDS_EACH=${SECONDS_EACH:-5}
bench=$top/tests/bench
bin=$O/tests/bench
prog=$O/tests/prog
flamegraph=/usr/share/perl5/Devel/NYTProf/flamegraph.pl
LC_ALL=C
export LC_ALL

die() {
	echo "bench: $*" >&2
	exit 1
}

[ "$(id -u)" = 0 ] || die "needs root: sudo make bench"
T=$(mktemp -d "${TMPDIR:-/tmp}/pmutrace-bench.XXXXXX") || exit 1
mkdir -p "$O/bench"
load=

stop_load() {
	[ -z "$load" ] || kill -s KILL -- "-$load" 2>/dev/null ||
		echo "the workload was gone before its end: do not trust the next table" >&2
	load=
}
trap 'stop_load; rm -rf "$T"' EXIT
trap 'exit 1' HUP INT TERM

# start_load SHELL-COMMAND - in a process group of its own
start_load() {
	setsid nice -n -15 sh -c "$1" >/dev/null 2>&1 &
	load=$!
	sleep 0.3
}

cpus=$(getconf _NPROCESSORS_ONLN)
load_deep() {
	start_load "'$prog/deepwl' -s 86400 -p $cpus -k $1"
}

load_chain() {
	start_load "n=0; while [ \$n -lt $cpus ]; do '$prog/chain' -s 86400 -r $1 & n=\$((n + 1)); done; wait"
}

# The peers that are here: $perf, $bcc, $bpftrace; empty when missing.
find_peer() {
	for name; do
		command -v "$name" && return
	done
	echo "not installed: $1 (scripts/install-deps.sh --bench)" >&2
}
perf=$(find_peer perf)
bpftrace=$(find_peer bpftrace)
bcc=$(find_peer profile-bpfcc /usr/share/bcc/tools/profile)
if [ -n "$bcc" ] && ! "$bcc" -F 1 -f 1 >"$T/err" 2>&1; then
	echo "cannot run here: $bcc: $(grep -m 1 -i 'unable\|error' "$T/err")" >&2
	bcc=
fi
if [ ! -e "$flamegraph" ]; then
	flamegraph=$(command -v flamegraph.pl) ||
		echo "not installed: flamegraph.pl (scripts/install-deps.sh --bench)" >&2
fi
map='{ @[kstack, ustack, comm] = count(); }'

# measure ARGS - sets the variables that tests/bench/measure.c names
measure() {
	first_ms=0 first_cpu_ms=0 stop_ms=0 stop_cpu_ms=0 runs=0 run_ns=0 maps_kb=0 cpu_ms=0 rss_kb=0 wall_ms=0
	eval "$(nice -n -15 "$bin/measure" -e "$T/err" "$@")"
}

# value CASE TOOL METRIC NUMBER; goal CASE METRIC LIMIT [TOOL]
value() {
	printf '%s\t%s\t%s\t%s\n' "$@" >>"$T/values"
}
goal() {
	printf 'goal\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "${4:-}" >>"$T/values"
}
calc() {
	awk "BEGIN { printf \"%.3f\", $1 }"
}

# show SECTION - prints the tables and keeps the figures
show() {
	csv=$O/bench/$1.csv
	[ -e "$csv" ] || echo "date,kernel,section,case,tool,metric,median" >"$csv"
	awk -f "$bench/table.awk" -v section="$1" -v csv="$csv" \
		-v stamp="$(date -u +%Y-%m-%dT%H:%M:%SZ),$(uname -r)" "$T/values"
	rm -f "$T/values"
}

rounds() {
	seq "$1"
}

ns_of() {
	tool=$1
	shift
	measure -k -t 1 "$@"
	[ "$runs" -gt 0 ] && value "$case" "$tool" "ns per sample" "$((run_ns / runs))"
}

# sample_at CASE HZ
sample_at() {
	case=$1
	for _ in $(rounds "$ROUNDS"); do
		ns_of pmutrace "$O/pmutrace" profile -F "$2" -o "$T/x.folded"
		ns_of floor "$bin/floor" "$bin/floor.bpf.o" floor_sample "$2"
		ns_of empty "$bin/floor" "$bin/floor.bpf.o" floor_empty "$2"
		[ -n "$bpftrace" ] && ns_of bpftrace "$bpftrace" -e "profile:hz:$2 $map"
		[ -n "$bcc" ] && ns_of bcc "$bcc" -F "$2"
	done
	goal "$case" "ns per sample" 1.5 floor
}

section_sample() {
	for depth in 10 50 120; do
		load_chain $((depth - 3)) # main, what called it, and _start
		sample_at "depth $depth" 9999
		[ $depth = 50 ] && sample_at "depth 50 at 99 Hz" 99
		stop_load
	done
	show sample
}

first_of() {
	tool=$1
	shift
	measure -k -t 0.05 "$@"
	value "$case" "$tool" ms "$first_ms"
	value "$case" "$tool" "CPU ms" "$first_cpu_ms"
}

# Of perf the first event it opens, which comes a little earlier than its first sample.
section_startup() {
	case='first sample'
	for _ in $(rounds $((2 * ROUNDS))); do
		first_of pmutrace "$O/pmutrace" profile -F 9999 -o "$T/x.svg"
		first_of floor "$bin/floor" "$bin/floor.bpf.o" floor_sample 9999
		[ -n "$perf" ] && first_of perf -p "$perf" record -q -B -N --no-bpf-event -F 9999 -a -g -o "$T/perf.data"
		[ -n "$bpftrace" ] && first_of bpftrace "$bpftrace" -e "profile:hz:9999 $map"
		[ -n "$bcc" ] && first_of bcc "$bcc" -F 9999
	done
	goal "$case" ms 80
	show startup
}

folded_sum() {
	awk '{ n += $NF } END { print n + 0 }' "$1"
}

# worked TOOL - or it says so: a crash is no measurement
worked() {
	[ "$kept" != 0 ] || echo "$case: $1 failed in this round: left out" >&2
	[ "$kept" != 0 ]
}

# end_of TOOL SAMPLES - a pipeline's figures; $stop_ms etc. are the collector's, the rest is added
end_of() {
	value "$case" "$1" "ms to SVG" "$(calc "$stop_ms + $post_ms")"
	value "$case" "$1" "CPU ms of it" "$(calc "$stop_cpu_ms + $post_cpu_ms")"
	value "$case" "$1" "CPU ms in all" "$(calc "$cpu_ms + $post_cpu_ms")"
	value "$case" "$1" "RSS MB" "$(calc "($rss_kb > $post_kb ? $rss_kb : $post_kb) / 1024")"
	value "$case" "$1" samples "$2"
}

# post SHELL-COMMAND - what comes after the collector, in the same pipeline
post() {
	collected="stop_ms=$stop_ms stop_cpu_ms=$stop_cpu_ms cpu_ms=$cpu_ms rss_kb=$rss_kb runs=$runs maps_kb=$maps_kb"
	measure sh -c "$1"
	post_ms=$wall_ms post_cpu_ms=$cpu_ms post_kb=$rss_kb
	eval "$collected"
}

# Each collects at $1 Hz until interrupted and then makes $T/x.svg.
# -B -N --no-bpf-event: perf ends sooner, and 6.1 aborts over some build-ids.
run_pmutrace() {
	measure -t "$SECONDS_EACH" "$O/pmutrace" profile -a -F "$1" -o "$T/x.svg"
	post_ms=0 post_cpu_ms=0 post_kb=0
	seen=$(sed -n 's/.*samples: \([0-9]*\) seen.*/\1/p' "$T/err")
	kept=$(sed -n 's/.* seen, \([0-9]*\) kept.*/\1/p' "$T/err")
}
run_perf() {
	measure -p -t "$SECONDS_EACH" "$perf" record -q -B -N --no-bpf-event -F "$1" -a -g -o "$T/perf.data"
	post "'$perf' script -F comm,ip,sym -i '$T/perf.data' | awk -v from=perf -f '$bench/collapse.awk' >'$T/folded'
		perl '$flamegraph' '$T/folded' >'$T/x.svg'"
	seen=$(calc "int($SECONDS_EACH * $1 * $cpus)")
	kept=$(folded_sum "$T/folded")
	! grep -q 'assertion failed\|terminated' "$T/err" || kept=0
}
run_bcc() {
	measure -t "$SECONDS_EACH" -o "$T/folded" "$bcc" -F "$1" -f
	post "perl '$flamegraph' '$T/folded' >'$T/x.svg'"
	seen=$runs
	kept=$(folded_sum "$T/folded")
}
run_bpftrace() {
	measure -t "$SECONDS_EACH" -o "$T/map" "$bpftrace" -e "profile:hz:$1 $map"
	post "awk -v from=bpftrace -f '$bench/collapse.awk' '$T/map' >'$T/folded'
		perl '$flamegraph' '$T/folded' >'$T/x.svg'"
	seen=$runs
	kept=$(folded_sum "$T/folded")
}

have() {
	case $1 in
	perf) [ -n "$perf" ] ;;
	bcc) [ -n "$bcc" ] ;;
	bpftrace) [ -n "$bpftrace" ] ;;
	esac
}

# bpftrace needs tens of seconds from 999 Hz on: left out there.
section_pipeline() {
	[ -e "$flamegraph" ] || return 0
	load_deep 1000
	for hz in 99 999 9999; do
		case="$hz Hz"
		for _ in $(rounds $(((ROUNDS + 1) / 2))); do
			for tool in pmutrace perf bcc bpftrace; do
				[ "$tool" = pmutrace ] || have "$tool" || continue
				[ "$tool" = bpftrace ] && [ $hz != 99 ] && continue
				"run_$tool" $hz
				worked "$tool" || continue
				end_of "$tool" "$kept"
			done
		done
	done
	stop_load
	goal '99 Hz' 'ms to SVG' 50
	goal '999 Hz' 'ms to SVG' 80
	goal '9999 Hz' 'ms to SVG' 150
	goal '99 Hz' 'RSS MB' 30
	for tool in perf bcc bpftrace; do
		goal '99 Hz' 'CPU ms in all' 1 $tool
	done
	show pipeline
}

# Seen: by its own count, for bcc and bpftrace runs of their BPF program, for perf time x rate.
section_losses() {
	[ -e "$flamegraph" ] || return 0
	load_deep 1000
	case='9999 Hz'
	for _ in $(rounds $(((ROUNDS + 1) / 2))); do
		for tool in pmutrace perf bcc; do
			[ "$tool" = pmutrace ] || have "$tool" || continue
			"run_$tool" 9999
			worked "$tool" || continue
			value "$case" "$tool" seen "$seen"
			value "$case" "$tool" kept "$kept"
			value "$case" "$tool" 'lost %' "$(calc "100 * (1 - $kept / ($seen > 0 ? $seen : 1))")"
		done
	done
	stop_load
	goal "$case" 'lost %' 0
	show losses
}

memory_of() {
	tool=$1
	shift
	measure -t 2 "$@"
	value "$case" "$tool" "RSS MB" "$(calc "$rss_kb / 1024")"
	value "$case" "$tool" "BPF maps MB" "$(calc "$maps_kb / 1024")"
}

section_memory() {
	load_deep 1000
	case='99 Hz'
	for _ in $(rounds $(((ROUNDS + 1) / 2))); do
		memory_of pmutrace "$O/pmutrace" profile -a -o "$T/x.svg"
		[ -n "$perf" ] && memory_of perf -p "$perf" record -q -B -N --no-bpf-event -F 99 -a -g -o "$T/perf.data"
		[ -n "$bcc" ] && memory_of bcc "$bcc" -F 99 -f
		[ -n "$bpftrace" ] && memory_of bpftrace "$bpftrace" -e "profile:hz:99 $map"
	done
	stop_load
	goal "$case" "RSS MB" 30
	show memory
}

drawn_by() {
	tool=$1
	shift
	measure -o "$T/x.svg" sh -c "$1"
	value "$case" "$tool" ms "$wall_ms"
	value "$case" "$tool" "RSS MB" "$(calc "$rss_kb / 1024")"
	value "$case" "$tool" "SVG KB" "$(calc "$(wc -c <"$T/x.svg") / 1024")"
}

section_draw() {
	load_deep 10000
	"$O/pmutrace" profile -q -a -F 9999 --duration "$SECONDS_EACH" -o "$T/all.folded"
	stop_load
	head -n 10000 "$T/all.folded" >"$T/10k.folded"
	case="$(wc -l <"$T/10k.folded") stacks"
	for _ in $(rounds "$ROUNDS"); do
		drawn_by pmutrace "'$bin/draw' <'$T/10k.folded'"
		[ -e "$flamegraph" ] && drawn_by flamegraph.pl "perl '$flamegraph' '$T/10k.folded'"
	done
	goal "$case" ms 1000
	show draw
}

counted=task-clock,cs,migrations,page-faults,minor-faults,major-faults,alignment-faults,emulation-faults

counted_by() {
	tool=$1
	shift
	measure -o "$T/out" "$@"
	value "$case" "$tool" 'CPU ms' "$cpu_ms"
	value "$case" "$tool" 'RSS MB' "$(calc "$rss_kb / 1024")"
}

section_count() {
	for _ in $(rounds "$ROUNDS"); do
		case='-a -I 100, 8 events, 5 s'
		counted_by pmutrace "$O/pmutrace" stat -a -I 100 -e $counted 5
		[ -n "$perf" ] && counted_by perf "$perf" stat -a -I 100 -e $counted --timeout 5000
		case='-- true, default events'
		counted_by pmutrace "$O/pmutrace" stat -- true
		[ -n "$perf" ] && counted_by perf "$perf" stat true
		case='8 events on every CPU'
		open_ms=0 group_ns=0 single_ns=0 read_ns=0
		eval "$("$bin/counters")"
		value "$case" pmutrace 'ms to open' "$open_ms"
		value "$case" pmutrace 'ns to read a group' "$group_ns"
		value "$case" pmutrace 'ns to read each' "$single_ns"
		value "$case" 'read(2)' 'ns to read a group' "$read_ns"
	done
	goal '-a -I 100, 8 events, 5 s' 'CPU ms' 1 perf
	goal '8 events on every CPU' 'ms to open' 5
	goal '8 events on every CPU' 'ns to read a group' 1.1 'read(2)'
	show count
}

# A measurement needs two read(2): where a system call alone takes 700 ns, no 2000 ns can be kept.
section_library() {
	for events in page-faults '{page-faults,minor-faults,task-clock}'; do
		case=$events
		for _ in $(rounds "$ROUNDS"); do
			syscall_ns=0 read2_ns=0 read_ns=0 measure_ns=0
			eval "$(nice -n -15 "$bin/library" "$events")"
			value "$case" pmutrace "ns a measurement" "$measure_ns"
			value "$case" read "ns a measurement" "$read2_ns"
			value "$case" syscall "ns a measurement" "$syscall_ns"
			value "$case" pmutrace "ns a reading" "$read_ns"
			value "$case" read "ns a reading" "$read2_ns"
		done
		goal "$case" "ns a measurement" 2000
		goal "$case" "ns a measurement" 2.5 read
	done
	show library
}

[ $# -gt 0 ] || set -- sample startup pipeline losses memory draw library count
for section; do
	case $section in
	sample | startup | pipeline | losses | memory | draw | library | count) ;;
	*) die "unknown section '$section': sample, startup, pipeline, losses, memory, draw, library, count" ;;
	esac
done
echo "pmutrace bench: $(uname -r), $cpus CPUs, load $(cut -d' ' -f1-3 /proc/loadavg), medians of $ROUNDS rounds"
for section; do
	"section_$section"
done
echo
echo "figures kept in $O/bench/"
