#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# report: folded stacks and texts of perf script, of a file, of several, of a pipe, packed ones; what
# of them is wanted; what cannot be read. Sums are those that awk finds in the same files, stacks of
# perf's texts those that perl does.
. "$(dirname "$0")/../lib.sh"
export TMPDIR="$T" # for results that a full disk does not take

plan 118

cat >"$T/a.folded" <<-'END'
	sh;main;work;leaf 5
	sh;main;work 3
	sh;main;vfs_read_[k] 2
	node;run_[j] 40
	nginx: worker;main;operator new(unsigned long);malloc_[i] 7
END
cat >"$T/b.folded" <<-'END'
	sh;main;work 100
	zsh;zmain 1
END

# sum REGEX FILE.. - counts of the lines that match
sum() {
	regex=$1
	shift
	cat "$@" | awk -v regex="$regex" '$0 ~ regex { n += $NF } END { print n + 0 }'
}

# kept - of the last run's JSON
kept() {
	json "$T/out" '$d->{kept}'
}

check 0 "a table of functions" "$PMUTRACE" report "$T/a.folded"
says out "what they are of" "^samples: $(sum . "$T/a.folded") samples\$"
says out "a function's own samples, and those below it" "^ +3 +5.26 +8 +14.04 +work\$"
says out "code that was made at run time" "^ +40 +70.18 +40 +70.18 +run"
says out "what was lost is not known" "^samples: 57 kept, what was lost before is not told\$"
silent err "there is nothing else to tell"

check 0 "folded again" "$PMUTRACE" report -f folded "$T/a.folded"
sort "$T/a.folded" >"$T/want"
sort "$T/out" >"$T/got"
ok "it is the same" cmp "$T/want" "$T/got"
says err "that losses are not told is, elsewhere" "what was lost before is not told"

check 0 "JSON" "$PMUTRACE" report --json -q "$T/a.folded"
ok "its command, and version" equal "$(json "$T/out" '"$d->{command} $d->{schema}"')" "report 1"
ok "all samples are there" equal "$(kept)" 57
ok "unknown is null" equal "$(json "$T/out" 'join " ", map { exists $d->{$_} && !defined $d->{$_} ? 1 : 0 } "seen", "duration_ns"')" "1 1"
ok "and so are times of events" equal "$(json "$T/out" 'join " ", map { defined $_ ? 1 : 0 } @{$d->{events}[0]}{"enabled_ns", "running_ns"}')" "0 0"
ok "a row's stack" equal "$(json "$T/out" 'join " ", sort map { join(",", @{$_->{key}{stack}}) . "=" . $_->{values}{samples} } grep { $_->{key}{comm} eq "sh" } @{$d->{rows}}')" \
	"main,vfs_read=2 main,work,leaf=5 main,work=3"

check 0 "CSV" "$PMUTRACE" report --csv -q "$T/a.folded"
ok "its sums" equal "$(awk -F, 'NR > 1 { n += $NF } END { print n }' "$T/out")" 57

check 0 "a flame graph" "$PMUTRACE" report -q "$T/a.folded" -o "$T/a.svg" --title "What & why"
ok "has its title" grep -q "What &amp; why" "$T/a.svg"
ok "has its frames" grep -q "operator new(unsigned long)" "$T/a.svg"
ok "and tells no time that is not known" sh -c '! grep -q "0\.00 s" "$1"' sh "$T/a.svg"

check 0 "two files" "$PMUTRACE" report -q -f folded "$T/a.folded" "$T/b.folded"
ok "are added up" equal "$(sum . "$T/out")" "$(sum . "$T/a.folded" "$T/b.folded")"
ok "stack by stack" grep -q -x "sh;main;work 103" "$T/out"

gzip -k "$T/a.folded"
check 0 "a file that is packed" "$PMUTRACE" report -q -f folded "$T/a.folded.gz"
sort "$T/out" >"$T/got"
ok "is the same" cmp "$T/want" "$T/got"
check 0 "stdin" sh -c '"$PMUTRACE" report -q -f folded - <"$1"' sh "$T/a.folded"
sort "$T/out" >"$T/got"
ok "is the same" cmp "$T/want" "$T/got"
check 0 "a pipe" sh -c 'zcat "$1" | "$PMUTRACE" report -q -f folded -' sh "$T/a.folded.gz"
sort "$T/out" >"$T/got"
ok "is the same" cmp "$T/want" "$T/got"
mkfifo "$T/fifo"
cat "$T/a.folded" >"$T/fifo" &
check 0 "a pipe by its name" timeout 20 "$PMUTRACE" report -q -f folded "$T/fifo"
sort "$T/out" >"$T/got"
ok "is the same" cmp "$T/want" "$T/got"
head -c 60 "$T/a.folded.gz" >"$T/cut.gz"
run "$PMUTRACE" report -f folded "$T/cut.gz"
says err "a packed file that is cut off is told" "cut.gz.*cut off"

check 0 "samples of commands" "$PMUTRACE" report -f folded --comm '*sh' "$T/a.folded" "$T/b.folded"
ok "are those" equal "$(sum . "$T/out")" "$(sum '^z?sh;' "$T/a.folded" "$T/b.folded")"
says err "how many is told" "111 of 158 samples are selected"
check 0 "samples with a function" "$PMUTRACE" report -q -f folded --focus '^(work|run)$' "$T/a.folded"
ok "are those" equal "$(sum . "$T/out")" "$(sum ';(work|run)' "$T/a.folded")"
check 0 "samples without one" "$PMUTRACE" report -q -f folded --ignore '^vfs_' "$T/a.folded"
ok "are the others" equal "$(sum . "$T/out")" "$(($(sum . "$T/a.folded") - $(sum ';vfs_' "$T/a.folded")))"
# Who calls whom: work twice by main, once by itself.
cat >"$T/calls.folded" <<-'END'
	sh;main;work;leaf 5
	sh;main;work;work;leaf 20
	sh;main;work 3
	sh;main 100
END
check 0 "callers of a function" "$PMUTRACE" report "$T/calls.folded" --callers work
says out "the function" '^work, samples: 3 samples in it, 28 in it and below, 21\.88% of 128$'
says out "its caller" '^ +28 +100\.00 +main$'
says out "itself" '^ +20 +71\.43 +work$'
ok "nothing that it calls" sh -c '! grep -q leaf "$1"' sh "$T/out"
check 0 "callees of a function" "$PMUTRACE" report "$T/calls.folded" --callees work
says out "what it calls" '^ +25 +89\.29 +leaf$'
check 1 "of no such function" "$PMUTRACE" report "$T/calls.folded" --callers worc
says err "which one may be meant is told" "no function is called 'worc'; did you mean work"
check 2 "callers in another format" "$PMUTRACE" report --json "$T/calls.folded" --callers work
check 0 "a selection of nothing" "$PMUTRACE" report --json --focus nosuch "$T/a.folded"
ok "has none" equal "$(kept)" 0

check 0 "stacks without commands" "$PMUTRACE" report -q -f folded --no-comm "$T/b.folded"
ok "are of their file" grep -q -x "b.folded;sh;main;work 100" "$T/out"

(echo "# made by hand" && cat "$T/a.folded" && echo "and so on") >"$T/odd.folded"
check 0 "lines that are no stacks" "$PMUTRACE" report -f folded "$T/odd.folded"
says err "are told" "odd.folded: 2 lines are no stacks, and left out; the first is line 1\$"
ok "and all others are there" equal "$(sum . "$T/out")" 57
check 3 "and are a loss for --strict" "$PMUTRACE" report --strict -q "$T/odd.folded"
check 0 "which others are not" "$PMUTRACE" report --strict -q "$T/a.folded"

# What perf prints of two events: ">" is the tab that frames begin with.
sed 's/^>/\t/' >"$T/p.txt" <<-'END'
	# ========
	# captured on    : Thu Nov 26 11:46:01 2026
	# ========
	#
	python3   41/42    [001] 73307.670903:    1003009 cpu-clock:uhH: 
	>ffffffff8225fd19 irq_enable+0x19 ([kernel.kallsyms])
	>            6241 outer(int, char)+0xd6 (/usr/lib/x86_64-linux-gnu/libouter.so.2)
	>            623e main+0xce (/usr/bin/python3.11)

	python3   41/41    [000] 73307.670904:    1003009 cpu-clock:uhH: 
	>            6249 (anonymous namespace)::inner+0x2 (/usr/lib/x86_64-linux-gnu/libouter.so.2)
	>            6241 outer(int, char)+0x11 (/usr/lib/x86_64-linux-gnu/libouter.so.2)
	>            623e main+0xce (/usr/bin/python3.11)

	nginx: worker   7/7     [000] 73307.670905:    1003010 cpu-clock:uhH: 
	>            6241 operator+ (/opt/my (own)/nginx (deleted))

	python3   41/42    [001] 73307.670906:    1003009 cpu-clock:uhH: 
	>ffffffff8225fd29 irq_enable+0x29 ([kernel.kallsyms])
	>            6243 outer(int, char)+0xd8 (/usr/lib/x86_64-linux-gnu/libouter.so.2)
	>            623e main+0xce (/usr/bin/python3.11)

	sh    9/9     [000] 73307.670907:          3 faults: 
	>            1111 read_file (/bin/sh)

END

# folded_by_perl EVENT FILE - its samples, put together by other means
folded_by_perl() {
	perl -00 -ne '
		BEGIN { $event = shift }
		s/^#.*\n//mg;
		my ($head, @frames) = split /\n/;
		my ($comm, $of) = $head =~ m{^(.*?) +\d+/\d+ .* (\S+): $} or next;
		next if $of ne $event;
		my @stack = map {
			my ($at, $name) = m{^\t *(\S+) (.*?)(?:\+0x[0-9a-f]+)? \([/[].*\)$} or die $_;
			$name . ($at =~ /^f{8}/ ? "_[k]" : "");
		} @frames;
		$n{join ";", $comm, reverse @stack}++;
		END { print "$_ $n{$_}\n" for keys %n }' "$@" | sort
}

check 0 "a text of perf script" "$PMUTRACE" report "$T/p.txt"
says out "its first event" "^cpu-clock:uhH: 4 samples\$"
says out "and the other" "^faults: 1 samples?\$"
says out "a kernel function" "^ +2 +50.00 +2 +50.00 +irq_enable \[k\] +kernel\$"
says out "and one of a library" "^ +0 +0.00 +3 +75.00 +outer\(int, char\) +libouter.so.2\$"
silent err "there is nothing else to tell"
check 0 "folded" "$PMUTRACE" report -q -f folded "$T/p.txt"
sort "$T/out" >"$T/got"
folded_by_perl cpu-clock:uhH "$T/p.txt" >"$T/want"
ok "its stacks are those that perl finds" cmp "$T/want" "$T/got"
ok "all of them" equal "$(sum . "$T/want")" 4
check 0 "the other event, of stdin" sh -c '"$PMUTRACE" report -q -f folded --event faults - <"$1"' sh "$T/p.txt"
ok "has its own stack" equal "$(cat "$T/out")" "sh;read_file 1"
check 0 "its table" "$PMUTRACE" report -q --event faults "$T/p.txt"
says out "is of it" "^faults: 1 samples?\$"
ok "alone" sh -c '! grep cpu-clock "$1"' sh "$T/out"
check 0 "callers" "$PMUTRACE" report -q --callers read_file --event faults "$T/p.txt"
ok "are, too" equal "$(grep -c 'cpu-clock' "$T/out")-$(grep -c 'faults' "$T/out")" 0-1
check 0 "JSON" "$PMUTRACE" report --json -q "$T/p.txt"
ok "has what samples stand for" equal "$(json "$T/out" 'join " ", map { "$_->{event} $_->{value}$_->{unit}" } @{$d->{events}}')" \
	"cpu-clock:uhH 4012037ns faults 3"
ok "has processes, threads and CPUs" equal "$(json "$T/out" 'join " ", sort map { join ",", @{$_->{key}}{"pid", "tid", "cpu"} } @{$d->{rows}}')" \
	"41,41,0 41,42,1 7,7,0 9,9,0"
check 0 "with folded stacks" "$PMUTRACE" report --json -q "$T/a.folded" "$T/p.txt"
ok "samples are of three events" equal "$(json "$T/out" 'join " ", map { "$_->{event} $_->{value}" } @{$d->{events}}')" \
	"samples 57 cpu-clock:uhH 4 faults 1"
check 0 "which tell no weights" "$PMUTRACE" report "$T/a.folded" "$T/p.txt"
ok "is nothing to a table" sh -c '! grep "what a sample stands for" "$1"' sh "$T/err"
check 0 "JSON has none then" "$PMUTRACE" report --json "$T/a.folded" "$T/p.txt"
says err "and that is told" "not all files tell what a sample stands for"
: >"$T/empty"
check 1 "an empty file" "$PMUTRACE" report "$T/empty"
says err "is called so" "empty is empty\$"
"$PMUTRACE" report -q "$T/a.folded" -o "$T/a.pmut"
cat "$T/a.pmut" "$T/a.pmut" >"$T/twice.pmut"
check 3 "a capture with something behind it" "$PMUTRACE" report --strict "$T/twice.pmut"
says err "which is told" "twice.pmut: what is behind its end is left out"
check 0 "a whole one" "$PMUTRACE" report --strict "$T/a.pmut"
(cat "$T/p.txt" && echo "[ perf record: Captured and wrote 0.1 MB ]") >"$T/noise.txt"
check 3 "a line that is of no sample is a loss for --strict" "$PMUTRACE" report --strict "$T/noise.txt"
says err "and told" "noise.txt: 1 lines are no stacks, and left out; the first is line 26\$"

check 2 "no file" "$PMUTRACE" report
says err "is told what to do" "report of which file\? '-' is stdin"
check 2 "a command" "$PMUTRACE" report "$T/a.folded" -- ls
check 2 "a pattern that is none" "$PMUTRACE" report --focus 'a(' "$T/a.folded"
says err "is told" "--focus 'a\(' is no extended regular expression"
check 2 "an event that is not there" "$PMUTRACE" report --event cycles "$T/a.folded"
check 1 "no such file" "$PMUTRACE" report "$T/nosuch"
says err "is told" "cannot read '.*/nosuch': No such file"
check 1 "a directory" "$PMUTRACE" report "$T"
check 1 "a device" timeout 20 "$PMUTRACE" report /dev/zero
check 1 "an empty file" "$PMUTRACE" report /dev/null
: >"$T/empty"
check 1 "an empty file" "$PMUTRACE" report "$T/empty"
says err "has no stacks" "empty is empty"
check 1 "a program" "$PMUTRACE" report "$PMUTRACE"
says err "is none, whatever some of its lines look like" "is no file of folded stacks"
check 1 "a full disk" sh -c '"$PMUTRACE" report -f folded "$1" >/dev/full' sh "$T/a.folded"

# A line on the terminal of what takes longer than half a second: here a pipe that does.
perl -ne 'print $_ x 2000' "$T/a.folded" >"$T/many"
cat >"$T/slow" <<-END
	(cat "$T/many"; sleep 0.8; cat "$T/many"; sleep 0.3; cat "$T/many") |
		"$PMUTRACE" report \$1 -o "$T/slow.folded" -
END
script -qec "sh $T/slow" "$T/seen" >/dev/null
ok "a terminal tells what is read for long" grep -q "reading stdin: 0.[1-9] MB" "$T/seen"
ok "and then it is gone" sh -c "tr '\\r' '\\n' <'$T/seen' | grep -A 1 'reading stdin' | tail -n 1 | grep -q '^.\[K'"
script -qec "sh $T/slow -q" "$T/seen" >/dev/null
ok "not with -q" sh -c "! grep -q reading '$T/seen'"
ok "all of it was read" equal "$(folded_sum "$T/slow.folded")" $((6000 * $(folded_sum "$T/a.folded")))

# A part is handed on: nothing of the rest is in it.
printf 'sh;main;shown 3\nnode;secret_function 4\n' >"$T/rest.folded"
check 0 "a part" "$PMUTRACE" report -q --comm sh -o "$T/p.html" -o "$T/p.speedscope.json" -o "$T/p.pb.gz" "$T/rest.folded"
gunzip <"$T/p.pb.gz" >"$T/p.pb"
for file in "$T/p.html" "$T/p.speedscope.json" "$T/p.pb"; do
	ok "$(basename "$file") has its functions" grep -a -q shown "$file"
	ok "and no names of the rest" sh -c '! grep -a secret_function "$1"' sh "$file"
done
