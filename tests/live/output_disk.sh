#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A disk that is full while results come: the file ends with a whole line or interval, the rest is
# elsewhere, nothing is missing between, and the run has failed. In a mount namespace of its own.
if [ "${IN_NAMESPACE-}" != yes ] && unshare -m true 2>/dev/null; then
	IN_NAMESPACE=yes exec unshare -m sh "$0"
fi
. "$(dirname "$0")/../lib.sh"
need_bpf
[ "${IN_NAMESPACE-}" = yes ] || skip_all "no-unshare: mount namespaces are not permitted"

mkdir "$T/disk" "$T/rescue"
mount -t tmpfs -o size=8k tmpfs "$T/disk" || skip_all "no-tmpfs: it cannot be mounted"
cleanup() {
	umount "$T/disk"
	end_test
}
trap cleanup EXIT
export TMPDIR="$T/rescue"

# 3000 calls in three seconds, and some 150 intervals of 100 bytes: twice what there is room for.
calls="uprobe:$PROG/touch:touch_page"
touching="$PROG/touch -n 3000 -k 8 -u 1000"

# begin - with an empty disk
begin() {
	rm -f "$T"/disk/* "$T"/rescue/*
}

# filled - as many bytes as are on the disk at least when the next line found no room: half of it, less
# when $rest has lines that are longer than that (one has many rows when the stacks vary)
filled() {
	case $rest in
	*.top) echo 4096 ;;
	*) awk '{ n = length + 1; if (n > longest) longest = n }
		END { print (longest > 4096 ? 8192 - longest : 4096) }' "$rest" ;;
	esac
}

# rescued NAME FILE ENDING - what all of these have in common; the rest is in $rest
rescued() {
	ok "$1: the run has failed" equal "$status" 1
	says err "$1: and says why, and where the rest is" \
		"^pmutrace: cannot .* $2: No space left on device; .* $T/rescue/pmutrace-......$3\$"
	rest=$(echo "$T"/rescue/*"$3")
	ok "$1: the disk was full" between "$(filled)" "$(cat "$T"/disk/* | wc -c)" 8192
}

# whole_lines NAME FILE SUM - of both, all whole: nothing is missing
whole_lines() {
	ok "$1: it ends with a whole line" equal "$(tail -c 1 "$2" | od -An -tx1)" " 0a"
	ok "$1: both together are all" equal "$(cat "$2" "$rest" | eval "$3")" 3000
}

# in_column N - of CSV with the fields that its header has, the sum
in_column() {
	awk -F, -v n="$1" 'NR == 1 { nf = NF } NR > 1 { sum += $n }
		NF != nf { print "cut off:", $0 } END { print sum }'
}

# of_json EXPR - an object a line; the sum
of_json() {
	perl -MJSON::PP -MList::Util=sum0 -ne '
		BEGIN { $expr = shift }
		$d = decode_json($_);
		$sum += eval $expr;
		END { print $sum + 0, "\n" }' "$1"
}

# intervals FILE - of a recording
intervals() {
	"$PMUTRACE" top -b -q --replay "$1" --json >"$T/replayed" && wc -l <"$T/replayed"
}

plan 37
begin
# shellcheck disable=SC2086
run "$PMUTRACE" stat -e "$calls" -I 20 -o "$T/disk/a.csv" -- $touching
rescued "stat, csv" "$T/disk/a.csv" .csv
whole_lines "stat, csv" "$T/disk/a.csv" 'in_column 6'
begin
# shellcheck disable=SC2086
run "$PMUTRACE" count "$calls" --by comm,ustack -q -I 20 -o "$T/disk/a.json" -- $touching
rescued "count, json" "$T/disk/a.json" .json
whole_lines "count, json" "$T/disk/a.json" "of_json 'sum0 map { values %{\$_->{values}} } @{\$d->{rows}}'"
begin
# shellcheck disable=SC2016,SC2086
run sh -c 'exec "$PMUTRACE" stat -I 20 -f json -o - -e "$@" >"$T/disk/a.json"' - "$calls" -- $touching
rescued "stdout, json" stdout .json
whole_lines "stdout, json" "$T/disk/a.json" "of_json '\$d->{events}[0]{raw}'"
begin
run "$PMUTRACE" top -b -n 100 -d 0.02 --csv -o "$T/disk/a.csv"
rescued "top, csv" "$T/disk/a.csv" .csv
ok "top, csv: it ends with a whole line" equal "$(tail -c 1 "$T/disk/a.csv" | od -An -tx1)" " 0a"
ok "top, csv: both together are all" equal \
	"$(cat "$T/disk/a.csv" "$rest" | sed 1d | cut -d, -f1 | uniq | sort -n | uniq | wc -l)" 100

# A recording: what is there and what follows can each be read to its end.
begin
run "$PMUTRACE" top -b -q -n 30 -d 0.05 --record "$T/disk/a.top"
rescued "recording" "$T/disk/a.top" .top
first=$(intervals "$T/disk/a.top")
ok "recording: some intervals" between 1 "$first" 29
ok "recording: the others" equal "$(intervals "$rest")" $((30 - first))

# In one go: the disk has room for nothing of it, and what it had is still there.
begin
echo old >"$T/disk/a.json"
head -c 4k /dev/zero >"$T/disk/filled"
run "$PMUTRACE" profile -e cpu-clock -F 997 -q -o "$T/disk/a.json" -- "$PROG/burn" -s 0.3
rescued "in one go" "$T/disk/a.json" .json
ok "in one go: what was there is" equal "$(cat "$T/disk/a.json")" old
ok "in one go: all is there" between 150 "$(json "$rest" '$d->{kept}')" 400

# A second disk that is full: the run ends, and says so.
begin
export TMPDIR="$T/disk"
# shellcheck disable=SC2086
run "$PMUTRACE" stat -e "$calls" -I 20 -o "$T/disk/a.csv" -- $touching
ok "no room anywhere: the run has failed" equal "$status" 1
says err "and says so" "cannot write $T/disk/a.csv: No space left on device; what was to come is lost"
ok "and leaves nothing else" equal "$(ls "$T/disk")" a.csv

# Nobody has asked for the second place to be filled: when it has 64 MiB the run ends.
begin
export TMPDIR="$T/rescue"
"$PMUTRACE" stat -e dummy -q -I 20 -f csv -o /dev/full -- sleep 60 2>"$T/err" >"$T/out" &
running=$!
all_started="$all_started $running"
within 20 sh -c '[ -s "$T"/rescue/*.csv ]'
truncate -s 64M "$T"/rescue/*.csv
wait "$running"
ok "an endless rest: the run has failed" equal $? 1
forget "$running"
says err "and says so" "cannot write $T/rescue/pmutrace-.*: File too large; what was to come is lost"

# A file that is mounted cannot be replaced.
: >"$T/mounted.json"
: >"$T/place.json"
mount --bind "$T/mounted.json" "$T/place.json"
check 0 "a file that is mounted" "$PMUTRACE" stat -e dummy -o "$T/place.json" -- true
umount "$T/place.json"
ok "is written" grep -q dummy "$T/mounted.json"
