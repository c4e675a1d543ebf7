#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# --tui: a profile on the terminal after its table, of a run and of files; keys from the terminal also
# where stdin is a pipe; files that are written from there hold what the same command writes.
. "$(dirname "$0")/../lib.sh"
need_root
. "$(dirname "$0")/../lib_screen.sh"
trap 'umount "$T/full" 2>/dev/null; tmux kill-server 2>/dev/null; end_test' EXIT
plan 36

cat >"$T/a.folded" <<-'END'
	sh;main;work;leaf 10
	sh;main;work 4
	sh;main;read_[k] 5
	node;run 6
END

# runs WORDS.. - pmutrace in the terminal; its status is in $T/status
runs() {
	keys "clear; $*; echo \$? >$T/status" Enter
}

# ended STATUS
ended() {
	within 10 [ -s "$T/status" ] && [ "$(cat "$T/status")" = "$1" ]
}

terminal TZ=UTC
runs "$PMUTRACE report --tui $T/a.folded"
shows "functions of a file" '^/.*a.folded  25 samples of samples'
ok "the first of them" sees '^ +40.0 +40.0 +10 .* leaf$'
keys Down Down Down Enter
shows "the stacks of one" '^ +56.0 +16.0 +- work$'
keys f
shows "a flame graph of them" '\[flame graph\]'
keys Escape r # all again: it had begun with the function
shows "of callers" 'by callers'
ok "the innermost first" sees '^leaf[^a-z]+read[^a-z]+run[^a-z]+work'
keys W
within 10 sees '^Write this screen to'
keys C-u "$T/x.folded" Enter
shows "a file is written" "^written to $T/x.folded"
ok "it has the same stacks" equal "$(sort "$T/x.folded")" "$(sort "$T/a.folded")"
keys W
within 10 sees '^Write this screen to'
keys C-u "$T/a.folded" Enter
shows "not over one that is there" 'File exists'
mkdir "$T/full" && mount -t tmpfs -o size=4k tmpfs "$T/full"
head -c 4096 /dev/zero >"$T/full/all"
keys W
within 10 sees '^Write this screen to'
keys C-u "$T/full/p.svg" Enter
shows "a full disk is told" 'cannot write .*: No space left on device'
ok "and nothing is left there" equal "$(ls "$T/full")" all
umount "$T/full"
keys F1
shows "help" 'who calls it'
keys Escape
within 10 sees 'by callers'
tmux resize-window -x 40 -y 6
shows "on a small terminal, too" '^leaf'
tmux resize-window -x 80 -y 24
keys q
ok "it ends well" ended 0
shows "the table is there afterwards" '^ +10  40.00 +10  40.00  leaf$'

rm -f "$T/status"
runs "cat $T/a.folded | $PMUTRACE report --tui -"
shows "what came by a pipe" '^stdin  25 samples'
keys Tab
shows "keys are those of the terminal" '\[stacks\]'
keys C-c
ok "Ctrl-C ends it" ended 0
keys "echo be''sides" Enter
shows "the terminal is as it was" '^besides$'

rm -f "$T/status"
runs "$PMUTRACE report --tui $T/a.folded $T/a.folded"
shows "several files" '^2 files  50 samples'
kill -TERM "$(top_pid)"
ok "SIGTERM ends it" ended 0

rm -f "$T/status"
runs "$PMUTRACE profile --tui -e cpu-clock,page-faults --windows 100ms -o $T/w.pmut -- $PROG/burn -s 0.5"
shows "a run, when it has ended" '^profile  [0-9]+ samples of cpu-clock \(E: 1 more event\)'
within 10 sees ' burn_70$'
keys /
within 10 sees '^Search'
keys burn_70 Enter
ok "its functions" within 10 selects ' burn_70$'
keys E
within 10 sees 'page-faults'
keys Down Enter
shows "its other event" '^profile  [0-9]+ samples of page-faults'
keys W
within 10 sees '^Write this screen to'
keys C-u "$T/y.folded" Enter
shows "its stacks are written" "^written to $T/y.folded"
keys q
ok "the command's exit status" ended 0
check 0 "of the capture" "$PMUTRACE" report -q --event page-faults -f folded "$T/w.pmut"
ok "they are those of that event in the capture of that run" equal "$(sort "$T/y.folded")" "$(sort "$T/out")"

rm -f "$T/status"
runs "$PMUTRACE profile -e cpu-clock -- $PROG/burn -s 0.2"
shows "a run without it says that there is one" '^pmutrace: to look at the stacks of a run: --tui; to keep it: -o x.pmut$'
ok "and has ended" ended 0
pm -- "$PROG/burn" -s 0.1
ok "not where the table goes elsewhere" sh -c '! grep -e --tui "$1"' sh "$T/err"

check 2 "no terminal" "$PMUTRACE" report --tui "$T/a.folded"
says err "which is told" '^pmutrace: --tui: the output is no terminal'
rm -f "$T/status"
runs "TERM=dumb $PMUTRACE profile --tui 0.1"
ok "none that can show it: before anything is measured" ended 1
rm -f "$T/status"
runs "$PMUTRACE report --tui --by comm $T/a.folded"
ok "nor rows that have no stacks" ended 2
rm -f "$T/status"
runs "$PMUTRACE report --tui --json $T/a.folded"
ok "nor data in front of it" ended 2
