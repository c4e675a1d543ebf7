#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# func: returns of functions that are left by exceptions, longjmp(3), switches of stacks; of Go. The
# program's own output and exit status tell that it was not harmed; the numbers of calls are those
# that tests/prog/leaves.c, switches.c, throws.cc and goroutines.go tell.
. "$(dirname "$0")/../lib.sh"
need_bpf

leaves=$PROG/leaves
switches=$PROG/switches
throws=$PROG/throws
goroutines=$PROG/goroutines
plan 110

# calls - of each function, sorted, and the losses
calls() {
	json "$T/one.json" 'join " ", (sort map { my ($n) = values %{$_->{values}};
		"$_->{key}{func}=$n" } @{$d->{rows}}), map { "$_:$d->{losses}{$_}" }
		grep { $d->{losses}{$_} } sort keys %{$d->{losses}}'
}

# equal_or_untold CALLS WANT - equal, but for calls of a thread that was switched without its being told
# (it happens on virtual machines: with events they are lost): as many as are told as such, and none more,
# nor more than a tenth
equal_or_untold() {
	perl -e '
		print "\x27$ARGV[0]\x27 should be \x27$ARGV[1]\x27\n";
		my ($calls, $want) = map { { split /[ =:]/ } } @ARGV;
		my $missing = -(my $untold = delete $calls->{switch_untold} // 0);
		my $all = 0;
		$all += $_ for values %$want;
		exit 1 if $untold > $all / 10;
		for (keys %$calls) { exit 1 if $calls->{$_} > ($want->{$_} // 0) }
		$missing += $want->{$_} - ($calls->{$_} // 0) for keys %$want;
		exit($missing ? 1 : 0)' "$1" "$2"
}

# unharmed NAME WANT PROGRAM "STEPS" ARGS.. - the calls and losses of a run of func, and that the
# program ends as it does without probes
unharmed() {
	name=$1 want=$2 program=$3 steps=$4
	shift 4
	# shellcheck disable=SC2086 # words
	"$program" $steps >"$T/plain" 2>&1
	plain=$?
	# shellcheck disable=SC2086 # words
	run_func "$T/one.json" "$@" -- "$program" $steps
	ok "$name" "${as_wanted:-equal}" "$(calls)" "$want"
	ok "$name: it ends as without probes" equal "$status $(cat "$T/out")" "$plain $(cat "$T/plain")"
}

# has NAME PERL - a true statement about the rows: $r{FUNC}{calls}, $r{FUNC}{METRIC}{sum,max}
has() {
	ok "$1" equal "$(json "$T/one.json" "my %r = map { (\$_->{key}{func} => { %{\$_->{metrics}},
		calls => values %{\$_->{values}} }) } @{\$d->{rows}}; ($2) ? 1 : 0")" 1
}

# Plain C: decoded because it was asked for.
unharmed "longjmp out of one function and two" "carrier=51 jumper=51 no_return:100" \
	"$leaves" jump=101 --returns decode "$leaves:carrier" "$leaves:jumper"
unharmed "the last calls of a program, left" "exit:1 no_return:2" \
	"$leaves" last=3 --returns decode "$leaves:carrier"
unharmed "a tail call" "back=10 front=10" \
	"$leaves" tail=10 --returns decode "$leaves:front" "$leaves:back"
unharmed "a thread that is cancelled" "exit:4" "$leaves" cancel=4 --returns decode "$leaves:wait_here"
unharmed "10,001 calls in each other" "deep=10001" "$leaves" deep=10000 --any-depth --tasks 20000 \
	-e page-faults,context-switches,task-clock "$leaves:deep"
# Each has its own part, and the outermost what all of them have.
for metric in time page-faults context-switches task-clock; do
	own=$metric:self
	[ $metric != time ] || own=self
	has "the parts of these are the $metric of the first" \
		"\$r{deep}{'$own'}{sum} == \$r{deep}{'$metric'}{max}"
done
has "none is more on a CPU than it takes" \
	'$r{deep}{"on-cpu"}{max} <= $r{deep}{time}{max} && $r{deep}{"on-cpu"}{sum} > 0'
unharmed "longjmp out of calls in each other" "carrier=51 jumper=51 no_return:100" \
	"$leaves" jump=101 --any-depth "$leaves:carrier" "$leaves:jumper"
has "what was left is nobody's: each call has its own time" \
	'$r{carrier}{self}{sum} == $r{carrier}{time}{sum} - $r{jumper}{time}{sum}'
unharmed "a thread that is cancelled, at any depth" "exit:4" "$leaves" cancel=4 --any-depth \
	"$leaves:wait_here"
# Switches of a thread are followed while it is inside: not after calls that were left, too.
start "$PMUTRACE" func --any-depth "$leaves:carrier" -- "$leaves" last=100 jump=1 wait=20000
within 10 grep -q waits "$T/started.out"
ok "calls that were left keep no thread inside" equal "$("$PROG/meddle" "$started" inside)" 0
stop "$started"
run_func "$T/one.json" --any-depth --tasks 100 "$leaves:deep" "$leaves:leaf" -- "$leaves" busy=99
ok "threads that there was no room for take none" equal "$(calls)" "deep=101 leaf=100 tasks_full:100"
run_func "$T/one.json" --any-depth --tasks 1100 "$leaves:deep" -- \
	sh -c "'$leaves' stop=1000; '$leaves' stop=1000"
ok "programs that end 1000 calls deep, in the room of one" equal "$(calls)" "exit:2002"
unharmed "32 of these, without it" "deep=32 too_deep:69" "$leaves" deep=100 --returns decode \
	"$leaves:deep"
says err "where there is more is told" 'more than 32 .*--any-depth'
check 2 "return probes do not see as many" "$PMUTRACE" func --any-depth --returns trap "$leaves:deep" 0.1
says err "the kernel has a limit" 'at most 64 returns'
unharmed "by the caller" "back=10" "$leaves" tail=10 --returns decode "$leaves:back" --by func,caller
unharmed "what it returns" "leaf=1" "$leaves" leaf=5 --returns decode "$leaves:leaf" \
	--filter 'ret == 12'
says err "what it costs is told" 'seen at their instructions \(as asked for\)'
# Probes tell their branches apart by cookies.
has_cookies=$(printf '5.15\n%s\n' "$(uname -r)" | sort -V | head -n 1)
if [ "$(uname -m)" = x86_64 ] && [ "$has_cookies" = 5.15 ]; then
	unharmed "a conditional tail call" "back=50 branch=101" \
		"$leaves" branch=101 --returns decode "$leaves:branch" "$leaves:back"
	ok "and no return without a call" equal "$(grep -c 'of calls that had begun before' "$T/err")" 0
else
	skip 3 "machine: functions are left by conditional jumps on x86-64 alone, and since Linux 5.15"
fi
if [ "$has_cookies" = 5.15 ]; then
	for way in "--returns decode" --any-depth; do
		# shellcheck disable=SC2086 # words
		unharmed "a part without a symbol: $way" "apart=101" "$leaves" apart=101 $way \
			"$leaves:apart"
		ok "and no return without a call" equal \
			"$(grep -c 'of calls that had begun before' "$T/err")" 0
	done
else
	skip 6 "machine: jumps are told from returns since Linux 5.15"
fi
unharmed "plain C has return probes" "leaf=5" "$leaves" leaf=5 "$leaves:leaf"
ok "no word of it then" equal "$(grep -c instructions "$T/err")" 0

# Coroutines
unharmed "stacks that are switched in a call" "consume=41 produce=40" "$switches" 40 \
	"$switches:produce" "$switches:consume"
says err "only the time is known, which is told" 'switches stacks.*only the time'
check 2 "return probes would harm it" "$PMUTRACE" func --returns trap "$switches:produce" -- "$switches" 3
says err "and why" 'comes back to the wrong place; leave out --returns trap, or write --force'
check 2 "-e with it" "$PMUTRACE" func -e page-faults "$switches:produce" -- "$switches" 3
says err "there is no such account" 'only the time of calls is known'

# C++
if "$throws" 1 >/dev/null 2>&1; then
	unharmed "an exception through one frame" "outer=201 no_return:101" "$throws" 302 "$throws:outer"
	unharmed "through several, and thrown again" "inner=201 middle=201 outer=201 no_return:303" \
		"$throws" 302 "$throws:inner" "$throws:middle" "$throws:outer"
	says err "why they are decoded" 'exceptions may pass'
	unharmed "a function that calls nothing has a return probe" "leaf=302" "$throws" 302 "$throws:leaf"
	ok "no word of it then" equal "$(grep -c instructions "$T/err")" 0
	check 2 "return probes would end it" "$PMUTRACE" func --returns trap "$throws:outer" -- "$throws" 3
	says err "and how" 'an exception that passes .* ends the program'
	run "$PMUTRACE" func --returns trap --force "$throws:outer" -- "$throws" 3
	says err "--force names the harm" 'return probes are used all the same: an exception'
	check 2 "count refuses such a return probe" "$PMUTRACE" count "uretprobe:$throws:outer" -- "$throws" 3
	says err "and tells how" 'ends the program; .pmutrace func. measures its calls without'
	check 2 "so does stat" "$PMUTRACE" stat -e "uretprobe:$throws:outer" -- "$throws" 3
	says err "and tells how" 'an exception that passes'
	check 2 "so does top" "$PMUTRACE" top --batch -n 1 -e "uretprobe:$throws:outer"
	check 0 "a function that calls nothing is counted" \
		"$PMUTRACE" count -o "$T/leaf.json" "uretprobe:$throws:leaf" -- "$throws" 302
	ok "each return of it" equal "$(json "$T/leaf.json" '$d->{kept}')" 302
	run "$PMUTRACE" count --force "uretprobe:$throws:outer" -- "$throws" 3
	says err "--force does it: the program dies" 'terminate called'
	check 0 "within a function that exceptions pass" "$PMUTRACE" count -o "$T/in.json" \
		"uprobe:$throws:leaf" --within "$throws:middle" -- "$throws" 302
	ok "all that it calls" equal "$(json "$T/in.json" '$d->{kept}')" 302
	ok "the program is not harmed" equal "$(cat "$T/out")" "201 back, 101 thrown, 51 again"
	check 0 "nothing is inside of a leaf" "$PMUTRACE" count -o "$T/in.json" \
		"uprobe:$throws:middle" --within "$throws:leaf" -- "$throws" 302
	ok "none there" equal "$(json "$T/in.json" '$d->{kept}')" 0
else
	skip 24 "software: no C++ compiler for this machine"
fi

# Go
if "$goroutines" 1 1 >/dev/null 2>&1; then
	unharmed "stacks that grow, goroutines that move" "main.deep=10050" "$goroutines" "50 200" \
		"$goroutines:main.deep" --tasks 20000
	unharmed "panics that are recovered" "main.catches=50 main.passed=33 main.throws=33 no_return:34" \
		"$goroutines" "50 1" "$goroutines:main.catches" "$goroutines:main.passed" \
		"$goroutines:main.throws"
	says err "why they are decoded" 'Go moves its stacks.*with -e also what else'
	unharmed "goroutines that wait for others" "main.asks=40 main.touch=120 main.waits=40" \
		"$goroutines" "1 1 100" "$goroutines:main.asks" "$goroutines:main.touch" \
		"$goroutines:main.waits"
	# In each other are main.touch and main.waits in main.asks, but not those of others.
	has "self: without what it called, but with what others did meanwhile" \
		'$r{"main.asks"}{self}{sum} < $r{"main.asks"}{time}{sum} - $r{"main.waits"}{time}{sum}'
	has "no more is known" 'join(" ", sort keys %{$r{"main.asks"}}) eq "calls self time"'
	# 100 pages each, twice in each call; what the other goroutine touches is not in it.
	as_wanted=equal_or_untold
	unharmed "with events" "main.asks=40 main.touch=120 main.waits=40" \
		"$goroutines" "1 1 100" -e page-faults,task-clock "$goroutines:main.asks" \
		"$goroutines:main.touch" "$goroutines:main.waits"
	has "40 times 200 page faults" '$r{"main.asks"}{"page-faults"}{sum} >= 200 * $r{"main.asks"}{calls} &&
		$r{"main.asks"}{"page-faults"}{sum} < 8400'
	has "none of these its own" '$r{"main.asks"}{"page-faults:self"}{sum} < 200'
	has "none while it waits" '$r{"main.waits"}{"page-faults"}{sum} < 200'
	# 80 calls of them, and 40 of 1000 pages by the other one: so many at most are in one that is lost.
	has "all of them together" '
		$r{"main.touch"}{"page-faults"}{sum} >= 48000 - 1000 * (120 - $r{"main.touch"}{calls}) &&
		$r{"main.touch"}{"page-faults"}{sum} < 48400'
	has "a goroutine that waits is on no CPU" \
		'$r{"main.waits"}{"on-cpu"}{sum} < $r{"main.touch"}{"on-cpu"}{sum} / 4'
	has "task-clock is the time on it" \
		'$r{"main.asks"}{"task-clock"}{sum} == $r{"main.asks"}{"on-cpu"}{sum}'
	unharmed "stacks that grow, with events" "main.deep=10050" "$goroutines" "50 200" \
		-e context-switches "$goroutines:main.deep" --tasks 20000
	as_wanted=equal
	says err "which takes probes in Go's scheduler" 'so are switches of goroutines'
	check 2 "return probes would end it" "$PMUTRACE" func --returns trap "$goroutines:main.deep" -- true
	check 2 "arguments in C's registers" "$PMUTRACE" func "$goroutines:main.deep" --by arg0 -- true
	says err "Go has others" 'Go passes arguments in other registers'
	check 2 "count refuses its return probe" "$PMUTRACE" count "uretprobe:$goroutines:main.deep" -- true
	check 2 "--within has no goroutines" "$PMUTRACE" count sched:sched_switch \
		--within "$goroutines:main.deep" -- true
	says err "and tells why" 'told by thread'
else
	skip 26 "software: no Go compiler for this machine"
fi

check 2 "functions that never return" "$PMUTRACE" func --returns decode libc:abort 0.1
says err "it has no return" "cannot be found in its code: it has none: it never returns"
check 2 "another way" "$PMUTRACE" func --returns other "$leaves:leaf" 0.1
says err "there are two" 'write trap .* or decode'
check 0 "what it costs can be measured" "$PMUTRACE" func --calibrate --returns decode
ok "and is named" grep -q "on its return instruction" "$T/out"
unharmed "the cost can be taken off" "leaf=5" "$leaves" leaf=5 --returns decode --net "$leaves:leaf"
