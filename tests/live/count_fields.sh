#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# count: values at the ends of what 64 bits hold, texts that do not fit or are not there, filters of
# known hits, sums and ranges of known sets.
. "$(dirname "$0")/../lib.sh"
need_bpf

calls=$PROG/calls
work=uprobe:$calls:work
text=uprobe:$calls:text_call
n='my ($n) = values %{$_->{values}}; my $k = $_->{key}; '

# count ARGS.. - into $T/out.json; all that was seen has to be told
count() {
	rm -f "$T/out.json"
	run "$PMUTRACE" count -o "$T/out.json" "$@"
	[ "$status" = 0 ] || { echo "# exit status $status" && show; }
	json "$T/out.json" 'die "seen\n" if $d->{seen} != $d->{kept} + sum0 values %{$d->{losses}};
		die "rows\n" if $d->{kept} != sum0 map { values %{$_->{values}} } @{$d->{rows}}' >/dev/null ||
		kept=wrong
}

# is NAME EXPECTED EXPR - of the rows, in order
is() {
	ok "$1" equal "$(json "$T/out.json" 'join " ", sort map { '"$3"' } @{$d->{rows}}')" "$2"
}

# filter NAME EXPECTED EXPR - which of -5 .. 5 work() is counted for
filter() {
	count "$work" --by arg0 --filter "$3" -- "$calls" work=-5..5
	ok "$1: $3" equal "$(json "$T/out.json" 'join " ", sort { $a <=> $b } map { $_->{key}{arg0} } @{$d->{rows}}')" "$2"
}

kept=right
max=0x7fffffffffffffff min=-0x8000000000000000
plan 63

# Numbers, whole
count "$work" --by arg0 -- "$calls" work=$max,$min,-1,0,1
is "64 bits with a sign" "-1=1 -9223372036854775808=1 0=1 1=1 9223372036854775807=1" "$n"'"$k->{arg0}=$n"'
count "$work" --by arg0:u64,arg0:x64 -- "$calls" work=$max,$min,-1,0
is "64 bits without" "0=0x0 18446744073709551615=0xffffffffffffffff 9223372036854775807=0x7fffffffffffffff 9223372036854775808=0x8000000000000000" \
	'$_->{key}{"arg0:u64"} . "=" . $_->{key}{"arg0:x64"}'
count "$work" --by arg0:u8,arg0:s8,arg0:u16,arg0:s16,arg0:u32,arg0:s32,arg0:x8 -- "$calls" work=0x1234567fedc9a8f7
is "narrower ones cut" "247 -9 43255 -22281 3989416183 -305551113 0xf7" \
	'join " ", @{$_->{key}}{qw(arg0:u8 arg0:s8 arg0:u16 arg0:s16 arg0:u32 arg0:s32 arg0:x8)}'
count "$work" --by arg2 -- "$calls" work=7
is "an int's other half is whatever it is" 1 "$n"'($k->{arg2} & 0xffffffff) == 0xfffffff9 ? $n : $k->{arg2}'
count "uretprobe:$calls:work" --by ret:s8,ret -- "$calls" work=255,256
is "results too" "-1/255 0/256" '$_->{key}{"ret:s8"} . "/" . $_->{key}{ret}'

# Texts
long=$(printf '%062d' 0)
count "$text" --by arg0:str -- "$calls" "text=" "text=x" "text=${long}" "text=${long}7" "text=${long}78" text=x
is "texts: 63 bytes are kept of longer ones" "<${long}7>=2 <$long>=1 <>=1 <x>=2" \
	"$n"'"<" . $k->{"arg0:str"} . ">=$n"'
count "$text" --by arg0:str -- "$calls" "text=$(printf 'a\tb\033[31m\\"<q>,\342\202\254\377')"
is "texts: what they may contain" "a b[31m\"<q>,20ac fffd" \
	'my $t = $_->{key}{"arg0:str"}; $t =~ /^a\tb\033\[31m\\"<q>,\x{20ac}\x{fffd}$/ ?
		"a b[31m\"<q>,20ac fffd" : join(",", map { ord } split //, $t)'
count "$text" --by arg0:str -o "$T/out.csv" -o "$T/out.txt" -- "$calls" "text=$(printf '1,"2\n\0333')"
ok "texts: no control codes in CSV and tables" sh -c "! grep -q '$(printf '\033')' '$T/out.csv' '$T/out.txt'"
ok "texts: a line of CSV is a line" equal "$(wc -l <"$T/out.csv")" 2
count "$text" --by arg0:str -- "$calls" text=x null null
is "texts that are not there: empty" "=2 x=1" "$n"'$k->{"arg0:str"} . "=$n"'
ok "texts that are not there: told" equal "$(json "$T/out.json" '$d->{incomplete}{field_unreadable}')" 2
ok "texts that are not there: kept" equal "$(json "$T/out.json" '$d->{kept}')" 3
check 0 "which --strict is content with" "$PMUTRACE" count --strict "$text" --by arg0:str -- "$calls" null
count "$text" --by arg0:kstr -- "$calls" text=x
ok "a program's text is not the kernel's" equal "$(json "$T/out.json" '$d->{incomplete}{field_unreadable}')" 1
count syscalls:sys_enter_openat --by filename:str --filter 'filename:str ~ "/nosuch-?"' -- \
	sh -c "cat /nosuch-1 /nosuch-2 /nosuch-2 /nosuch-33 2>/dev/null; :"
is "of system calls they are the task's" "/nosuch-1=1 /nosuch-2=2" "$n"'$k->{"filename:str"} . "=$n"'
check 2 "a pattern with more than * and ?" "$PMUTRACE" count "$text" --filter 'arg0:str ~ "[a-z]"' 0.1
says err "is refused, not misread" "column 12.*\[.*not supported"
count sched:sched_process_exec --by 'filename,TASK->pid,comm' -- sh -c "'$calls' work=1; :"
is "__data_loc" "$calls calls" '$_->{key}{filename} =~ /calls$/ ? $_->{key}{filename} . " " . $_->{key}{comm} : ()'
count task:task_rename --by oldcomm,newcomm --filter 'newcomm ~ "calls-?"' -- "$calls" threads=2,1
is "arrays of characters" "calls>calls-1=1 calls>calls-2=1" "$n"'"$k->{oldcomm}>$k->{newcomm}=$n"'
count task:task_rename --by 'REC->pid,tid' --filter 'newcomm == "calls-1"' -- "$calls" threads=1,1
is "REC->pid is the record's own" same '$_->{key}{"REC->pid"} == $_->{key}{tid} ? "same" : $_->{key}{"REC->pid"}'
count syscalls:sys_enter_kill --by 'REC->pid,TASK->pid' --filter 'sig == 0 && TASK->comm == sh' -- sh -c 'kill -0 1; :'
is "TASK->pid is not" "1>0" '$_->{key}{"REC->pid"} . ">" . ($_->{key}{pid} == 1 ? 1 : 0)'
count syscalls:sys_enter_kill syscalls:sys_enter_getppid --by pid -- "$calls" getppid=7
is "what only one of them has is the task's" 7 '$_->{key}{pid} > 0 && (values %{$_->{values}})[0]'

# Static probes have types of their own: 4@, unsigned
count "usdt:$PROG/usdt:shop:sale" --by arg0 --filter 'arg0 >= 6' -- "$PROG/usdt" 10
is "usdt: both places have the argument" "6=1 7=1 8=1 9=1" "$n"'"$k->{arg0}=$n"'
count "usdt:$PROG/usdt:shop:close" "usdt:$PROG/usdt:bank:close" --by probe,arg0 -- "$PROG/usdt" 10
is "usdt: neighbours" "bank:close=10 shop:close=10" '$_->{key}{probe} =~ /(\w+:close)/; "$1=$_->{key}{arg0}"'

# Raw tracepoints
# Of all tasks of that name: a process that has ended is no target any more, while its threads end.
start "$PMUTRACE" count rt:sched_process_exit --by 'p->comm,comm,pid,p->tgid' --comm 'calls*' -o "$T/out.json"
within 20 grep -q counting "$T/started.out"
sleep 0.7
"$calls" threads=2,1
sleep 0.2
kill -INT "$started"
wait "$started"
is "rt: a task's members" "calls 1 calls-1 1 calls-2 1" "$n"'$k->{pid} == $k->{"p->tgid"} && $k->{comm} eq $k->{"p->comm"} ?
	"$k->{comm} $n" : ()'
count rt:sys_enter --by id --filter 'comm == "exact" && id == 110 || comm == "exact" && id == 173' -- "$PROG/exact" -g 12
is "rt: plain numbers" 12 "$n"'$n'

# Filters
filter "equal" "3" 'arg0 == 3'
filter "not" "-5 -4 -3 -2 -1 0 1 2 4 5" 'arg0 != 3'
filter "less, signed" "-5 -4" 'arg0 < -3'
filter "at most" "-5 -4 -3" 'arg0 <= -3'
filter "greater, of unsigned ones" "-5 -4 -3 -2 -1 4 5" 'arg0:u64 > 3'
filter "a narrow one" "-5 -4 -3 -2 -1" 'arg2:s32 > 0'
filter "bits" "-5 -4 -2 -1 2 3" 'arg0 & 2 && arg0 != -3 || arg0 == -4 || arg0 == -5'
filter "no bit" "-4 0 4" '!(arg0 & 3)'
filter "hex of a negative one" "-1" 'arg0:s32 == 0xffffffff'
filter "a text" "-5 -3 -1 1 3 5" 'arg1:str == odd'
filter "not a text" "-4 -2 0 2 4" 'arg1:str != "odd"'
filter "patterns" "-5 -3 -1 1 3 5" 'arg1:str ~ "?d*"'
filter "no pattern" "-4 -2 0 2 4" '!(arg1:str ~ "o*d")'
filter "&& binds before ||" "-5 0 2 4" 'arg0 == -5 || arg0 >= 0 && arg1:str == even'
filter "parentheses" "0 2 4" '(arg0 == -5 || arg0 >= 0) && arg1:str == even'
filter "not of both" "-5 -3 -1 0 1 2 3 4 5" '!(arg0 < 0 && arg1:str == even)'
filter "a task's" "" 'comm != "calls"'
filter "eight comparisons" "-5 -4 -3 -2 1 2 3 4" \
	'arg0==1||arg0==2||arg0==3||arg0==4||arg0==-2||arg0==-3||arg0==-4||arg0==-5'
check 2 "nine" "$PMUTRACE" count "$work" --filter \
	'arg0==1||arg0==2||arg0==3||arg0==4||arg0==-2||arg0==-3||arg0==-4||arg0==-5||arg0==6' 0.1
says err "are told to be too many" '8'
count "$text" --filter 'arg0:str == "x" || comm == "calls"' -- "$calls" text=x null text=y
ok "what cannot be compared is lost" equal "$(json "$T/out.json" '"$d->{seen} $d->{kept} $d->{losses}{filter_unreadable}"')" "3 2 1"
count "$text" --filter "arg0:str == '${long}'" -- "$calls" "text=$long" "text=${long}7"
ok "62 bytes are compared whole" equal "$(json "$T/out.json" '$d->{kept}')" 1

# Sums
count "$work" --sum arg0 --min arg0 --max arg0 --avg arg0 -- "$calls" work=-7..10,-100
is "sum, least, most, mean" "-73 -100 10 -3.842" '$_ = $_->{metrics}{arg0}; "$_->{sum} $_->{min} $_->{max} $_->{avg}"'
count "$work" --by arg1:str --sum arg0 -- "$calls" work=1..100 work=1..100
is "of each row" "even 5100 2 100 odd 5000 1 99" '$k = $_->{key}{"arg1:str"}; $_ = $_->{metrics}{arg0}; "$k $_->{sum} $_->{min} $_->{max}"'
count "$work" --sum arg0 -- "$calls" work=$max,$min,0
is "ends of what there is: a sum that may not fit is not known" "null -9223372036854775808 9223372036854775807" \
	'$_ = $_->{metrics}{arg0}; ($_->{sum} // "null") . " $_->{min} $_->{max}"'
count "$work" --max arg0:u64 -- "$calls" work=-2,$max
is "unsigned" "9223372036854775807 18446744073709551614" '$_ = $_->{metrics}{"arg0:u64"}; "$_->{min} $_->{max}"'
count "$work" "uretprobe:$calls:work" --sum pid -- "$calls" work=1..3
is "of two probes: a row each" "3 3" "$n"'$_->{metrics}{pid}{sum} == 3 * $_->{metrics}{pid}{min} ? $n : "sum"'
run "$PMUTRACE" count "$work" --by arg1:str --sum arg0 --avg arg0 --min arg0 --max arg0 -- "$calls" work=1..4,-8
says out "as a table" '^even +3 +-2 +-0\.67 +-8 +4$'
count "$work" --sum arg0 -o "$T/out.csv" -- "$calls" work=1..4
ok "as CSV" equal "$(tail -n 1 "$T/out.csv")" "$work,4,10,2.500,1,4"

# Ranges
ranges='join ",", map { ($_->{from} // "") . ".." . ($_->{to} // "") . ":" . $_->{count} } @{$_->{hist}}'
count "$work" --hist arg0 -- "$calls" work=0..9,-1,-500,1024,2047,2048
is "powers of two" "..-1:2,0..0:1,1..1:1,2..3:2,4..7:4,8..15:2,1024..2047:2,2048..4095:1" "$ranges"
count "$work" --hist arg0 -- "$calls" work=$max,$min,0x3fffffffffffffff,0x4000000000000000
is "the ends" "..-1:1,2305843009213693952..4611686018427387903:1,4611686018427387904..:2" "$ranges"
count "$work" --hist arg0:u64 -- "$calls" work=-1,$min
is "unsigned ones are never below 0" "4611686018427387904..:2" "$ranges"
count "$work" --hist arg0 --lhist -10,10,5 -- "$calls" work=-12..11
is "equal steps" "..-11:2,-10..-6:5,-5..-1:5,0..4:5,5..9:5,10..:2" "$ranges"
count "$work" --by arg1:str --hist arg0 --lhist 0,4,2 -- "$calls" work=0..3
is "of each row" "even 0..1:1,2..3:1 odd 0..1:1,2..3:1" '$_->{key}{"arg1:str"} . " " . '"$ranges"
is "their sum is the row's" "2 2" "$n"'$n == sum0(map { $_->{count} } @{$_->{hist}}) ? $n : "hist"'
count "$work" --hist arg0 --lhist 0,4,2 -o "$T/out.csv" -- "$calls" work=0..3
ok "as CSV: a line for each range" equal "$(tail -n +2 "$T/out.csv" | paste -s -d ' ' -)" "$work,0,1,2 $work,2,3,2"

ok "in all of these seen = kept + lost, and rows add up" equal $kept right
