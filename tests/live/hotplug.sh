#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# profile and stat while CPUs go offline and come back: what happens there is measured again, and what
# could not be is told. Takes the last CPU away a dozen times, for half a second at most.
. "$(dirname "$0")/../lib.sh"
need_bpf

cpu=$(sed 's/.*[-,]//' /sys/devices/system/cpu/online)
switch=/sys/devices/system/cpu/cpu$cpu/online
[ "$(getconf _NPROCESSORS_ONLN)" -gt 1 ] || skip_all "one-cpu: there is no other CPU to go on with"
[ -w "$switch" ] || skip_all "no-hotplug: CPU $cpu cannot be taken offline"
trap 'echo 1 2>/dev/null >"$switch"; end_test' EXIT
{ echo 0 >"$switch"; } 2>/dev/null || skip_all "no-hotplug: CPU $cpu is refused to be taken offline"
{ echo 1 >"$switch"; } 2>/dev/null || skip_all "no-hotplug: CPU $cpu does not come back"

# away SECONDS - of the CPU
away() {
	echo 0 >"$switch"
	sleep "$1"
	echo 1 >"$switch"
}
# samples FILE - of the loop on that CPU
samples() {
	json "$1" "sum0(map { values %{\$_->{values}} } grep { \$_->{key}{cpu} == $cpu && \$_->{key}{comm} eq 'busyloop' } @{\$d->{rows}})"
}
# run_loop - for two seconds on the CPU; what it got of it, in samples: $due
run_loop() {
	due=$(taskset -c "$cpu" perl -e '
		$0 = "busyloop";
		my $end = time + 2;
		1 while time < $end;
		my ($user, $system) = times;
		printf "%d", ($user + $system) * 997')
}
# busy_from_the_start SECONDS - the same, away for so long before: a process waits for the CPU and takes
# it at once, before anybody who looks now and then can have seen that it is there again
busy_from_the_start() {
	perl -e '
		$0 = "busyloop";
		my ($cpu, $switch, $machine, $looks) = @ARGV;
		sub is_on { open my $f, "<", $switch or die; <$f> == 1 }
		open my $f, ">", $looks or die;
		1 while is_on();
		1 while !is_on();
		# sched_setaffinity(2)
		my $mask = pack "C*", map { $_ == $cpu >> 3 ? 1 << ($cpu & 7) : 0 } 0 .. 127;
		syscall($machine eq "x86_64" ? 203 : 122, 0, length $mask, $mask) >= 0 or die "$!";
		my $end = time + 2;
		my ($user, $system) = times;
		1 while time < $end;
		my @now = times;
		printf "%d", ($now[0] - $user + $now[1] - $system) * 997' "$cpu" "$switch" "$(uname -m)" "$T/looks" >"$T/due" &
	loop=$!
	all_started="$all_started $loop"
	within 10 test -e "$T/looks"
	away "$1"
	wait "$loop"
	forget "$loop"
	due=$(cat "$T/due")
}
start_profile() {
	before_ticks=$(stolen_ticks)
	"$PMUTRACE" profile -e cpu-clock -F 997 --no-stacks --by comm,cpu -o "$T/p.json" "$@" \
		2>"$T/err" &
	profile=$!
	all_started="$all_started $profile"
	within 10 grep -q sampling "$T/err"
}
end_profile() {
	kill -INT "$profile"
	status=0
	wait "$profile" || status=$?
	stolen=$(($(stolen_ticks) - before_ticks))
}

plan 20

# Half a second, seen while it is away. Then it is busy for two.
start_profile -a --strict
sleep 0.3
busy_from_the_start 0.5
end_profile
n=$(samples "$T/p.json")
lost=$(json "$T/p.json" '$d->{losses}{cpu_away} // 0')
ok "back: samples of it and those that are lost are its time" between $((due * 9 / 10)) $((n + lost)) $((due + 200))
ok "back: most are samples" between $((due * 7 / 10)) "$n" $((due * 11 / 10))
ok "back: what was missed is told" between 1 "$lost" 400
ok "back: seen is the sum" equal "$(json "$T/p.json" '$d->{seen}')" \
	"$(json "$T/p.json" '$d->{kept} + sum0 values %{$d->{losses}}')"
ok "back: --strict makes it exit status 3" equal "$status" 3

# So short that nobody saw it: its events stand still.
start_profile -a
sleep 0.3
away 0
run_loop
end_profile
ok "in between: the loop is sampled" between $((due / 4)) "$(samples "$T/p.json")" \
	$((due * 11 / 10))
ok "in between: what was missed is told" between 1 \
	"$(json "$T/p.json" '$d->{losses}{cpu_away} // 0')" 1500

# Not there at the start.
echo 0 >"$switch"
start_profile -a
sleep 0.3
echo 1 >"$switch"
run_loop
end_profile
ok "new: it is sampled" between $((due * 7 / 10)) "$(samples "$T/p.json")" \
	$((due * 11 / 10))

# Chosen by -C.
start_profile -C "$cpu"
sleep 0.3
away 0.5
run_loop
end_profile
ok "-C: it is sampled again" between $((due * 7 / 10)) "$(samples "$T/p.json")" \
	$((due * 11 / 10))

# stat: what was counted before stays, and counting goes on. The clock counts all the time that the
# CPU is there.
"$PMUTRACE" stat -a --per-cpu --strict -e cpu-clock,page-faults -o "$T/s.json" 3 2>"$T/err" &
stat=$!
all_started="$all_started $stat"
sleep 0.8
taskset -c "$cpu" perl -e 'my $m = "x" x (4096 * 2000)'
away 0.5
taskset -c "$cpu" perl -e 'my $m = "x" x (4096 * 3000)'
status=0
wait "$stat" || status=$?
clock=$(json "$T/s.json" "(map { \$_->{values}{'cpu-clock'} } grep { \$_->{key}{cpu} == $cpu } @{\$d->{rows}})[0]")
missed=$(json "$T/s.json" '$d->{missed_ns}')
ok "stat: what was missed is told" between 1 "$missed" 4e8
ok "stat: with it the clock has all the time" between 2.35e9 $((clock + missed)) 2.7e9
ok "stat: page faults of before and after are there" between 5000 \
	"$(json "$T/s.json" "(map { \$_->{values}{'page-faults'} } grep { \$_->{key}{cpu} == $cpu } @{\$d->{rows}})[0]")" 1e9
ok "stat: --strict makes it exit status 3" equal "$status" 3

# So short that nobody saw it.
"$PMUTRACE" stat -a --per-cpu -e cpu-clock -o "$T/q.json" 3 2>"$T/err" &
stat=$!
all_started="$all_started $stat"
sleep 0.5
away 0
wait "$stat"
clock=$(json "$T/q.json" "(map { \$_->{values}{'cpu-clock'} } grep { \$_->{key}{cpu} == $cpu } @{\$d->{rows}})[0]")
missed=$(json "$T/q.json" '$d->{missed_ns} // 0')
ok "stat, in between: it is counted again" between 1.5e9 "$clock" 3e9
ok "stat, in between: what was missed is told" between 2.8e9 $((clock + missed)) 3.2e9

# Of intervals only the one in which it was away lacks something, and the run with it.
"$PMUTRACE" stat -a --strict --json -I 1s -e cpu-clock 3 >"$T/lines" 2>"$T/err" &
stat=$!
all_started="$all_started $stat"
sleep 0.3
away 0.3
status=0
wait "$stat" || status=$?
{ echo '[' && paste -sd, "$T/lines" && echo ']'; } >"$T/i.json"
ok "stat -I: the first interval tells what was missed" between 1 "$(json "$T/i.json" '$d->[0]{missed_ns}')" 6e8
ok "stat -I: the others missed nothing" equal "$(json "$T/i.json" 'sum0 map { $_->{missed_ns} // 0 } @$d[1 .. $#$d]')" 0
ok "stat -I: --strict is about all of them" equal "$status" 3

# However often it goes: descriptors of a CPU that is not there any more are closed.
open_files() {
	find "/proc/$1/fd" -mindepth 1 | wc -l
}
go_away() {
	for _ in 1 2 3; do
		away 0.3
		sleep 0.7
	done
}
start_profile -a
sleep 0.3
before=$(open_files "$profile")
go_away
ok "profile: as many files are open as before" equal "$(open_files "$profile")" "$before"
end_profile
"$PMUTRACE" stat -a -e cpu-clock,page-faults -I 500 -o "$T/s.json" 2>"$T/err" &
stat=$!
all_started="$all_started $stat"
sleep 0.8
before=$(open_files "$stat")
go_away
ok "stat: as many files are open as before" equal "$(open_files "$stat")" "$before"
stop "$stat"
