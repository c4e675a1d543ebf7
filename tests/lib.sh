# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# lib.sh - what the tests in tests/cli and tests/live share: TAP, and looking at results.
#
# A test starts with:   . "$(dirname "$0")/../lib.sh"
#                       plan N
# It may be run by hand; O says where the build is. $T is a directory of its own, removed at the
# end together with what `start` started.

TOP=${TOP:-$(cd "$(dirname "$0")/../.." && pwd)}
O=${O:-$TOP/build}
PMUTRACE=$O/pmutrace
PROG=$O/tests/prog
T=$(mktemp -d "${TMPDIR:-/tmp}/pmutrace-test.XXXXXX") || exit 1
chmod 755 "$T"
LC_ALL=C
export TOP O PMUTRACE PROG T LC_ALL

points=0
started=
all_started=

end_test() {
	for pid in $all_started; do
		kill -KILL "$pid" 2>/dev/null
	done
	rm -rf "$T"
}
trap end_test EXIT
trap 'exit 1' HUP INT TERM

plan() {
	echo "1..$1"
}

# skip_all KIND: REASON - this machine cannot do any of it
skip_all() {
	echo "1..0 # SKIP $*"
	exit 0
}

# skip N KIND: REASON - N points that this machine cannot do
skip() {
	left=$1
	shift
	while [ "$left" -gt 0 ]; do
		points=$((points + 1)) left=$((left - 1))
		echo "ok $points # SKIP $*"
	done
}

diag() {
	sed 's/^/# /'
}

# show - the last command's outputs, as remarks
show() {
	for stream in out err; do
		[ -s "$T/$stream" ] && head -n 20 "$T/$stream" | cut -c1-300 | diag | sed "s/^#/# $stream:/"
	done
	return 0
}

# point STATUS NAME - one test point, passed when STATUS is 0
point() {
	points=$((points + 1))
	if [ "$1" = 0 ]; then
		echo "ok $points - $2"
		return 0
	fi
	echo "not ok $points - $2"
	return 1
}

# run CMD.. - leaves its outputs in $T/out and $T/err and its exit status in $status
run() {
	status=0
	before_ticks=$(stolen_ticks)
	"$@" >"$T/out" 2>"$T/err" </dev/null || status=$?
	stolen=$(($(stolen_ticks) - before_ticks))
}

# stolen_ticks - of 10 ms, in which a hypervisor let no CPU of ours run: proc_stat(5)
stolen_ticks() {
	awk '$1 == "cpu" { print $9 + 0; exit }' /proc/stat
}

# check STATUS NAME CMD.. - the exit status is part of the interface
check() {
	want=$1 name=$2
	shift 2
	run "$@"
	[ "$status" = "$want" ]
	if ! point $? "$name"; then
		echo "# exit status $status, expected $want: $*"
		show
	fi
}

# ok NAME CMD.. - the command succeeds; leaves $T/out and $T/err of `run` alone
ok() {
	name=$1
	shift
	if "$@" >"$T/ok" 2>&1; then
		point 0 "$name"
	else
		point 1 "$name"
		echo "# failed: $*"
		head -n 20 "$T/ok" | diag
		show
	fi
}

# says STREAM NAME REGEX - the last command's out or err matches the extended regex
says() {
	ok "$2" grep -q -E -e "$3" "$T/$1"
}

# silent STREAM NAME - the last command printed nothing there
silent() {
	ok "$2" test ! -s "$T/$1"
}

# start CMD.. - in the background, until the end of the test; its pid is in $started
start() {
	"$@" >"$T/started.out" 2>&1 </dev/null &
	started=$!
	all_started="$all_started $started"
}

# beneath CMD.. - for `start`: what burns for as long as it lives leaves the CPU of a machine that has one to
# pmutrace, while that starts and ends
beneath() {
	[ "$(nproc)" = 1 ] || exec "$@"
	exec nice -n 19 "$@"
}

# memory KB - what that is in a build with sanitizers, which take as much for themselves
memory() {
	if nm -D "$PMUTRACE" | grep -q __asan_init; then
		echo $(($1 * 2))
	else
		echo "$1"
	fi
}

# freed_is_free - for tests of memory: a build with sanitizers keeps what was freed, up to 256 MB of
# it, to find who uses it still
freed_is_free() {
	export ASAN_OPTIONS="${ASAN_OPTIONS-}:quarantine_size_mb=0:thread_local_quarantine_size_kb=0"
}

# stop PID - and wait for it
stop() {
	kill "$1" 2>/dev/null
	wait "$1" 2>/dev/null
	forget "$1"
}

# forget PID - it has been waited for: its number may be another's at the end of the test
forget() {
	others_started=
	for one_started in $all_started; do
		[ "$one_started" = "$1" ] || others_started="$others_started $one_started"
	done
	all_started=$others_started
}

# within SECONDS CMD.. - waits until the command succeeds
within() {
	tries=$(($1 * 20))
	shift
	until "$@" >/dev/null 2>&1; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.05
	done
}

# tries REASON CMD.. - runs the command until it succeeds, three times at most: for what a machine does
# to a test now and then, and what the test can tell from what it is about; the points come after it.
# scripts/tries.awk has the reasons, and holds the tries of a whole run against chance: a defect that
# spoils tries more often fails, although each test had a good one.
tries() {
	for _ in 1 2 3; do
		if but_first "$@"; then
			echo "# try $(basename "$0") $1 good"
			return 0
		fi
		echo "# try $(basename "$0") $1 spoilt"
	done
	return 1
}
but_first() {
	shift
	"$@"
}

# beside CMD.. - runs it, by nobody who is measured, while `sh -c "$meanwhile"` runs; once
beside() {
	rm -f "$T/beside.go" "$T/beside.gone"
	{
		until [ -e "$T/beside.go" ]; do sleep 0.05; done
		"$@" >"$T/beside.out" 2>&1
		touch "$T/beside.gone"
	} &
	all_started="$all_started $!"
	# shellcheck disable=SC2034 # for the caller
	meanwhile="touch '$T/beside.go'; until [ -e '$T/beside.gone' ]; do sleep 0.05; done"
}

# start_swallow CATEGORY NAME - a BPF program that keeps a tracepoint's hits from all perf events
start_swallow() {
	tracefs=$(sed -n 's/^[^ ]* \([^ ]*\) tracefs .*/\1/p' /proc/mounts | head -n 1)
	start "$PROG/swallow" "$(cat "$tracefs/events/$1/$2/id")"
	within 5 grep -q ready "$T/started.out"
}

# note_pids - from here on each process of $PMUTRACE is known: others on the machine are not ours
note_pids() {
	: >"$T/pids"
	chmod 666 "$T/pids"
	printf '%s\n' '#!/bin/sh' "echo \$\$ >>'$T/pids'" "exec '$PMUTRACE' \"\$@\"" >"$T/pmutrace"
	chmod 755 "$T/pmutrace"
	PMUTRACE=$T/pmutrace
}

# probes_left - how many entries tracefs has of these processes: their groups have the pid. It is to
# be 0; "unknown" when none ran.
probes_left() {
	[ -s "$T/pids" ] || { echo unknown && return; }
	cat /sys/kernel/tracing/kprobe_events /sys/kernel/tracing/uprobe_events \
		/sys/kernel/tracing/dynamic_events 2>/dev/null |
		sed -n 's/^[^:]*:pmutrace_\([0-9]*\)[_/].*/\1/p' | grep -c -x -F -f "$T/pids"
}

# ids_of PID KIND - of what the kernel holds for a process: "prog", "map"
ids_of() {
	sed -n "s/^$2_id:[[:space:]]*//p" "/proc/$1"/fdinfo/* 2>/dev/null | sort -u
}

# none_of KIND ID.. - the kernel has none of them any more. It frees one a moment after its last user.
none_of() {
	kind=$1
	shift
	for id; do
		! bpftool "$kind" show id "$id" >/dev/null 2>&1 || return 1
	done
}

need_root() {
	[ "$(id -u)" = 0 ] || skip_all "no-root: needs root"
}

# run_func FILE ARGS.. - measures calls, JSON into FILE. Once more where the kernel did not tell a
# switch of their task, which loses its calls: on virtual machines it happens.
run_func() {
	calls_file=$1
	shift
	tries untold all_switches_told "$@"
	[ "$status" = 0 ] || { echo "# exit status $status" && show; }
}

all_switches_told() {
	rm -f "$calls_file"
	run "$PMUTRACE" func -o "$calls_file" "$@"
	! grep -q '"switch_untold"' "$calls_file" 2>/dev/null
}

# need_kprobes - and how the kernel calls the functions of system calls: $syscall_prefix
need_kprobes() {
	[ -e /sys/bus/event_source/devices/kprobe ] || skip_all "no-kprobes: kernel without kprobes"
	# shellcheck disable=SC2034 # for the tests
	case $(uname -m) in
	x86_64) syscall_prefix=__x64_sys_ ;;
	*) syscall_prefix=__arm64_sys_ ;;
	esac
}

# Stores hit breakpoints: some virtual machines let these be set, and never tell of one.
has_breakpoints() {
	"$PROG/breakpoint"
}
# shellcheck disable=SC2034 # for the tests
no_breakpoints='breakpoints: this machine tells of none'

# Functions of the kernel by the hundred: kprobe.multi.
has_kprobe_multi() {
	"$PMUTRACE" doctor 2>/dev/null | grep -q '^ *ok  *kprobe-multi'
}

# need_bpf - what has to be there for any measurement
need_bpf() {
	[ "$(id -u)" = 0 ] || skip_all "no-bpf: needs root"
	[ -e /proc/sys/kernel/perf_event_paranoid ] || skip_all "no-perf: kernel without perf events"
	[ -r /sys/kernel/btf/vmlinux ] || skip_all "no-btf: kernel without /sys/kernel/btf/vmlinux"
	PATH=$PATH:/usr/sbin:/sbin
	bpftool prog show >/dev/null 2>&1 || skip_all "no-bpf: bpf(2) is not permitted"
}

# pm ARGS.. - `pmutrace profile` with an event that every machine has, in step with CPU time
pm() {
	run "$PMUTRACE" profile -e cpu-clock "$@"
}

# Folded files: `frame;frame;.. N`.

# folded_sum FILE [REGEX] - the samples of the stacks that match
folded_sum() {
	# By way of the environment: -v would take backslashes out.
	RE=${2:-.} awk '$0 ~ ENVIRON["RE"] { n += $NF } END { print n + 0 }' "$1"
}

# is_share K N PERCENT - K of N is PERCENT, but for what chance may do (5 standard deviations)
is_share() {
	awk -v k="$1" -v n="$2" -v p="$3" 'BEGIN {
		p /= 100
		off = k - n * p
		print k " of " n " is " (n ? 100 * k / n : 0) " %"
		exit !(n > 50 && off * off <= 25 * n * p * (1 - p) + 1)
	}'
}

# between LOW N HIGH
between() {
	awk -v low="$1" -v n="$2" -v high="$3" 'BEGIN {
		print n " should be in " low ".." high
		exit !(n != "" && n >= low && n <= high)
	}'
}

# is_time N SECONDS [HZ] - N samples are that much CPU time. The sampler's clock and the program
# are out of step when they share the CPU with others: then N is as good as chance makes it. Of time
# that a hypervisor stole there are none, and the program takes it for its own.
is_time() {
	awk -v n="$1" -v s="$2" -v hz="${3:-997}" -v stolen="${stolen:-0}" 'BEGIN {
		off = n - s * hz
		print n " samples should be about " s * hz ", " stolen / 100 " s were stolen"
		if (off < 0 && (off += stolen / 100 * hz) > 0)
			off = 0
		exit !(n != "" && off * off <= (5 * sqrt(s * hz / 2) + s * hz / 50) ^ 2)
	}'
}

# equal A B
equal() {
	echo "'$1' should be '$2'"
	[ "$1" = "$2" ]
}

# json FILE EXPR - evaluates a Perl expression on the document $d; prints what it gives. By JSON::XS where
# it is: an emulated machine takes a quarter of a second to load JSON::PP.
json() {
	perl -MList::Util=sum0 -e '
		local $/;
		my $json = eval { require JSON::XS } ? "JSON::XS" : "JSON::PP";
		eval "require $json" or die $@;
		open my $f, "<:raw", $ARGV[0] or die "$ARGV[0]: $!\n";
		my $d = $json->new->utf8->decode(scalar <$f>);
		my $r = eval $ARGV[1];
		die $@ if $@;
		print defined $r ? $r : "null", "\n";' "$1" "$2"
}
