#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# run.sh [SECTION].. - measures ours beside perf, bpftrace and bcc. `make bench` calls it.
#
#   sample    time inside BPF for one sample, by depth of the user stack
#   startup   exec to the first sample
#   pipeline  end of collection to a finished flame graph; CPU and memory of the whole run
#   losses    samples kept at 9999 Hz, default sizes
#   memory    of the collector, and of its BPF maps, at 99 Hz
#   draw      10,000 and 100,000 distinct stacks, folded, to SVG; to a page and for pprof
#   capture   a table of functions from a capture of a million distinct stacks; its size
#   library   pmutrace_read() and pmutrace_measure() of an empty function
#   count     CPU time of counting every 100 ms; opening and reading counters
#   top       time inside BPF for one switch; CPU and memory beside 1,000 processes, and of the view of
#             functions beside busy programs and a compiler; first output
#   unwind    unwinding by rules: time for each frame, warm, of the first ones, and in a compiler; for
#             the rest, and for a stack of one frame; beside frame pointers; instructions that the
#             verifier goes through; memory; data and whole stacks beside perf's copies of stacks
#   tables    CPU time and size of unwind tables: of a compiler's library, of all files that are mapped
#   names     what the name of an address takes when it is known; all of 20,000 for the first time
#   inlines   CPU time for the functions inlined at an address and their lines, and memory for that;
#             what looking for them costs where there is no debug information
#   trigger   what counting adds to a system call and to a function of a program
#
# INLINES names files with debug information that inlines are looked up in (pmutrace itself, and the
# largest debug file that is installed), ADDRESSES how many (20000). LARGE=240 makes a program of so
# many units as well, of 5.4 MB each (clang has 1.5 GB): that takes ten minutes the first time.
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
symbolizer=$(find_peer llvm-symbolizer)
addr2line=$(find_peer addr2line)
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
	status=1 first_ms=0 first_cpu_ms=0 stop_ms=0 stop_cpu_ms=0 runs=0 run_ns=0 maps_kb=0 cpu_ms=0 rss_kb=0 wall_ms=0
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

# sample_at CASE HZ - of a program that keeps frame pointers, which all of them follow
sample_at() {
	case=$1
	for _ in $(rounds "$ROUNDS"); do
		ns_of pmutrace "$O/pmutrace" profile -F "$2" --call-graph fp -o "$T/x.folded"
		ns_of 'by rules' "$O/pmutrace" profile -F "$2" -o "$T/x.folded"
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

# All memory of unwind tables is mapped at once, and resident: the rest is what does not depend on it.
section_memory() {
	tables_mb=24
	load_deep 1000
	case='99 Hz'
	for _ in $(rounds $(((ROUNDS + 1) / 2))); do
		memory_of pmutrace "$O/pmutrace" profile -a --unwind-mem ${tables_mb}M -o "$T/x.svg"
		value "$case" pmutrace 'RSS MB besides tables' "$(calc "$rss_kb / 1024 - $tables_mb")"
		[ -n "$perf" ] && memory_of perf -p "$perf" record -q -B -N --no-bpf-event -F 99 -a -g -o "$T/perf.data"
		[ -n "$bcc" ] && memory_of bcc "$bcc" -F 99 -f
		[ -n "$bpftrace" ] && memory_of bpftrace "$bpftrace" -e "profile:hz:99 $map"
	done
	stop_load
	goal "$case" 'RSS MB besides tables' 30
	show memory
}

drawn_by() {
	tool=$1
	shift
	measure -o "$T/x.svg" sh -c "$1"
	value "$case" "$tool" ms "$wall_ms"
	value "$case" "$tool" "RSS MB" "$(calc "$rss_kb / 1024")"
	value "$case" "$tool" "file KB" "$(calc "$(wc -c <"$T/x.svg") / 1024")"
}

# The larger file is drawn by flamegraph.pl once: it takes half a minute, and hundreds of megabytes.
section_draw() {
	load_deep 100000
	"$O/pmutrace" profile -q -a -F 9999 --stacks 100000 --duration 14 -o "$T/all.folded"
	stop_load
	head -n 10000 "$T/all.folded" >"$T/10k.folded"
	head -n 100000 "$T/all.folded" >"$T/100k.folded"
	for file in 10k 100k; do
		case="$(wc -l <"$T/$file.folded") stacks"
		for round in $(rounds "$ROUNDS"); do
			drawn_by pmutrace "'$O/pmutrace' report -q -f svg '$T/$file.folded'"
			drawn_by 'as a page' "'$O/pmutrace' report -q -f html '$T/$file.folded'"
			drawn_by 'for pprof' "'$O/pmutrace' report -q -f pprof '$T/$file.folded'"
			[ -e "$flamegraph" ] || continue
			[ $file = 100k ] && [ "$round" != 1 ] && continue
			drawn_by flamegraph.pl "perl '$flamegraph' '$T/$file.folded'"
		done
	done
	goal "$case" ms 250
	goal "$case" "RSS MB" 150
	show draw
}

# As those of draw, in ten variants.
section_capture() {
	load_deep 100000
	"$O/pmutrace" profile -q -a -F 9999 --stacks 100000 --duration 14 -o "$T/all.folded"
	stop_load
	for variant in 0 1 2 3 4 5 6 7 8 9; do
		sed "s/;/;v${variant}_/" "$T/all.folded"
	done | head -n 1000000 >"$T/million.folded"
	"$O/pmutrace" report -q --max-memory 8G "$T/million.folded" -o "$T/million.pmut"
	case="$(wc -l <"$T/million.folded") stacks"
	for _ in $(rounds "$ROUNDS"); do
		measure -o "$T/out" "$O/pmutrace" report -q --max-memory 8G "$T/million.pmut"
		value "$case" pmutrace ms "$wall_ms"
		value "$case" pmutrace "RSS MB" "$(calc "$rss_kb / 1024")"
		value "$case" pmutrace "file MB" "$(calc "$(wc -c <"$T/million.pmut") / 1e6")"
	done
	goal "$case" ms 1000
	goal "$case" "RSS MB" 500
	show capture
}

counted=task-clock,cs,migrations,page-faults,minor-faults,major-faults,alignment-faults,emulation-faults

counted_by() {
	tool=$1
	shift
	measure -o "$T/out" "$@"
	if [ "$status" != 0 ]; then
		echo "$case: $tool failed (exit status $status): left out" >&2
		head -n 3 "$T/err" >&2
		return
	fi
	value "$case" "$tool" 'CPU ms' "$cpu_ms"
	value "$case" "$tool" 'RSS MB' "$(calc "$rss_kb / 1024")"
}

section_count() {
	for _ in $(rounds "$ROUNDS"); do
		case='-a -I 100, 8 events, 5 s'
		counted_by pmutrace "$O/pmutrace" stat -a -I 100 -e $counted 5
		[ -n "$perf" ] && counted_by perf "$perf" stat -a -I 100 -e $counted sleep 5 # it refuses --timeout with -I
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

# addresses_in FILE - some of its functions, by chance; in their order, as they are asked in batches
addresses_in() {
	nm -S --defined-only "$1" 2>/dev/null | perl -ane '
		push @all, [hex $F[0], hex $F[1]] if @F > 3 && $F[2] =~ /^[tw]$/i && hex $F[1];
		END {
			srand 1;
			for (1 .. '"${ADDRESSES:-20000}"') {
				my $f = $all[rand @all] or last;
				push @some, $f->[0] + int rand $f->[1];
			}
			printf "0x%x\n", $_ for sort { $a <=> $b } @some;
		}'
}

# large_program UNITS - prints its path. A unit is compiled once, and renamed: the assembler is fast.
large_program() {
	large=$O/bench/large-$1
	if [ ! -e "$large" ]; then
		c++ -std=c++17 -O2 -g -S "$bench/large.cc" -o "$T/large.s" || return
		seq -f %04g 1 "$1" | TMPDIR=$T xargs -P "$cpus" -I{} \
			sh -c "sed s/unit0000/unit{}/g '$T/large.s' | as - -o '$T/unit{}.o'" || return
		{
			seq -f 'namespace unit%04g { int all(const char *); }' 1 "$1"
			echo 'int main(int n, char **v) {'
			seq -f 'n += unit%04g::all(v[0]);' 1 "$1"
			echo 'return n & 1; }'
		} >"$T/large_main.cc"
		c++ -O2 -g "$T/large_main.cc" "$T"/unit*.o -o "$large" || return
		rm -f "$T"/unit*.o
	fi
	echo "$large"
}

# looked_up TOOL SHELL-COMMAND - addresses of $T/addresses, for all of which it answers
looked_up() {
	measure -o "$T/out" sh -c "exec $2 <'$T/addresses'"
	if [ "$status" != 0 ] || [ "$(wc -l <"$T/out")" -lt "$(wc -l <"$T/addresses")" ]; then
		echo "$case: $1 failed (exit status $status): left out" >&2
		return
	fi
	value "$case" "$1" 'us an address' "$(calc "$cpu_ms * 1000 / $(wc -l <"$T/addresses")")"
	value "$case" "$1" 'RSS MB' "$(calc "$rss_kb / 1024")"
}

# perf knows only what it has sampled: what --inline adds, by the addresses that there are. It looks for
# functions inlined at frames that it has unwound from copies of stacks alone.
inlines_of_perf() {
	"$perf" record -q -B -N --no-bpf-event -F 997 --call-graph dwarf,4096 -o "$T/perf.data" -- "$prog/inlines" 1 \
		>/dev/null 2>&1
	measure -o "$T/ips" "$perf" script -i "$T/perf.data" --no-inline -F ip
	measure -o "$T/out" "$perf" script -i "$T/perf.data" --no-inline -F ip,sym
	without_ms=$cpu_ms
	measure -o "$T/out" "$perf" script -i "$T/perf.data" --inline -F ip,sym
	if [ "$status" != 0 ] || ! grep -q '(inlined)' "$T/out"; then
		echo "$case: perf failed (exit status $status): left out" >&2
		return
	fi
	sort -u -o "$T/ips" "$T/ips"
	value "$case" perf 'us an address' \
		"$(calc "($cpu_ms - $without_ms) * 1000 / $(wc -l <"$T/ips")")"
	value "$case" perf 'RSS MB' "$(calc "$rss_kb / 1024")"
}

# costs_of TOOL [OPTION] - of profiling the workload, which has no debug information
costs_of() {
	tool=$1
	shift
	measure -t 3 "$O/pmutrace" profile -F 999 -p "$(pgrep -n -x plain)" "$@" -o "$T/x.folded"
	value "$case" "$tool" 'CPU ms' "$cpu_ms"
	value "$case" "$tool" 'RSS MB' "$(calc "$rss_kb / 1024")"
}

# Nothing that it runs has any, for it has no libraries.
without_debug() {
	case='no debug info'
	cc -std=gnu11 -D_GNU_SOURCE -O1 -fno-omit-frame-pointer -static -s -o "$T/plain" \
		"$top/tests/prog/deepwl.c" -pthread || return
	start_load "'$T/plain' -s 86400 -p $cpus -k 1000"
	for _ in $(rounds "$ROUNDS"); do
		costs_of pmutrace
		costs_of --no-inline --no-inline
	done
	stop_load
	goal "$case" 'CPU ms' 1.05 --no-inline
	goal "$case" 'RSS MB' 1.05 --no-inline
}

# Each tool's whole life, with what it takes to begin, divided by the number of addresses.
section_inlines() {
	without_debug
	[ -z "${LARGE:-}" ] || large=$(large_program "$LARGE") || die "a large program cannot be built"
	largest=$(find /usr/lib/debug -name '*.debug' -type f -exec ls -S {} + 2>/dev/null | head -n 1)
	for file in ${INLINES:-"$prog/inlines" "$O/pmutrace" $largest} ${large:-}; do
		case=$(basename "$file" .debug | cut -c 1-12)
		addresses_in "$file" >"$T/addresses"
		[ -s "$T/addresses" ] || continue
		for _ in $(rounds "$ROUNDS"); do
			looked_up pmutrace "'$bin/inlines' '$file'"
			[ -n "$symbolizer" ] && looked_up llvm-symbolizer \
				"'$symbolizer' --obj='$file' --output-style=GNU"
			[ -n "$addr2line" ] && looked_up addr2line "'$addr2line' -ifaC -e '$file'"
			[ -n "$perf" ] && [ "$file" = "$prog/inlines" ] && inlines_of_perf
		done
		case $file in
		"$prog/inlines") ;;
		"${large:-}") goal "$case" 'us an address' 50 ;; # 20,000 in a second
		*) goal "$case" 'us an address' 10 ;;
		esac
		goal "$case" 'RSS MB' 300
	done
	show inlines
}

# call_takes WHAT - ns, now
call_takes() {
	taskset -c $((cpus - 1)) nice -n -15 "$bin/triggered" "$1"
}

# is_ready TOOL PID - it counts: it says so, or it has its events
is_ready() {
	case $1 in
	bpftrace | floor) grep -q ready "$T/out" ;;
	perf | event) find "/proc/$2/fd" -lname '*perf_event*' 2>/dev/null | grep -q . ;;
	*) grep -q 'counting\|measuring' "$T/err" ;;
	esac
}

# has_ended PID - or is a zombie, for which the shell has not waited yet
has_ended() {
	[ "$(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$1/status" 2>/dev/null | tr -d Z)" = '' ]
}

# in_time CMD.. - it succeeds within ten seconds
in_time() {
	for _ in $(rounds 100); do
		"$@" && return
		sleep 0.1
	done
	return 1
}

# has_counted CASE TOOL STATUS - all that triggered.c has made, by its own word: calls, 250 in 1,000
# lots; or the marks before and behind them, which alone pass the filter. The floor counts nothing:
# it was attached until SIGINT ended it.
has_counted() {
	case $1:$2 in
	# Sums of times are numbers, too: here it is exactly the calls.
	'its calls measured':*) cat "$T/out" "$T/err" | tr -d , | grep -q -w 250000 ;;
	*:floor) [ "$3" = 130 ] ;;
	"filtered out":*) cat "$T/out" "$T/err" | tr -d , | grep -q -w 200 ;;
	*)
		cat "$T/out" "$T/err" | tr -d , | tr -c '0-9.' '\n' |
			awk '/^[0-9]+$/ && $1 >= 250000 { found = 1 } END { exit !found }'
		;;
	esac
}

# call_of CASE TOOL WHAT COMMAND.. - what a call takes by itself, and while the command counts all. A
# figure is kept only if the command was ready before and has counted what was timed.
call_of() {
	case=$1 tool=$2 what=$3
	shift 3
	bare_ns=$(call_takes "$what")
	# A shell has SIGINT ignored in the background, and some leave it so.
	perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV or die' "$@" >"$T/out" 2>"$T/err" &
	counter=$!
	in_time is_ready "$tool" $counter
	sleep 0.2
	call_ns=$(call_takes "$what")
	kill -s INT $counter
	in_time has_ended $counter || kill -s KILL $counter
	status=0
	wait $counter || status=$?
	if has_counted "$case" "$tool" $status; then
		printf '%s\tbare\t%s\n%s\t%s\t%s\n' "$what" "$bare_ns" "$case" "$tool" "$call_ns" >>"$T/calls"
	else
		echo "$case: $tool did not count what was timed (exit status $status): left out" >&2
		tail -n 3 "$T/err" >&2
	fi
}

# quickest CASE TOOL - ns of a call in the quickest of the rounds
quickest() {
	awk -F '\t' -v case="$1" -v tool="$2" '$1 == case && $2 == tool { print $3 }' "$T/calls" |
		sort -n | head -n 1
}

# added CASE TOOL WHAT - to a call
added() {
	[ -z "$(quickest "$1" "$2")" ] ||
		value "$1" "$2" 'ns added' "$(calc "$(quickest "$1" "$2") - $(quickest "$3" bare)")"
}

# add_perf_call ADDRESS - a function's entry and return as perf's events: their names, or nothing. By
# its address: what has no DWARF perf does not find among others that have.
add_perf_call() {
	[ -n "$perf" ] &&
		"$perf" probe -q -x "$bin/triggered" "pmutrace_bench:call=$1" >&2 &&
		"$perf" probe -q -x "$bin/triggered" pmutrace_bench:back=triggered_call%return >&2 &&
		echo pmutrace_bench:call,pmutrace_bench:back__return
}

# The machine has several speeds, and goes from one to another in less than a second: a call takes 720,
# 830 or 930 ns, where counting it is 70. So rounds are many and short, and the quickest of each tool
# is held against the quickest of the bare ones. The floor is a program that does nothing; of
# functions it is a uprobe that only counts, as a perf event.
section_trigger() {
	sys=raw_syscalls:sys_enter
	fn=$bin/triggered:triggered_call
	first=0 leave=0
	eval "$(objdump -d --disassemble=triggered_call "$bin/triggered" |
		awk '$1 ~ /^[0-9a-f]+:$/ { sub(":", "", $1); print (n++ ? "leave" : "first") "=$((0x" $1 "))" }
			/[[:space:]]ret/ { exit }')"
	leave=$((leave - first))
	perf_call=$(add_perf_call "$(printf 0x%x "$first")")
	ready='BEGIN { printf("ready\n"); }'
	for _ in $(rounds $((4 * ROUNDS))); do
		call_of 'system calls' pmutrace syscall "$O/pmutrace" count $sys
		call_of 'system calls' floor syscall "$bin/floor" "$bin/floor.bpf.o" floor_syscall
		[ -n "$perf" ] && call_of 'system calls' perf syscall "$perf" stat -a -e $sys
		call_of 'filtered out' pmutrace syscall "$O/pmutrace" count $sys --filter 'id == 9999'
		[ -n "$perf" ] && call_of 'filtered out' perf syscall "$perf" stat -a -e $sys --filter 'id == 9999'
		call_of 'by process' pmutrace syscall "$O/pmutrace" count $sys --by pid
		call_of 'a function' pmutrace function "$O/pmutrace" count "uprobe:$fn"
		call_of 'a function' event function "$O/pmutrace" stat -a -e "uprobe:$fn"
		call_of 'its calls measured' pmutrace function "$O/pmutrace" func \
			-e page-faults,context-switches "$fn"
		call_of 'its calls measured' 'probes alone' function "$O/pmutrace" count \
			"uprobe:$fn" "uretprobe:$fn"
	done
	# Stepped through by the kernel, calls take so long that speeds of the machine matter less.
	for _ in $(rounds "$ROUNDS"); do
		call_of 'its calls measured' 'pmutrace decode' function "$O/pmutrace" func \
			--returns decode -e page-faults,context-switches "$fn"
		call_of 'its calls measured' 'decode, probes alone' function "$O/pmutrace" count \
			"uprobe:$fn" "uprobe:$bin/triggered:triggered_call+$leave"
		[ -n "$perf_call" ] && call_of 'its calls measured' perf function "$perf" stat -a -e "$perf_call"
	done
	for _ in $([ -n "$bpftrace" ] && rounds $((2 * ROUNDS))); do
		call_of 'system calls' bpftrace syscall "$bpftrace" -B line -e \
			"$ready tracepoint:$sys { @ = count(); }"
		call_of 'filtered out' bpftrace syscall "$bpftrace" -B line -e \
			"$ready tracepoint:$sys / args->id == 9999 / { @ = count(); }"
		call_of 'by process' bpftrace syscall "$bpftrace" -B line -e \
			"$ready tracepoint:$sys { @[pid] = count(); }"
		call_of 'a function' bpftrace function "$bpftrace" -B line -e "$ready uprobe:$fn { @ = count(); }"
		call_of 'its calls measured' bpftrace function "$bpftrace" -B line -e "$ready
			uprobe:$fn { @at[tid] = nsecs; }
			uretprobe:$fn / @at[tid] / { @ = stats(nsecs - @at[tid]); delete(@at[tid]); }"
	done
	for tool in pmutrace floor perf bpftrace; do
		added 'system calls' $tool syscall
	done
	for tool in pmutrace perf bpftrace; do
		added 'filtered out' $tool syscall
	done
	for tool in pmutrace bpftrace; do
		added 'by process' $tool syscall
	done
	for tool in pmutrace event bpftrace; do
		added 'a function' $tool function
	done
	for tool in pmutrace 'probes alone' 'pmutrace decode' 'decode, probes alone' perf bpftrace; do
		added 'its calls measured' "$tool" function
	done
	case='its calls measured'
	value "$case" pmutrace 'ns besides the probes' \
		"$(calc "$(quickest "$case" pmutrace) - $(quickest "$case" 'probes alone')")"
	case='1,000 functions'
	for _ in $(rounds "$ROUNDS"); do
		ms=$("$O/pmutrace" count -v "uprobe:$bin/sites:site_*" 0.1 2>&1 >/dev/null |
			sed -n 's/.* attached to 1000 .* in \([0-9.]*\) ms$/\1/p')
		value "$case" pmutrace 'ms to attach' "${ms:-0}"
	done
	goal "$case" 'ms to attach' 50
	goal 'system calls' 'ns added' 90
	goal 'filtered out' 'ns added' 1.1 perf
	goal 'by process' 'ns added' 130
	goal 'a function' 'ns added' 1.1 event
	goal 'its calls measured' 'ns besides the probes' 1000
	rm -f "$T/calls"
	[ -z "$perf_call" ] || "$perf" probe -q -d 'pmutrace_bench:*' 2>/dev/null
	show trigger
}

# switches_of CASE ARGS.. - while `pingpong ARGS` runs; what the kernel takes to keep statistics is
# in it, some 60 ns.
switches_of() {
	case=$1
	shift
	start_load "'$prog/pingpong' -c 0 -n 100000000 $*"
	measure -s -k -t 2 "$O/pmutrace" top -b -d 600 \
		-e page-faults,minor-faults,major-faults,cpu-migrations
	stop_load
	[ "$runs" -gt 0 ] && value "$case" pmutrace "ns per switch" "$((run_ns / runs))"
}

# ran_ns PID - CPU time of all its threads
ran_ns() {
	cat "/proc/$1/task/"*/schedstat | awk '{ ns += $1 } END { printf "%.0f", ns }'
}

# taken_by TOOL PID - what it takes from now on, and the most memory it has had
taken_by() {
	before_ns=$(ran_ns "$2")
	sleep "$SECONDS_EACH"
	value "$case" "$1" 'CPU %' "$(calc "($(ran_ns "$2") - $before_ns) / 1e7 / $SECONDS_EACH")"
	value "$case" "$1" 'RSS MB' "$(calc "$(awk '/^VmHWM:/ { print $2 }' "/proc/$2/status") / 1024")"
	kill -s INT "$2"
}

# refreshed_by TOOL COMMAND.. - what it takes once it has begun and all names are known, in $settled s
refreshed_by() {
	tool=$1
	shift
	nice -n -15 "$@" >"$T/out" 2>"$T/err" &
	sleep "$settled"
	taken_by "$tool" $!
	wait $!
}

# shown_by TOOL COMMAND - the same on a screen
shown_by() {
	TERM=xterm nice -n -15 script -q -c "stty rows 50 cols 160; exec $2" /dev/null >"$T/out" 2>&1 &
	sleep "$settled"
	taken_by "$1" "$(pgrep -P $!)"
	wait $!
}

load_busy() {
	start_load "n=0; while [ \$n -lt $cpus ]; do '$prog/burn' -s 86400 & n=\$((n + 1)); done; wait"
}

# A compiler again and again: new processes, and libraries with tens of thousands of functions.
load_compiler() {
	awk 'BEGIN {
		for (i = 0; i < 200; i++)
			printf "int f%d(int n) { int s = 0; for (int i = 0; i < n; i++) " \
				"for (int k = 0; k < i; k++) s += i * k ^ s >> 3; return s; }\n", i
	}' >"$T/many.c"
	start_load "while :; do $1 -O2 -c -o /dev/null '$T/many.c'; done"
}

# All CPUs are sampled, and nothing of it is new: others' processes are left out. Then the largest
# programs that are at hand.
functions_of() {
	load_busy
	settled=15 # the kernel's names are read at its first sample; the screen's window has 10 s
	busy=$(pgrep -P "$load" | paste -sd, -)
	case="functions, $cpus busy programs"
	refreshed_by pmutrace "$O/pmutrace" top -b --by function -d 1 -p "$busy"
	[ -n "$perf" ] && refreshed_by perf "$perf" top --stdio -F 99 -g -p "$busy"
	case='the same on a screen'
	shown_by pmutrace "$O/pmutrace top --by function -d 1 -p $busy"
	stop_load
	for compiler in $compilers; do
		load_compiler "$compiler"
		case="functions, $compiler"
		refreshed_by pmutrace "$O/pmutrace" top -b --by function -d 1
		[ -n "$perf" ] && refreshed_by perf "$perf" top --stdio -F 99 -g
		stop_load
	done
}

section_top() {
	htop=$(find_peer htop)
	compilers=
	for compiler in gcc clang; do
		! command -v "$compiler" >/dev/null || compilers="$compilers $compiler"
	done
	for _ in $(rounds "$ROUNDS"); do
		switches_of 'between processes, 4 events'
		switches_of 'between threads, 4 events' -t
		case='first output, after 10 ms'
		measure -o "$T/out" "$O/pmutrace" top -b -n 1 -d 0.01
		value "$case" pmutrace ms "$wall_ms"
		value "$case" pmutrace "CPU ms" "$cpu_ms" # the rest is waiting, for others, too
		measure -o "$T/out" top -b -n 1
		value "$case" top ms "$wall_ms"
		value "$case" top "CPU ms" "$cpu_ms"
		start_load "'$prog/crowd' -n 1000"
		case='1,000 processes, every second'
		settled=4
		refreshed_by pmutrace "$O/pmutrace" top -b -d 1
		refreshed_by top top -b -d 1
		[ -n "$perf" ] && refreshed_by perf "$perf" top --stdio
		[ -n "$htop" ] && shown_by htop "'$htop' -d 10"
		stop_load
		functions_of
	done
	goal 'between processes, 4 events' 'ns per switch' 1000
	goal 'between threads, 4 events' 'ns per switch' 200
	goal '1,000 processes, every second' 'CPU %' 0.3
	goal '1,000 processes, every second' 'RSS MB' 20
	for case in "functions, $cpus busy programs" 'the same on a screen'; do
		goal "$case" 'CPU %' 0.3
		goal "$case" 'RSS MB' 20
	done
	for compiler in $compilers; do
		goal "functions, $compiler" 'RSS MB' 20
	done
	goal 'first output, after 10 ms' ms 150
	show top
}

# tables_of FILE.. - of one set of files
tables_of() {
	for _ in $(rounds "$ROUNDS"); do
		cpu_us=0 rows=0 bytes=0
		eval "$(nice -n -15 "$bin/tables" "$@")"
		value "$case" pmutrace "CPU ms" "$(calc "$cpu_us / 1000")"
		value "$case" pmutrace rows "$rows"
		value "$case" pmutrace "bytes a row" "$(calc "$bytes / ($rows + !$rows)")"
	done
	goal "$case" "bytes a row" 4.2
}

load_bare() {
	start_load "n=0; while [ \$n -lt $cpus ]; do '$prog/bare' -s 86400 -d $1 deep & n=\$((n + 1)); done; wait"
}

load_alone() {
	start_load "ulimit -t 600; n=0; while [ \$n -lt $cpus ]; do '$bin/alone' & n=\$((n + 1)); done; wait"
}

# walked ARGS.. - $walked_ns inside BPF for a sample, and the $frames that it had, on the average, once
# all tables are there
walked() {
	measure -w 2 -t 1 "$O/pmutrace" profile -q -a -U -F 4999 --no-inline -o "$T/x.folded" "$@"
	walked_ns=$(calc "$run_ns / ($runs + !$runs)")
	# A line begins with the name of the process, and a frame of its own tells that callers are missing.
	frames=$(awk -F ';' '{ n = $NF; sub(/.* /, "", n); all += n; sum += n * (NF - 1) }
		END { printf "%.3f", sum / (all + !all) }' "$T/x.folded")
}

# What the kernel takes to call a program that does nothing, with what it takes to measure that.
call_of_nothing() {
	[ -n "$bpftrace" ] || return 0
	measure -w 2 -t 1 "$bpftrace" -e 'profile:hz:4999 {}'
	value "$case" 'empty program' 'ns besides' "$(calc "$run_ns / ($runs + !$runs)")"
}

# Three depths in each round. What lies between few frames and many that are all alike is the price of a
# warm one; what is left of the few, if each is taken for one of these, the fixed part: with what the
# first frames cost more, whose rules are searched for, and whose stack is in no near cache. That is told
# apart by a stack of one frame, at which its rule says that it ends.
walk_of() {
	load_alone
	walked --call-graph eh
	one_ns=$walked_ns one=$frames
	stop_load
	load_bare 10
	walked --call-graph eh
	few_ns=$walked_ns few=$frames
	walked --call-graph fp
	fp_few=$walked_ns
	call_of_nothing
	stop_load
	load_bare 110
	walked --call-graph eh
	stop_load
	frame_ns=$(calc "($walked_ns - $few_ns) / ($frames - $few)")
	value "$case" pmutrace 'ns a frame' "$frame_ns"
	value "$case" pmutrace 'ns each of few' "$(calc "($few_ns - $one_ns) / ($few - $one)")"
	value "$case" pmutrace 'ns besides' "$(calc "$few_ns - $few * $frame_ns")"
	value "$case" pmutrace 'ns of one frame' "$one_ns"
	value "$case" 'frame pointer' 'ns besides' "$fp_few"
}

# The same for a compiler, whose code and tables are in no cache.
compiler_walk_of() {
	load_compiler clang
	walked --call-graph eh
	stop_load
	value "$case" pmutrace 'ns a frame' "$(calc "$walked_ns / ($frames + !$frames)")"
	value "$case" pmutrace frames "$frames"
}

# stack_of TOOL ARGS.. - of a program that keeps frame pointers
stack_of() {
	tool=$1
	shift
	walked "$@"
	value "$case" "$tool" 'ns per sample' "$walked_ns"
	value "$case" "$tool" frames "$frames"
}

# verified_in KERNEL LINES - the largest of the programs that sample, count and measure
verified_in() {
	case="instructions verified, $1"
	for object in sample count func; do
		value "$case" pmutrace "$object" \
			"$(awk -F , -v object=$object '$1 == object && $3 > n { n = $3 } END { print n + 0 }' "$2")"
		goal "$case" "$object" 5500
	done
}

# whole_of TOOL FILE - folded; %: samples of bare that reach its entry
whole_of() {
	value "$case" "$1" 'whole %' "$(awk '$0 ~ /^bare;/ { n = $NF; all += n
		if ($0 ~ /^bare;_start;.*;main;.*spin_bare /) whole += n }
		END { printf "%.1f", 100 * whole / (all + !all) }' "$2")"
}

# Data that leaves the kernel for each sample, and what it is good for, at depth 50. Ours hands over each
# stack once, 8 bytes for each frame and 64 of its key, and then its count.
data_of() {
	"$O/pmutrace" profile -q -U -F 999 --no-inline --call-graph eh -o "$T/x.folded" -- \
		"$prog/bare" -s 2 -d 50 deep >/dev/null 2>&1
	value "$case" pmutrace 'bytes a sample' "$(awk -F ';' '{ n = $NF; sub(/.* /, "", n); all += n; bytes += 64 + 8 * (NF - 1) }
		END { printf "%.0f", bytes / (all + !all) }' "$T/x.folded")"
	whole_of pmutrace "$T/x.folded"
	[ -n "$perf" ] || return
	for size in 8192 32768; do
		"$perf" record -q -B -N -F 499 -e cpu-clock:u --call-graph "dwarf,$size" -o "$T/perf.data" \
			"$prog/bare" -s 2 -d 50 deep >/dev/null 2>&1
		"$perf" script --no-inline -F comm,ip,sym -i "$T/perf.data" 2>/dev/null |
			awk -v from=perf -f "$bench/collapse.awk" >"$T/folded"
		samples=$(folded_sum "$T/folded")
		[ "$samples" -gt 0 ] || continue # perf script of 6.1 aborts over some files
		value "$case" "perf dwarf,$size" 'bytes a sample' "$(calc "$(wc -c <"$T/perf.data") / $samples")"
		whole_of "perf dwarf,$size" "$T/folded"
	done
}

section_unwind() {
	case='warm'
	for _ in $(rounds "$ROUNDS"); do
		walk_of
	done
	goal "$case" 'ns a frame' 130
	goal "$case" 'ns each of few' 130
	goal "$case" 'ns besides' 400
	if command -v clang >/dev/null; then
		case='a compiler'
		for _ in $(rounds "$ROUNDS"); do
			compiler_walk_of
		done
		goal "$case" 'ns a frame' 340
	fi
	case='50 frames with frame pointers'
	load_chain 47
	for _ in $(rounds "$ROUNDS"); do
		stack_of pmutrace --call-graph fp
		stack_of 'by rules' --call-graph eh
		stack_of 'no frames' --call-graph none
		ns_of floor "$bin/floor" "$bin/floor.bpf.o" floor_sample 4999
	done
	stop_load
	goal "$case" 'ns per sample' 1.5 floor
	case='data, 50 frames without frame pointers'
	data_of
	"$O/tests/vm/load" -u >"$T/verified"
	verified_in "$(uname -r | sed 's/^\([0-9]*\.[0-9]*\).*/\1/')" "$T/verified"
	show unwind
}

section_tables() {
	for file in /usr/lib/*/libLLVM-*.so.1 /usr/lib*/libLLVM*.so.*; do
		[ -e "$file" ] || continue
		case=$(basename "$file")
		tables_of "$file"
		goal "$case" "CPU ms" 30
		break
	done
	case='all files mapped'
	# shellcheck disable=SC2046 # paths of code have no blanks
	tables_of $(cat /proc/[0-9]*/maps 2>/dev/null | awk '$2 ~ /x/ && $6 ~ "^/" && NF == 6 { print $6 }' |
		sort -u | while read -r file; do [ -f "$file" ] && echo "$file"; done)
	goal "$case" "CPU ms" 500
	show tables
}

section_names() {
	for file in /usr/lib/*/libLLVM-*.so.1 /usr/lib*/libLLVM*.so.* /lib/*-linux-gnu/libc.so.6 /lib64/libc.so.6; do
		[ -e "$file" ] || continue
		case=$(basename "$file")
		for _ in $(rounds "$ROUNDS"); do
			warm_ns=0 first_us=0 names=0
			eval "$(nice -n -15 "$bin/names" "$file")"
			value "$case" pmutrace 'ns a known address' "$warm_ns"
			value "$case" pmutrace 'ms until all are known' "$(calc "$first_us / 1000")"
			value "$case" pmutrace 'by symbol' "$names"
		done
		goal "$case" 'ns a known address' 65
	done
	show names
}

[ -x "$bin/measure" ] || die "no $bin/measure: 'make bench' builds it"
[ $# -gt 0 ] || set -- sample startup pipeline losses memory draw capture library count top unwind tables names inlines trigger
for section; do
	case $section in
	sample | startup | pipeline | losses | memory | draw | capture | library | count | top | unwind | tables | names | inlines | trigger) ;;
	*) die "unknown section '$section': sample, startup, pipeline, losses, memory, draw, capture, library, count, top, unwind, tables, names, inlines, trigger" ;;
	esac
done
echo "pmutrace bench: $(uname -r), $cpus CPUs, load $(cut -d' ' -f1-3 /proc/loadavg), medians of $ROUNDS rounds"
for section; do
	"section_$section"
done
echo
echo "figures kept in $O/bench/"
