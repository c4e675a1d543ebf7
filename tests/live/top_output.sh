#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What top prints: intervals as tables, JSON and CSV, with the columns and the order asked for.
. "$(dirname "$0")/../lib.sh"
need_bpf

XDG_CONFIG_HOME=$T
export XDG_CONFIG_HOME
mkdir "$T/pmutrace"
cat >"$T/pmutrace/config" <<'END'
share = cpu / 100	# of one CPU
[mine]
share faults page-faults
END

# top ARGS.. - batch mode, 200 ms an interval
top() {
	run "$PMUTRACE" top -b -d 0.2 "$@"
}

# lines EXPR - evaluates a Perl expression on the documents @d, one for each line of $T/out
lines() {
	perl -MJSON::PP -MList::Util=sum0 -e '
		# Of nothing nothing is said.
		sub all(&@) { my $is = shift; List::Util::all { $is->() } @_ and @_ > 0 }
		my @d = map { JSON::PP->new->utf8->decode($_) } grep { /\S/ } split /\n/,
			do { local $/; open my $f, "<:raw", $ARGV[0] or die; <$f> };
		my $r = eval $ARGV[1];
		die $@ if $@;
		print defined $r ? $r : "null", "\n";' "$T/out" "$1"
}

# is_true EXPR - of lines
is_true() {
	[ "$(lines "$1")" = 1 ]
}

# What is held of the intervals and their rows.
# have_the_envelope - the keys of every object
have_the_envelope() {
	is_true 'all { join(" ", sort keys %$_) eq
		"at_ns by columns command cpus duration_ns events host kept kernel losses own_bpf_ns " .
		"own_user_ns rows schema seen untold version" } @d'
}
follow_each_other() {
	is_true 'all { $d[$_]{duration_ns} > 0 &&
		$d[$_]{at_ns} > $d[$_ - 1]{at_ns} } 1 .. $#d'
}
seen_is_kept_or_lost() {
	is_true 'all {
		$_->{seen} > 0 && $_->{seen} == $_->{kept} + sum0(values %{$_->{losses}}) } @d'
}
rows_are_whole() {
	is_true 'all { my $d = $_; all {
		join(" ", sort keys %{$_->{key}}) eq "comm pid" &&
		join(" ", sort keys %{$_->{values}}) eq join(" ", sort map { $_->{name} } @{$d->{columns}})
		} @{$d->{rows}} } @d'
}
fall_by_cpu() {
	is_true 'all { my $r = $_->{rows}; all {
		$r->[$_ - 1]{values}{cpu} >= $r->[$_]{values}{cpu} } 1 .. $#$r } @d'
}
# ended_are_gone - who has ended in the first interval is not in the third.
# What runs between an interval and the look at who has ended is in the next one.
ended_are_gone() {
	is_true 'my %ended = map { $_->{key}{pid} => 1 }
		grep { $_->{exited} } @{$d[0]{rows}}; !grep { $ended{$_->{key}{pid}} } @{$d[2]{rows}}'
}
ended_have_the_parent() {
	is_true 'all { defined $_->{parent} && $_->{parent} == '"$forks"' }
		grep { $_->{exited} && $_->{key}{comm} eq "true" } map { @{$_->{rows}} } @d'
}
# One that ran just when top looked is known, and may end in the same interval.
ended_are_nobodys() {
	is_true 'my @ended = grep { $_->{exited} && $_->{key}{comm} eq "true" } map { @{$_->{rows}} } @d;
		my @known = grep { defined $_->{uid} || defined $_->{command} || defined $_->{user} } @ended;
		@known <= @d && @known < @ended'
}
formulas_hold() {
	is_true 'all { my $v = $_->{values};
		$v->{"2 * page-faults"} == 2 * $v->{"page-faults"} } @{$d[0]{rows}}'
}
rows_add_up() {
	is_true 'my %t = map { $_->{event} => $_->{value} } @{$d[0]{events}};
		$t{"page-faults"} == sum0(map { $_->{values}{"page-faults"} } @{$d[0]{rows}})'
}
fall_by_minor() {
	is_true 'my @v = map { $_->{values}{minor} } @{$d[0]{rows}};
		@v > 1 && all { $v[$_] >= $v[$_ + 1] } 0 .. $#v - 1'
}
unknown_is_last() {
	is_true 'my @v = map { $_->{values}{slice} } @{$d[0]{rows}};
		my $known = grep { defined } @v; $known && all { defined $v[$_] } 0 .. $known - 1'
}
set_is_computed() {
	is_true 'all { my $v = $_->{values}; $v->{share} <= 1.5 * $d[0]{cpus} &&
		$v->{faults} == $v->{"page-faults"} && $v->{tasks} >= 1 } @{$d[0]{rows}}'
}
# json_as_csv - the rows, a line each
json_as_csv() {
	lines 'join "", map { my $d = $_; map { my $r = $_; join(",", $d->{at_ns}, $d->{duration_ns},
		@{$r->{key}}{qw(tid pid comm)}, $r->{exited} ? 1 : 0,
		map { defined $_ ? sprintf("%.15g", $_) : "-" } @{$r->{values}}{"cpu", "switches", "slice", "faults / 0"}
		) . "\n" } @{$d->{rows}} } @d' | sed '/^$/d'
}

start sh -c 'while :; do /bin/true; sleep 0.02; done'
forks=$started

plan 63
top -n 3 --json
ok "JSON" equal "$status" 0
ok "an object for each interval" equal "$(lines 'scalar @d')" 3
ok "each with the envelope" have_the_envelope
ok "schema and command" is_true 'all { $_->{schema} == 1 && $_->{command} eq "top" } @d'
ok "intervals follow each other" follow_each_other
ok "what was seen was kept or lost" seen_is_kept_or_lost
ok "rows have keys and a value of each column" rows_are_whole
ok "sorted by CPU time" fall_by_cpu
ok "who has ended is marked" is_true '0 < grep { $_->{exited} } map { @{$_->{rows}} } @d'
ok "and gone two intervals later" ended_are_gone

# The same interval by two writers.
top -n 2 -o "$T/r.json" -o "$T/r.csv" --columns 'cpu,switches,slice,faults / 0' \
	--by thread
ok "several files" equal "$status" 0
silent out "nothing on stdout then"
cp "$T/r.json" "$T/out"
json_as_csv >"$T/from_json"
tail -n +2 "$T/r.csv" | tr -d '"' >"$T/from_csv"
ok "CSV has the numbers of JSON" equal "$(cat "$T/from_json")" "$(cat "$T/from_csv")"
ok "with one header" equal "$(grep -c at_ns "$T/r.csv")" 1
ok "which has the columns" grep -q -x \
	'at_ns,duration_ns,tid,pid,comm,exited,cpu,switches,slice,faults / 0' "$T/r.csv"
ok "there are rows" test -s "$T/from_csv"
ok "and what is not known" grep -q -e ',-$' "$T/from_csv"

top -n 2 --rows 3
ok "tables" equal "$status" 0
ok "one for each interval" equal "$(grep -c '^ *PID ' "$T/out")" 2
says out "with a first line" '^20[0-9-]+ [0-9:]+  [0-9.]+m?s  [0-9]+ CPUs? [0-9.]+% busy  own [0-9.]+%$'
ok "and 3 rows each" equal "$(grep -c -E '^ *[0-9]+  +[0-9.]+ ' "$T/out")" 6
top -n 1 --by cpu --columns cpu --sort cpu -r --csv
ok "--by cpu has a row for each" equal "$(tail -n +2 "$T/out" | wc -l)" "$(nproc)"
ok "smallest first" sh -c 'tail -n +2 "$1" | cut -d, -f5 | sort -c -g' - "$T/out"
top -n 1 --by cgroup --json
ok "--by cgroup" is_true 'all { exists $_->{key}{cgroup_id} } @{$d[0]{rows}}'

# Those that had ended before anybody looked: who has started them the kernel has told.
top -n 3 --json
ok "who has ended is a child of its parent" ended_have_the_parent
ok "and nobody knows whose it was, but for those that ran at a look" ended_are_nobodys

# Events and columns.
top -n 1 -e minor-faults --json
ok "an event of -e has a column" is_true 'grep { $_->{name} eq "minor-faults" } @{$d[0]{columns}}'
ok "beside those of the default" is_true 'grep { $_->{name} eq "switches" } @{$d[0]{columns}}'
ok "and no column is there without an event" is_true 'all { !exists $_->{why} } @{$d[0]{columns}}'
top -n 1 -e page-faults,minor-faults,major-faults --json \
	--columns 'page-faults,minor-faults,2 * page-faults,page-faults / time * interval' --sort page-faults
ok "formulas" formulas_hold
ok "rows add up to the totals" rows_add_up
top -n 1 --columns cpu --sort slice --json
ok "what is sorted by is shown" is_true 'join(",", map { $_->{name} } @{$d[0]{columns}}) eq "cpu,slice"'
top -n 1 --sort minor --json
ok "with its events" is_true '$d[0]{columns}[-1]{name} eq "minor" &&
	grep { $_->{event} eq "minor-faults" } @{$d[0]{events}}'
ok "and sorted by it" fall_by_minor
top -n 1 --columns cpu --sort slice --json
ok "what is not known is last" unknown_is_last
top -n 1 --columns mine,tasks --json
ok "a set of the user's" is_true 'join(",", map { $_->{name} } @{$d[0]{columns}}) eq
	"share,faults,page-faults,tasks"'
ok "which brings its events" is_true '@{$d[0]{events}} == 1 && $d[0]{events}[0]{event} eq "page-faults"'
ok "and is computed" set_is_computed

# One interval takes longer than it should: there are as many all the same, and none is empty.
# late ARGS.. - the second interval of three
late() {
	"$PMUTRACE" top -b -n 3 -d 1 --json "$@" >"$T/out" 2>"$T/err" &
	sleep 1.5
	kill -s STOP $!
	sleep 3.2
	kill -s CONT $!
	wait $!
}
late
ok "a late interval is one of those asked for" equal "$(lines 'scalar @d')" 3
ok "and those behind it are as long as others" is_true 'all { $_->{duration_ns} > 0.67e9 } @d'
late --by function -e cpu-clock
ok "also of functions" equal "$(lines 'join " ", map { $_->{duration_ns} > 0.67e9 } @d')" "1 1 1"

# The same interval twice: all rows in a table too, if they are asked for.
start "$PROG/crowd" -n 60 -i 200
top -d 1 -n 1 --json --record "$T/rows"
stop "$started"
rows=$(lines 'scalar @{$d[0]{rows}}')
[ "$rows" -gt 40 ]
point $? "an interval of $rows processes"
run "$PMUTRACE" top -b -n 1 --replay "$T/rows"
ok "a table has 40" equal "$(grep -cE '^ *[0-9]+ +[0-9.]+ ' "$T/out")" 40
run "$PMUTRACE" top -b -n 1 --replay "$T/rows" --rows all
ok "or all" equal "$(grep -cE '^ *[0-9]+ +[0-9.]+ ' "$T/out")" "$rows"
run "$PMUTRACE" top -b -n 1 --replay "$T/rows" --rows all --json
ok "as JSON has them" equal "$(lines 'scalar @{$d[0]{rows}}')" "$rows"

# uncountable - prints an event that this machine cannot count; PMUs know few of these
uncountable() {
	for event in cycles node-prefetch-misses dTLB-prefetch-misses L1-icache-prefetch-misses; do
		"$PMUTRACE" stat -q --strict -e "$event" -- true >/dev/null 2>&1 || break
	done
	echo "$event"
}

# A column that cannot be counted, and what that means for the rest.
none=$(uncountable)
top -n 1 -e "$none,page-faults" --json
ok "an event that cannot be counted is no reason to stop" equal "$status" 0
says err "is told" "cannot count '$none'"
ok "and has no value" is_true '$d[0]{events}[0]{state} eq "not-supported" &&
	!defined $d[0]{events}[0]{value} && all { !defined $_->{values}{"'"$none"'"} } @{$d[0]{rows}}'
top -n 1 -e "$none,page-faults" --strict
ok "but a loss with --strict" equal "$status" 3
says out "and in the table" "^not counted: .*'$none'"
top -n 1 --columns "$none"
ok "a set of nothing that can be counted is refused" equal "$status" 1
top -n 1 --sort "'$none'"
ok "nor is there an order by it" equal "$status" 1
says err "with the reason" "rows cannot be sorted by .$none.: .*cannot count '$none'"
top -n 1 -e page-faults --columns "'$none'"
ok "not being among the events of -e" equal "$status" 2
says err "is told from not being counted here" \
	"the event '$none' is not among those that are counted, and could not be: .*cannot count '$none'"
top -n 1 -e page-faults --columns cpu,minor
says err "and from what could be" "'minor-faults' is not among those that are counted\$"
top -n 1 -e page-faults --columns cpu,mynor
says err "and from what nobody knows" "unknown event 'mynor'.*; nor is there a column 'mynor'; did you mean minor"
top -n 1 -e page-faults --record "$T/faults"
run "$PMUTRACE" top -b -n 1 --columns cpu,minor --replay "$T/faults"
says err "nor was it recorded" "in 'minor-faults', column 1: the event 'minor-faults' was not recorded"
run "$PMUTRACE" top -b -n 1 --columns cpu,mynor --replay "$T/faults"
says err "of a recording, too, a name may be nobody's" "unknown event 'mynor'.*; nor is there a column 'mynor'; did you mean minor"

# One that the kernel refuses, whoever asks: top itself needs no perf event.
run "$PROG/refuse" "$PMUTRACE" top -b -d 0.2 -n 1 -e task-clock,page-faults --json --record "$T/refused"
says err "an event without permission is told" "the kernel refuses 'page-faults' to root too"
ok "and so is its state" is_true '$d[0]{events}[1]{state} eq "no-permission" &&
	!defined $d[0]{events}[1]{value} && $d[0]{events}[0]{state} eq "counted"'
run "$PMUTRACE" top -b -n 1 --json --replay "$T/refused"
ok "also of a recording" is_true '$d[0]{events}[1]{state} eq "no-permission"'
top -n 1 -o /dev/full
ok "a full disk fails" equal "$status" 1
