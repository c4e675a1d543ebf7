#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Signals to `pmutrace ... -- CMD`: the result is printed whatever the user does, and CMD's status
# passed on.
. "$(dirname "$0")/../lib.sh"
need_root

# begin CMD.. - in a process group of its own, which SIGINT can end; its pid is in $run
begin() {
	rm -f "$T/ready"
	perl -e 'setpgrp; $SIG{INT} = "DEFAULT"; exec @ARGV or die' "$@" \
		>"$T/out" 2>"$T/err" </dev/null &
	run=$!
	all_started="$all_started $run"
	within 20 test -s "$T/ready"
}

# end - leaves the exit status in $status
end() {
	status=0
	wait "$run" || status=$?
}

# ctrl_c - as a terminal does it
ctrl_c() {
	perl -e 'kill "-INT", $ARGV[0] or die' "$run"
}

# twice SIG - the second when the first was taken: the kernel keeps only one of a kind. Each is from
# a process of its own: two of one process may be one of timeout(1).
twice() {
	sh -c "kill -$1 $run; :"
	within 20 grep -q '^ShdPnd:[[:space:]]*0*$' "/proc/$run/status"
	sleep 0.3
	sh -c "kill -$1 $run; :"
}

# Tells that it is there; then what it gets, and ends after SECONDS with status 4. A sleep at a
# time is as long as a signal waits.
cat >"$T/command.sh" <<-'END'
	trap 'echo INT; caught=1' INT
	trap 'echo TERM; [ "$1" = stubborn ] || exit 9' TERM
	echo "$$" >"$T/ready"
	left=$2
	while [ "$left" -gt 0 ]; do
		left=$((left - 1))
		sleep 0.05
	done
	exit 4
END

plan 45
command="sh $T/command.sh"
for with in "stat -e cpu-clock" "profile -q -e cpu-clock"; do
	rm -f "$T/out.json"
	cmd=${with%% *}
	[ "$cmd" = stat ] || "$PMUTRACE" profile -q -o "$T/try.json" -- true 2>/dev/null || {
		skip 18 "no-bpf: nothing can be sampled"
		continue
	}
	# shellcheck disable=SC2086
	start_with() {
		begin "$PMUTRACE" $with -o "$T/out.json" "$@"
	}

	# shellcheck disable=SC2086
	start_with -- $command polite 20
	ctrl_c
	end
	ok "$cmd: Ctrl-C: a command that goes on is waited for" equal "$status" 4
	ok "$cmd: has got it once" equal "$(cat "$T/out")" INT
	ok "$cmd: is in the result up to its end" between 0.9e9 "$(json "$T/out.json" '$d->{duration_ns}')" 60e9

	start_with -- sh -c 'echo >"$T/ready"; exec sleep 60'
	ctrl_c
	end
	ok "$cmd: Ctrl-C: ends a command that lets it" equal "$status" 130
	ok "$cmd: a result" test -s "$T/out.json"
	rm -f "$T/out.json"

	# shellcheck disable=SC2086
	start_with -- $command polite 400
	kill -TERM "$run"
	end
	ok "$cmd: SIGTERM: the command gets it" equal "$(cat "$T/out")" TERM
	ok "$cmd: and its status is passed on" equal "$status" 9
	ok "$cmd: a result" test -s "$T/out.json"
	start_with -- sh -c 'echo >"$T/ready"; exec sleep 60'
	kill -TERM "$run"
	end
	ok "$cmd: SIGTERM: a command that it ends" equal "$status" 143
	rm -f "$T/out.json"

	# shellcheck disable=SC2086
	start_with -- $command polite 400
	twice INT
	end
	ok "$cmd: SIGINT twice: the command gets SIGTERM" equal "$(cat "$T/out")" TERM
	ok "$cmd: and ends" equal "$status" 9
	ok "$cmd: a result" test -s "$T/out.json"
	rm -f "$T/out.json"

	# shellcheck disable=SC2086
	start_with -- $command stubborn 1200
	twice TERM
	end
	ok "$cmd: SIGTERM twice: SIGKILL for who does not end" equal "$status" 137
	ok "$cmd: a result" test -s "$T/out.json"
	rm -f "$T/out.json"

	# shellcheck disable=SC2086
	start_with --duration 0.1 -- $command polite 1000
	sleep 0.5
	twice INT
	end
	ok "$cmd: after its time: the command gets SIGTERM" equal "$(cat "$T/out")" TERM
	ok "$cmd: and ends" equal "$status" 9
	ok "$cmd: a result" test -s "$T/out.json"
	ok "$cmd: of that time" between 0.09e9 "$(json "$T/out.json" '$d->{duration_ns}')" 2e9
	rm -f "$T/out.json"
done

# Repetitions: the third is cut off. Each is as long as it takes, but for that.
cat >"$T/third.sh" <<-'END'
	echo >>"$T/runs"
	[ "$(wc -l <"$T/runs")" -lt "$1" ] || {
		echo >"$T/ready"
		exec sleep 60
	}
END
begin "$PMUTRACE" stat -r 5 -e page-faults --json -o "$T/out.json" -- sh "$T/third.sh" 3
ctrl_c
end
ok "-r 5: Ctrl-C in the third run" equal "$status" 130
ok "-r 5: two were complete" equal "$(json "$T/out.json" '$d->{events}[0]{runs}{n} . $d->{runs}{n}')" 22
ok "-r 5: only these are in the mean" between 0 "$(json "$T/out.json" '$d->{duration_ns}')" 20e9
says err "-r 5: says that one is left out" 'run 3 was cut off.*left out'
ok "-r 5: no other was started" equal "$(wc -l <"$T/runs")" 3

rm -f "$T/runs"
begin "$PMUTRACE" stat -r 5 -e page-faults -o - -- sh "$T/third.sh" 1
ctrl_c
end
says out "-r 5: Ctrl-C in the first run: its counts" '^ +[1-9][0-9,]* +page-faults'
ok "-r 5: are no mean" sh -c "! grep -q 'run' '$T/out'"
says err "-r 5: says so" 'first run was cut off'

rm -f "$T/runs"
begin "$PMUTRACE" stat -r 5 -e page-faults -o "$T/out.json" -- sh "$T/third.sh" 1
kill -TERM "$run"
end
ok "-r 5: SIGTERM in the first run" equal "$status" 143
