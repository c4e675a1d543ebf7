#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Ctrl-C shows what was measured; twice gives up; SIGKILL leaves nothing in the kernel.
. "$(dirname "$0")/../lib.sh"
need_bpf

# running ARGS.. - starts pmutrace and waits until it samples; its pid is in $pmu, what it has
# loaded in $T/programs
running() {
	rm -f "$T/err"
	# A background job of a shell ignores SIGINT, unless someone sets that right.
	perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV or die' "$PMUTRACE" profile "$@" \
		>"$T/out" 2>"$T/err" </dev/null &
	pmu=$!
	all_started="$all_started $pmu"
	within 20 grep -q 'sampling.*until Ctrl-C' "$T/err" || return 1
	ids_of "$pmu" prog >"$T/programs"
	test -s "$T/programs"
}

# gone - none of them is in the kernel any more; others may have their own
gone() {
	# shellcheck disable=SC2046 # a list
	none_of prog $(cat "$T/programs")
}

# A run whose reader does not read yet: Ctrl-C, another some tenths of a second later, by the same process or by
# one of its own, and then the rest of the output. Prints the wait status.
cat >"$T/slow_reader.pl" <<-'END'
	use strict;
	use warnings;
	use Time::HiRes qw(time);
	my ($out, $err, $second, @run) = @ARGV;
	pipe(my $reader, my $writer) or die;
	$writer->blocking(0);
	1 while syswrite($writer, "x" x 4096) || syswrite($writer, "x");
	$writer->blocking(1);
	my $pid = fork // die;
	if (!$pid) {
		open STDOUT, '>&', $writer or die;
		open STDERR, '>', $err or die;
		$SIG{INT} = "DEFAULT";
		exec @run or die;
	}
	close $writer;
	sub holds {
		my ($file, $what) = @_;
		open my $f, '<', $file or return 0;
		return scalar grep { $_ =~ $what } <$f>;
	}
	sub wait_for {
		my ($file, $what) = @_;
		for (1 .. 400) {
			return if holds($file, $what);
			select undef, undef, undef, 0.05;
		}
		die "$file does not hold $what";
	}
	wait_for($err, qr/sampling.*until Ctrl-C/);
	select undef, undef, undef, 0.5;
	my $first = time;
	kill INT => $pid;
	wait_for("/proc/$pid/status", qr/^ShdPnd:\s*0*$/);
	# A second one of another process is to come while the result is written, whatever time the
	# names took: write(2) to the standard output, of x86_64 or arm64.
	if ($second eq "same") {
		select undef, undef, undef, 0.15;
	} else {
		wait_for("/proc/$pid/syscall", qr/^(1|64) 0x1 /);
		select undef, undef, undef, 0.3;
	}
	my $late = $second eq "same" && time - $first > 0.9;
	$second eq "same" ? kill INT => $pid : system "kill -INT $pid";
	select undef, undef, undef, 0.3;
	open my $to, '>', $out or die;
	while (my $line = <$reader>) {
		$line =~ s/^x+//;
		print $to $line;
	}
	close $to;
	waitpid $pid, 0;
	print $late ? "late" : $?;
END

# slow_reader same|other - leaves the wait status in $ended. Once more if this test was too slow.
slow_reader() {
	tries away in_time "$1"
}
in_time() {
	rm -f "$T/err"
	ended=$(perl "$T/slow_reader.pl" "$T/out" "$T/err" "$1" "$PMUTRACE" profile -e cpu-clock -F 997 -a -f folded)
	[ "$ended" != late ]
}

plan 20
start "$PROG/burn" -s 20

ok "starts" running -e cpu-clock -F 997 -a -f folded
sleep 0.7
kill -INT "$pmu"
wait "$pmu"
ok "Ctrl-C: exit status 0" equal $? 0
ok "Ctrl-C: the result is printed" between 20 "$(folded_sum "$T/out" burn_70)" 2000
ok "Ctrl-C: nothing is left loaded" within 10 gone

ok "starts" running -e cpu-clock -a -f folded
sleep 0.3
kill -TERM "$pmu"
wait "$pmu"
ok "SIGTERM: exit status 0" equal $? 0
# It leaves little time for names: a slow machine prints addresses, and says so.
burn_70=burn_70
! grep -q 'names were still being looked up' "$T/err" || burn_70='^burn;.*(burn_70|\[burn\+0x)'
ok "SIGTERM: the result is printed" between 1 "$(folded_sum "$T/out" "$burn_70")" 2000

ok "starts" running -e cpu-clock -a -f folded
kill -INT "$pmu"
kill -INT "$pmu"
within 20 sh -c "! kill -0 $pmu"
ok "Ctrl-C twice: gone at once" sh -c "! kill -0 $pmu 2>/dev/null || grep -q '^State:.Z' /proc/$pmu/status"
wait "$pmu"
ok "Ctrl-C twice: nothing is left loaded" within 10 gone

slow_reader same
ok "two of one process, as timeout(1) sends them: one" equal "$ended" 0
ok "and the result is printed" between 20 "$(folded_sum "$T/out" burn_70)" 2000
slow_reader other
ok "a second Ctrl-C while the result is written: gives up" equal "$ended" 2
silent out "and it is not printed"

ok "starts" running -e cpu-clock -a -f folded
ok "programs are loaded" bpftool prog show id "$(head -n 1 "$T/programs")"
kill -KILL "$pmu"
wait "$pmu" 2>/dev/null
ok "SIGKILL: nothing is left loaded" within 10 gone

start "$PROG/burn" -s 3
pm -F 997 -f folded -o "$T/p.folded" -p "$started" --duration 60
ok "ends with its target" test "$status" = 0
ok "long before its time" between 1 "$(folded_sum "$T/p.folded")" 3600
ok "and leaves nothing loaded" within 10 gone
