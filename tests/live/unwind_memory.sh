#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Unwind tables under a ceiling: of programs one after the other all are whole, since the tables of those
# that have ended give way; those in use stay; what has no room is told, and gets it when there is some.
. "$(dirname "$0")/../lib.sh"
need_bpf

plan 26

# The rows of one program take 96 KB, those of the C library some 100 KB: of this size 80 % are for rows.
two_fit=440k
one_fits=340k

# whole FILE PROGRAM PERMILLE - so many of its samples have the chain that it says
whole() {
	n=$(folded_sum "$1" "^$2;(.*;)?spin_rows ")
	[ "$n" -gt 100 ] || { echo "only $n samples of $2" && return 1; }
	between $((n * $3 / 1000)) "$(folded_sum "$1" "^$2;_start;.*;main;outer;middle;spin_rows ")" "$n" && return
	grep "^$2;" "$1" | cut -c1-200 | head -n 5
	return 1
}
# gave_way - how many tables, by the last line of -v
gave_way() {
	sed -n 's/.*unwinding: .* \([0-9]*\) gave way$/\1/p' "$T/err"
}
# copied - how many stacks were copied and unwound by this program, likewise
copied() {
	sed -n 's/.*unwinding: \([0-9]*\) stacks were copied;.*/\1/p' "$T/err"
}
# wrong NAME - samples whose stack has not the chain that it is to have, and is not told to be incomplete
wrong() {
	all=$(folded_sum "$T/$1.folded" '^rows_[0-9];.*spin_rows ')
	right=$(folded_sum "$T/$1.folded" '^rows_[0-9];_start;(__libc[^;]*;|\[[^;]*;|libc_start[^;]*;)*main;outer;middle;spin_rows ')
	told=$(json "$T/$1.json" 'sum0 values %{$d->{incomplete}}')
	echo $((all - right > told ? all - right - told : 0))
}

rows="$PROG/rows_"
run "$PMUTRACE" profile -v -U -F 997 --unwind-mem $two_fit -o "$T/turns.folded" -o "$T/turns.json" -- sh -c "
	'${rows}1' -s 6 & for i in 2 3 4 5 6 2; do '$rows'\$i -s 0.7; done; wait"
ok "six programs in turn, with room for two" equal "$status" 0
ok "the one that runs all the time is whole" whole "$T/turns.folded" rows_1 950
for i in 2 3 4 5 6; do
	ok "program $i is whole" whole "$T/turns.folded" rows_$i 850
done
# A wrong rule leads nowhere: then stacks are copied, and whole all the same.
ok "what has a table is unwound where it is sampled" between 1 "$(copied)" \
	$(($(json "$T/turns.json" '$d->{kept}') / 2))
ok "tables have given way to others" between 4 "$(gave_way)" 20
ok "no stack passes for whole that is not" equal "$(wrong turns)" 0
ok "nothing has been without room" equal "$(grep -c 'had no room' "$T/err")" 0
ok "every sample is counted" equal "$(json "$T/turns.json" '$d->{seen}')" \
	"$(json "$T/turns.json" '$d->{kept} + sum0 values %{$d->{losses}}')"

# All at once: some of them have no room.
run "$PMUTRACE" profile -v -U -F 997 --unwind-mem $one_fits -o "$T/once.folded" -o "$T/once.json" -- sh -c "
	for i in 1 2 3 4; do '$rows'\$i -s 1 & done; wait"
ok "four programs at once, with room for one" equal "$status" 0
says err "it is told that there was no room" 'unwind rules of [0-9]+ files? had no room for some of the time.*--unwind-mem'
ok "no stack passes for whole that is not" equal "$(wrong once)" 0
ok "what is not whole is told" between 100 "$(json "$T/once.json" 'sum0 values %{$d->{incomplete}}')" \
	"$(json "$T/once.json" '$d->{seen}')"
run "$PMUTRACE" profile -v -U -F 997 --unwind-mem $one_fits -o "$T/after.folded" -- sh -c "
	'${rows}1' -s 1 & sleep 0.3; '${rows}2' -s 6; wait"
ok "two programs, with room for one" equal "$status" 0
ok "the first one is whole" whole "$T/after.folded" rows_1 900
ok "the second one is whole when the first one has ended" whole "$T/after.folded" rows_2 300

# One table for the same file, which was mapped before and is mapped again, or is a copy.
cp "${rows}1" "$T/rows_copy"
start "${rows}1" -s 60
before=$started
run "$PMUTRACE" profile -v -U -F 499 -o "$T/copy.folded" -a -- "$T/rows_copy" -s 3
ok "a copy, and the same file before: measured" equal "$status" 0
ok "both are whole: the copy" whole "$T/copy.folded" rows_copy 850
ok "and the other one" whole "$T/copy.folded" rows_1 750
shared=$(sed -n 's/.*unwinding: .*; \([0-9]*\) were shared.*/\1/p' "$T/err")
ok "their tables are one" between 1 "$shared" 100000
kill "$before"

# Next to no room at all.
run "$PMUTRACE" profile -U -F 997 --unwind-mem 20k -o "$T/small.json" -- "${rows}1" -s 0.5
ok "next to no room: it runs on" equal "$status" 0
says err "which is told" 'had no room'
ok "and every sample is counted" equal "$(json "$T/small.json" '$d->{seen}')" \
	"$(json "$T/small.json" '$d->{kept} + sum0 values %{$d->{losses}}')"
