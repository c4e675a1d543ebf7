#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# count on functions of the kernel: n calls are n hits, with arguments by BTF's names; a pattern of
# hundreds of functions.
. "$(dirname "$0")/../lib.sh"
need_bpf
need_kprobes

getppid=${syscall_prefix}getppid

# hits COMMAND ARGS.. - JSON into $T/hits.json
hits() {
	command=$1
	shift
	rm -f "$T/hits.json"
	run "$PMUTRACE" "$command" -o "$T/hits.json" "$@"
	[ "$status" = 0 ] || { echo "# exit status $status" && show; }
}
of() {
	json "$T/hits.json" "$1"
}

plan 14
hits count "kprobe:$getppid" --by comm -- "$PROG/exact" -g 1234
ok "kprobe: 1234 calls" equal "$(of '$d->{seen}')" 1234
hits count "kretprobe:$getppid" --by ret --filter 'ret > 0' -- "$PROG/exact" -g 321
ok "kretprobe: 321 calls" equal "$(of '$d->{seen}')" 321
ok "all with the same result" equal "$(of 'scalar @{$d->{rows}}')" 1
ok "which is our shell or the command's parent" between 1 "$(of '$d->{rows}[0]{key}{ret}')" 4194304
hits count kprobe:ksys_read --by fd,count -- dd if=/dev/zero of=/dev/null bs=777 count=9
ok "arguments by name" equal "$(of '(grep { $_->{key}{count} == 777 } @{$d->{rows}})[0]{values}{"kprobe:ksys_read"}')" 9
hits count "kprobe:$getppid" --by kstack -- "$PROG/exact" -g 5
# Another name of the same address may be shown.
ok "its stack begins with it" equal "$(of '$d->{rows}[0]{key}{stack}[-1]' | sed 's/^.*_sys_//')" getppid
hits count "kprobe:$getppid" "kretprobe:$getppid" syscalls:sys_enter_getppid -- "$PROG/exact" -g 50
ok "three probes at once" equal "$(of 'join " ", map { $_->{value} } @{$d->{events}}')" "50 50 50"

hits count 'kprobe:vfs_*' --by func -- cat /proc/self/stat
ok "a pattern" equal "$(of '(grep { $_->{key}{func} eq "vfs_open" } @{$d->{rows}})[0]{values}{"kprobe:vfs_*"} > 0 ? 1 : 0')" 1
ok "nothing unaccounted for" equal "$(of '$d->{seen} - $d->{kept} - List::Util::sum0(values %{$d->{losses}})')" 0
# Where the kernel has links for many, five hundred take less than 2 s; elsewhere it is one at a time.
pattern='kprobe:tcp_v4_*' least=10
if has_kprobe_multi; then
	pattern='kprobe:ip*' least=500
fi
run "$PMUTRACE" count -v "$pattern" --max-probes 100000 --by func 0.1
ok "many functions" equal "$status" 0
attached=$(sed -n 's/^.*: attached to \([0-9]*\) of .* in \([0-9]*\)\.[0-9]* ms$/\1 \2/p' "$T/err" |
	awk '{ n += $1; ms += $2 } END { print n, ms }')
echo "# attached, ms: $attached"
ok "how many" between $least "${attached% *}" 100000
if [ $least = 500 ]; then
	ok "by one link: within 2 s" between 0 "${attached#* }" 2000
else
	skip 1 "no-kprobe-multi: this kernel has no link for many functions"
fi
check 2 "an unknown function" "$PMUTRACE" count kprobe:vfs_raed 0.1
says err "is told with the nearest" vfs_read
