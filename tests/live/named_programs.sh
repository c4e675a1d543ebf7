#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A program that a user names may be a stranger's: it is read by a process that can do nothing else, before anything is
# measured, and one that cannot be read is an error.
. "$(dirname "$0")/../lib.sh"
need_bpf
need_root

# A library with many functions of one C++ name, which takes some thousand times its length to write out: whoever
# looks for a function that is not there reads them all.
cat >"$T/greedy.pl" <<-'END'
	use strict;
	use warnings;
	my ($like, $to, $nr) = @ARGV;
	open my $in, '<:raw', $like or die;
	read $in, my $head, 64 or die;
	my $name = "_Z1fSt4pairIiiE" . join '', map { "S_IS${_}_S${_}_E" } 0 .. 9;
	# Strings may be as long, together, as the section that they are in allows.
	my $strings = "\0$name\0" . "\0" x ($nr * length $name);
	my $symbols = "\0" x 24 . pack('VCCvQ<Q<', 1, 0x12, 0, 1, 0x1000, 16) x $nr;
	my ($code, $symtab) = (0x1000, 0x2000);
	my $strtab = $symtab + length $symbols;
	my $table = $strtab + length($strings) + 7 & ~7;
	open my $out, '>:raw', $to or die;
	substr($head, 0x10, 2) = pack 'v', 3; # ET_DYN
	substr($head, 0x20, 32) = pack 'Q<Q<Vvvvvvv', 64, $table, 0, 64, 56, 1, 64, 4, 0;
	print $out $head, pack 'VVQ<Q<Q<Q<Q<Q<', 1, 5, 0, 0, 0, $symtab, $symtab, 0x1000;
	seek $out, $code, 0;
	print $out "\xc3" x 0x1000, $symbols, $strings;
	seek $out, $table, 0;
	print $out map { pack 'VVQ<Q<Q<Q<VVQ<Q<', @$_ }
		[(0) x 10],
		[0, 1, 6, $code, $code, 0x1000, 0, 0, 16, 0],
		[0, 2, 0, 0, $symtab, length $symbols, 3, 1, 8, 24],
		[0, 3, 0, 0, $strtab, length $strings, 0, 0, 1, 0];
	close $out or die;
END
perl "$T/greedy.pl" /bin/sh "$T/greedy" 200000 || exit 1

# find_reader PID - $reader: the reader below that process's warden
find_reader() {
	reader=
	for warden in $(pgrep -P "$1" -x jail-warden); do
		reader=$(pgrep -P "$warden" -x lookup-reader)
	done
	[ -n "$reader" ]
}
status_of() {
	sed -n "s/^$2:[[:space:]]*//p" "/proc/$1/status"
}
# has_open PID
has_open() {
	find "/proc/$1/fd" -lname "$T/greedy" 2>/dev/null | grep -q .
}
reads() {
	find_reader "$1" && has_open "$reader"
}
# ask CMD.. - in the background, as far as its reader is at work: $asked
ask() {
	"$PMUTRACE" "$@" >"$T/out" 2>"$T/err" </dev/null &
	asked=$!
	all_started="$all_started $asked"
	within 20 reads "$asked"
}

plan 33

ok "a function is looked for by a reader" ask stat -e "uprobe:$T/greedy:nothing" 1
ok "who alone has the file open" sh -c '! find "/proc/$1/fd" -lname "$2" | grep .' - "$asked" "$T/greedy"
ok "his warden has it not" sh -c '! find "/proc/$1/fd" -lname "$2" | grep .' - "$(status_of "$reader" PPid)" "$T/greedy"
ok "its user is nobody" equal "$(status_of "$reader" Uid | tr '\t' ' ')" "65534 65534 65534 65534"
ok "it has no capability" equal "$(status_of "$reader" CapPrm)$(status_of "$reader" CapEff)" \
	00000000000000000000000000000000
ok "its system calls are filtered" equal "$(status_of "$reader" Seccomp)" 2
ok "it gets no new privileges" equal "$(status_of "$reader" NoNewPrivs)" 1
kill -KILL "$reader"
status=0
wait "$asked" || status=$?
ok "one that is killed at its work is an error" equal "$status" 1
ok "which names the file" grep -q "cannot read $T/greedy: its reader was killed\$" "$T/err"
ok "and says nothing more" equal "$(wc -l <"$T/err")" 1

# All ways to name a program.
for by in "count uretprobe:$T/greedy:nothing 1" \
	"func $T/greedy:nothing 1" "profile --within $T/greedy:nothing 1" "count uprobe:$T/greedy:*nothing*? 1" \
	"list --functions $T/greedy" "top -b -n 1 -e uprobe:$T/greedy:nothing"; do
	set -f
	# shellcheck disable=SC2086 # words
	ok "by a reader: pmutrace ${by%% *}" ask $by
	set +f
	kill -KILL "$reader" 2>/dev/null
	status=0
	wait "$asked" || status=$?
	ok "no less" equal "$status" 1
	ok "and an error" grep -q "cannot read $T/greedy: its reader was killed" "$T/err"
done

# While it measures, nobody waits for questions.
"$PMUTRACE" count "uprobe:$PROG/calls:*" --duration 20 >"$T/out" 2>"$T/err" </dev/null &
asked=$!
all_started="$all_started $asked"
counts() {
	grep -q counting "$T/err"
}
ok "functions of a program are counted" within 20 counts
ok "while it counts there is no reader" sh -c '! pgrep -P "$(pgrep -P "$1" -x jail-warden)" -x lookup-reader' - "$asked"
kill -INT "$asked"
wait "$asked"

# One that takes as long as it likes.
run "$PMUTRACE" stat -e "uprobe:$T/greedy:nothing" 1
ok "what takes too long is given up" equal "$status" 1
says err "with how long that was" "^pmutrace: cannot read $T/greedy: it took more than 20 s of CPU time\$"
run "$PMUTRACE" stat -e "uprobe:$T/greedy:0x1000" 0.1
ok "what can be told without it is" equal "$status" 0
