#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Kernel frames: named, marked, above the user's; hidden addresses are said once, not shown as 0.
. "$(dirname "$0")/../lib.sh"
need_bpf

plan 5
pm -F 997 -f folded -o "$T/p.folded" -- "$PROG/syscalls" -s 0.4
ok "measured" test "$status" = 0
all=$(folded_sum "$T/p.folded")
ok "time is in the kernel, under syscall_work" between $((all * 85 / 100)) \
	"$(folded_sum "$T/p.folded" ';main;syscall_work;[^ ]*_\[k\] ')" "$all"
ok "in read(2)" between $((all * 80 / 100)) \
	"$(folded_sum "$T/p.folded" 'syscall_work;.*(vfs_read|ksys_read)_\[k\]')" "$all"
ok "no user frame above a kernel frame" sh -c '! grep -E "_\[k\];[^;]*[^];]+(;| [0-9]+$)" "$T/p.folded" | grep -v -E "_\[k\](;[^;]*_\[k\])* [0-9]+$"'
ok "no bare addresses" sh -c '! grep -E ";0x[0-9a-f]+(_\[k\])?[; ]" "$T/p.folded"'
