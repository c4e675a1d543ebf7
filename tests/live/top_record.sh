#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# top --record and --replay: what was printed while recording is printed again, by anybody, from
# whole files and from what is left of one; names of processes and cgroups.
. "$(dirname "$0")/../lib.sh"
need_bpf
plan 70

top() {
	run "$PMUTRACE" top -b "$@"
}

# as_nobody ARGS.. - without any privilege, and with the HOME of another user
mkdir -m 700 "$T/home"
as_nobody() {
	run env -u XDG_CONFIG_HOME HOME="$T/home" setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$PMUTRACE" top -b "$@"
}

same() {
	[ "$(cat "$1")" = "$(cat "$2")" ] # cmp is not everywhere
}

cgroup=
burner=
cleanup() {
	end_test
	wait "$burner" 2>/dev/null # a cgroup with somebody in it stays
	[ -z "$cgroup" ] || rmdir "$cgroup"
}
trap cleanup EXIT

# Somebody who is certain to be there: in a container's cgroup, of another user, with arguments.
id=$(printf '0123456789ab%052x' $$)
mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
busy() {
	exec setpriv --reuid=65534 --regid=65534 --clear-groups \
		sh -c 'while :; do :; done' the-busy-one 'with arguments'
}
start busy
burner=$started
if [ -n "$mount" ] && mkdir "$mount/docker-$id.scope" 2>/dev/null; then
	cgroup=$mount/docker-$id.scope
	echo "$burner" >"$cgroup/cgroup.procs"
fi

recording=$T/a.top
check 0 "three intervals are recorded" \
	"$PMUTRACE" top -b -n 3 -d 0.3 --rows 100000 --record "$recording"
cp "$T/out" "$T/printed"
ok "and printed: three tables" equal "$(grep -c 'COMMAND$' "$T/printed")" 3
chmod 644 "$recording"

top --replay "$recording" --rows 100000
ok "the replay prints the same" same "$T/out" "$T/printed"
silent err "without a word"
as_nobody --replay "$recording" --rows 100000
ok "the same as nobody" same "$T/out" "$T/printed"
says err "a file of columns that cannot be read is told" 'home/.config/pmutrace/config cannot be read'
check 0 "one interval of them" "$PMUTRACE" top -b --replay "$recording" -n 1
ok "is one table" equal "$(grep -c 'COMMAND$' "$T/out")" 1

# What fails leaves what was recorded there before.
cp "$recording" "$T/kept.top"
is_kept() {
	equal "$(cksum <"$T/kept.top")" "$(cksum <"$recording")"
}
check 2 "a column that there is not" "$PMUTRACE" top -b -n 1 -d 0.1 --sort ipx --record "$T/kept.top"
ok "the recording stays" is_kept
check 2 "an event that there is not" \
	"$PMUTRACE" top -b --by function -n 1 -d 0.1 -e no-such-event --record "$T/kept.top"
ok "the recording stays" is_kept
check 1 "no such process" "$PMUTRACE" top -b -n 1 -d 0.1 -p 4194304 --record "$T/kept.top"
ok "the recording stays" is_kept
check 0 "what works" "$PMUTRACE" top -b -n 1 -d 0.1 --record "$T/kept.top"
top --replay "$T/kept.top"
ok "takes its place, all of it" equal "$status $(grep -c 'COMMAND$' "$T/out") $(wc -l <"$T/err")" "0 1 0"

# For programs: units too.
for format in json csv; do
	top -n 3 -d 0.3 -e task-clock,major-faults --rows 100000 -f $format --record "$T/$format.top"
	cp "$T/out" "$T/printed.$format"
	as_nobody --rows 100000 -f $format --replay "$T/$format.top"
	ok "as $format, the same as nobody" same "$T/out" "$T/printed.$format"
done
head -n 1 "$T/printed.json" >"$T/first.json"
ok "task-clock has its unit" equal "$(json "$T/first.json" '$d->{events}[0]{unit}')" ns

# crc FILE - as the format has it
crc() {
	gzip -c "$1" | tail -c 8 | head -c 4
}

# with_flags N - the recording with others in its head
with_flags() {
	{
		head -c 16 "$T/csv.top"
		printf '%b\0\0\0' "\\0$1"
	} >"$T/head"
	cat "$T/head"
	crc "$T/head"
	tail -c +25 "$T/csv.top"
}

# Columns are chosen by the PMU of the machine that recorded, whatever it has counted.
header() {
	with_flags "$1" >"$T/other.top"
	top --csv --replay "$T/other.top"
	head -n 1 "$T/out"
}
keys=at_ns,duration_ns,pid,comm,exited
ok "columns of a machine that had a PMU" equal "$(header 1)" \
	"$keys,cpu,switches,task-clock,major-faults"
ok "and of one that had none" equal "$(header 5)" "$keys,cpu,switches,major,task-clock"

# What was not on the table while it was recorded: everything was.
top --replay "$recording" --by thread -n 1
says out "its threads" "^ +$burner +$burner "
top --replay "$recording" --by cpu -n 1 --rows 100000
ok "its CPUs: one for each" equal "$(grep -c '^ *[0-9][0-9]*  ' "$T/out")" \
	"$(nproc)"
top --replay "$recording" --full -p "$burner" -n 1
says out "its command with arguments" "^ +$burner .*  sh -c while :; do :; done the-busy-one with arguments$"
ok "and no other process" equal "$(grep -c '^ *[0-9][0-9]*  ' "$T/out")" 1

json_rows() {
	top --replay "$recording" --json -n 1 "$@"
	cp "$T/out" "$T/rows.json"
}

# row EXPR - of the first one
row() {
	json "$T/rows.json" "\$d->{rows}[0]$1"
}
# keys_of FIELD - of all rows, joined
keys_of() {
	json "$T/rows.json" "join ',', sort map { \$_->{key}{$1} } @{\$d->{rows}}"
}
# nr_rows CONDITION
nr_rows() {
	json "$T/rows.json" "scalar grep { $1 } @{\$d->{rows}}"
}
# other_names - of processes: all but those of two letters that begin with s
other_names() {
	keys_of comm | tr ',' '\n' | grep -cv '^s.$'
}

json_rows -u 65534
ok "-u with a number: the burner is in" equal "$(nr_rows "\$_->{key}{pid} == $burner")" 1
ok "-u: and nobody of another user" equal "$(nr_rows '$_->{uid} != 65534')" 0
json_rows -u "$(id -nu 65534)"
ok "-u with a name" equal "$(nr_rows "\$_->{key}{pid} == $burner")" 1
ok "the user's name" equal "$(row '{user}')" "$(id -nu 65534)"
json_rows -t "$burner"
ok "-t" equal "$(keys_of pid)" "$burner"
ok "its parent" equal "$(row '{parent}')" "$$"
json_rows --comm 's?'
ok "--comm" equal "$(other_names)" 0
json_rows -p 4194304
ok "of nobody there is no row" equal "$(nr_rows 1)" 0

if [ -n "$cgroup" ]; then
	json_rows -p "$burner"
	ok "a container by its cgroup" equal "$(row '{cgroup}')" docker:0123456789ab
	top --replay "$recording" --by cgroup -n 1
	says out "in the view of cgroups too" '  docker:0123456789ab$'
	json_rows --by cgroup -G "docker-*"
	ok "-G with a pattern: its row alone" equal "$(keys_of cgroup)" docker:0123456789ab
	json_rows -G "$(stat -c %i "$cgroup")"
	ok "-G with an id" equal "$(row '{key}{pid}')" "$burner"
else
	skip 4 "no-cgroup2: no cgroup can be made"
fi

# While it is measured, what does not exist is told.
check 1 "-p of no process" "$PMUTRACE" top -b -n 1 -d 0.1 -p 4194304
says err "is told" '^pmutrace: -p: there is no process 4194304'
check 1 "-G of no cgroup" "$PMUTRACE" top -b -n 1 -d 0.1 -G no-such-cgroup
check 2 "-p of no number" "$PMUTRACE" top -b -p x --replay "$recording"
check 0 "-p of one that is there" "$PMUTRACE" top -b -n 1 -d 0.2 -p "$burner" --csv
ok "-p: its row alone" equal "$(sed 1d "$T/out" | cut -d, -f3)" "$burner"

# Cut off in the last interval: the others are there.
size=$(wc -c <"$recording")
head -c $((size - 10)) "$recording" >"$T/cut.top"
top --replay "$T/cut.top" --rows 100000
ok "of a recording that was cut off" equal "$status $(grep -c 'COMMAND$' "$T/out")" "0 2"
says err "that is told" "^pmutrace: $T/cut.top: the last interval is not complete"
lines=$(wc -l <"$T/out")
head -n "$lines" "$T/printed" >"$T/before"
ok "its intervals are the same" same "$T/out" "$T/before"

# A byte of the second interval's stream.
second=$((24 + 32 + $(od -An -tu4 -j28 -N4 "$recording") + 32 + 40))
cp "$recording" "$T/bad.top"
printf '\377\377\377\377' | dd of="$T/bad.top" bs=1 seek=$second conv=notrunc 2>/dev/null
top --replay "$T/bad.top"
ok "of a damaged one the good intervals" equal "$status $(grep -c 'COMMAND$' "$T/out")" "1 2"
says err "and which is damaged" "bad.top: interval 2 of 3 is damaged$"

# A stranger's file: a whole interval, and behind it 50000 that are damaged, 32 bytes each. Going
# back for the names of each would take hours.
printf 'ival\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\377\377\377\377' >"$T/frame"
first=$((24 + 32 + $(od -An -tu4 -j28 -N4 "$recording")))
{
	head -c "$first" "$recording"
	cat "$T/frame"
	crc "$T/frame"
} >"$T/two.top"
perl -0777 -pe '$_ .= substr($_, -32) x 49999' "$T/two.top" >"$T/many.top"
run timeout 20 "$PMUTRACE" top -b --replay "$T/many.top"
ok "behind 64 intervals without names nothing is read, soon" equal \
	"$status $(grep -c 'COMMAND$' "$T/out")" "1 1"
says err "that is told" "many.top: what follows is damaged$"
says err "and the first that is damaged" "many.top: interval 2 of 64 is damaged$"

# Functions: what is sampled is recorded, of an interval that has it.
sampled=$T/functions.top
for format in table csv json; do
	run "$PMUTRACE" top -b -q --by function -e cpu-clock -F 997 -p "$burner" -n 3 -d 0.3 \
		--rows 100000 -f $format --record "$sampled"
	cp "$T/out" "$T/printed.$format"
	as_nobody -q --by function --rows 100000 -f $format --replay "$sampled"
	ok "recorded functions as $format: the same as nobody" same "$T/out" "$T/printed.$format"
done
ok "three intervals" equal "$(wc -l <"$T/printed.json")" 3
head -n 1 "$T/printed.json" >"$T/first.json"
kept=$(json "$T/first.json" '$d->{kept}')
ok "with samples" between 20 "$kept" "$(json "$T/first.json" '$d->{duration_ns} * 997 / 1e9 * 1.1')"
top --by function --replay "$sampled" -n 1 -p 4194304 --json
ok "of another process none" equal "$(json "$T/out" 'scalar @{$d->{rows}}')" 0
top --by function --replay "$sampled" -n 1 -u 65534 --comm 's?' --json
ok "of its user and name all" equal "$(json "$T/out" '$d->{kept}')" "$kept"
check 2 "they are not told apart by cgroup" "$PMUTRACE" top -b --by function --replay "$sampled" -G /
check 2 "nothing was counted there" "$PMUTRACE" top -b --replay "$sampled"
says err "is told" 'nothing was counted, there are functions alone'
check 1 "where nobody looked at functions there are none" \
	"$PMUTRACE" top -b --by function --replay "$recording"
says err "is told" 'no interval has samples: functions were not looked at$'
check 2 "-F is of no use in a replay" "$PMUTRACE" top -b --by function --replay "$sampled" -F 99
check 1 "a full disk for samples" "$PMUTRACE" top -b --by function -n 2 -d 0.1 --record /dev/full

check 1 "another kind of file" "$PMUTRACE" top -b --replay "$0"
says err "is told" "this is no recording of pmutrace top$"
check 1 "a full disk" "$PMUTRACE" top -b -n 2 -d 0.1 --record /dev/full
says err "is told" "^pmutrace: cannot record into /dev/full: No space left on device"
check 2 "-e is of no use in a replay" "$PMUTRACE" top -b --replay "$recording" -e page-faults
