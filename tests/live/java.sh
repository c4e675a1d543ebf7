#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# --java-maps: JVMs write maps of their code at the end of a run, as their own user; others are left alone.
. "$(dirname "$0")/../lib.sh"
need_bpf
need_root

mkdir -m 755 "$T/jvm"
head -c 4096 /dev/zero >"$T/jvm/libjvm.so"
cp "$T/jvm/libjvm.so" "$T/jvm/libother.so"

# jvm FILE MODE.. - measures a program that is a JVM as far as its mode says: tests/prog/jvm.c
jvm() {
	file=$1
	shift
	# shellcheck disable=SC2086 # a command and its arguments, or nothing
	start ${as:-} "$PROG/jvm" "$T/jvm/$file" "$@"
	within 10 grep -q ready "$T/started.out" || :
	pm -F 997 -o "$T/j.folded" -p "$started" --duration 0.3 --java-maps
	all=$(folded_sum "$T/j.folded" ';run_java')
	named=$(folded_sum "$T/j.folded" ';main;run_java;java_fn_\[j\] ')
	nr_quits=$(grep -c quit "$T/started.out" || :)
	pid=$started
}
# lives NAME - and goes on working; then it is ended
lives() {
	ok "$1: it is measured, and lives on" test "$status" = 0 -a "$all" -gt 0 -a "$(cat "/proc/$pid/comm")" = jvm
	ok "$1: nothing of ours is left" test ! -e "/tmp/.attach_pid$pid"
	stop "$pid"
}

plan 48
jvm libjvm.so map
ok "it is asked, and its code has names" test "$named" -gt 0 -a "$named" -ge $((all * 90 / 100)) -a "$nr_quits" = 1
ok "nothing is said about it" test "$(grep -c 'no map' "$T/err")" = 0
lives "a JVM"

as="setpriv --reuid 65534 --regid 65534 --clear-groups"
jvm libjvm.so map
ok "one of another user gets its own user" test "$named" -gt 0 -a "$named" -ge $((all * 90 / 100)) -a "$nr_quits" = 1
lives "another user's"
as=

jvm libjvm.so refuse
says err "what it answers is told" 'pmutrace: process [0-9]+ has written no map of its code: it answered: java.lang.IllegalArgumentException: Unknown diagnostic command$'
ok "its code has no names" test "$named" = 0 -a "$nr_quits" = 1
lives "an old JVM"

jvm libjvm.so garbage
says err "an answer that is none is told" 'no map of its code: its answer cannot be understood'
lives "one that answers nonsense"

jvm libjvm.so silent
says err "one that does not listen is told" 'no map of its code: it has not answered for 5 s'
ok "it was asked once" equal "$nr_quits" 1
lives "a silent one"

jvm libjvm.so mute
says err "one that does not answer is told" 'no map of its code: it has not answered for 5 s'
lives "a mute one"

jvm libjvm.so uncaught
says err "one that SIGQUIT would end is not asked" 'no map of its code: it does not catch SIGQUIT'
lives "one that does not catch it"

jvm libjvm.so silent -XX:+DisableAttachMechanism
says err "one that refuses attachment is not asked" 'no map of its code: it runs with -XX:.DisableAttachMechanism'
ok "nor is it signalled" equal "$nr_quits" 0
lives "one that refuses"

jvm libjvm.so other
says err "the socket of another process is not talked to" 'no map of its code: its socket is that of process [0-9]+'
lives "one with another's socket"

jvm libjvm.so link
says err "a link is no socket" 'no map of its code: /tmp/.java_pid[0-9]+ is not its socket'
lives "one with a link"

jvm libother.so silent
ok "what is no JVM is neither signalled nor told of" test "$nr_quits" = 0 -a "$(grep -c 'no map' "$T/err")" = 0
lives "no JVM"

# A link in the place of the map: what it leads to is not read.
start "$PROG/jvm" "$T/jvm/libother.so" silent
within 10 grep -q ready "$T/started.out" || :
awk '/ r-xp 00000000 00:00 0 *$/ { split($1, at, "-"); print at[1], "1000 linked"; exit }' "/proc/$started/maps" >"$T/real.map"
ln -s "$T/real.map" "/tmp/perf-$started.map"
pm -F 997 -o "$T/j.folded" -p "$started" --duration 0.3
ok "a link in the place of a map is not followed" test -s "$T/real.map" -a "$(folded_sum "$T/j.folded" linked)" = 0 -a \
	"$(folded_sum "$T/j.folded" ';run_java;\[jit\+')" -gt 0
stop "$started"

check 2 "of intervals there is no end" "$PMUTRACE" count -q -I 100 --java-maps page-faults
says err "which is told" 'java-maps is of a whole run'

# count has it as well.
start "$PROG/jvm" "$T/jvm/libjvm.so" map
within 10 grep -q ready "$T/started.out" || :
run "$PMUTRACE" count -q --by ustack --java-maps -p "$started" --duration 0.3 -o "$T/c.folded" cpu-clock@1000000
ok "count: too" test "$(folded_sum "$T/c.folded" 'run_java;java_fn')" -gt 0
stop "$started"

# Who becomes other users has what that takes, and what pmutrace(1) says.
start "$PMUTRACE" profile -q -a -e cpu-clock -o "$T/a.folded" --java-maps
asker() {
	tr ' ' '\n' <"/proc/$started/task/$started/children" | while read -r child; do
		[ "$(cat "/proc/$child/comm")" = java-asker ] && echo "$child"
	done
}
capabilities() {
	awk '$1 == "CapPrm:" { print $2 }' "/proc/$(asker)/status"
}
# CAP_DAC_READ_SEARCH (2), SETGID (6), SETUID (7), SYS_PTRACE (19)
has_few() {
	test "$(capabilities)" = 00000000000800c4
}
ok "the process that asks has four capabilities" within 20 has_few
stop "$started"

# What there is of the real ones.
if command -v javac >/dev/null && command -v java >/dev/null; then
	cat >"$T/Burn.java" <<'END'
public class Burn {
	static long leaf(int n) { long s = 0; for (int i = 0; i < n; i++) s = (s * 31 + i) % 1000003; return s; }
	static long middle(int n) { return leaf(n) + leaf(n / 2); }
	public static void main(String[] args) {
		long t = 0;
		for (;;) t += middle(20000);
	}
}
END
	javac -d "$T" "$T/Burn.java" >"$T/javac" 2>&1
	start java -XX:+PreserveFramePointer -cp "$T" Burn
	sleep 2
	pm -F 997 -o "$T/java.folded" -p "$started" --duration 1 --java-maps
	ok "java: measured, and lives on" test "$status" = 0 -a "$(cat "/proc/$started/comm")" = java
	all=$(folded_sum "$T/java.folded" '_\[j\]')
	ok "java: methods have names" test "$all" -gt 0 -a "$(folded_sum "$T/java.folded" 'Burn')" -ge $((all * 90 / 100))
	ok "java: nearly nothing is without a name" between 0 "$(folded_sum "$T/java.folded" '\[jit\+')" $((all / 20))
	ok "java: it has printed no threads" test ! -s "$T/started.out"
	rm -f "/tmp/perf-$started.map"
	stop "$started"
else
	skip 4 "no-java: there is no JDK here"
fi
if command -v node >/dev/null; then
	cat >"$T/burn.js" <<'END'
function leaf(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) % 1000003; return s; }
const end = Date.now() + 5000; // its dump has to be found while it is there
while (Date.now() < end) leaf(20000);
END
	pm -F 997 -o "$T/node.folded" -- sh -c 'cd "$0" && exec node --perf-prof burn.js' "$T"
	all=$(folded_sum "$T/node.folded" '_\[j\]')
	ok "node --perf-prof: functions have names" test "$all" -gt 0 -a "$(folded_sum "$T/node.folded" 'burn\.js[^;]*_\[j\]')" -ge $((all * 70 / 100))
	ok "node --perf-prof: nothing is without a name" equal "$(folded_sum "$T/node.folded" '\[jit\+')" 0
else
	skip 2 "no-node: there is no node here"
fi
