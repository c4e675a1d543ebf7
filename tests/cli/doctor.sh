#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# doctor: what is wrong on the command line; that its findings are whole, as text and as JSON, with
# and without permissions.
. "$(dirname "$0")/../lib.sh"

nobody() {
	setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all "$@"
}

if [ "$(id -u)" != 0 ]; then
	nobody() {
		"$@"
	}
fi

# Every row has a state, something found, and, unless it is ok, what it costs and how to fix it.
whole='join " ", map { $_->{key}{name} } grep {
	!$_->{key}{area} || !defined $_->{found} || $_->{state} !~ /^(ok|limited|missing|unknown)$/ ||
	($_->{state} ne "ok" && !($_->{cost} && $_->{fix})) } @{$d->{rows}}'
unknown='join " ", map { $_->{key}{name} } grep { $_->{state} eq "unknown" } @{$d->{rows}}'
areas='my %seen; join " ", grep { !$seen{$_}++ } map { $_->{key}{area} } @{$d->{rows}}'

plan 34
check 2 "an unknown option" "$PMUTRACE" doctor --nosuch
check 2 "a word" "$PMUTRACE" doctor everything
says err "is named" everything
check 2 "a command" "$PMUTRACE" doctor -- true
check 1 "a full disk" sh -c '"$PMUTRACE" doctor >/dev/full'
says err "is told as one" '^pmutrace: cannot write stdout: No space left on device$'

run "$PMUTRACE" doctor --json
ok "the exit status says whether it can run" equal "$status" \
	"$([ "$(json "$T/out" '$d->{ready} ? 1 : 0')" = 1 ] && echo 0 || echo 1)"
silent err "and nothing else is said"
ok "one JSON object" json_pp <"$T/out"
ok "of this command" equal "$(json "$T/out" '"$d->{schema} $d->{command}"')" "1 doctor"
ok "its rows are whole" equal "$(json "$T/out" "$whole")" ""
ok "all areas are there" equal "$(json "$T/out" "$areas")" \
	"sampling permissions limits kernel tracing pmu containers unwinding"
cp "$T/out" "$T/json"
if [ "$(id -u)" = 0 ]; then
	ok "nothing is unknown to root" equal "$(json "$T/out" "$unknown")" ""
else
	skip 1 "no-root: others cannot see everything"
fi

# Too few descriptors say nothing of the kernel: what it has is what it had, or unknown.
same='my %had = map { ("$_->{key}{name} " . ($_->{key}{subject} || "")) => $_ } @{$e->{rows}};
	join " ", map { "$_->{key}{name}:$_->{state}:$_->{found}" } grep {
		my $was = $had{"$_->{key}{name} " . ($_->{key}{subject} || "")};
		$_->{state} ne "unknown" && $_->{key}{area} =~ /^(sampling|tracing|pmu)$/ &&
		$was && $was->{state} ne $_->{state} } @{$d->{rows}}'
few() {
	run sh -c "ulimit -n $1"' && exec "$PMUTRACE" doctor --json'
	ok "with $1 descriptors its rows are whole" equal "$(json "$T/out" "$whole")" ""
	ok "and what could not be tried is unknown" equal "$(json "$T/out" \
		"my \$e = do { local \$/; open my \$g, '<', '$T/json'; \$json->new->decode(<\$g>) }; $same")" ""
}
few 5
few 8
run sh -c 'ulimit -S -n 5 && exec "$PMUTRACE" doctor --json'
ok "a limit that can be raised is" equal "$(json "$T/out" '$d->{ready} ? 1 : 0')" \
	"$(json "$T/json" '$d->{ready} ? 1 : 0')"

run "$PMUTRACE" doctor
says out "a table for people" '^  ok  '
says out "ends with the sum" '^[0-9]+ ok, [0-9]+ limited, [0-9]+ missing, [0-9]+ unknown: pmutrace profile can(not)? run$'
ok "no escape sequences in a file" sh -c '! grep -q "$(printf "\\033")" "$T/out"'
# But for those of programs that happen to run.
ok "the same findings" equal \
	"$(sed -n -E 's/^  (ok|limited|missing|unknown) +([^ ]+) .*/\1 \2/p' "$T/out" | grep -v -x -E '.* (frame-pointers|user-stacks)')" \
	"$(json "$T/json" 'join "\n", map { "$_->{state} $_->{key}{name}" } grep { $_->{key}{name} !~ /^(frame-pointers|user-stacks)$/ } @{$d->{rows}}')"
run "$PMUTRACE" doctor -q
ok "-q leaves out what is ok" sh -c '! grep -q "^  ok" "$T/out"'

# The build may be where others have no access.
cp "$PMUTRACE" "$T/pmutrace"
if ! nobody test -x "$T/pmutrace"; then
	skip 11 "no-access: other users cannot run programs in $T"
	exit
fi
if [ "$(cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null)" = -1 ] || ! grep -q '^CapBnd:.*[c-f].\{9\}$' /proc/self/status; then
	skip 11 "permitted: there is nothing to refuse, or nothing that could be given"
	exit
fi
check 1 "without permissions: exit status 1" nobody timeout 20 "$T/pmutrace" doctor
silent err "no errors"
says out "the fix is one command" "fix  +sudo setcap cap_perfmon,cap_bpf,[a-z_,]+\\+ep $T/pmutrace\$"
says out "capabilities are named" 'missing  capabilities .*cap_bpf'
check 1 "as JSON too" nobody timeout 20 "$T/pmutrace" doctor --json
ok "its rows are whole" equal "$(json "$T/out" "$whole")" ""
ok "it is not ready" equal "$(json "$T/out" '$d->{ready} ? 1 : 0')" 0
ok "what is refused has a fix" equal "$(json "$T/out" 'join " ", map { $_->{key}{name} } grep {
	$_->{state} ne "ok" && $_->{key}{area} =~ /sampling|permissions/ && !$_->{fix} } @{$d->{rows}}')" ""

# With what it asks for, it can run.
cp "$T/pmutrace" "$T/capable"
if [ "$(id -u)" = 0 ] && PATH=$PATH:/usr/sbin:/sbin command -v setcap >/dev/null &&
	[ "$(json "$T/json" '$d->{ready} ? 1 : 0')" = 1 ] &&
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ]; then
	fix=$(json "$T/out" '(map { $_->{fix} } grep { $_->{key}{name} eq "capabilities" } @{$d->{rows}})[0]' |
		sed "s|^sudo ||; s|$T/pmutrace\$|$T/capable|")
	# A file system may not keep capabilities.
	if sh -c "PATH=\$PATH:/usr/sbin:/sbin; $fix" 2>/dev/null && nobody "$T/capable" --version >/dev/null 2>&1; then
		check 0 "the command that it proposes helps" nobody timeout 20 "$T/capable" doctor --json
		ok "all capabilities are there" equal \
			"$(json "$T/out" '(map { $_->{state} } grep { $_->{key}{name} eq "capabilities" } @{$d->{rows}})[0]')" ok
		check 0 "and profile runs" nobody timeout 20 "$T/capable" profile -q -e cpu-clock 0.1
	else
		skip 3 "no-setcap: files keep no capabilities in $T"
	fi
else
	skip 3 "no-setcap: it takes root, setcap and BPF"
fi
