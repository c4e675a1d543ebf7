#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# push_peer.pl DIR - a backend on 127.0.0.1 that profiles are pushed to, good or bad.
#
# Writes its port into DIR/port. What it answers stands in DIR/how, which is read anew for each
# request; after "N " it holds for N requests, and then the next line does:
#	200 [TEXT]	and so other statuses, with this body
#	429 after N	Retry-After: N; and so 503
#	slow N [TEXT]	200, N seconds later
#	garbage		what is no HTTP
#	silent		nothing
#	close		nothing, and the connection is closed when the request was read
#	half		200, and the connection is closed in the middle of the body
#	endless		200 without a length, and zeros
#	moved URL	302 to this
#	partial N TEXT	200, and OTLP's message that N profiles were rejected
# Each request is a line of DIR/log: "TIME HOW METHOD PATH BYTES TYPE AUTHORIZATION", and its headers,
# "name: value" in small letters, are lines of DIR/headers; the body of one that was answered by 2xx
# is DIR/NUMBER.body, NUMBER in the order of arrival.
use strict;
use warnings;
use IO::Socket::INET;
use Time::HiRes qw(time sleep);
use Fcntl ':flock';

my ($dir) = @ARGV;
my $server = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 50, ReuseAddr => 1) or die "$!";
$SIG{CHLD} = 'IGNORE';
my $peer = $$;

# write_file NAME TEXT - whole, or not at all
sub write_file {
	my ($name, $text) = @_;
	open my $f, '>:raw', "$dir/$name.new$$" or die "$dir/$name: $!";
	print $f $text;
	close $f;
	rename "$dir/$name.new$$", "$dir/$name" or die "$dir/$name: $!";
}

# What is to be answered now.
sub how {
	open my $lock, '>>', "$dir/lock" or die "$!";
	flock $lock, LOCK_EX;
	open my $f, '<', "$dir/how" or return '200';
	my @lines = <$f>;
	return '200' unless @lines;
	chomp @lines;
	if ($lines[0] =~ /^(\d+) ([a-z0-9].*)$/ && $1 < 100) {
		my ($n, $how) = ($1, $2);
		$n > 1 ? ($lines[0] = $n - 1 . " $how") : shift @lines;
		write_file('how', join '', map { "$_\n" } @lines);
		return $how;
	}
	$lines[0];
}

sub note {
	my ($line, $body, $headers) = @_;
	open my $lock, '>>', "$dir/lock" or die "$!";
	flock $lock, LOCK_EX;
	my @there = glob "$dir/*.body";
	write_file(sprintf('%06d.body', scalar @there), $body) if defined $body;
	open my $f, '>>', "$dir/log" or die "$!";
	syswrite $f, "$line\n";
	open my $h, '>>', "$dir/headers" or die "$!";
	syswrite $h, $headers;
}

sub varint {
	my ($n, $out) = ($_[0], '');
	for (; $n > 127; $n >>= 7) { $out .= chr($n & 127 | 128) }
	$out . chr $n;
}

sub answer {
	my ($to, $status, $body, @headers) = @_;
	print $to join "\r\n", "HTTP/1.1 $status Whatever", 'Content-Length: ' . length $body,
		'Connection: close', @headers, '', $body;
}

sub act {
	my ($to, $how) = @_;
	if ($how =~ /^(\d{3}) after (.+)/) { answer($to, $1, '', "Retry-After: $2") }
	elsif ($how =~ /^(\d{3}) ?(.*)/) { answer($to, $1, $2) }
	elsif ($how =~ /^slow (\S+) ?(.*)/) { sleep $1; answer($to, 200, $2) }
	elsif ($how eq 'garbage') { print $to "no such thing\n\0\xff" x 100 }
	elsif ($how eq 'silent') { sleep 0.2 while getppid == $peer }
	elsif ($how eq 'half') { print $to "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf" }
	elsif ($how eq 'endless') {
		print $to "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n";
		1 while print $to "\0" x 65536;
	} elsif ($how =~ /^moved (.*)/) { answer($to, 302, '', "Location: $1") }
	elsif ($how =~ /^partial (\d+) (.*)/) {
		my $part = "\x08" . varint($1) . "\x12" . varint(length $2) . $2;
		answer($to, 200, "\x0a" . varint(length $part) . $part, 'Content-Type: application/x-protobuf');
	}
}

# Or who reads what a test prints would wait for this, too.
open STDOUT, '>', '/dev/null';
open STDERR, '>', '/dev/null';
write_file('port', $server->sockport . "\n");
while (my $to = $server->accept) {
	next if fork;
	close $server;
	$to->autoflush(1);
	$SIG{PIPE} = 'DEFAULT';
	my ($first, %head, $body) = scalar <$to> // exit;
	while (defined(my $line = <$to>)) {
		last if $line =~ /^\r?\n$/;
		$head{lc $1} = $2 if $line =~ /^([^:]+): *(.*?)\r?\n/;
	}
	read($to, $body, $head{'content-length'} // 0) // 0;
	my ($method, $path) = $first =~ /^(\S+) (\S+)/;
	my $how = how();
	my $taken = $how =~ /^(2|half|endless|partial|slow)/ ? $body : undef;
	note(sprintf('%.3f', time) . " \"$how\" $method $path " . length($body) . ' ' . ($head{'content-type'} // '-') .
		' ' . ($head{authorization} // '-'), $taken, join '', map { "$_: $head{$_}\n" } sort keys %head);
	act($to, $how);
	exit;
}
