#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A program's symbols are on a disk that does not answer: sampling ends when it is to end, a signal ends what is left,
# intervals go on, and what has no name is an address that is told of.
. "$(dirname "$0")/../lib.sh"
need_bpf
need_root
# At the end of a program the sanitizer stops all threads to look for leaks: the one that waits for the disk
# never would.
export ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0"

# unmount - whatever happens: a file system that does not answer must not stay
unmount() {
	umount -l "$T/mnt" 2>/dev/null
	end_test
}
trap unmount EXIT

# The program's table of sections and all of its symbols, 64 MiB behind its code.
cat >"$T/spread.pl" <<-'END'
	use strict;
	use warnings;
	my ($from, $to) = @ARGV;
	open my $in, '<:raw', $from or die;
	my $elf = do { local $/; <$in> };
	my $at = unpack 'Q<', substr $elf, 0x28, 8;
	my $nr = unpack 'v', substr $elf, 0x3c, 2;
	my @sections = map { [unpack 'VVQ<Q<Q<Q<VVQ<Q<', substr $elf, $at + 64 * $_, 64] } 0 .. $nr - 1;
	open my $out, '>:raw', $to or die;
	print $out $elf;
	seek $out, 64 << 20, 0;
	for my $s (grep { $_->[1] == 2 || $_->[1] == 3 } @sections) { # SHT_SYMTAB, SHT_STRTAB
		my $offset = tell $out;
		next if $s->[2] & 2; # SHF_ALLOC: the loader reads it
		print $out substr $elf, $s->[4], $s->[5];
		$s->[4] = $offset;
	}
	my $table = tell $out;
	print $out map { pack 'VVQ<Q<Q<Q<VVQ<Q<', @$_ } @sections;
	seek $out, 0x28, 0;
	print $out pack 'Q<', $table;
	close $out or die;
END
perl "$T/spread.pl" "$PROG/burn" "$T/spread" || exit 1
mkdir "$T/mnt"
start "$PROG/stuckfs" "$T/spread" "$T/mnt"
disk=$started
within 10 test -x "$T/mnt/prog" || skip_all "no-fuse: nothing can be mounted here"

# ended PID - it is no more, or waits for its parent to look
ended() {
	! kill -0 "$1" 2>/dev/null || grep -q '^State:[[:space:]]*Z' "/proc/$1/status"
}

# late FILE - samples of a result whose names were not there in time
late() {
	json "$1" '$d->{incomplete}{names_late} // 0'
}

plan 14

start "$T/mnt/prog" -s 600
burner=$started

# Nobody sends it a signal: a file of somebody's that never comes does not keep a run of cron for ever.
"$PMUTRACE" profile -p "$burner" --json --duration 1 >"$T/cron.out" 2>"$T/cron.err" </dev/null &
cron=$!
all_started="$all_started $cron"

# As long as was asked for, whatever is being read; then names are waited for, until somebody does not want to.
"$PMUTRACE" profile -p "$burner" --json --duration 1 >"$T/out" 2>"$T/err" </dev/null &
pmu=$!
all_started="$all_started $pmu"
sleep 4
ok "names are waited for" kill -0 "$pmu"
kill -TERM "$pmu"
ok "until a signal comes" within 5 ended "$pmu"
ended "$pmu" || kill -KILL "$pmu"
wait "$pmu"
ok "that is a result" equal $? 0
duration=$(json "$T/out" '$d->{duration_ns}')
ok "of the second that was asked for" between 1000000000 "$duration" 2000000000
kept=$(json "$T/out" '$d->{kept}')
ok "with all of its samples" [ "$kept" -gt 20 ]
ok "whose functions are addresses in their file" json "$T/out" \
	'grep { grep { /^\[prog\+0x[0-9a-f]+\]$/ } @{$_->{key}{stack}} } @{$d->{rows}} or die'
ok "which is told" between 20 "$(late "$T/out")" "$kept"

# A signal in the middle of it
"$PMUTRACE" profile -p "$burner" --json >"$T/out" 2>"$T/err" </dev/null &
pmu=$!
all_started="$all_started $pmu"
sleep 2
kill -TERM "$pmu"
ok "SIGTERM ends a run at once" within 5 ended "$pmu"
ended "$pmu" || kill -KILL "$pmu"
wait "$pmu"
ok "with its result" between 20 "$(late "$T/out")" 1000000

# Intervals do not wait.
"$PMUTRACE" top --by function -p "$burner" -d 0.3 --json >"$T/out" 2>"$T/err" </dev/null &
pmu=$!
all_started="$all_started $pmu"
five() {
	[ "$(wc -l <"$T/out")" -ge 5 ]
}
ok "intervals of top go on" within 15 five
kill -TERM "$pmu"
ok "and end at once" within 5 ended "$pmu"
ended "$pmu" || kill -KILL "$pmu"
wait "$pmu"

ok "without a signal they are not waited for for ever" within 60 ended "$cron"
ended "$cron" || kill -KILL "$cron"
wait "$cron"
# Whoever reads the file is ended after some seconds: from then on it is known that there are no names.
ok "and told, with the file" grep -q '/prog: no names of its code: it took more than [0-9]* s' "$T/cron.err"

# The disk is gone: reading it fails.
stop "$disk"
ok "the disk is gone" within 10 sh -c "! mountpoint -q '$T/mnt'"
