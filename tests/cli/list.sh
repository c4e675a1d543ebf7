#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# list: what is wrong on the command line; what every machine has; that nothing needs a permission.
. "$(dirname "$0")/../lib.sh"

nobody() {
	setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all "$@"
}

if [ "$(id -u)" != 0 ]; then
	nobody() {
		"$@"
	}
fi

# kinds FILE - of the rows of JSON
kinds() {
	json "$1" 'my %k; $k{$_->{key}{kind}}++ for @{$d->{rows}}; join " ", sort keys %k'
}

# value FILE NAME EXPR - of the row $r with that name
value() {
	json "$1" "my (\$r) = grep { \$_->{key}{name} eq '$2' } @{\$d->{rows}}; $3"
}

plan 83
check 2 "an unknown option" "$PMUTRACE" list --nosuch
check 2 "an unknown kind" "$PMUTRACE" list -k software,nosuch
says err "is named" "'nosuch'"
check 2 "two patterns" "$PMUTRACE" list cpu page
says err "are named" "'page'"
check 2 "a command" "$PMUTRACE" list -- true
check 2 "fields of what has none" "$PMUTRACE" list --fields software
check 2 "probes of no program" "$PMUTRACE" list -k usdt
check 1 "a program that is not there" "$PMUTRACE" list --functions /nosuch/program
says err "is named" /nosuch/program
check 2 "--explain and a pattern" "$PMUTRACE" list --explain cpu-clock cpu
check 1 "a full disk" sh -c '"$PMUTRACE" list software >/dev/full'
says err "is told as one" '^pmutrace: cannot write stdout: No space left on device$'

check 0 "software events" "$PMUTRACE" list software
silent err "without a word more"
says out "the name first, then kind, state and text" '^page-faults +software +(opens|no-permission) +page faults'
says out "and another name" '^context-switches .*\(also cs\)$'
ok "nothing else" sh -c '! grep -v " software " "$T/out"'
ok "sorted" sort -c "$T/out"
ok "no blanks at the ends" sh -c '! grep " \$" "$T/out"'
cp "$T/out" "$T/software"
check 0 "by perf's word" "$PMUTRACE" list sw
ok "it is the same" cmp "$T/software" "$T/out"
check 0 "by option" "$PMUTRACE" list -k software
ok "it is the same again" cmp "$T/software" "$T/out"
check 0 "a part of a name" "$PMUTRACE" list sw FAULT
ok "finds each" equal "$(cut -d' ' -f1 "$T/out" | paste -s -d' ')" \
	"alignment-faults emulation-faults major-faults minor-faults page-faults"
check 0 "a glob" "$PMUTRACE" list sw 'c*-*s'
ok "is for the whole name" equal "$(cut -d' ' -f1 "$T/out" | paste -s -d' ')" \
	"cgroup-switches context-switches cpu-migrations"
check 0 "cycles" "$PMUTRACE" list -q cycles
says out "are a hardware event" '^cycles +hardware '
silent err "-q: without notices"
check 0 "an alias" "$PMUTRACE" list -q hw cpu-cycles
says out "is that of cycles" '^cycles +hardware '
check 1 "a typo" "$PMUTRACE" list sw page-fautls
says err "has a suggestion" 'did you mean page-faults'
silent out "and no result"
check 0 "cache events" "$PMUTRACE" list cache 'LLC-*'
ok "of one cache" equal "$(wc -l <"$T/out")" 6
check 0 "forms" "$PMUTRACE" list syntax
says out "of breakpoints" '^mem:'
ok "no escape sequences in a file" sh -c '! grep -q "$(printf "\\033")" "$T/out"'

check 0 "as JSON" "$PMUTRACE" list -q --json hw sw
ok "one object" json_pp <"$T/out"
ok "of this command" equal "$(json "$T/out" '"$d->{schema} $d->{command}"')" "1 list"
ok "with what was asked for" equal "$(kinds "$T/out")" "hardware software"
ok "as many rows as lines" equal "$(json "$T/out" 'scalar grep { $_->{key}{kind} eq "software" } @{$d->{rows}}')" \
	"$(wc -l <"$T/software")"
ok "encodings" equal "$(value "$T/out" page-faults '"$r->{alias} $r->{encoding}"')" "faults type=1 config=0x2"
check 0 "everything" "$PMUTRACE" list --json
ok "has events of several kinds" sh -c 'grep -q "\"kind\":\"cache\"" "$T/out" && grep -q "\"kind\":\"syntax\"" "$T/out"'
ok "without the many" sh -c '! grep -q "\"kind\":\"kprobe\"" "$T/out"'

check 0 "--explain" "$PMUTRACE" list --explain cycles:u,cpu-clock@997hz
says out "excludes in words" '^  exclude_kernel +1 \(not in the kernel\)$'
says out "a rate" '^  rate +997 Hz$'
says out "the kernel's number" '^  config +0x0 \(cycles\)$'
check 2 "of an unknown event" "$PMUTRACE" list --explain cpu-clokc
says err "has a suggestion" 'did you mean cpu-clock'
silent out "and nothing else was asked for"
check 2 "of one that nobody knows among others" "$PMUTRACE" list --explain 'page-faults, nosuch_event, {cpu-clock,dummy}'
says err "which is told" "unknown event 'nosuch_event'"
ok "the others are explained" equal "$(grep -v '^ ' "$T/out" | paste -s -d' ')" "page-faults  cpu-clock  dummy"
check 0 "of what profile would lower" "$PMUTRACE" list --explain cpu-clock@2000000000hz --json
ok "the kernel is told a rate" equal "$(value "$T/out" cpu-clock '"$r->{attr}{freq} $r->{attr}{sample_freq} $r->{hz}"')" \
	"1 $(cat /proc/sys/kernel/perf_event_max_sample_rate) 2000000000"
ok "or a period" equal "$("$PMUTRACE" list --explain dummy@1000 | awk '/sample_period/ { print $2 }')" 1000
run "$PMUTRACE" stat -e cs:u -- true
refusal=$(sed 's/^pmutrace: //' "$T/err")
check 0 "of an event that would count 0" "$PMUTRACE" list --explain cs:u --json
ok "says what stat says" equal "$(value "$T/out" cs:u '"$r->{process}{state} $r->{process}{why}"')" "not-supported $refusal"
ok "of a CPU, too" equal "$(value "$T/out" cs:u '$r->{cpu}{why}')" "$refusal"
if [ -e /sys/bus/event_source/devices/kprobe ]; then
	skip 4 "kprobes: this kernel has them"
else
	check 0 "of a probe that this kernel cannot make" "$PMUTRACE" list --explain kprobe:vfs_read
	says out "it is a function" '^  from +a function of the kernel: vfs_read$'
	says out "and why it does not open" '^  does not open   .*(kprobe|tracefs)'
	ok "as JSON it has no attr" equal "$("$PMUTRACE" list --json --explain kprobe:vfs_read >"$T/k.json"
		value "$T/k.json" kprobe:vfs_read '($r->{attr} ? 1 : 0) . " $r->{cpu}{state}"')" "0 $(if [ "$(id -u)" = 0 ]; then
			echo not-supported
		else
			echo no-permission
		fi)"
fi

# The build may be where others have no access.
cp "$PMUTRACE" "$T/pmutrace"
if ! nobody test -x "$T/pmutrace"; then
	skip 13 "no-access: other users cannot run programs in $T"
	exit
fi
check 0 "without permissions" nobody "$T/pmutrace" list --json
ok "generic events are there" equal "$(value "$T/out" page-faults '$r->{key}{kind}')" software
check 0 "functions of a file" nobody "$T/pmutrace" list --functions "$T/pmutrace" main
says out "are found" "^uprobe:$T/pmutrace:main +uprobe "
check 0 "--explain" nobody "$T/pmutrace" list --explain cpu-clock:u --json
ok "tells what opens" equal "$(value "$T/out" cpu-clock:u 'join " ", map { $_->{state} =~ /^(opens|no-permission)$/ ? "" : "?" } $r->{process}, $r->{cpu}' | tr -d ' ')" ""

if nobody test -r /sys/kernel/tracing/events || ! grep -q ' tracefs ' /proc/mounts; then
	skip 6 "tracefs: it is not mounted, or open to everybody"
else
	check 1 "tracepoints by a pattern" nobody "$T/pmutrace" list 'sched:*'
	ok "are refused in one line" equal "$(wc -l <"$T/err")" 1
	says err "with the fix" 'tracefs at .* is not readable by this user: run as root, or .*remount'
	check 0 "--explain of one among others" nobody "$T/pmutrace" list --explain dummy,sched:sched_switch,cs
	ok "has them all" equal "$(grep -v '^ ' "$T/out" | paste -s -d' ')" "dummy  sched:sched_switch  cs"
	says out "and why one does not open" '^  does not open   tracefs at .* run as root'
fi
if [ "$(cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null)" = 2 ] && [ "$(id -u)" = 0 ]; then
	ok "what would count 0 without the kernel does not open" equal \
		"$(nobody "$T/pmutrace" list sw context-switches | awk '{ print $3 }')" no-permission
else
	skip 1 "paranoid: kernel.perf_event_paranoid is not 2"
fi
