#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Two processes to be measured, of which one ends: the run goes on with the other, has what both did,
# and ends with the second one.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../lib_top.sh"
need_bpf

plan 21

# born CMD.. - a process that becomes CMD when it is told by `go`: $pid
born() {
	fifo=$T/go.$((births = births + 1))
	mkfifo "$fifo"
	# shellcheck disable=SC2016 # of the shell that it is for
	sh -c 'read -r _ <"$1"; shift; exec "$@"' sh "$fifo" "$@" >/dev/null 2>&1 &
	pid=$!
	all_started="$all_started $pid"
}
births=0

# two_born FIRST SECOND - of lines of words: $first, $second and their fifos
two_born() {
	# shellcheck disable=SC2086 # words
	born $1
	first=$pid first_go=$fifo
	# shellcheck disable=SC2086 # words
	born $2
	second=$pid second_go=$fifo
}

# go FIFO PID - and waits for its end
go() {
	echo >"$1"
	wait "$2"
	forget "$2"
}

# of_two WHAT FIRST SECOND ARGS.. - `pmutrace ARGS -o $T/WHAT.json -p $first,$second` while two
# programs, lines of words, begin and end one after the other
of_two() {
	what=$1
	two_born "$2" "$3"
	shift 3
	"$PMUTRACE" "$@" -o "$T/$what.json" -p "$first,$second" >"$T/out" 2>"$T/err" </dev/null &
	pmu=$!
	all_started="$all_started $pmu"
	within 20 begun
	go "$first_go" "$first"
	sleep 0.5
	on=$(goes_on && echo yes)
	go "$second_go" "$second"
	ok "$what: ends with the second" within 20 ended
	status=0
	wait "$pmu" || status=$?
	forget "$pmu"
	ok "$what: goes on after the first" equal "$status-$on" 0-yes
}

# A higher priority is taken when it has begun: src/run/runloop.c.
begun() {
	awk '$19 == -10 { found = 1 } END { exit !found }' "/proc/$pmu/stat"
}
goes_on() {
	[ -d "/proc/$pmu" ] && ! grep -q 'State:.Z' "/proc/$pmu/status"
}
ended() {
	! goes_on
}

# of_pid PID - the sum of its rows
of_pid() {
	json "$T/$what.json" "sum0 map { values %{\$_->{values}} } grep { \$_->{key}{pid} == $1 } @{\$d->{rows}}"
}

counted="$PROG/exact -g 1000 -f 300"
counted_too="$PROG/exact -g 500 -f 200"
of_two count "$counted" "$counted_too" count syscalls:sys_enter_getppid --by pid
ok "count: of the first" equal "$(of_pid "$first")" 1000
ok "count: of the second" equal "$(of_pid "$second")" 500

of_two func "$counted" "$counted_too" func "$PROG/exact:exact_call" --by pid
# The kernel may leave out a switch, which loses the call that it was in: not which of the two it was of.
untold=$(json "$T/func.json" '$d->{losses}{switch_untold} // 0')
ok "func: of the first" between $((300 - untold)) "$(of_pid "$first")" 300
ok "func: of the second" between $((200 - untold)) "$(of_pid "$second")" 200
ok "func: each is there, or lost by an untold switch: $untold" equal \
	"$(($(of_pid "$first") + $(of_pid "$second") + untold))" 500
ok "func: hardly one is lost" between 0 "$untold" 2

of_two stat "$counted" "$counted_too" stat -e syscalls:sys_enter_getppid
ok "stat: of both" equal "$(json "$T/stat.json" '$d->{events}[0]{value}')" 1500

of_two profile "$PROG/burn -s 0.4" "$PROG/burn -s 0.6" profile -e cpu-clock -F 997 --by comm,pid
stolen=0
ok "profile: 0.4 s of the first" is_time "$(of_pid "$first")" 0.4
ok "profile: 0.6 s of the second" is_time "$(of_pid "$second")" 0.6

# top goes on when both have ended: more may come. Whoever has ended is told as such.
two_born "$PROG/exact -n 30" "$PROG/exact -n 50"
start_top -d 0.3 --columns switches -p "$first,$second"
go "$first_go" "$first"
sleep 1
ok "top: goes on after the first" kill -0 "$top"
go "$second_go" "$second"
sleep 0.5
end_top
# On a busy machine there are more switches than they sleep.
ok "top: of the first" between 30 "$(sum_of "pid=$first" switches)" 90
ok "top: of the second" between 50 "$(sum_of "pid=$second" switches)" 150
ok "top: each ends once" equal "$(nr_rows "pid=$first ended")-$(nr_rows "pid=$second ended")" 1-1
