#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# kprobe:FUNCTION+OFFSET: what is refused with the nearest beginnings is what the kernel refuses. It is
# asked by probes of tracefs that are never switched on.
. "$(dirname "$0")/../lib.sh"
need_bpf
[ -e /sys/bus/event_source/devices/kprobe ] || skip_all "no-kprobes: kernel without kprobes"
[ -r /proc/kcore ] || skip_all "no-kcore: the kernel's code cannot be read"
tracefs=/sys/kernel/tracing
[ -e $tracefs/kprobe_events ] || mount -t tracefs none $tracefs 2>/dev/null
[ -e $tracefs/kprobe_events ] || skip_all "no-tracefs: the kernel cannot be asked"

plan 5
theirs='' ours='' untold='' n=1
while [ $n -le 24 ]; do
	name=pmutrace_offsets_$$_$n
	if echo "p:$name/$name vfs_read+$n" >>$tracefs/kprobe_events 2>/dev/null; then
		echo "-:$name/$name" >>$tracefs/kprobe_events
		theirs="$theirs $n"
	fi
	if "$PMUTRACE" stat -e "kprobe:vfs_read+$n" -- true >"$T/out" 2>"$T/err"; then
		ours="$ours $n"
	elif [ "$(uname -m)$((n % 4))" = aarch640 ]; then
		: # not in the middle: the kernel keeps such places to itself, where ftrace is
	elif ! grep -q "^pmutrace: vfs_read+0x[0-9a-f]* is in the middle.*begin at vfs_read+0x" "$T/err"; then
		untold="$untold $n"
	fi
	n=$((n + 1))
done
ok "probes go where the kernel lets them" equal "$ours" "$theirs"
ok "the others are told the nearest beginnings" equal "$untold" ""
ok "some are refused" test "$(echo "$ours" | wc -w)" -lt 24
ok "and some not" test "$(echo "$ours" | wc -w)" -gt 3
check 2 "a refused one" "$PMUTRACE" stat -e kprobe:vfs_read+1 -- true
