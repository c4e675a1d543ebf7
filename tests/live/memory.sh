#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What a result may take of memory: beyond it what is known counts on, what is new is told as lost.
. "$(dirname "$0")/../lib.sh"
need_bpf
freed_is_free

# Seeks to N places, twice each, and to all of them once more, some 80,000 times a second; places are
# 2^40 and beyond.
cat >"$T/seek.pl" <<-'END'
	use strict;
	use warnings;
	open my $zero, '<', '/dev/zero' or die;
	for my $round (1, 2) {
		for my $n (1 .. $ARGV[0]) {
			sysseek $zero, 2**40 + 8 * $n, 0 for 1, 2;
			select undef, undef, undef, 0.025 if $n % 1000 == 0;
		}
	}
END

# What a command took of memory at most, in kB, into $T/kb: getrusage(2) of children that have ended.
cat >"$T/peak.pl" <<-'END'
	my $usage = "\0" x 1024;
	my $file = shift;
	my $status = system @ARGV;
	syscall((`uname -m` =~ /x86_64/ ? 98 : 165), -1, $usage);
	open my $kb, '>', $file or die;
	print $kb unpack('x32 q', $usage), "\n";
	exit $status >> 8;
END
peak() {
	run perl "$T/peak.pl" "$T/kb" "$PMUTRACE" "$@"
	kb=$(cat "$T/kb")
}

# seeks N ARGS.. - counts them by place, a JSON document in $T/out
seeks() {
	nr_places=$1
	shift
	peak count --json syscalls:sys_enter_lseek --filter 'offset >= 1099511627776' --by offset \
		--keys 65536 "$@" -- perl "$T/seek.pl" "$nr_places"
}
# figures - of the document in $T/out: $seen $kept $lost $full $rows, those that have not $each in
# $odd, the sum of rows in $sum
figures() {
	# shellcheck disable=SC2046 # seven words
	set -- $(json "$T/out" '
		my $l = $d->{losses};
		my @n = map { values %{$_->{values}} } @{$d->{rows}};
		join " ", $d->{seen}, $d->{kept}, sum0(values %$l), $l->{memory_full} // 0, scalar @n,
			scalar(grep { $_ != '"$each"' } @n), sum0(@n)')
	seen=$1 kept=$2 lost=$3 full=$4 rows=$5 odd=$6 sum=$7
}

plan 22

each=4

seeks 1000 --max-memory 16M
least=$kb
figures
ok "a small result has all" equal "$kept of $seen in $rows" "4000 of 4000 in 1000"
ok "and nobody speaks of memory" sh -c "! grep -q memory '$T/err'"

seeks 100000
figures
echo "# $least kB with 1000 rows, $kb kB with 100,000"
ok "100,000 rows take more than 16 MB" [ $((kb - least)) -gt 16000 ]
ok "each is there, four times" equal "$rows $odd" "100000 0"

seeks 70000 --max-memory 16M
figures
echo "# $kb kB with --max-memory 16M, $rows rows"
ok "--max-memory keeps to it" [ $((kb - least)) -le 16000 ]
ok "all that was seen was told" equal "$seen" 280000
ok "in rows and losses" equal "$((kept + lost))" "$seen"
ok "rows have what was kept" equal "$sum" "$kept"
ok "the loss has its reason" between 40000 "$full" 270000
ok "what was known counted on" equal "$odd" 0
ok "a notice told that it was near, once" equal "$(grep -c 'takes four fifths of the half of --max-memory' "$T/err")" 1
ok "and that it was reached, once" equal "$(grep -c 'fills the half of --max-memory (16 MB)' "$T/err")" 1

check 3 "it is a loss to --strict" "$PMUTRACE" count --strict syscalls:sys_enter_lseek \
	--filter 'offset >= 1099511627776' --by offset --keys 65536 --max-memory 16M -- perl "$T/seek.pl" 60000
says out "the table tells it" 'memory_full|no memory for new rows and stacks'

# Intervals begin with nothing.
run "$PMUTRACE" count --json -I 2000 syscalls:sys_enter_lseek --filter 'offset >= 1099511627776' \
	--by offset --keys 65536 --max-memory 16M -- perl "$T/seek.pl" 70000
ok "intervals forget what they had" perl -MJSON::PP -ne '
	my $d = decode_json($_);
	$rows++ if @{$d->{rows}};
	$seen += $d->{seen};
	$kept += $d->{kept};
	$lost += $_ for values %{$d->{losses}};
	END { print "$rows with rows, $seen = $kept + $lost\n"; exit !($rows > 1 && $lost > 0 && $seen == 280000 && $seen == $kept + $lost) }' \
	"$T/out"

each=2
# Stacks: as many ways to the probe as said, each twice.
# By frame pointer, which these programs keep: of a command there are no rules in its first milliseconds.
paths() {
	nr_ways=$1
	shift
	peak count --json "uprobe:$PROG/paths:leaf" --by ustack --call-graph fp --keys 16384 --max-stack 60 "$@" \
		-- "$PROG/paths" "$nr_ways" 2
	figures
}
paths 200 --max-memory 16M
least=$kb
paths 60000
echo "# $least kB with 200 stacks, $kb kB with $nr_ways"
ok "60,000 stacks take more than 16 MB" [ $((kb - least)) -gt 16000 ]
ok "each is there, twice" equal "$rows $odd" "60000 0"
paths 60000 --max-memory 16M
echo "# $kb kB with --max-memory 16M, $rows rows"
ok "--max-memory keeps to it" [ $((kb - least)) -le 16000 ]
ok "all that was seen was told" equal "$seen" 120000
ok "in rows and losses" equal "$((kept + lost)) $sum" "$seen $kept"
ok "what was known counted on" equal "$odd $((rows > 1000))" "0 1"
check 2 "less than is of use is refused" "$PMUTRACE" count --max-memory 100k sched:sched_switch 0.1
