#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What doctor finds is what other programs find: each finding beside a probe that is not ours.
. "$(dirname "$0")/../lib.sh"
need_bpf

# state NAME [FILE] - of a finding
state() {
	json "${2:-$T/json}" "(map { \$_->{state} } grep { \$_->{key}{name} eq '$1' } @{\$d->{rows}})[0]"
}

# is NAME STATE
is() {
	echo "$1 is $(state "$1"), should be $2"
	[ "$(state "$1")" = "$2" ]
}

# either CMD.. - ok or missing, as the command succeeds
either() {
	if "$@" >/dev/null 2>&1; then echo ok; else echo missing; fi
}

plan 28
# ids_of_doctors - numbers of the programs that a doctor tries to load, the newest last
ids_of_doctors() {
	bpftool prog show | sed -n 's/^\([0-9]*\): .* name doctor.*/\1/p' | sort -n
}
newest=$(bpftool prog show | sed -n 's/^\([0-9]*\): .*/\1/p' | sort -n | tail -n 1)
check 0 "as root it can run" "$PMUTRACE" doctor --json
cp "$T/out" "$T/json"
ok "nothing is unknown" equal "$(json "$T/json" 'join " ", map { $_->{key}{name} } grep { $_->{state} eq "unknown" } @{$d->{rows}}')" ""
ok "as profile can" "$PMUTRACE" profile -q -e cpu-clock 0.1
for name in profile perf-events bpf-programs bpf-attach kernel-version btf; do
	ok "$name is ok" is $name ok
done
ok "the kernel's name" equal "$(json "$T/json" '(map { $_->{found} } grep { $_->{key}{name} eq "kernel-version" } @{$d->{rows}})[0]')" \
	"Linux $(uname -r)"
ok "capabilities" is capabilities ok

ok "kernel symbols" is kernel-symbols \
	"$(if grep -q -v '^0000000000000000' /proc/kallsyms; then echo ok; else echo limited; fi)"
ok "tracefs" is tracefs "$(either test -e /sys/kernel/tracing/events -o -e /sys/kernel/debug/tracing/events)"
ok "uprobes" is uprobes "$(either test -e /sys/bus/event_source/devices/uprobe)"
ok "kprobes" is kprobes "$(either "$PROG/kprobe_calls" -n 10)"
ok "kprobe-multi" is kprobe-multi "$(either grep -q ' T register_fprobe_syms$' /proc/kallsyms)"
ok "hardware PMU" is hardware-pmu "$(either "$PMUTRACE" profile -q -e cycles -f folded -o "$T/c.folded" -- true)"
ok "NMI watchdog" is nmi-watchdog \
	"$(if [ "$(cat /proc/sys/kernel/nmi_watchdog 2>/dev/null)" = 1 ] && [ "$(state hardware-pmu)" = ok ]; then
		echo limited
	else
		echo ok
	fi)"
ok "as many descriptors as there are" sh -c \
	'"$PMUTRACE" doctor | grep -q "open-files *$(ulimit -H -n) descriptors"'

# User stacks: of what runs here anyway; then of a program whose rules go by a frame pointer that leads
# nowhere.
found() {
	json "$T/out" "(map { \$_->{found} } grep { \$_->{key}{name} eq '$1' } @{\$d->{rows}})[0]"
}
ok "user stacks were sampled, and are whole or not by reason" \
	sh -c "'$PMUTRACE' doctor | grep -E 'user-stacks +[0-9]+ of [1-9][0-9]* are whole, by (unwind rules|frame pointers)'"
start "$PROG/unframed" -s 60 4096
unframed=$started
start "$PROG/unframed" -s 60 4096
within 10 grep -q unframed "/proc/$started/comm"
run "$PMUTRACE" doctor --json
ok "of code without rules and frame pointers they are not" sh -c "echo '$(found user-stacks)' |
	grep -E '[1-9][0-9]* user stacks end early'"
ok "which is limited" equal "$(state user-stacks "$T/out")" limited
ok "and has a fix" equal "$(json "$T/out" '(map { $_->{fix} ? 1 : 0 } grep { $_->{key}{name} eq "user-stacks" } @{$d->{rows}})[0]')" 1
kill "$unframed" "$started"

# In a place that has less, less is found.
if unshare -m true 2>/dev/null; then
	check 1 "without BTF it cannot run" unshare -m sh -c \
		'mount -t tmpfs tmpfs /sys/kernel/btf && exec "$PMUTRACE" doctor --json'
	ok "and says so" equal "$(state btf "$T/out") $(state profile "$T/out")" "missing missing"
	check 0 "in a PID namespace it can" unshare -p -f --mount-proc "$PMUTRACE" doctor --json
	ok "with limits" equal "$(state pid-namespace "$T/out")" limited
else
	skip 4 "no-unshare: namespaces are not permitted"
fi

# Those that are here now: of a doctor of somebody else they go, too.
# shellcheck disable=SC2046 # a list
ok "everything is gone again" within 10 none_of prog $(ids_of_doctors | awk -v newest="${newest:-0}" '$1 > newest + 0')
