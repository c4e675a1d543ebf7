#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# cost.pl PID - what a process and all that it has started have cost so far, ns: "BPF USER". By the kernel's own
# figures: run times of the BPF programs that they hold (to be measured: tests/prog/bpf_stats.c), and CPU times.
use strict;
use warnings;

my $root = shift // die "usage: cost.pl PID\n";
my (%children, %times);
my $tick_ns = 10_000_000;

# fields PID - of proc_pid_stat(5), from the state on
sub fields {
	open my $file, '<', "/proc/$_[0]/stat" or return;
	local $/;
	my $text = <$file> // return;
	return $text =~ /.*\) (.*)/s ? split ' ', $1 : ();
}

for my $path (glob '/proc/[0-9]*') {
	my ($pid) = $path =~ /(\d+)$/;
	my @of = fields($pid) or next;
	push @{ $children{ $of[1] } }, $pid;
	$times{$pid} = ($of[11] + $of[12] + $of[13] + $of[14]) * $tick_ns;
}

my ($bpf, $user, %seen) = (0, 0);
my @todo = ($root);
while (defined(my $pid = shift @todo)) {
	push @todo, @{ $children{$pid} // [] };
	$user += $times{$pid} // 0;
	for my $fd (glob "/proc/$pid/fd/*") {
		next unless (readlink($fd) // '') eq 'anon_inode:bpf-prog';
		my ($number) = $fd =~ /(\d+)$/;
		open my $file, '<', "/proc/$pid/fdinfo/$number" or next;
		my %is = map { /^(\w+):\s+(\d+)/ ? ($1, $2) : () } <$file>;
		$bpf += $is{run_time_ns} // 0 unless $seen{ $is{prog_id} // '' }++;
	}
}
print "$bpf $user\n";
