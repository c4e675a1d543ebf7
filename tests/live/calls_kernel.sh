#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# func on functions of the kernel, in each of the ways that there are to see both ends of one:
# trampolines for a few, sessions for many or with stacks, links and perf events on older kernels.
. "$(dirname "$0")/../lib.sh"
need_bpf
need_kprobes

getppid=${syscall_prefix}getppid

# func ARGS.. - JSON into $T/out.json
func() {
	run_func "$T/out.json" -v "$@"
	sed -n 's/^.*: \(attached to .* places by .*\) in .*$/# \1/p' "$T/err" | sort | uniq -c | sed 's/^ *\([0-9]*\) # /# \1x /'
}
of() {
	json "$T/out.json" "$1"
}
# whole - seen is kept and lost; rows are what was kept
whole='die "seen\n" if $d->{seen} != $d->{kept} + sum0 values %{$d->{losses}};
	die "rows\n" if $d->{kept} != sum0 map { values %{$_->{values}} } @{$d->{rows}}'

plan 19
note_pids

# A few
func "$getppid" --by comm -- "$PROG/exact" -g 100
ok "100 calls" equal "$(of '$d->{seen} . " " . $d->{kept}')" "100 100"
ok "take some time each" between 1 "$(of '$d->{rows}[0]{metrics}{time}{min}')" 1000000000
func ksys_read --by fd,count,ret --filter 'count == 777' -- dd if=/dev/zero of=/dev/null bs=777 count=9
ok "arguments and result by name" equal \
	"$(of 'join " ", map { $_->{key}{count} . ">" . $_->{key}{ret} . "=" . (values %{$_->{values}})[0] } @{$d->{rows}}')" \
	"777>777=9"
ok "what the filter leaves out is in no row" of "$whole"
func ksys_read --by ret --filter 'ret == 777' -- dd if=/dev/zero of=/dev/null bs=777 count=12
ok "a filter of results" equal "$(of '$d->{kept}')" 12
func ksys_read vfs_read --by func --filter 'count == 777' -- dd if=/dev/zero of=/dev/null bs=777 count=20
ok "two in each other: calls of both" equal \
	"$(of 'join " ", sort map { "$_->{key}{func}=" . sum0 values %{$_->{values}} } @{$d->{rows}}')" \
	"ksys_read=20 vfs_read=20"
ok "the outer's own part is without the inner" of \
	'my %t = map { $_->{key}{func} => $_->{metrics} } @{$d->{rows}};
	$t{ksys_read}{self}{sum} == $t{ksys_read}{time}{sum} - $t{vfs_read}{time}{sum} or die'
func "$getppid" --only-slow 10s -- "$PROG/exact" -g 10
ok "--only-slow: none" equal "$(of '$d->{kept}')" 0
func hrtimer_nanosleep --by comm -- sleep 0.2
ok "a sleep's time" between 200000000 "$(of '$d->{rows}[0]{metrics}{time}{sum}')" 2000000000
ok "is off the CPU" of \
	'my $m = $d->{rows}[0]{metrics}; $m->{"off-cpu"}{sum} > 0.9 * $m->{time}{sum} or die'
func hrtimer_nanosleep --by func -- sh -c '(sleep 0.2 & sleep 0.1; wait)'
ok "of several tasks at once" equal "$(of '$d->{kept}')" 2

# Many, and with stacks
# One at a time where there are no links for many: a short list.
pattern='vfs_r*'
has_kprobe_multi && pattern='vfs_*'
func "$pattern" --by func --filter 'comm == "dd"' -- dd if=/dev/zero of=/dev/null bs=777 count=30
ok "a pattern" between 30 "$(of '(grep { $_->{key}{func} eq "vfs_read" } @{$d->{rows}})[0]{values}{"'"$pattern"'"}')" 60
ok "nothing unaccounted for" of "$whole"
func vfs_read --by caller --filter 'count == 777' -- dd if=/dev/zero of=/dev/null bs=777 count=15
ok "--by caller" equal "$(of 'join " ", map { $_->{key}{caller} . "=" . sum0 values %{$_->{values}} } @{$d->{rows}}')" \
	"ksys_read=15"
func "$getppid" --by kstack -- "$PROG/exact" -g 5
ok "--by kstack" equal "$(of 'sum0 map { values %{$_->{values}} } @{$d->{rows}}')" 5
func vfs_read --by ustack --filter 'count == 777' -- dd if=/dev/zero of=/dev/null bs=777 count=15
ok "--by ustack" equal "$(of 'sum0 map { values %{$_->{values}} } @{$d->{rows}}')" 15

# Others
start dd if=/dev/zero of=/dev/null bs=777
pid=$started
func ksys_read --by comm,pid -p "$pid" --filter 'count == 777' 0.3
ok "-p: nobody else's" equal "$(of 'join " ", map { $_->{key}{pid} } @{$d->{rows}}')" "$pid"
check 2 "an unknown function" "$PMUTRACE" func vfs_raed 0.1
ok "nothing is left in tracefs" equal "$(probes_left)" 0
