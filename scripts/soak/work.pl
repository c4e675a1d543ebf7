#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# work.pl PAUSE [CGROUP] - work that comes and goes, for an exporter to see: processes that end in moments
# and some that stay for a minute, one each PAUSE seconds, of many names, in cgroups below CGROUP that are
# made and removed. At 0.12 it takes some 5 % of a CPU. Until SIGTERM; then nothing of it is left.
use strict;
use warnings;
use POSIX ':sys_wait_h';
use Time::HiRes qw(time sleep);

my ($pause, $top) = @ARGV;
die "work.pl PAUSE [CGROUP]: seconds, 0.01 or more\n" unless ($pause // '') =~ /^[0-9.]+$/ && $pause >= 0.01;
my $ended = 0;
my %cgroup_of; # by pid
$SIG{TERM} = sub { $ended = 1 };

# A cgroup and the name of a process in it. Some come again, others are new each time; some are such
# as a stranger would choose.
my @strange = ('quo"te', 'back\\slash', "new\nline", '}{ 1', "caf\xc3\xa9", "\xff\xfe", ' ', 'x' x 200);
sub names_of {
	my $n = shift;
	my ($kind, $turn) = ($n % 4, int $n / 4);
	return ("service" . $turn % 20, "web" . $turn % 3) if $kind == 0;
	return ($strange[$turn % @strange]) x 2 if $kind == 1;
	return ("pod$n/container", 'once') if $kind == 2;
	return ('jobs', "job$n");
}

sub burn {
	my $until = time + shift;
	1 while time < $until;
}

# What a child does: pages, and some milliseconds of a CPU; each ninth stays for a minute.
sub work {
	my ($n, $cgroup, $name) = @_;
	if (defined $cgroup && open my $f, '>', "$cgroup/cgroup.procs") {
		syswrite $f, $$;
	}
	exec '/bin/true' if $n % 5 == 3;
	$0 = $name;
	my $memory = 'x' x (4096 * (50 + $n % 200));
	burn 0.003;
	for (1 .. ($n % 9 ? 0 : 60)) {
		last if $ended;
		sleep 1;
		burn 0.0005;
	}
	POSIX::_exit(0);
}

# make CGROUP - below the top, with what it is in
sub make {
	my $path = $top;
	mkdir $path .= "/$_" for split m{/}, shift;
	return $path;
}

sub remove {
	my $path = shift;
	while ($path ne $top) {
		rmdir $path or last;
		$path =~ s{/[^/]*$}{};
	}
}

# reap FLAGS - who has ended; 0: when they all have
sub reap {
	my $flags = shift;
	while ((my $pid = waitpid -1, $flags) > 0) {
		my $cgroup = delete $cgroup_of{$pid};
		remove $cgroup if defined $cgroup;
	}
}

mkdir $top or die "$top: $!\n" if $top;
for (my $turn = 0; !$ended; $turn++) {
	my ($cgroup, $name) = names_of($turn);
	$cgroup = $top ? make($cgroup) : undef;
	my $pid = fork;
	work($turn, $cgroup, $name) if defined $pid && !$pid;
	$cgroup_of{$pid} = $cgroup if $pid;
	sleep $pause;
	reap WNOHANG;
}
kill TERM => keys %cgroup_of;
reap 0;
rmdir $top or die "$top: $!\n" if $top;
