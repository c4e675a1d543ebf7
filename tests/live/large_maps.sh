#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A process with as many mappings as a kernel allows: /proc/PID/maps takes it 100 ms to print.
. "$(dirname "$0")/../lib.sh"
need_bpf

lines_of() {
	wc -l <"/proc/$1/maps"
}

plan 9

start "$PROG/mapped_much" -s 20
much=$started
ok "it has its mappings" within 20 grep -q ready "$T/started.out"
ok "they are many" [ "$(lines_of "$much")" -gt 64000 ]

# others_of PID CMD.. - runs it. How many ms of CPU time tasks used meanwhile that were there before and
# after, but for those of PID, into $T/others.
cat >"$T/others.pl" <<-'END'
	my ($file, $but, @command) = @ARGV;
	sub used {
		my %used;
		for my $path (glob '/proc/[0-9]*/task/[0-9]*/schedstat') {
			next if $path =~ m{^/proc/$but/} || $path =~ m{^/proc/$$/};
			open my $stat, '<', $path or next;
			$used{$path} = $1 if (<$stat> // '') =~ /^(\d+)/;
		}
		return %used;
	}
	my %before = used;
	my $status = system @command;
	my %after = used;
	my $ns = 0;
	$ns += $after{$_} - $before{$_} for grep { exists $after{$_} } keys %before;
	open my $out, '>', $file or die;
	printf $out "%.0f\n", $ns / 1e6;
	exit $status >> 8;
END
others_of() {
	but=$1
	shift
	run perl "$T/others.pl" "$T/others" "$but" "$@"
}

# A kernel may keep tasks to itself: those of a virtual machine's own agent have no samples, whoever takes
# them, and use a CPU for 0.1 s now and then.
others_of "$much" "$PMUTRACE" profile -e cpu-clock -F 997 -U -p "$much" -o "$T/out.folded" -o "$T/out.json" 1
ok "a run of 1 s ends well" equal "$status" 0
ok "burn() has its name, and its caller" is_share "$(folded_sum "$T/out.folded" 'main;burn [0-9]+$')" \
	"$(folded_sum "$T/out.folded")" 100
ok "nothing is unknown" equal "$(folded_sum "$T/out.folded" 'unknown')" 0
lost=$(json "$T/out.json" '$d->{losses}{passed_over} // 0') others=$(cat "$T/others")
echo "# $lost samples missed by the kernel; others used $others ms of CPU time"
ok "the kernel misses none but of others" between 0 "$lost" $((others + 1))
ok "nothing else is lost" equal "$(json "$T/out.json" 'my %l = %{$d->{losses}}; delete $l{passed_over}; sum0 values %l')" 0

run "$PMUTRACE" count -I 500 --json --by ustack cpu-clock@1000000 -p "$much" 3
ok "intervals have names, too" grep -q '"main","burn"\]' "$T/out"
run "$PMUTRACE" top -b -n 3 -d 1 --by function
ok "so has top" grep -q '\bburn\b' "$T/out"
kill "$much"
