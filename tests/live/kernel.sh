#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Kernel frames: named, marked, above the user's; hidden addresses are said once, not shown as 0.
. "$(dirname "$0")/../lib.sh"
need_bpf

plan 9
pm -F 997 -f folded -o "$T/p.folded" -- "$PROG/syscalls" -s 0.4
ok "measured" test "$status" = 0
all=$(folded_sum "$T/p.folded")
ok "time is in the kernel, under syscall_work" between $((all * 85 / 100)) \
	"$(folded_sum "$T/p.folded" ';main;syscall_work;[^ ]*_\[k\] ')" "$all"
ok "in read(2)" between $((all * 80 / 100)) \
	"$(folded_sum "$T/p.folded" 'syscall_work;.*(vfs_read|ksys_read)_\[k\]')" "$all"
ok "no user frame above a kernel frame" sh -c '! grep -E "_\[k\];[^;]*[^];]+(;| [0-9]+$)" "$T/p.folded" | grep -v -E "_\[k\](;[^;]*_\[k\])* [0-9]+$"'
ok "no bare addresses" sh -c '! grep -E ";0x[0-9a-f]+(_\[k\])?[; ]" "$T/p.folded"'

# Addresses hidden, from this run alone (kernel/ksyms_common.c): one notice, and no zeros.
if setpriv --bounding-set=-syslog cat /proc/kallsyms 2>/dev/null | head -n 1 | grep -q '^0* '; then
	run setpriv --bounding-set=-syslog "$PMUTRACE" profile -e cpu-clock -F 997 -f folded \
		-o "$T/h.folded" -- "$PROG/syscalls" -s 0.3
	ok "measured without kernel symbols" test "$status" = 0
	says err "the sysctl is named" 'kernel\.kptr_restrict'
	ok "once" equal "$(grep -c kptr_restrict "$T/err")" 1
	ok "addresses stay apart" sh -c \
		"grep -q ';\[kernel+0x[0-9a-f]*\]_\[k\]' '$T/h.folded' && ! grep 'kernel+0x0*\]' '$T/h.folded'"
else
	skip 4 "addresses-shown: kernel addresses are nobody's secret here"
fi
