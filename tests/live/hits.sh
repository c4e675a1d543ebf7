#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# count: as many hits as there are calls, with their arguments, results, callers and sums. The
# numbers are those that tests/prog/probed.c, exact.c and usdt.c tell.
. "$(dirname "$0")/../lib.sh"
need_bpf

probed=$PROG/probed
f=uprobe:$probed:probed_call
r=uretprobe:$probed:probed_call

# hits ARGS.. - JSON into $T/hits.json
hits() {
	rm -f "$T/hits.json"
	run "$PMUTRACE" count -o "$T/hits.json" "$@"
	[ "$status" = 0 ] || { echo "# exit status $status" && show; }
}

# row EXPR - of the rows, as "KEY=N KEY=N" in the order of the keys; $_ is a row
rows() {
	json "$T/hits.json" 'join " ", sort map { '"$1"' } @{$d->{rows}}'
}
n='my ($n) = values %{$_->{values}}; my $k = $_->{key}; '

# is NAME EXPECTED EXPR
is() {
	ok "$1" equal "$(rows "$3")" "$2"
}

plan 61
note_pids

# How many
hits "$f" -- "$probed"
ok "10 calls" equal "$(json "$T/hits.json" '$d->{events}[0]{value}')" 10
is "by probe" "$f=10" "$n"'"$k->{probe}=$n"'
ok "seen = kept + losses" json "$T/hits.json" 'die if $d->{seen} != 10 || $d->{kept} != 10 || %{$d->{losses}}'
hits "$f" "uprobe:$probed:recurse" -- "$probed" -n 3
is "two probes, recursion" "$f=30 uprobe:$probed:recurse=30" "$n"'"$k->{probe}=$n"'
hits "uprobe:$probed:nap*" "uprobe:$probed:caller_?" --by func -- "$probed" -n 2
is "patterns" "caller_a=10 caller_b=10 napping=2" "$n"'"$k->{func}=$n"'
hits "uprobe:$probed:caller_?" --by comm -- "$probed"
is "a pattern is one event" "probed=10" "$n"'"$k->{comm}=$n"'
check 2 "too many for a pattern" "$PMUTRACE" count "uprobe:$probed:caller_*" --max-probes 1 0.1
says err "which is told with the option" '2.*--max-probes'

# Whose
mkfifo "$T/go"
"$probed" -w -n 5 <"$T/go" >/dev/null &
other=$!
all_started="$all_started $other"
exec 3>"$T/go"
# counts FILE ARGS.. - in the background; returns when it does
counts() {
	file=$1
	shift
	start sh -c 'exec "$0" "$@" 2>'"$T/$file.err" "$PMUTRACE" count -o "$T/$file.json" "$@"
	within 30 grep -q counting "$T/$file.err"
	sleep 0.7
}
counts p "$f" --by pid -p "$other" 60
one=$started
counts all "$f" --by pid --comm probed 60
all=$started
counts tid "$f" --by pid -t "$other" 60
tid=$started
"$probed" -n 10
echo >&3
wait "$other"
wait "$one"
kill -INT "$all"
wait "$all"
wait "$tid"
cp "$T/p.json" "$T/hits.json"
is "-p: the process alone" "$other=50" "$n"'"$k->{pid}=$n"'
ok "all: both" equal "$(json "$T/all.json" '$d->{events}[0]{value}')" 150
ok "-t: the thread alone" equal "$(json "$T/tid.json" '$d->{events}[0]{value}')" 50
exec 3>&-

hits "$f" --by comm -- "$PROG/exact" -f 7
ok "none of another program" equal "$(json "$T/hits.json" 'scalar @{$d->{rows}}')" 0
hits "uprobe:$PROG/exact:exact_call" --by tid -- "$PROG/exact" -f 7 -j 3
ok "threads" equal "$(rows "$n"'$n')" "7 7 7"
if [ "$(nproc)" -gt 1 ]; then
	hits "$f" --by cpu -- taskset -c 1 "$probed"
	is "by CPU" "1=10" "$n"'"$k->{cpu}=$n"'
	hits "$f" -C 0 -- taskset -c 1 "$probed"
	ok "-C: not those of another CPU" equal "$(json "$T/hits.json" '$d->{seen}')" 0
	hits "$f" -C 1 -- taskset -c 1 "$probed"
	ok "-C: those of this one" equal "$(json "$T/hits.json" '$d->{seen}')" 10
else
	skip 3 "one-cpu: needs two CPUs"
fi
hits "$f" --by uid,cgroup,container -- setpriv --reuid=65534 --clear-groups "$probed"
is "by user and container" "65534 - 10" "$n"'"$k->{uid} $k->{container} $n"'

# With what
hits "$f" --by arg0 -- "$probed"
is "arguments" "0=1 1=1 2=1 3=1 4=1 5=1 6=1 7=1 8=1 9=1" "$n"'"$k->{arg0}=$n"'
hits "$f" --by arg1:str -- "$probed" -n 2
is "a string" "even=10 odd=10" "$n"'$k->{"arg1:str"} . "=$n"'
hits "$f" --by arg2:s32 --filter 'arg0 >= 8' -- "$probed"
is "a negative one" "-8=1 -9=1" "$n"'$k->{"arg2:s32"} . "=$n"'
hits "$r" --by ret -- "$probed"
is "results" "-20=1 -40=1 -60=1 -80=1 0=1 100=1 20=1 40=1 60=1 80=1" "$n"'"$k->{ret}=$n"'
hits "$r" --by comm --sum ret --avg ret --min ret --max ret -- "$probed" -n 2
is "sum, mean, least, most" "200 10 -80 100" '$_ = $_->{metrics}{ret}; "$_->{sum} $_->{avg} $_->{min} $_->{max}"'
hits "$r" --by comm --hist ret -- "$probed"
is "powers of two: below 0, 0, 16..31, 32..63, 64..127" "null--1:4,0-0:1,16-31:1,32-63:2,64-127:2" \
	'join ",", map { ($_->{from} // "null") . "-" . ($_->{to} // "null") . ":" . $_->{count} } @{$_->{hist}}'
hits "$f" --by comm --hist arg0 --lhist 2,8,3 -- "$probed"
is "equal steps: below 2, 2..4, 5..7, 8 and above" "null-1:2,2-4:3,5-7:3,8-null:2" \
	'join ",", map { ($_->{from} // "null") . "-" . ($_->{to} // "null") . ":" . $_->{count} } @{$_->{hist}}'
check 2 "steps that do not fit" "$PMUTRACE" count "$f" --hist arg0 --lhist 0,10,3 0.1
run "$PMUTRACE" count "$f" --hist arg0 -- "$probed"
says out "a histogram is drawn" '^\[4, 7\] +4 +\|@+'

# Which
hits "$f" --by arg0 --filter '(arg0 < 2 || arg1:str == "odd") && !(arg0 & 4)' -- "$probed"
is "a filter" "0=1 1=1 3=1 9=1" "$n"'"$k->{arg0}=$n"'
hits "$f" --filter 'arg1:str ~ "e*n" && comm == "probed"' -- "$probed"
ok "a pattern" equal "$(json "$T/hits.json" '$d->{seen}')" 5
hits "$f" --filter 'arg0:str == "x"' -- "$probed"
ok "what cannot be read is a loss" equal "$(json "$T/hits.json" '$d->{losses}{filter_unreadable}')" 10
ok "and seen" equal "$(json "$T/hits.json" '$d->{seen} - $d->{kept}')" 10
check 3 "--strict tells" "$PMUTRACE" count --strict "$f" --filter 'arg0:str == "x"' -- "$probed"
check 2 "a filter that is wrong" "$PMUTRACE" count "$f" --filter 'arg0 >' 0.1
says err "is told with its column" 'column'

# From where
hits "$f" --by ustack -- "$probed" -n 2
is "callers, though no frame is made yet" "caller_a>probed_call=10 caller_b>probed_call=10" \
	"$n"'join(">", @{$k->{stack}}[-2, -1]) . "=$n"'
run "$PMUTRACE" count -f folded "$f" --by ustack -- "$probed"
ok "folded" equal "$(folded_sum "$T/out" 'caller_b;probed_call')" 5
check 0 "svg" "$PMUTRACE" count "$f" --by stack -o "$T/x.svg" -- "$probed"
ok "has the function" grep -q probed_call "$T/x.svg"
check 2 "svg without stacks" "$PMUTRACE" count "$f" -o "$T/y.svg" -- "$probed"

# Tracepoints
hits syscalls:sys_enter_getppid --by comm -- "$PROG/exact" -g 77
is "a tracepoint" "exact=77" "$n"'"$k->{comm}=$n"'
hits syscalls:sys_enter_getppid --by tid -- "$PROG/exact" -g 5 -j 4
ok "of each thread" equal "$(rows "$n"'$n')" "5 5 5 5"
case $(uname -m) in
x86_64) nr=110 ;;
aarch64) nr=173 ;;
esac
hits raw_syscalls:sys_enter --by id --filter "id == $nr" -- "$PROG/exact" -g 9
is "a field of it" "$nr=9" "$n"'"$k->{id}=$n"'
hits raw_syscalls:sys_enter raw_syscalls:sys_enter syscalls:sys_enter_getppid --filter 'comm == "exact"' \
	--by pid -- "$PROG/exact" -g 3
ok "probes on one tracepoint" equal "$(json "$T/hits.json" '$d->{events}[2]{value}')" 3
ok "count each" equal "$(json "$T/hits.json" '$d->{events}[0]{value} == $d->{events}[1]{value} ? 1 : 0')" 1
hits rt:sched_process_exit --by 'p->comm' -- "$PROG/exact" -g 1
is "a raw tracepoint, a pointer followed" "exact=1" "$n"'$k->{"p->comm"} . "=$n"'
hits rt:sched_switch --by kstack -a 0.3
ok "its stack begins with the kernel's code" json "$T/hits.json" \
	'for (@{$d->{rows}}) { die $_->{key}{stack}[-1] if ($_->{key}{stack}[-1] // "") =~ /bpf/ }'
check 2 "an unknown field" "$PMUTRACE" count sched:sched_switch --by prev_com 0.1
says err "is told with those that there are" 'prev_comm'
check 2 "a text has no sum" "$PMUTRACE" count sched:sched_switch --sum prev_comm 0.1

# USDT probes, events
hits "usdt:$PROG/usdt:shop:visit" --filter 'arg0 < 4' --by arg0 -- "$PROG/usdt" 10
is "a static probe" "0=1 1=1 2=1 3=1" "$n"'"$k->{arg0}=$n"'
hits "usdt:$PROG/usdt:shop:sale" -- "$PROG/usdt" 10
ok "in two places, with a semaphore" equal "$(json "$T/hits.json" '$d->{seen}')" 10
# By frame pointer, which these programs keep: of a command there are no rules in its first milliseconds.
hits page-faults --by ustack --call-graph fp -- "$probed" -n 50
# Some more are of its code, in rows of their own.
ok "page faults of a function" equal "$(rows "$n"'($k->{stack}[-2] // "") eq "paging" && $n > 9 ? $n : ()')" 200
check 2 "an event without a period" "$PMUTRACE" count cpu-clock 0.1
says err "is told how to write it" 'cpu-clock@100000'

# Intervals, room, the end
hits "$f" -I 100 --by comm -- sh -c "$probed -n 20; sleep 0.3; $probed -n 30"
ok "intervals add up" equal "$(perl -MJSON::PP -ne '$n += decode_json($_)->{events}[0]{value}; END { print $n }' "$T/hits.json")" 500
ok "one object a line" test "$(wc -l <"$T/hits.json")" -ge 4
hits "uprobe:$PROG/exact:exact_call" --by arg0 --keys 16 -- "$PROG/exact" -f 100000
ok "what has no room is counted" json "$T/hits.json" 'die "$d->{seen}" if $d->{seen} != 100000;
	die if $d->{kept} + List::Util::sum0(values %{$d->{losses}}) != 100000 || !$d->{losses}{keys_full}'
hits "uprobe:$PROG/exact:exact_call" --by arg0:u8 -- "$PROG/exact" -f 25600
ok "what has room is all there" equal "$(rows "$n"'$n == 100 ? () : $n')" ""
counts c "$f"
stopped=$started
"$probed"
kill -INT "$stopped"
ok "Ctrl-C ends it" wait "$stopped"
ok "and the result is there" equal "$(json "$T/c.json" '$d->{seen}')" 10
ok "nothing is left in tracefs" equal "$(probes_left)" 0
run setpriv --reuid=65534 --clear-groups "$PMUTRACE" count sched:sched_switch 0.1
ok "without privileges: could not" equal "$status" 1
