#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# count on functions of the kernel, whose calls tests/prog/calls.c and exact.c make: by target, by
# function of a pattern, with values that the kernel knows by name, and what cannot be probed.
. "$(dirname "$0")/../lib.sh"
need_bpf
need_kprobes

getppid=${syscall_prefix}getppid
exact=$PROG/exact

# count ARGS.. - JSON into $T/out.json; all that was seen has to be told
count() {
	rm -f "$T/out.json"
	run "$PMUTRACE" count -o "$T/out.json" "$@"
	[ "$status" = 0 ] || { echo "# exit status $status" && show; }
	json "$T/out.json" 'die "seen\n" if $d->{seen} != $d->{kept} + sum0 values %{$d->{losses}};
		die "rows\n" if $d->{kept} != sum0 map { values %{$_->{values}} } @{$d->{rows}}' >/dev/null ||
		kept=wrong
}

# rows EXPR - of each row, in order; $k is its key, $n its hits
rows() {
	json "$T/out.json" 'join " ", sort map { my ($n) = values %{$_->{values}}; my $k = $_->{key}; '"$1"' } @{$d->{rows}}'
}

kept=right
plan 28
note_pids

# Whose
count "kprobe:$getppid" --by comm,tid -- "$exact" -g 100 -j 3
ok "n calls are n, of each thread" equal "$(rows '$n')" "100 100 100"
mkfifo "$T/go"
"$exact" -w -g 25 -j 2 <"$T/go" >/dev/null &
pid=$!
all_started="$all_started $pid"
exec 3>"$T/go"
start "$PMUTRACE" count "kprobe:$getppid" "kretprobe:$getppid" -p "$pid" -o "$T/p.json"
within 20 grep -q counting "$T/started.out"
sleep 0.7
"$exact" -g 1000 >/dev/null
echo >&3
exec 3>&-
wait "$pid"
ok "-p: ends with the process" wait "$started"
ok "-p: its calls and returns alone" equal \
	"$(json "$T/p.json" 'join " ", map { $_->{value} } @{$d->{events}}')" "50 50"
count "kprobe:$getppid" -u nobody --by uid -- sh -c \
	"'$exact' -g 7; setpriv --reuid=65534 --clear-groups '$exact' -g 3"
ok "-u" equal "$(rows '$n')" 3
count "kprobe:$getppid" --filter 'comm == "exact" && cpu < 1000' -- sh -c "'$exact' -g 9; :"
ok "a filter of the task's" equal "$(json "$T/out.json" '$d->{kept}')" 9

# Values by their names in the kernel
count kprobe:ksys_write --by fd,count --filter 'count == 4321' -- \
	dd if=/dev/zero of=/dev/null bs=4321 count=11
ok "arguments by name, also in filters" equal "$(rows '"$k->{fd} $k->{count} $n"')" "1 4321 11"
count kprobe:ksys_write --by arg0,arg2 --filter 'arg2 == 4321' -- \
	dd if=/dev/zero of=/dev/null bs=4321 count=11
ok "the same by number" equal "$(rows '"$k->{arg0} $k->{arg2} $n"')" "1 4321 11"
count kretprobe:ksys_write --filter 'ret == 4321' --sum ret --min ret --max ret -- \
	dd if=/dev/zero of=/dev/null bs=4321 count=11
ok "results: their sum" equal "$(rows '$_ = $_->{metrics}{ret}; "$_->{sum} $_->{min} $_->{max}"')" "47531 4321 4321"
count kretprobe:ksys_read --hist ret --filter 'ret >= 512' -- dd if=/dev/zero of=/dev/null bs=600 count=7
ok "results: their powers of two" equal \
	"$(rows 'join ",", map { $_->{from} == 512 ? $_->{count} >= 7 : () } @{$_->{hist}}')" 1
count kprobe:vfs_read --by 'file->f_path.dentry->d_name.name:kstr' --filter 'count == 777' -- \
	dd if=/dev/zero of=/dev/null bs=777 count=5
ok "pointers followed to a text" equal "$(rows 'join "=", values %$k, $n')" "zero=5"
check 2 "no such argument" "$PMUTRACE" count kprobe:vfs_read --by fiel 0.1
says err "is told with the nearest" 'file'

# Stacks
count "kprobe:$getppid" --by stack -- "$PROG/calls" getppid=6
# Its code may have two names, of which the stack has one.
ok "a stack of both halves" equal "$(rows 'my @s = @{$k->{stack}};
	$s[-1] =~ s/^__.*_sys_//; "$s[-1] $n" . (grep({ $_ eq "getppid_often" } @s) ? " called" : "")')" \
	"getppid 6 called"

# Patterns
count "kprobe:${syscall_prefix}getp*" --by func -- "$exact" -g 40
ok "a pattern: each function its own" equal "$(rows '$k->{func} eq "'"$getppid"'" ? $n : ()')" 40
count "kprobe:${syscall_prefix}getp*" "kretprobe:$getppid" --by probe -- "$exact" -g 40
ok "and a return beside it" equal "$(rows '$k->{probe} =~ /^kretprobe:/ ? $n : ()')" 40
# A link for many is 5.18's; before it each of them takes 100 million instructions.
many='*'
[ "$(printf '5.18\n%s\n' "$(uname -r)" | sort -V | head -n 1)" = 5.18 ] || many='get*'
before=$(cut -d ' ' -f 1 /proc/uptime)
count "kprobe:${syscall_prefix}$many" --max-probes 5000 --by func --filter 'comm == "exact"' -- "$exact" -g 60
echo "# functions of $many: $(echo "$before $(cut -d ' ' -f 1 /proc/uptime)" | awk '{ print $2 - $1 }') s"
ok "as many functions as there are: attached" equal "$status" 0
ok "one of them" equal "$(rows '$k->{func} eq "'"$getppid"'" ? $n : ()')" 60
check 2 "more than --max-probes" "$PMUTRACE" count "kprobe:${syscall_prefix}*" --max-probes 20 0.1
number=$(sed -n 's/.* is \([0-9]*\) functions.*/\1/p' "$T/err")
ok "how many there are is told" between 200 "$number" 600

# What cannot be probed: it is on the kernel's list, and cannot be traced either.
list=/sys/kernel/debug/kprobes/blacklist
[ -e $list ] || mount -t debugfs debugfs /sys/kernel/debug 2>/dev/null
closed=$(awk 'NR == FNR { traced[$1] = 1; next }
	$2 ~ /^(exc|noist|poke|irqentry|el1|enter)_[a-z_0-9]+$/ && !traced[$2] { print $2; exit }' \
	/sys/kernel/tracing/available_filter_functions $list 2>/dev/null)
if [ -n "$closed" ]; then
	run "$PMUTRACE" count "kprobe:$closed" 0.1
	ok "a function that may not be probed: $closed" test "$status" != 0
	says err "is named" "$closed"
	run "$PMUTRACE" count "kprobe:${closed%?}?" 0.1
	ok "a pattern of it alone" test "$status" != 0
	says err "names it, too" "$closed"
	run "$PMUTRACE" count "kprobe:${closed%?}?,kprobe:$getppid" -o "$T/out.json" -- "$exact" -g 5
	says err "beside others it is told all the same" "$closed"
else
	skip 5 "debugfs: no list of functions that cannot be probed"
fi
check 2 "no such function" "$PMUTRACE" count kprobe:vfs_raed 0.1
says err "is told with the nearest one" vfs_read

ok "nothing is left in tracefs" equal "$(probes_left)" 0
ok "in all of these seen = kept + lost, and rows add up" equal $kept right
