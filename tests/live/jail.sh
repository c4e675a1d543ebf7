#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Files of strangers are read by processes that can do nothing else; what becomes of these is told,
# and measuring goes on.
. "$(dirname "$0")/../lib.sh"
need_bpf

plan 26

# readers_of PID NAME - processes of that name below it, its warden's children
readers_of() {
	for warden in $(pgrep -P "$1" -x jail-warden); do
		pgrep -P "$warden" -x "$2"
	done
}
# has_reader - the profile that runs has one: $reader
has_reader() {
	reader=$(readers_of "$profile" unwind-reader)
	[ -n "$reader" ]
}
status_of() {
	sed -n "s/^$2:[[:space:]]*//p" "/proc/$1/status"
}
ended() {
	! kill -0 "$1" 2>/dev/null
}

start "$PROG/burn" -s 60
burn=$started
"$PMUTRACE" profile -p "$burn" -e cpu-clock -F 499 --call-graph eh -f folded -o "$T/a.folded" \
	--duration 20 2>"$T/err" &
profile=$!
all_started="$all_started $profile"
ok "a reader has been started" within 10 has_reader
warden=$(pgrep -P "$profile" -x jail-warden)
ok "its user is nobody" equal "$(status_of "$reader" Uid | tr '\t' ' ')" "65534 65534 65534 65534"
ok "nor has it groups" equal "$(status_of "$reader" Groups | tr -d ' ')" ""
ok "it has no capability" equal "$(status_of "$reader" CapPrm)$(status_of "$reader" CapEff)" \
	00000000000000000000000000000000
ok "its system calls are filtered" equal "$(status_of "$reader" Seccomp)" 2
ok "it gets no new privileges" equal "$(status_of "$reader" NoNewPrivs)" 1
# While it reads a file it has that, too.
has_these_alone() {
	[ "$(find "/proc/$reader/fd" -mindepth 1 -printf '%f\n' | sort -n | paste -sd' ')" = "0 1 2 3 4" ]
}
ok "descriptors: null, null, null, a socket, a file in memory" within 20 has_these_alone
ok "its memory has a limit" between 1 \
	"$(awk '/^Max data size/ { print $4 }' "/proc/$reader/limits")" 1073741824
ok "its warden can start and end readers, no more" equal "$(status_of "$warden" CapPrm)" \
	00000000000000e0

# Another program's libraries, after its reader has been killed.
kill -KILL "$reader"
gone=$reader
within 10 ended "$gone"
kill -INT "$profile"
wait "$profile"
ok "without its reader it goes on" equal "$?" 0
ok "and has stacks" grep -q ';main;' "$T/a.folded"
ok "with it the warden ends" within 10 ended "$warden"

# A reader that is stopped, and then killed, at a file: that is told, and which one it was.
cp "$PROG/burn" "$T/first"
# Another build-id: to the kernel it is another file, and so to us.
perl -0777 -pe 's/(\x14\0\0\0\x03\0\0\0GNU\0)(.)/$1 . chr(ord($2) ^ 1)/se' "$PROG/burn" >"$T/second"
chmod 755 "$T/second"
mkfifo "$T/go"
start sh -c "read -r x <'$T/go'; '$T/first' -s 60; exec '$T/second' -s 60"
shell=$started
"$PMUTRACE" profile -p "$shell" -e cpu-clock -F 499 --call-graph eh -f folded -o "$T/b.folded" \
	--duration 30 2>"$T/err" &
profile=$!
all_started="$all_started $profile"
runs() {
	pgrep -x "$1" >/dev/null
}
told() {
	grep -q 'no unwind table: its reader was killed' "$T/err"
}
# Once it has nothing to do any more.
idle() {
	before=$(cut -d' ' -f14,15 "/proc/$reader/stat")
	sleep 1
	[ "$(cut -d' ' -f14,15 "/proc/$reader/stat")" = "$before" ]
}
ok "another one" within 20 has_reader
within 30 idle
kill -STOP "$reader"
echo >"$T/go"
within 10 runs first
sleep 2
kill -KILL "$reader"
ok "one that is killed at its work: that is told" within 10 told
# Another program that began meanwhile may have been first.
ok "and which file it was" grep -q '^pmutrace: /[^:]*: no unwind table: ' "$T/err"
pkill -x first
within 10 runs second
ok "a new one goes on" within 10 has_reader
sleep 1
kill -INT "$profile"
wait "$profile"
ok "to the end" equal "$?" 0
ok "the next program has stacks" grep -q '^second;.*;main;' "$T/b.folded"

# The one that reads names is caged in the same way, and is asked for files of a process that begins late.
names() {
	reader=$(readers_of "$profile" name-reader)
	[ -n "$reader" ]
}
# Its symbols are read when its first sample comes.
start sh -c "sleep 2; exec '$T/second' -s 60"
shell=$started
"$PMUTRACE" profile -p "$shell" -e cpu-clock -F 499 -f folded -o "$T/c.folded" --duration 30 2>"$T/err" &
profile=$!
all_started="$all_started $profile"
ok "names have a reader, too" within 20 names
ok "who is nobody" equal "$(status_of "$reader" Uid | tr '\t' ' ')" "65534 65534 65534 65534"
ok "without capabilities" equal "$(status_of "$reader" CapPrm)" 0000000000000000
ok "with a filter of system calls" equal "$(status_of "$reader" Seccomp)" 2
gone=$reader
within 30 idle
kill -KILL "$reader"
within 10 ended "$gone"
# What is asked next has another one.
start sh -c "exec '$T/first' -s 20"
within 20 grep -q 'comm\|burn' "/proc/$shell/comm"
sleep 3
kill -INT "$profile"
wait "$profile"
ok "without it the run goes on" equal "$?" 0
ok "with all of its samples" grep -q '^second;' "$T/c.folded"
ok "nothing that it knew is lost" grep -q '^second;.*;main;.*burn_70' "$T/c.folded"
ok "it ends with the run" within 10 ended "$gone"
