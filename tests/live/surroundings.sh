#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Where the surroundings do not allow it, one sentence says what is missing.
. "$(dirname "$0")/../lib.sh"
need_bpf
unshare -m true 2>/dev/null || skip_all "no-unshare: namespaces are not permitted"

plan 9
check 1 "no BTF" unshare -m sh -c \
	'mount -t tmpfs tmpfs /sys/kernel/btf && exec "$PMUTRACE" profile -e cpu-clock 0.2'
says err "is said" 'no BTF .*CONFIG_DEBUG_INFO_BTF'

in_pid_namespace() {
	unshare -p -f --mount-proc "$PMUTRACE" profile -e cpu-clock "$@"
}
check 2 "-p from inside a PID namespace" in_pid_namespace -p 1 0.2
says err "is refused with another way" '--pid=host'
check 2 "a command from inside a PID namespace" in_pid_namespace -- true
says err "is refused too" '--pid=host'
check 0 "the whole machine works" in_pid_namespace -a 0.2
says err "without names, and says so" 'PID namespace: .*no names'

# As many events as there are programs, and one more.
many=page-faults$(printf ',page-faults%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)
check 2 "17 events are too many" "$PMUTRACE" profile -c 1 -e "$many" 0.2
