#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# top --by function: each table has the samples of its own interval, of what was asked for, and the
# program does not grow with the number of tables.
. "$(dirname "$0")/../lib.sh"
need_bpf

# top ARGS.. - tables of functions, all their rows, at a rate that is high enough for shares
top() {
	run "$PMUTRACE" top -b --by function -e cpu-clock -F 997 --rows 100000 "$@"
}

# column FUNCTION N - of the tables in $T/out: the sum of a column of one function's rows
column() {
	awk -v name="$1" -v n="$2" '$5 == name { sum += $n } END { print sum + 0 }' "$T/out"
}

# seen - samples of all tables, by their headlines
seen() {
	awk '/ samples, .* on .* CPU/ { sum += $2 } END { print sum + 0 }' "$T/out"
}

# samples_of FUNCTION - samples of the stacks that end in it, of the last object
samples_of() {
	json "$T/last.json" "sum0 map { \$_->{values}{'cpu-clock'} } grep { \$_->{key}{stack}[-1] eq '$1' } @{\$d->{rows}}"
}
# pids - of its rows, each once
pids() {
	json "$T/last.json" 'join ",", grep { !$seen{$_}++ } map { $_->{key}{pid} } @{$d->{rows}}'
}
# rows_sum - samples of all functions, by their rows; kept - by the lines behind the tables
rows_sum() {
	awk '$1 ~ /^[0-9]+$/ && NF >= 5 { n += $1 } END { print n }' "$T/out"
}
kept() {
	awk '/^samples: / { n += $4 } END { print n }' "$T/out"
}
# most_samples - that all the tables can have: 1.1 times what their time holds
most_samples() {
	awk '/ samples, / { sub(",", "", $4); s += $4 } END { printf "%d", s * 997 * 1.1 }' "$T/out"
}

tables() {
	grep -c '  FUNCTION  ' "$1"
}

cgroup2=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
cgroup=pmutrace-test.$$

plan 40
start "$PROG/burn" -s 1000
burn=$started
# shellcheck disable=SC2016 # that shell's $0
start sh -c 'while :; do "$0" -n 4000000000; done' "$PROG/loop"
loop=$started

top -n 3 -d 1 -p "$burn"
ok "measured" test "$status" = 0
ok "a table for each interval" equal "$(tables "$T/out")" 3
all=$(seen)
ok "30 % in burn_30" is_share "$(column burn_30 1)" "$all" 30
ok "70 % in burn_70" is_share "$(column burn_70 1)" "$all" 70
ok "all of it below work" between $((all * 97 / 100)) "$(column work 3)" "$all"
ok "the functions' own samples are all there are" equal "$(rows_sum)" "$all"
ok "as many as are kept" equal "$(kept)" "$all"
ok "another process's functions are not there" sh -c "! grep -q ' loop_work ' '$T/out'"
says out "where they are from" ' burn_70  *burn$'

top -n 1 -d 0.7
ok "without -p: both programs'" test "$(column burn_70 1)" -gt 0
ok "with the other's" test "$(column loop_work 1)" -gt 0
top -n 1 -d 0.7 --comm 'lo*'
ok "of one command" test "$(column loop_work 1)" -gt 0
ok "of no other" equal "$(column burn_70 1)" 0

# Cgroups by pattern: all that there are, those below them too. One of the two is empty.
if [ -n "$cgroup2" ] && mkdir "$cgroup2/$cgroup.a" "$cgroup2/$cgroup.a/in" "$cgroup2/$cgroup.b" 2>/dev/null &&
	echo "$burn" >"$cgroup2/$cgroup.a/in/cgroup.procs"; then
	top -n 1 -d 0.7 -G "$cgroup.*"
	ok "of cgroups by a pattern" test "$(column burn_70 1)" -gt 0
	ok "and of no others" equal "$(column loop_work 1)" 0
	top -n 1 -d 0.7 -G "$cgroup2/$cgroup.?"
	ok "by its whole path" test "$(column burn_70 1)" -gt 0
	top -n 1 -d 0.7 -G "pmutrace-test.*/in"
	ok "of those below a pattern" test "$(column burn_70 1)" -gt 0
	ok "alone" equal "$(column loop_work 1)" 0
	top -n 1 -d 0.7 -G "$(stat -c %i "$cgroup2/$cgroup.a")"
	ok "of one by its number" test "$(column burn_70 1)" -gt 0
	echo "$burn" >"$cgroup2/cgroup.procs"
else
	skip 6 "no-cgroup: no cgroup2 hierarchy that can be written to"
fi
[ -z "$cgroup2" ] || rmdir "$cgroup2/$cgroup.a/in" "$cgroup2/$cgroup.a" "$cgroup2/$cgroup.b" 2>/dev/null
top -n 1 -G "nosuch.$$.*"
ok "a pattern that matches none cannot be measured" equal "$status" 1
says err "and that is told" "no cgroup (matches 'nosuch|2 hierarchy)"

# Each table is of its own interval: none has more than that holds.
top -n 4 -d 0.5 -p "$burn"
ok "no sample is in two tables" between 1 "$(seen)" "$(most_samples)"

# For programs: an object a line, a row for each stack.
top -n 2 -d 1.5 -p "$burn" --json
ok "JSON: two objects" equal "$(wc -l <"$T/out")" 2
tail -n 1 "$T/out" >"$T/last.json"
all=$(json "$T/last.json" '$d->{kept}')
ok "JSON: 30 % in burn_30" is_share "$(samples_of burn_30)" "$all" 30
ok "JSON: of that process" equal "$(pids)" "$burn"
top -n 2 -d 0.4 -p "$burn" --csv
says out "CSV: a header" '^time_ns,comm,pid,tid,cgroup,stack,cpu-clock,'
ok "CSV: only one" equal "$(grep -c ^time_ns "$T/out")" 1

check 2 "columns are for counts" "$PMUTRACE" top -b --by function --columns cache
start "$PROG/burn" -s 3
top -p "$started" -d 0.1
ok "it ends with the process" test "$status" = 0
ok "and with its samples" is_share "$(column burn_30 1)" "$(seen)" 30

stop "$loop"

# Memory: after 20 tables and after 200 more, all of them with code of the kernel, whose names are
# read once.
start dd if=/dev/zero of=/dev/null bs=1M
rss() {
	awk '/^VmRSS:/ { print $2 }' "/proc/$1/status"
}
has_tables() {
	[ "$(tables "$T/many")" -ge "$1" ]
}
freed_is_free
"$PMUTRACE" top -b --by function -e cpu-clock -p "$burn,$started" -d 0.01 >"$T/many" 2>/dev/null &
many=$!
all_started="$all_started $many"
ok "20 tables" within 60 has_tables 20
early=$(rss "$many")
ok "220 tables" within 60 has_tables 220
ok "take no more memory (4 MB)" between 1 "$(rss "$many")" $((early + 4096))
kill -INT "$many"
status=0
wait "$many" || status=$?
ok "Ctrl-C ends it" equal "$status" 0

# Of a program's 100,000 functions with 8 MB of names it takes what their addresses do: 1.6 MB. Not in
# the kernel, whose names may come with the one and not with the other.
start "$PROG/many" -s 1000
of_many=$started
# memory_of PID - in $kb, when some tables of its functions have been shown
memory_of() {
	: >"$T/many"
	"$PMUTRACE" top -b --by function -e cpu-clock:u -p "$1" -d 0.1 >"$T/many" 2>/dev/null &
	many=$!
	all_started="$all_started $many"
	within 60 has_tables 10
	kb=$(rss "$many")
	kill -INT "$many"
	wait "$many"
}
memory_of "$burn"
few=$kb
ok "functions of a large program" memory_of "$of_many"
says many "by name" ' many_spin  *many$'
ok "cost little memory (4 MB)" between 1 "$kb" $((few + 4096))

# What is inlined is a function of its own, unless it is not asked for.
start "$PROG/inlines" 1000
inlines=$started
top -n 2 -d 1 -p "$inlines"
all=$(column outer 3)
ok "inlined functions are marked" between $((all * 90 / 100)) \
	"$(awk '$5 == "inner" && $6 == "[i]" { n += $1 } END { print n + 0 }' "$T/out")" "$all"
ok "there are samples of them" test "$all" -gt 100
# In user mode alone: a sample in an interrupt is none of the function's own.
run "$PMUTRACE" top -b --by function -e cpu-clock:u -F 997 --rows 100000 -n 2 -d 1 -p "$inlines" --no-inline
ok "--no-inline leaves them to the function that they are in" equal \
	"$(column outer 1):$(column inner 1)" "$(column outer 3):0"
