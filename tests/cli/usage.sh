#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What cannot be meant is a usage error: exit status 2, the reason on stderr, nothing on stdout.
. "$(dirname "$0")/../lib.sh"

# usage_error NAME REGEX ARGS.. - three points
usage_error() {
	name=$1 regex=$2
	shift 2
	check 2 "$name is a usage error" "$PMUTRACE" "$@"
	says err "$name: says what is wrong" "$regex"
	silent out "$name: nothing on stdout"
}

plan 142
usage_error "no command" 'usage|command'
usage_error "an unknown command" 'nosuch' nosuch
usage_error "a mistyped command" 'profile' proflie
usage_error "an unknown option" 'nosuch' profile --nosuch
usage_error "an unknown letter" 'Z' profile -Z
usage_error "a missing value" 'F' profile -F
usage_error "a number with letters" '12abc' profile -F 12abc
usage_error "a negative number" '\-5' profile -c -5
usage_error "frequency 0" 'F|freq' profile -F 0
usage_error "period 0" 'c|period' profile -c 0
usage_error "both -F and -c" '-F.*-c|-c.*-F|freq.*period|period.*freq' profile -F 99 -c 1000
usage_error "both -K and -U" 'K.*U|U.*K|kernel.*user|user.*kernel' profile -K -U
usage_error "nothing to verify: kernel frames alone" 'verify-unwind.*-K' profile --verify-unwind -K
usage_error "nothing to verify: frame pointers" 'verify-unwind.*call-graph' profile --verify-unwind --call-graph fp
usage_error "an unknown format" 'nosuch' profile -f nosuch
usage_error "a duration that is none" 'soon' profile --duration soon
usage_error "a trailing word that is no duration" 'soon' profile soon
usage_error "a bad pid list" '1,x' profile -p 1,x
usage_error "a bad CPU list" '3-' profile -C 3-
usage_error "an unknown --by" 'nosuch' profile --by nosuch
usage_error "-- without a command" 'command' profile --
usage_error "a command and -p" 'command|CMD|-p' profile -p 1 -- true
usage_error "stat: two kinds of rows" 'per-' stat --per-cpu --per-thread
usage_error "stat: -r without a command" '-r' stat -r 3 1
usage_error "stat: -r and -I" '-r.*-I' stat -r 3 -I 100 -- true
usage_error "stat: a rate" 'RATE' stat -e cs@99hz -- true
usage_error "stat: a rate among terms" 'freq' stat -e cs/freq=9/ -- true
check 0 "stat: a period among terms" "$PMUTRACE" stat -e cs/period=1000/ -- true
usage_error "stat: an open brace" '\{' stat -e '{cs,faults' -- true
usage_error "stat: a flame graph" 'svg' stat -f svg -- true
usage_error "stat: --per-cgroup without -G" 'G' stat --per-cgroup 1
usage_error "stat: --per-thread of a command" 'per-thread' stat --per-thread -- true
usage_error "stat: kernel events in user space" 'would count 0' stat -e cs:u -- true
usage_error "stat: no function" 'nosuchfunction' stat -e uprobe:libc:nosuchfunction -- true
usage_error "stat: no file" 'nosuchfile' stat -e uprobe:/nosuchfile:main -- true
usage_error "stat: an empty separator" 'separator' stat -x '' -- true
usage_error "stat: two formats" '--json and --csv' stat --json --csv 1
usage_error "stat: a short form and another format" '--json and -f table' stat --json -f table 1
usage_error "stat: -x and another format" '--json and -x' stat -x , --json 1
usage_error "stat: two durations" '1 and 2' stat 1 2
usage_error "stat: a duration and --duration" '--duration and 2' stat --duration 1 2
usage_error "stat: stacks" 'does not write firefox' stat -f firefox -- true
usage_error "count: intervals of a whole run" 'firefox is of a whole run' count -I 100 --by ustack -f firefox uprobe:libc:malloc 1
usage_error "count: no stacks" 'speedscope is of stacks' count --by comm -f speedscope uprobe:libc:malloc 1
usage_error "profile: two formats" '--csv and -f svg' profile --csv -f svg 1
usage_error "profile: two durations" '--duration and 2' profile --duration 1 2
usage_error "profile: a tracepoint" 'cannot sample' profile -e uprobe:libc:getpid 1
usage_error "profile: a second group" 'only the first event has one' profile -e 'cpu-clock,{task-clock,faults}' 1
