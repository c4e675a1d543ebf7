#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Without the privileges: exit status 1, and the capability or setting that would help is named.
. "$(dirname "$0")/../lib.sh"

nobody() {
	setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all "$@"
}

if [ "$(id -u)" != 0 ]; then
	nobody() {
		"$@"
	}
fi
# The build may be where others have no access.
cp "$PMUTRACE" "$T/pmutrace" && PMUTRACE=$T/pmutrace
nobody test -x "$PMUTRACE" || skip_all "no-access: other users cannot run programs in $T"
# A system may give everybody these rights; then there is nothing to refuse.
[ "$(cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null)" != -1 ] || skip_all "permitted: paranoid is -1"

plan 28
check 1 "profile -a without privileges" nobody timeout 20 "$PMUTRACE" profile -a --duration 1
says err "names a capability or a sysctl" 'CAP_(BPF|PERFMON|SYS_ADMIN)|cap_(bpf|perfmon)|perf_event_paranoid|unprivileged_bpf'
says err "names a command that helps" 'sudo|setcap|sysctl|root'
silent out "prints no result"
ok "is brief" sh -c 'test "$(wc -l <"$T/err")" -le 12'
if "$PMUTRACE" -V | grep -q 'with export'; then
	check 1 "export" nobody timeout 20 "$PMUTRACE" export --listen 127.0.0.1:0
	ok "says so in a line" sh -c 'grep -q "run as root, or with CAP_PERFMON" "$T/err" && [ "$(wc -l <"$T/err")" = 1 ]'
else
	skip 2 "no-http: built without libmicrohttpd"
fi
check 1 "profile -p of a stranger" nobody timeout 20 "$PMUTRACE" profile -p 1 --duration 1
check 0 "help needs none" nobody "$PMUTRACE" help
check 2 "usage errors come first" nobody "$PMUTRACE" profile -F 0
check 1 "-- CMD without privileges" nobody timeout 20 "$PMUTRACE" profile -- touch "$T/ran"
ok "the command was not started" test ! -e "$T/ran"

# A sentence of ours, and none of the libraries'.
for top in "top -b -n 1" "top -b -n 1 --by function"; do
	# shellcheck disable=SC2086
	check 1 "$top without privileges" nobody env HOME=/nonexistent timeout 20 "$PMUTRACE" $top -q
	says err "names what helps" 'BPF needs root.*CAP_BPF.*sudo|CAP_PERFMON|perf_event_paranoid'
	ok "and nothing else is said" equal "$(grep -c . "$T/err")" 1
done

# Counting one's own processes needs nothing, up to a paranoid level of 2.
if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" = 2 ]; then
	check 0 "stat -- CMD without privileges" nobody timeout 20 "$PMUTRACE" stat -o - -- true
	says out "counts user space" ' page-faults:u'
	says out "context switches would read 0: not counted" '<no permission> +context-switches'
	says err "and says so" 'only user space is counted'
	check 1 "stat -a without privileges" nobody timeout 20 "$PMUTRACE" stat -a 1
	says err "names a capability or a sysctl" 'CAP_PERFMON|perf_event_paranoid'
	check 1 "stat: only events of the kernel" nobody timeout 20 "$PMUTRACE" \
		stat -e cs,migrations -- touch "$T/ran"
	says err "says so of one" '^  cs: .*paranoid'
	says err "and of the other" '^  migrations: .*paranoid'
	ok "the command was not started" test ! -e "$T/ran"
else
	skip 10 "paranoid: kernel.perf_event_paranoid is not 2"
fi
