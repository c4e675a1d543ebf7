#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What is not there: a clear sentence before measuring. Exit status 2 where no machine could have
# it (there is no such word), 1 where this one has not.
. "$(dirname "$0")/../lib.sh"

# missing STATUS NAME REGEX ARGS.. - two points
missing() {
	want=$1 name=$2 regex=$3
	shift 3
	check "$want" "$name" timeout 10 "$PMUTRACE" profile --duration 5 "$@"
	says err "$name: named" "$regex"
}

# A process id that is free: one that just ended.
sh -c 'exit 0' &
free_pid=$!
wait $free_pid

plan 33
missing 2 "an unknown event" 'nosuchevent' -e nosuchevent
missing 2 "an event with a typo" "cpu-clokc.*cpu-clock|cpu-clock" -e cpu-clokc
missing 2 "an unknown PMU" 'nosuchpmu' -e nosuchpmu/config=1/
missing 2 "an unknown tracepoint" 'nosuch:nosuch' -e nosuch:nosuch
missing 2 "an unknown modifier" 'cycles:Z|modifier' -e cycles:Z
missing 2 "an event in the wrong case" 'did you mean cs\?' -e CS
missing 2 "what no cache does" 'instruction cache is never stored to' -e L1-icache-stores
missing 2 "where it is wrong" "in 'cs,cycels', column 4: .*did you mean cycles\?" -e cs,cycels
missing 2 "a breakpoint of no length" 'column 12: .*1 2 4 8' -e mem:0x1000/9
missing 1 "an unknown pid" "$free_pid" -p $free_pid
missing 1 "an unknown tid" "$free_pid" -t $free_pid
missing 1 "an unknown cgroup" 'no/such/cgroup' -G no/such/cgroup
missing 1 "an unknown CPU" '9999' -C 9999
missing 1 "an unknown user" 'nosuchuser' -u nosuchuser
missing 1 "an unknown command" 'nosuchcmd' -- nosuchcmd-anywhere
missing 1 "a command that may not be run" '/etc/passwd' -- /etc/passwd
ok "nothing was written" sh -c '! ls flame.svg pmutrace.* 2>/dev/null'
