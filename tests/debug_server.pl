#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# debug_server.pl DIR PORTFILE LOG - a debuginfod server on 127.0.0.1, good or bad.
#
# Writes its port into PORTFILE, and a line for each request into LOG. The first part of a path says
# what is answered to /PART/buildid/ID/debuginfo:
#	ok	 the file DIR/ID, or 404
#	slow	 the same after three seconds
#	none	 404
#	busy	 503
#	silent	 nothing
#	wrong	 the file DIR/wrong, whatever was asked for
#	garbage	 text
#	endless	 zeros without an end and without a length
#	large	 a length of 10 GB, and zeros
#	moved	 see /ok/
#	round	 see /round/
use strict;
use warnings;
use IO::Socket::INET;

my ($dir, $portfile, $log) = @ARGV;
my $server = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 20, ReuseAddr => 1) or die "$!";
$SIG{CHLD} = 'IGNORE';
open my $port, '>', "$portfile.new" or die "$portfile: $!";
print $port $server->sockport, "\n";
close $port;
rename "$portfile.new", $portfile or die "$portfile: $!";

sub note {
	open my $f, '>>', $log or die "$log: $!";
	syswrite $f, "$_[0]\n";
}

sub file {
	my ($to, $path) = @_;
	open my $f, '<:raw', $path or return print $to "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
	local $/;
	my $bytes = <$f>;
	print $to "HTTP/1.1 200 OK\r\nContent-Length: ", length $bytes, "\r\nConnection: close\r\n\r\n", $bytes;
}

sub zeros {
	my ($to) = @_;
	my $zeros = "\0" x 65536;
	1 while print $to $zeros;
}

sub answer {
	my ($to, $how, $rest, $id) = @_;
	if ($how eq 'ok') { file($to, "$dir/$id") }
	elsif ($how eq 'slow') { sleep 3; file($to, "$dir/$id") }
	elsif ($how eq 'wrong') { file($to, "$dir/wrong") }
	elsif ($how eq 'busy') { print $to "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n" }
	elsif ($how eq 'silent') { sleep 1000 }
	elsif ($how eq 'garbage') { print $to "HTTP/1.1 200 OK\r\nContent-Length: 14\r\nConnection: close\r\n\r\nno such thing\n" }
	elsif ($how eq 'endless') { print $to "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"; zeros($to) }
	elsif ($how eq 'large') { print $to "HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\nConnection: close\r\n\r\n"; zeros($to) }
	elsif ($how eq 'moved') { print $to "HTTP/1.1 302 Found\r\nLocation: /ok/$rest\r\nContent-Length: 0\r\nConnection: close\r\n\r\n" }
	elsif ($how eq 'round') { print $to "HTTP/1.1 302 Found\r\nLocation: /round/$rest\r\nContent-Length: 0\r\nConnection: close\r\n\r\n" }
	else { file($to, '/none') }
}

while (my $to = $server->accept) {
	next if fork;
	close $server;
	$to->autoflush(1);
	$SIG{PIPE} = 'DEFAULT';
	my $first = <$to> // exit;
	while (defined(my $line = <$to>)) { last if $line =~ /^\r?\n$/ }
	my ($how, $rest) = $first =~ m{^GET /(\w+)/(\S*)};
	my ($id) = ($rest // '') =~ m{^buildid/([0-9a-f]+)/debuginfo$};
	note(($how // '?') . ' ' . ($id // '?'));
	answer($to, $how // '', $rest // '', $id // 'none');
	exit;
}
