#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Who is measured: -u, --comm, -C, -G, -K, -U, --no-stacks, --idle. One burns as root, one as nobody.
. "$(dirname "$0")/../lib.sh"
need_bpf

cgroup2=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
cgroup=pmutrace-test.$$

plan 26
cp "$PROG/burn" "$T/burn-nobody"
cp "$PROG/burn" "$T/burn-root"
chmod 755 "$T"/burn-*
start beneath setpriv --reuid=65534 --regid=65534 --clear-groups taskset -c 0 "$T/burn-nobody" -s 60
nobody=$started
start beneath taskset -c "$(($(nproc) - 1))" "$T/burn-root" -s 60
root=$started
within 20 grep -q burn-nobody "/proc/$nobody/comm"
within 20 grep -q burn-root "/proc/$root/comm"

# stacks ARGS.. - half a second of it, in $T/p.folded. By frame pointer: the burners have the lowest
# priority, and making unwind tables takes a slow machine's CPU from them.
stacks() {
	rm -f "$T/p.folded"
	pm -F 997 --call-graph fp -o "$T/p.folded" -o "$T/p.json" --duration 0.4 "$@"
}
sees() {
	# A task has one CPU at a time.
	ok "$1 sees it" between 25 "$(folded_sum "$T/p.folded" "$2")" \
		"$(json "$T/p.json" '$d->{duration_ns} * 997 / 1e9 * 1.1')"
}
sees_not() {
	ok "$1 does not see $2" equal "$(folded_sum "$T/p.folded" "$2")" 0
}

stacks -a
sees "-a" '^burn-root;'
sees "-a" '^burn-nobody;'
sees_not "-a" '^swapper'
stacks -u 65534
sees "-u UID" '^burn-nobody;'
sees_not "-u UID" '^burn-root;'
stacks -u nobody
sees "-u NAME" '^burn-nobody;'
stacks --comm 'burn-r*'
sees "--comm" '^burn-root;'
ok "--comm sees nothing else" equal "$(folded_sum "$T/p.folded" '^burn-root;')" "$(folded_sum "$T/p.folded")"
stacks -p "$root,$nobody"
sees "-p of two" '^burn-root;'
sees "-p of two" '^burn-nobody;'
stacks -p "$root" -u nobody
ok "both conditions have to hold" equal "$(folded_sum "$T/p.folded" '^burn')" 0
if [ "$(nproc)" -gt 1 ]; then
	stacks -C 0
	sees "-C 0" '^burn-nobody;'
	sees_not "-C 0" '^burn-root;'
else
	skip 2 "one-cpu: needs two"
fi

if [ -n "$cgroup2" ] && mkdir "$cgroup2/$cgroup" "$cgroup2/$cgroup/inner" 2>/dev/null; then
	if echo "$root" >"$cgroup2/$cgroup/inner/cgroup.procs"; then
		stacks -G "$cgroup/inner"
		sees "-G" '^burn-root;'
		sees_not "-G" '^burn-nobody;'
		stacks -G "$cgroup"
		sees "-G of the parent" '^burn-root;'
		sees_not "-G of the parent" '^burn-nobody;'
		stacks -G "$cgroup2/$cgroup"
		sees "-G with the full path" '^burn-root;'
		pm -F 997 -f json --by comm,cgroup -o "$T/c.json" -p "$root" --duration 0.3
		ok "--by cgroup names it" equal "$(json "$T/c.json" '$d->{rows}[0]{key}{cgroup}')" "/$cgroup/inner"
		echo "$root" >"$cgroup2/cgroup.procs"
	else
		skip 6 "no-cgroup: a process cannot be moved"
	fi
	rmdir "$cgroup2/$cgroup/inner" "$cgroup2/$cgroup"
else
	skip 6 "no-cgroup: no cgroup2 hierarchy that can be written to"
fi

# Not by the clock, which may stand still on idle CPUs: whoever is waited for is switched to from idle.
switches() {
	run "$PMUTRACE" profile -e context-switches -c 1 -f folded -o "$T/i.folded" "$@" --duration 0.4
}
stop "$nobody"
stop "$root"
start sh -c 'while :; do sleep 0.02; done'
# Others may keep every CPU busy for a while.
idle() {
	switches -a --idle
	[ "$(folded_sum "$T/i.folded" '^swapper')" -ge 3 ]
}
within 1 idle
ok "--idle keeps the idle task" between 3 "$(folded_sum "$T/i.folded" '^swapper')" 100000
switches -a
ok "without it is left out" equal "$(folded_sum "$T/i.folded" '^swapper')" 0

pm -F 997 -f folded -o "$T/k.folded" -K -- "$PROG/syscalls" -s 0.2
ok "-K has kernel frames" between 120 "$(folded_sum "$T/k.folded" '_\[k\]')" 280
ok "-K has no user frames" equal "$(folded_sum "$T/k.folded" 'syscall_work')" 0
pm -F 997 -f folded -o "$T/u.folded" -U -- "$PROG/syscalls" -s 0.2
ok "-U has user frames" between 120 "$(folded_sum "$T/u.folded" ';main;syscall_work ')" 280
ok "-U has no kernel frames" equal "$(folded_sum "$T/u.folded" '_\[k\]')" 0
pm -F 997 -f folded -o "$T/n.folded" --no-stacks -- "$PROG/burn" -s 0.2
ok "--no-stacks has the command alone" equal "$(folded_sum "$T/n.folded" '^burn [0-9]+$')" "$(folded_sum "$T/n.folded")"
