#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# report --by: sums by less than files tell, against sums that perl makes of perf's text; what files do
# not tell; formats that need stacks. cgroups and windows are in unit/model/regroup and live/capture.
. "$(dirname "$0")/../lib.sh"

plan 33

# What perf prints of two events: ">" is the tab that frames begin with.
sed 's/^>/\t/' >"$T/p.txt" <<-'END'
	python3   41/42    [001] 73307.670903:    1003009 cpu-clock:uhH: 
	>ffffffff8225fd19 irq_enable+0x19 ([kernel.kallsyms])
	>            6241 outer(int, char)+0xd6 (/usr/lib/libouter.so.2)

	python3   41/41    [000] 73307.670904:    1003009 cpu-clock:uhH: 
	>            6249 inner+0x2 (/usr/lib/libouter.so.2)
	>            6241 outer(int, char)+0x11 (/usr/lib/libouter.so.2)

	python3   41/41    [001] 73307.670905:    1003009 cpu-clock:uhH: 
	>            624b inner+0x4 (/usr/lib/libouter.so.2)
	>            6241 outer(int, char)+0x11 (/usr/lib/libouter.so.2)

	sh   41/41    [000] 73307.670906:    1003009 cpu-clock:uhH: 
	>            1249 inner+0x2 (/bin/sh)

	nginx: worker   7/7     [000] 73307.670907:    1003010 cpu-clock:uhH: 
	>            6241 operator+ (/opt/nginx)

	sh    9/9     [000] 73307.670908:          3 faults: 
	>            1111 read_file (/bin/sh)

END

# by_perl WHAT - rows of CSV for it, sorted: samples and periods of both events
by_perl() {
	perl -00 -ne '
		BEGIN { $what = shift }
		my ($head, @frames) = split /\n/;
		my ($comm, $pid, $tid, $cpu, $period, $event) =
			$head =~ m{^(.*?) +(\d+)/(\d+) +\[0*(\d+)\] \S+: +(\d+) (\S+): $} or die $head;
		my ($function) = $frames[0] =~ m{^\t *\S+ (.*?)(?:\+0x[0-9a-f]+)? \([/[].*\)$} or die;
		my %has = (comm => $comm, pid => $pid, tid => $tid, cpu => $cpu, function => $function);
		my $key = join ",", map { $has{$_} } split /,/, $what;
		$n{$key}{$event}[0]++;
		$n{$key}{$event}[1] += $period;
		END {
			for my $key (keys %n) {
				print join(",", $key, map { @{$n{$key}{$_} // ["", ""]} } "cpu-clock:uhH", "faults"), "\n";
			}
		}' "$1" "$T/p.txt" | sort
}

for what in comm pid tid cpu comm,pid comm,cpu pid,tid,cpu function comm,function pid,function; do
	check 0 "by $what" "$PMUTRACE" report -q --csv --by "$what" "$T/p.txt"
	by_perl "$what" >"$T/want"
	ok "has the sums that perl finds" sh -c 'sed 1d "$1" | sort | cmp - "$2"' sh "$T/out" "$T/want"
done

check 0 "as a table" "$PMUTRACE" report --by pid,comm "$T/p.txt"
says out "parts of the key in the order of all tables" '^COMM +PID +cpu-clock:uhH +faults$'
says out "most samples first" '^python3 +41 +3 +0$'
says out "and the losses" '^samples: 6 kept, what was lost before is not told$'
check 0 "a part of it" "$PMUTRACE" report -q --csv --by function --comm sh "$T/p.txt"
ok "is of those selected" equal "$(sed 1d "$T/out" | tr '\n' ' ')" "inner,1,1003009,, read_file,,,1,3 "
"$PMUTRACE" report -q -f folded --by stack "$T/p.txt" >"$T/out"
ok "stacks of all commands are one tree" equal "$(tr '\n' ' ' <"$T/out")" \
	"[any];inner 1 [any];operator+ 1 [any];outer(int, char);inner 2 [any];outer(int, char);irq_enable_[k] 1 "
"$PMUTRACE" report -q --by comm,cpu -o "$T/x.pmut" "$T/p.txt"
run "$PMUTRACE" report -q --csv --by cpu "$T/x.pmut"
by_perl cpu >"$T/want"
ok "a capture of it has what is left" sh -c 'sed 1d "$1" | sort | cmp - "$2"' sh "$T/out" "$T/want"

printf 'sh;main 3\n' >"$T/a.folded"
check 1 "what a file does not have" "$PMUTRACE" report --by pid "$T/a.folded"
says err "is told, and what it has" \
	'^pmutrace: --by pid: the files do not tell; they have comm stack function; a capture of profile --by comm,pid does$'
check 2 "an unknown key" "$PMUTRACE" report --by comm,thread "$T/a.folded"
check 2 "formats of stacks need stacks or commands" "$PMUTRACE" report --by pid -f svg "$T/p.txt"
check 2 "--callers is a table of its own" "$PMUTRACE" report --by comm --callers main "$T/a.folded"
