#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# count: whose hits they are, and from when on. tests/prog/calls.c makes calls when it is told.
. "$(dirname "$0")/../lib.sh"
need_bpf

calls=$PROG/calls
pid_first='' pid_second='' pid_third='' pid_exact='' pid_one='' # set by name
work=uprobe:$calls:work
n='my ($n) = values %{$_->{values}}; my $k = $_->{key}; '

# begin NAME ARGS.. - counts in the background into $T/NAME.json, until `end NAME`
begin() {
	name=$1
	shift
	"$PMUTRACE" count -o "$T/$name.json" "$@" >"$T/$name.out" 2>"$T/$name.err" </dev/null &
	eval "pid_$name=$!"
	all_started="$all_started $!"
	within 10 grep -q counting "$T/$name.err"
	sleep 0.7
}

# end NAME - its exit status is in $status
end() {
	status=0
	eval "kill -INT \$pid_$1; wait \$pid_$1" || status=$?
}

# rows NAME EXPR - of each row, in order
rows() {
	json "$T/$1.json" 'join " ", sort map { '"$2"' } @{$d->{rows}}'
}

# hits NAME - how many; all of them have to be told
hits() {
	json "$T/$1.json" 'my $lost = sum0 values %{$d->{losses}};
		die "seen $d->{seen}, kept $d->{kept}, lost $lost\n" if $d->{seen} != $d->{kept} + $lost;
		sum0(map { values %{$_->{values}} } @{$d->{rows}}) == $d->{kept} ? $d->{kept} : "rows"'
}

# count ARGS.. - a run of its own into $T/one.json
count() {
	rm -f "$T/one.json"
	run "$PMUTRACE" count -o "$T/one.json" "$@"
	[ "$status" = 0 ] || { echo "# exit status $status" && show; }
}

# talker NAME CMD.. - started, to be told steps by `tell NAME STEP`; its pid is $pid_NAME
talker() {
	name=$1
	shift
	mkfifo "$T/$name.to"
	"$@" <"$T/$name.to" >"$T/$name.said" 2>&1 &
	eval "pid_$name=$!"
	all_started="$all_started $!"
	# Kept open by a process of its own, so that the program waits for more.
	sleep 300 >"$T/$name.to" &
	all_started="$all_started $!"
	echo 0 >"$T/$name.told"
}

said() {
	[ "$(grep -c "done" "$T/$1.said")" -ge "$2" ]
}

# tell NAME STEP - and waits until it is done
tell() {
	told=$(($(cat "$T/$1.told") + 1))
	echo "$told" >"$T/$1.told"
	echo "$2" >"$T/$1.to"
	within 10 said "$1" "$told" || echo "# $1 did not do $2"
}

plan 58

# From when on, and of whom
talker first "$calls" -
talker second "$calls" -
talker third "$calls" -
tell first work=1..1000
tell first getppid=1000
begin one "$work" -p "$pid_first" --by pid
begin two "$work" -p "$pid_first,$pid_second" --by pid
begin all "$work" --comm calls --by pid
begin again "$work" -p "$pid_first" --by pid
begin sys syscalls:sys_enter_getppid -p "$pid_second,$pid_third" --by pid
tell first work=1..5
tell second work=1..10
tell third work=1..20
tell first getppid=11
tell second getppid=22
tell third getppid=33
for run in one two all again sys; do
	end $run
	ok "$run: ends by Ctrl-C" equal "$status" 0
done
tell first work=1..1000
ok "a process: none before, none behind, none of others" equal \
	"$(rows one "$n"'"$k->{pid}=$n"')" "$pid_first=5"
ok "two processes" equal "$(rows two "$n"'"$k->{pid}=$n"')" \
	"$(printf '%s\n' "$pid_first=5" "$pid_second=10" | sort | paste -s -d ' ' -)"
ok "everybody" equal "$(hits all)" 35
ok "a second run of the same probe counts all of it too" equal "$(hits again)" 5
ok "system calls of two processes" equal "$(rows sys "$n"'"$k->{pid}=$n"')" \
	"$(printf '%s\n' "$pid_second=22" "$pid_third=33" | sort | paste -s -d ' ' -)"

# A process that gets the number of one that has ended. first goes on, or the run would end as well.
mkfifo "$T/same.to"
start sh -c 'exec "$PROG/reused_pid" 30 500 <"$T/same.to"'
same=$started
exec 9>"$T/same.to"
within 5 test -s "$T/started.out"
begin same syscalls:sys_enter_getppid -p "$(cat "$T/started.out"),$pid_first"
echo >&9
exec 9>&-
ok "two processes of one number" wait "$same"
forget "$same"
end same
ok "only the first one of them is measured" equal "$(hits same)" 30

# Threads and children
begin one "$work" -p "$pid_first" --by comm
begin two "$work" -t "$pid_first" --by comm
begin three "$work" -p "$pid_first" --no-inherit --by comm
tell first threads=3,7
tell first child=1..4
tell first work=1..2
for run in one two three; do
	end $run
done
ok "-p: threads and children that are started later" equal "$(rows one "$n"'"$k->{comm}=$n"')" \
	"calls-1=7 calls-2=7 calls-3=7 calls=6"
ok "-t: one thread" equal "$(rows two "$n"'"$k->{comm}=$n"')" "calls=2"
ok "--no-inherit: threads, no children" equal "$(rows three "$n"'"$k->{comm}=$n"')" \
	"calls-1=7 calls-2=7 calls-3=7 calls=2"
begin one "$work" --comm 'calls-?' --by comm
tell first threads=3,2
end one
ok "--comm: a pattern, of the name that a task has then" equal \
	"$(rows one "$n"'"$k->{comm}=$n"')" "calls-1=2 calls-2=2 calls-3=2"

count "$work" --by comm -- sh -c "'$calls' work=1 child=1..3; '$calls' work=1..10; :"
ok "a command with all that it starts" equal "$(rows one "$n"'"$k->{comm}=$n"')" "calls=14"
count "$work" --no-inherit -- sh -c "'$calls' work=1; :"
ok "--no-inherit: the command alone" equal "$(hits one)" 0
count "$work" --no-inherit -- "$calls" work=1 child=1..3 threads=2,2
ok "with its threads" equal "$(hits one)" 5
check 7 "the command's exit status" "$PMUTRACE" count "$work" -- "$calls" work=1 exit=7
check 1 "a command that does not exist" "$PMUTRACE" count "$work" -- /nonexistent
begin one "$work" -p "$pid_third"
tell third work=1..3
kill "$pid_third"
status=0
wait "$pid_one" || status=$?
ok "-p: ends with the process" equal "$status" 0
ok "with its hits" equal "$(hits one)" 3

# Users, cgroups, CPUs
begin nobody "$work" -u nobody --by uid
begin root "$work" -u 0 --comm calls --by uid
tell first work=1..6
setpriv --reuid=nobody --clear-groups "$calls" work=1..4
end nobody
end root
ok "-u: by name" equal "$(rows nobody "$n"'"$k->{uid}=$n"')" "$(id -u nobody)=4"
ok "-u: by number" equal "$(rows root "$n"'"$k->{uid}=$n"')" "0=6"
mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
group=$mount/pmutrace-count-$$
if [ -n "$mount" ] && mkdir "$group" 2>/dev/null; then
	echo "$pid_first" >"$group/cgroup.procs"
	begin one "$work" -G "${group##*/}" --by cgroup
	begin all "$work" --comm calls --by cgroup
	tell first work=1..3
	tell second work=1..4
	end one
	end all
	ok "-G: who is in it" equal "$(rows one "$n"'"$k->{cgroup}=$n"')" "/${group##*/}=3"
	ok "--by cgroup: of who is not, too" equal \
		"$(json "$T/all.json" 'join " ", map { '"$n"' $n } grep { $_->{key}{cgroup} ne "/'"${group##*/}"'" } @{$d->{rows}}')" 4
	echo "$pid_first" >"$mount/cgroup.procs"
	rmdir "$group"
else
	skip 2 "cgroup2: no hierarchy to write to"
fi
cpus=$(grep -c '^processor' /proc/cpuinfo)
count syscalls:sys_enter_getppid --by cpu -- "$PROG/exact" -x -g $((cpus * 20))
ok "--by cpu: each has its own" equal "$(rows one "$n"'$k->{cpu} < '"$cpus"' ? $n : ()')" \
	"$(yes 20 | head -n "$cpus" | paste -s -d ' ' -)"
count syscalls:sys_enter_getppid -C 0 -- "$PROG/exact" -x -g $((cpus * 20))
ok "-C 0: its part" equal "$(hits one)" 20
count syscalls:sys_enter_getppid -C "0-$((cpus - 1))" -- "$PROG/exact" -x -g $((cpus * 20))
ok "-C of all CPUs" equal "$(hits one)" $((cpus * 20))

# Which probe
count "$work" --by comm,pid,tid,uid,container,func,probe,arg0 -- "$calls" threads=2,3
ok "--by with most of what there is" equal \
	"$(rows one "$n"'join ",", @$k{qw(comm uid container func probe arg0)}, $k->{tid} > $k->{pid} ? $n : "tid"')" \
	"calls-1,0,-,work,$work,1,3 calls-2,0,-,work,$work,2,3"
count "uprobe:$calls:work_*" --by func -- "$calls" some some
ok "a pattern: each function its own" equal "$(rows one "$n"'"$k->{func}=$n"')" \
	"work_one=2 work_three=6 work_two=4"
ok "all of them one event" equal "$(json "$T/one.json" 'scalar @{$d->{events}}')" 1
count "uprobe:$calls:work*" "uprobe:$calls:work_t*" --by probe -- "$calls" some work=1..5
ok "functions that two patterns have count for each" equal \
	"$(rows one '$_->{key}{probe} =~ /(\w+)$/; join "=", $1, values %{$_->{values}}')" \
	"work=5 work_one=1 work_three=3=3 work_two=2=2"
ok "of each the sum" equal "$(json "$T/one.json" 'join " ", map { $_->{value} } @{$d->{events}}')" "11 5"
count "$work,uretprobe:$calls:work" "$work" --by probe -- "$calls" work=1..9
ok "one function thrice, its return among them: a word is an event" equal \
	"$(json "$T/one.json" 'join " ", map { $_->{value} } @{$d->{events}}')" "18 9"
ok "of several probes" equal \
	"$(rows one '$_->{key}{probe} =~ /^(\w+)/; join "=", $1, values %{$_->{values}}')" \
	"uprobe=9=9 uretprobe=9"
count syscalls:sys_enter_getppid syscalls:sys_exit_getppid syscalls:sys_enter_getppid -- \
	"$calls" getppid=44
ok "one tracepoint twice" equal "$(json "$T/one.json" 'join " ", map { $_->{value} } @{$d->{events}}')" \
	"44 44 44"
case $(uname -m) in
x86_64) nr=110 ;;
aarch64) nr=173 ;;
esac
count "raw_syscalls:sys_e*" --by probe --filter "id == $nr" -- "$calls" getppid=50
ok "a pattern of tracepoints, with a filter" equal "$(rows one "$n"'"$k->{probe}=$n"')" \
	"raw_syscalls:sys_enter=50 raw_syscalls:sys_exit=50"

# Where no key is asked for the kernel filters by itself, and no program runs.
# programs PID - how many BPF programs it holds
programs() {
	cat "/proc/$1/fdinfo/"* 2>/dev/null | grep -c '^prog_id:'
}

# same NAME PROBE EXPR CALLS.. - by the kernel as by programs
same() {
	what=$1 probe=$2 filter=$3
	shift 3
	begin first "$probe" --filter "$filter"
	begin second "$probe" --by comm --filter "$filter"
	ok "$what: no program" equal "$(programs "$pid_first")" 0
	ok "$what: one where there is a key" test "$(programs "$pid_second")" -gt 0
	"$calls" "$@"
	end first
	end second
	ok "$what: as by a program" equal "$(hits first)" "$(hits second)"
}
same "numbers of system calls" raw_syscalls:sys_enter "id == $nr && comm == 'calls'" getppid=50
ok "all of them" equal "$(hits first)" 50
same "texts, signs and bits" task:task_rename \
	"(newcomm ~ 'calls-?' || newcomm == calls-3) && oom_score_adj >= -1000 && !(oom_score_adj & 0x4000) && REC->pid > 1" \
	threads=3,1
ok "each of them" equal "$(hits first)" 3
same "texts elsewhere in the record" sched:sched_process_exec "filename ~ '*/nosuch' || old_pid < 0" work=1
ok "none of them" equal "$(hits first)" 0
begin first task:task_rename --filter "newcomm ~ 'calls-?'" -I 200
"$calls" threads=2,1
sleep 1
"$calls" threads=1,1
sleep 0.5
end first
ok "interval by interval" equal "$(sed -n 's/.*"kept":\([1-9]\).*/\1/p' "$T/first.json" |
	awk '{ n += $1 } END { print n, (NR >= 2) }')" "3 1"
# A program of others may keep hits from the kernel's counts: then ours counts them.
begin first task:task_rename --filter "newcomm ~ 'calls-?'"
start_swallow task task_rename
"$calls" threads=1,1
end first
says first.err "hits that others may have swallowed are told" "BPF programs are attached to task:task_rename"
begin first task:task_rename --filter "newcomm ~ 'calls-?'"
"$calls" threads=2,1
end first
ok "others that swallow hits are no match for a program" equal "$(hits first) $(programs "$started")" "2 1"
kill "$started"
beside "$calls" work=1..4
count -a "uprobe:$calls:work" --by comm -- sh -c "$meanwhile"
ok "-a and a command: all that happens while it runs" equal "$(rows one "$n"'"$k->{comm}=$n"')" calls=4
count "uprobe:$calls:work_*" --by func -- "$calls" work=1
ok "what was not called has no row" equal "$(json "$T/one.json" '@{$d->{rows}} . " $d->{seen}"')" "0 0"

# A breakpoint at an address that the program names; without a period each store is a hit
for event in :w@1 :w; do
	has_breakpoints || { skip 1 "$no_breakpoints" && continue; }
	talker exact "$PROG/exact" -w -m 7 -j 3
	within 5 test -s "$T/exact.said"
	begin one "mem:$(head -n 1 "$T/exact.said")/8$event" -p "$pid_exact" --by comm
	echo >"$T/exact.to"
	wait "$pid_exact" "$pid_one"
	ok "n stores are n hits of mem:ADDRESS/8$event" equal "$(rows one "$n"'"$k->{comm}=$n"')" "exact=21"
	rm "$T/exact.to" "$T/exact.said"
done
