#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# count: what it cannot do it says, with what there is instead and the exit status; and whatever
# ends it, nothing of it stays behind.
. "$(dirname "$0")/../lib.sh"
need_bpf

calls=$PROG/calls
work=uprobe:$calls:work

# refused NAME REGEX ARGS.. - a usage error: two points
refused() {
	name=$1 regex=$2
	shift 2
	check 2 "$name: a usage error" "$PMUTRACE" count "$@"
	says err "$name: with what to do" "$regex"
}

plan 100
note_pids

# Probes
refused "no probe" 'such as .*pmutrace list'
refused "a command alone" 'no probe' -- true
refused "no such tracepoint" 'did you mean sched:sched_switch' sched:sched_swich 0.1
refused "no such category" "no category 'nosuch'" nosuch:x 0.1
refused "no such function" 'did you mean work\?' "uprobe:$calls:wrok" 0.1
refused "a place in the middle of an instruction" \
	'in the middle of an instruction.* begin at work.* and work\+0x' "$work+2" 0.1
refused "a pattern that none matches" "matches 'nosuch_\*'" "uprobe:$calls:nosuch_*" 0.1
refused "no such static probe" 'nosuch' "usdt:$PROG/usdt:shop:nosuch" 0.1
refused "no such raw tracepoint" 'pmutrace list' rt:nosuch 0.1
refused "no such file" '/nosuchfile' uprobe:/nosuchfile:main 0.1
refused "more functions than --max-probes: their number" \
	'is 3 functions.*no more than 2.*--max-probes 3' "uprobe:$calls:work_*" --max-probes 2 0.1
check 0 "as many as --max-probes" "$PMUTRACE" count "uprobe:$calls:work_*" --max-probes 3 -- "$calls" some
refused "events without a period" 'write cycles@100000' cycles 0.1
refused "the same in a list" 'cpu-clock@100000' page-faults@1,cpu-clock 0.1
refused "a function of a library without uprobe:" 'written uprobe:libc:malloc' libc:malloc 0.1
refused "of a program" "written uprobe:$calls:work" "$calls:work" 0.1
refused "a tracepoint without its category" 'did you mean sched:sched_switch\?' sched_switch 0.1
refused "a system call's" 'did you mean syscalls:sys_enter_openat or syscalls:sys_exit_openat\?' syscalls:openat 0.1
refused "a system call" 'did you mean syscalls:sys_enter_openat or' openat 0.1

# Fields
refused "no such field" 'did you mean prev_comm' sched:sched_switch --by prev_com 0.1
refused "no such member" "has no member 'com'; did you mean comm" rt:sched_switch --by 'prev->com' 0.1
refused "no such argument" 'did you mean prev\?' rt:sched_switch --by 'prv->comm' 0.1
refused "an argument too many" 'arg0 to arg5' "$work" --by arg6 0.1
refused "a result at the entry" 'uretprobe' "$work" --by ret 0.1
refused "arguments at the return" 'only ret' "uretprobe:$calls:work" --by arg0 0.1
refused "members of a program's struct" 'types of programs are not known' "$work" --by 'arg0->x' 0.1
refused "no such type" 's8 s16 s32' "$work" --by arg0:u7 0.1
refused "nine fields" '8' "$work" --by arg0:s8,arg0:s16,arg0:s32,arg0:u8,arg0:u16,arg0:u32,arg1,arg2,arg3 0.1
refused "a key that is empty" 'key is missing' "$work" --by pid,,arg0 0.1
refused "a name of the task and of the record" 'TASK->pid for the task.*REC->pid for the field' \
	syscalls:sys_enter_kill --by pid 0.1
refused "in a filter as well" 'column 13.*TASK->pid.*REC->pid' syscalls:sys_enter_kill --filter 'sig == 9 && pid == 1' 0.1
refused "what the task has not" "no 'sig'" syscalls:sys_enter_kill --by 'TASK->sig' 0.1
refused "a text summed up" 'only numbers' sched:sched_switch --sum prev_comm 0.1
refused "a text in ranges" 'only numbers' sched:sched_switch --hist prev_comm 0.1
refused "two fields summed up" 'one field' "$work" --sum arg0 --max arg2 0.1
refused "ranges and sums" 'do not go with' "$work" --sum arg0 --hist arg0 0.1
refused "ranges of nothing" 'name the field' "$work" --lhist 0,10,1 0.1
refused "a step of 0" 'STEP more than 0' "$work" --hist arg0 --lhist 0,10,0 0.1
refused "half a step" 'whole number of steps' "$work" --hist arg0 --lhist 0,10,4 0.1

# What the machine or the user cannot do: 1
check 1 "no such process" "$PMUTRACE" count "$work" -p 4194304 0.1
says err "is told" 'no process 4194304'
check 1 "no such CPU" "$PMUTRACE" count "$work" -C 9999 0.1
if [ ! -e /sys/kernel/tracing/kprobe_events ] && [ ! -e /sys/bus/event_source/devices/kprobe ]; then
	check 1 "a kernel without kprobes" "$PMUTRACE" count kprobe:vfs_read 0.1
	says err "is told to be one" 'this kernel'
	check 1 "the same of a pattern" "$PMUTRACE" count 'kprobe:vfs_*' 0.1
	says err "with the same reason" 'this kernel'
else
	skip 4 "kprobes: this kernel has them"
fi
for probe in sched:sched_switch page-faults@1 "$work"; do
	check 1 "without privileges: $probe" setpriv --reuid=65534 --clear-groups "$PMUTRACE" count "$probe" 0.1
	says err "says who may, or how to allow it" 'root|CAP_BPF'
done

# Ends. What counts is what was there until then.
for signal in INT TERM; do
	"$PMUTRACE" count "$work" -o "$T/$signal.json" >"$T/out" 2>"$T/err" </dev/null &
	run=$!
	all_started="$all_started $run"
	within 10 grep -q counting "$T/err"
	sleep 0.7
	"$calls" work=1..12
	kill "-$signal" "$run"
	ok "SIG$signal ends it" wait "$run"
	ok "SIG$signal: all hits are there" equal "$(json "$T/$signal.json" '$d->{kept}')" 12
done
check 0 "a duration ends it" "$PMUTRACE" count "$work" --by arg0 0.2
ok "nothing of these runs is in tracefs" equal "$(probes_left)" 0

# SIGKILL: what the kernel holds for a process goes with it.
"$PMUTRACE" count "$work" "uprobe:$calls:work_*" sched:sched_switch >"$T/out" 2>"$T/err" </dev/null &
killed=$!
all_started="$all_started $killed"
within 10 grep -q counting "$T/err"
sleep 0.7
programs=$(ids_of "$killed" prog)
ok "a run that is going to be killed has programs" test -n "$programs"
kill -KILL "$killed"
wait "$killed" 2>/dev/null
# shellcheck disable=SC2086 # a list
ok "killed: its programs go" within 10 none_of prog $programs
run "$PMUTRACE" count "$work" -o "$T/next.json" -- "$calls" work=1..5
ok "the next run counts" equal "$(json "$T/next.json" '$d->{kept}')" 5
ok "nothing is left in tracefs" equal "$(probes_left)" 0
