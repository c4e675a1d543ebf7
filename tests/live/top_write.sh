#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The key W of `pmutrace top`: the ending of the file tells the format, as everywhere; what makes no
# sense is refused, and nothing is left of what could not be written.
. "$(dirname "$0")/../lib.sh"
need_root
. "$(dirname "$0")/../lib_screen.sh"
trap 'umount "$T/full" 2>/dev/null; tmux kill-server 2>/dev/null; end_test' EXIT
plan 34

# A process whose name nobody else has, with a function of its own.
ln -s "$PROG/burn" "$T/writes_one"
start "$T/writes_one" -s 1000
one=$started

# begin ARGS..
begin() {
	terminal TZ=UTC
	keys "clear; $PMUTRACE top -d 0.3 -q $*" Enter
}

# write FILE - what is on the screen, into it
write() {
	keys W
	within 10 sees '^Write this screen to'
	keys C-u "$1" Enter
}

# written NAME FILE
written() {
	write "$2"
	shows "$1" "^written to $2"
}

# first_row FILE - of JSON: by what, whose
first_row() {
	json "$1" '"$d->{by} $d->{rows}[0]{key}{pid} $d->{rows}[0]{key}{comm}"'
}

# pids FILE - of its rows, each once
pids() {
	json "$1" 'join " ", keys %{{ map { $_->{key}{pid} => 1 } @{$d->{rows}} }}'
}

begin -p "$one"
within 20 sees "^ +$one "
written "processes: CSV" "$T/p.csv"
ok "a header" sh -c 'head -n 1 "$1" | grep -q "^at_ns,duration_ns,pid,comm,exited,cpu"' sh "$T/p.csv"
ok "and the row" grep -q "^[0-9]*,[0-9]*,$one,writes_one,0,[0-9.]*" "$T/p.csv"
ok "nothing else" [ "$(wc -l <"$T/p.csv")" = 2 ]
written "processes: JSON" "$T/p.json"
ok "an object of the interval" equal "$(first_row "$T/p.json")" "process $one writes_one"
written "processes: text" "$T/p.txt"
ok "as it is seen" grep -q '^\[processes\]  threads' "$T/p.txt"
write "$T/p.svg"
shows "processes: no SVG, but what there is is told" "'.svg' is not for processes, but these are: .txt .json .csv"
write "$T/p.speedscope.json"
shows "nor speedscope's" "'.speedscope.json' is not for processes, but these are: .txt .json .csv"
write "$T/p.png"
shows "nor what nobody knows" "'.png' is not for processes, but these are: .txt .json .csv"
ok "there are no such files" sh -c '! ls "$1"/p.svg "$1"/p.png' sh "$T"
ln -s "$T/elsewhere" "$T/link.csv"
write "$T/link.csv"
shows "not through a link" 'File exists'
ok "nothing is behind it" [ ! -e "$T/elsewhere" ]
mkdir "$T/full" && mount -t tmpfs -o size=4k tmpfs "$T/full"
head -c 4096 /dev/zero >"$T/full/all"
write "$T/full/p.csv"
shows "a full disk is told" 'cannot write .*: No space left on device'
ok "and nothing is left there" [ "$(ls "$T/full")" = all ]
umount "$T/full"
keys q

begin -p "$one" --by function -e cpu-clock -F 997
within 20 sees ' burn_70$'
written "functions: CSV" "$T/f.csv"
ok "its samples" grep -q "writes_one,.*burn_70" "$T/f.csv"
keys Enter
within 10 sees '^ +100\.0 +0\.0  - all'
keys f
within 10 sees ' samples  '
written "stacks: folded" "$T/s.folded"
ok "a line for each" grep -q '^writes_one;.*;burn_70 [1-9][0-9]*$' "$T/s.folded"
written "a flame graph: SVG" "$T/s.svg"
ok "which is one" sh -c 'head -n 2 "$1" | grep -q "<svg " && grep -q "burn_70" "$1"' sh "$T/s.svg"
written "a flame graph: speedscope" "$T/s.speedscope.json"
ok "is one, of these stacks" sh -c 'perl "$TOP/tests/speedscope.pl" "$1" | grep -q "^writes_one;.*;burn_70 [1-9][0-9]*$"' \
	sh "$T/s.speedscope.json"
written "a flame graph: Firefox Profiler" "$T/s.firefox.json"
ok "is one, of these stacks" sh -c 'perl "$TOP/tests/firefox.pl" "$1" | grep -q "^writes_one;.*;burn_70 [1-9][0-9]*$"' \
	sh "$T/s.firefox.json"
written "a flame graph: a page" "$T/s.html"
ok "is one, of these stacks" sh -c 'perl "$TOP/tests/html.pl" "$1" | grep -q "^writes_one;.*;burn_70 [1-9][0-9]*$"' \
	sh "$T/s.html"
written "a flame graph: Perfetto" "$T/s.trace.json"
ok "is one, of these stacks" sh -c 'perl "$TOP/tests/chrome.pl" "$1" | grep -q "^writes_one;.*;burn_70 [1-9][0-9]*$"' \
	sh "$T/s.trace.json"
keys Escape
keys v v
within 10 sees "^ +$one "
keys Enter
within 10 sees "of process $one writes_[o]ne"
keys Enter
within 20 sees ' burn_70$'
written "functions of a thread: SVG" "$T/t.svg"
ok "which tells whose they are" grep -q "<title>.*thread $one writes_one" "$T/t.svg"
written "stacks: JSON" "$T/s.json"
ok "of that process alone" equal "$(pids "$T/s.json")" "$one"
keys q
