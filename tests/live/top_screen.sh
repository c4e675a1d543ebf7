#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The screen of `pmutrace top` in a terminal: tmux presses the keys and says what is to be seen.
# What numbers are is the business of others; here it is what there is, where, and in which order.
. "$(dirname "$0")/../lib.sh"

need_root
. "$(dirname "$0")/../lib_screen.sh"
plan 132

# Two that run all the time, by names that nobody else has: what is searched for is also looked for
# in command lines, so those of this test, tmux's that press keys among them, do not have it in one piece.
spin() {
	ln -s "$(command -v bash)" "$T/$1"
	start "$T/$1" -c 'while :; do :; done'
}
spin spin_one
one=$started
spin spin_two
two=$started

# screen [ENV=..] - top runs in a new terminal, then what it left is in $T/status
screen() {
	terminal "$@"
	keys "clear; stty -g >$T/before; $PMUTRACE top -d 0.3 -q; echo \$? >$T/status; stty -g >$T/after" Enter
	within 20 sees 'spin_[o]ne$'
}

# sorted COLUMN SORT-FLAGS - the rows' numbers in that column of the table are in that order; at
# least 3 of them. COLUMN as it stands in the titles.
sorted() {
	see
	awk -v title="$1" '
		!at && index($0, title) { for (i = 1; i <= NF; i++) if ($i == title) at = i; next }
		at && /^[* ] *[0-9]/ { print $at }' "$T/seen" | grep -v '^-$' |
		sed 's/\.\([0-9]\)k$/.\1e3/; s/k$/e3/; s/M$/e6/' >"$T/numbers"
	[ "$(wc -l <"$T/numbers")" -ge 3 ] && sort "$2" -c "$T/numbers"
}

# rows - how many there are in the table
rows() {
	see
	grep -c '^[* ] *[0-9][0-9]* ' "$T/seen"
}

only_spinners() {
	see
	[ "$(grep -c 'spin[_]' "$T/seen")" -ge 2 ] &&
		[ "$(rows)" = "$(grep -c '^[* ] *[0-9].*spin[_]' "$T/seen")" ]
}

# widest - of the lines seen, in characters
widest() {
	see
	LC_ALL=C.UTF-8 wc -L <"$T/seen"
}

# is_over - the shell is back
is_over() {
	[ -s "$T/after" ]
}

# What is there after top: the terminal's modes and its first screen, without anything on it.
is_as_before() {
	cmp "$T/before" "$T/after" || return 1
	[ "$(tmux display -p '#{alternate_on}#{mouse_any_flag}#{cursor_flag}#{keypad_flag}')" = 0010 ] || return 1
	lacks 'COMMAND|F1Help|CPU|[0-9]m|\?1'
}

# A first look.
screen
shows "the screen comes up" '^ *PID USER.*COMMAND'
shows "a line about the machine" "^pmutrace top  [0-9:]+  in [0-9.]+s  $(uname -n | cut -c1-16).*CPUs$"
shows "a meter for a CPU, with its history" '^0 +\[\|* *[0-9.]+%\].*[▁▂▃▄▅▆▇█]'
shows "what is lost, and what looking costs" '^Lost .*  Own [0-9.]+% of a CPU \(BPF [0-9.]+%, screen [0-9.]+%\)'
shows "the processes that run" 'root .* spin_[o]ne$'
ok "their ids" sees "^ +$one root "

# Order.
ok "sorted by the marked column" within 10 sorted '▼%CPU' -rg
keys '>'
shows "another column is marked" '▼SWITCH'
ok "and sorted by" within 10 sorted '▼SWITCH' -rg
keys I
shows "inverted" '▲SWITCH'
ok "smallest first" within 10 sorted '▲SWITCH' -g
keys I '<'
shows "back" '▼%CPU'
keys F6
shows "a list of what to sort by" '^ *Sort by'
keys Down Enter
shows "taken from the list" '▼SWITCH'
keys '<'

# Filter, search, tags.
keys F4 spi n_ Enter
shows "a filter is told" 'filter: spin[_]'
ok "only what matches is there" within 10 only_spinners
keys Escape
ok "Esc ends it" within 10 sees 'kworker|sh$|rcu|tmux'
keys F3 spin_t wo Enter
ok "search goes there" within 10 selects "^ +$two .*spin_[t]wo"
keys '/' nobody_ has_this Enter
shows "what is not there is told" "no row has 'nobody_has_this'"
ok "and the selection stays" within 10 selects 'spin_[t]wo'
keys Space
shows "a tag" "^\* +$two"
keys U

# Into a process and out again.
keys F3 spin_t wo Enter
within 10 selects 'spin_[t]wo'
keys Enter
shows "Enter: its threads" "\[threads\].*of process $two"
ok "no others" within 10 sees "^ +$two root.*spin_[t]wo"
ok "that is all of them" [ "$(rows)" = 1 ]
keys Enter
shows "Enter: their functions" "\[functions\].*of thread $two"
shows "with samples" '^ +[0-9.]+ +[0-9.]+ +[1-9][0-9]* '
keys u no_such_user Enter
shows "of a user who has none there are none" 'user: no_'
ok "no samples" within 5 sees '^ no samples'
keys u C-u root Enter
shows "his are there" '^ +[0-9.]+ +[0-9.]+ +[1-9][0-9]* '
keys u C-u Enter
keys Enter
shows "Enter: the stacks" 'TOTAL% +SELF% +STACKS'
keys Home
shows "the first row is all of them" '^ +100\.0 +0\.0  - all'
keys F4
shows "they are not filtered" 'this key is not for stacks'
keys '/' spin_t wo Enter
ok "but searched" within 5 selects ' spin_[t]wo'
keys f
shows "as a flame graph" '^ 100.0%  [0-9]+ samples  all|samples  '
keys Escape
keys Escape
keys Escape
keys Escape
ok "Esc: back, on the same row" within 10 selects "^ +$two .*spin_[t]wo"
shows "in the first view" '\[processes\]'

# One that exits while it is looked into.
spin spin_gone
gone=$started
# It is found when an interval has it.
finds_gone() {
	keys F3 spin_g one Enter
	selects "^ +$gone .*spin_[g]one"
}
within 10 finds_gone
keys Enter
shows "who is looked into has a name" "\[threads\].*of process $gone spin_[g]one"
stop "$gone"
shows "that it has exited is told" "^ process $gone spin_[g]one has exited, by [0-9:]+: Esc leads back"
ok "above the table too" sees "of process $gone spin_[g]one \(exited\)"
keys Escape

# Views and pages.
for view in threads cgroups functions CPUs processes; do
	keys v
	within 10 sees "\[$view\]" || echo "$view" >>"$T/no_views"
done
ok "v: all views, one after the other" [ ! -e "$T/no_views" ]
keys V Enter
shows "Enter on a CPU: what runs there" '\[threads\].*on CPU [0-9]'
keys Escape
shows "and back" '\[CPUs\]'
keys v
keys t
shows "a tree" '[├└]─ '
keys t p
shows "whole commands" 'pmutrace-test\.'
keys p t

# One that waits for its child has a row, though it uses nothing, and its branch has a sum.
ln -s "$(command -v bash)" "$T/wait_er"
ln -s "$(command -v bash)" "$T/spin_kid"
# shellcheck disable=SC2016 # that shell's
start env KID="$T/spin_kid" "$T/wait_er" -c 'trap "kill \$!" TERM; "$KID" -c "while :; do :; done" & wait'
waits=$started
tmux resize-window -x 140 -y 60
sleep 0.7 # an interval in which it does nothing
keys F3 spin_k id Enter
shows "a child below one that waits" "^ +$waits root +0\.0 +0 +0 +0 +0 .*[├└]─ wait_[e]r\$"
ok "whose row is its own" within 10 selects '^ +[0-9]+ root +[1-9][0-9.]* .*[├└]─ spin_[k]id$'
shows "keys for it are told" '^F1Help \+Unfold -Fold '
keys -
ok "-: to the parent" within 10 selects "^ +$waits .*wait_[e]r"
keys -
shows "again: it is folded, with the sum" "^ +$waits root +[1-9][0-9.]* .*[├└]─ \+ wait_[e]r \(1 below\)\$"
ok "the child is in it" lacks 'spin_[k]id'
keys +
shows "+: and unfolded" '[├└]─ spin_[k]id$'
stop "$waits"
tmux resize-window -x 80 -y 24
keys t h
shows "help" '^  F1 h \? +this help'
keys q F2
shows "columns" '^ \[x\] cpu '
if "$PMUTRACE" stat -q --strict -e '{cycles,instructions}' -o "$T/pmu.json" -- true 2>/dev/null; then
	ipc='Instructions per cycle'
else
	ipc="not here: this machine cannot count 'instructions'"
fi
ok "each with what it is, or why it cannot be" sees "^ \\[.\\] ipc +$ipc"
keys Escape

# Time stands still.
keys Z
shows "paused" '\[processes\].*paused'
see
cp "$T/seen" "$T/paused"
sleep 1
see
ok "nothing changes then" cmp "$T/paused" "$T/seen"
keys Z
ok "and goes on" within 10 lacks paused

# Sizes.
tmux resize-window -x 40 -y 10
shows "40x10: a table, and how many columns have no room" '^ +PID +▼%CPU.*COM.* …2$'
ok "rows too" [ "$(rows)" -ge 3 ]
ok "nothing is wider" [ "$(widest)" -le 40 ]
tmux resize-window -x 250 -y 60
ok "250x60: room for more" within 10 sees '^F1Help.*qQuit'
tmux resize-window -x 80 -y 24
within 10 sees 'USER'

# To a file.
keys Home
within 10 sees 'spin_[o]ne'
keys W
within 10 sees 'Write this screen to'
keys C-u "$T/page" Enter
shows "written" "written to $T/page"
ok "the screen is in the file" grep -q 'spin_[o]ne' "$T/page"
keys W C-u "$T/page" Enter
shows "but not over what is there" 'File exists'

# The end, by any means: the terminal is as it was.
keys q
within 10 is_over
ok "q: as before" is_as_before
ok "and all is well" grep -q '^0$' "$T/status"
for signal in INT QUIT TERM SEGV ABRT; do
	screen
	case $signal in
	INT) keys C-c ;;
	QUIT) keys "C-\\" ;; # next to a key of ours: the filter's
	*) kill "-$signal" "$(top_pid)" ;;
	esac
	within 10 is_over
	ok "$signal: as before" is_as_before
	[ "$signal" != QUIT ] || ok "QUIT: it died of that" grep -q '^131$' "$T/status"
done
screen
keys C-z
within 10 sees 'Stopped'
ok "Ctrl-Z: the shell has the terminal" [ "$(tmux display -p '#{alternate_on}#{mouse_any_flag}')" = 00 ]
# The shell has gone on with what comes behind it.
within 10 is_over
rm -f "$T/after"
keys "clear; fg; stty -g >$T/after" Enter
ok "fg: the screen again" within 10 sees 'COMMAND'
keys q
within 10 is_over
ok "and its end" is_as_before

# Other terminals.
screen NO_COLOR=1
ok "NO_COLOR: no colours" [ "$(tmux capture-pane -e -p | grep -c "$(printf '\033')\[[0-9;]*[34][0-7]m")" = 0 ]
ok "but the selection is seen" [ "$(tmux capture-pane -e -p | grep -c "$(printf '\033')\[[0-9;]*7m")" -ge 2 ]
screen LC_ALL=C
shows "not UTF-8: ASCII" 'v%CPU'
ok "and nothing else" sh -c '! LC_ALL=C grep -q "[^ -~]" "$1"' sh "$T/seen"
# A click into the title of %CPU, which inverts it: button, column and line, from 33 on.
tmux send-keys -l "$(printf '\033[M %b%b' "\\$(printf %o $((32 + 24)))" "\\$(printf %o $((32 + 6)))")"
shows "a click into a title" '\^%CPU'
keys q
within 10 is_over

# A recording, its fourth interval damaged: a byte of its stream.
bytes_at() {
	od -An -tu4 -j"$1" -N4 "$T/a.top" | tr -d ' '
}
run "$PMUTRACE" top -b -q -n 14 -d 0.1 --record "$T/a.top"
frame=24
for _ in 1 2 3; do
	frame=$((frame + 32 + $(bytes_at $((frame + 4)))))
done
printf '\377\377\377\377' | dd of="$T/a.top" bs=1 seek=$((frame + 72)) conv=notrunc 2>/dev/null
terminal TZ=UTC
keys "clear; $PMUTRACE top -d 0.1 -q --replay $T/a.top" Enter
shows "a replay: when, and which interval" \
	'^replay  20[0-9-]+ [0-9:]+  interval [0-9]+ of 14 '
shows "at its end it stays" 'this is the recording.s end'
ok "on the last interval" sees 'interval 14 of 14'
ok "which is shown" sees 'spin_[o]ne$'
ok "how to go on is told there" sees 'end: \[ and \{ go back, \^ to its beginning'
keys '['
shows "[: one back" 'interval 13 of 14'
ok "keys for a replay are on the last line" sees \
	'^F1Help \[Back \]On \{10Back \}10On \^First \$Last ZPause .*qQuit$'
keys Z
within 10 sees paused
keys '{'
shows "{: ten back, while it is paused too" 'interval 3 of 14'
keys ']'
shows "]: one on, past what is damaged" 'interval 5 of 14'
ok "which is told" sees 'interval 4 of 14 is damaged'
keys '['
shows "and so it is back" 'interval 3 of 14'
ok "with its rows" sees 'spin_[t]wo$'
keys '^'
within 10 sees 'interval 1 of 14'
keys '['
shows "before the first there is none" "this is the recording's beginning"
keys '}'
shows "}: ten on" 'interval 11 of 14'
keys '$'
shows "the last one" 'interval 14 of 14'
keys ']'
shows "behind it there is none" "this is the recording's end"
keys '^'
within 10 sees 'interval 1 of 14'
keys Z
shows "it goes on from where it is" 'interval 14 of 14'
keys v v v
shows "where nobody looked there are no functions" \
	'this interval has no samples: functions were not looked at'
keys q

# One in which somebody looks at functions after a while.
terminal
keys "clear; $PMUTRACE top -d 0.3 -q --record $T/b.top" Enter
within 20 sees 'spin_[o]ne$'
keys F3 spin_o ne Enter
within 10 selects "^ +$one .*spin_[o]ne"
keys Enter Enter
within 10 sees '^ +[0-9.]+ +[0-9.]+ +[1-9][0-9]* '
sleep 0.7
keys q
keys "clear; $PMUTRACE top -d 0.1 -q --replay $T/b.top" Enter
within 20 sees "this is the recording's end"
keys F3 spin_o ne Enter Enter Enter
shows "functions of a recording" '\[functions\].*of thread'
shows "with samples" '^ +[0-9.]+ +[0-9.]+ +[1-9][0-9]* '
keys Enter
keys Home
shows "stacks too" '^ +100\.0 +0\.0  - all'
keys '^'
shows "before somebody looked there are none" \
	'this interval has no samples: functions were not looked at'
keys '$'
keys Home
shows "and then some again" '^ +100\.0 +0\.0  - all'
keys f
shows "as a flame graph" '^ 100.0%  [0-9]+ samples  all|samples  '
keys q

# The whole screen but its meters, whose bars are as long as it is busy; numbers are masked.
terminal
keys "clear; $PMUTRACE top -d 0.3 -q -p $one --columns cpu,tasks" Enter
shows "one process" "^ +$one "
keys Z
within 10 sees paused
see
sed -n '/^\[/,$p' "$T/seen" | sed 's/[0-9][0-9.]*/N/g; s/paused.*//; s/  */ /g; s/ $//' | grep . >"$T/masked"
cat >"$T/expected" <<'END'
[processes] threads cgroups functions CPUs
 PID USER ▼%CPU TASKS COMMAND
 N root N N spin_one
END
echo "FNHelp FNColumns FNSearch FNFilter FNTree FNSort qQuit" >>"$T/expected"
ok "all of it as text" diff "$T/expected" "$T/masked"
keys q

# A process without its children, which do what no shell does.
# shellcheck disable=SC2016 # that shell's
start sh -c 'while :; do "$0" -n 100000000; i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; done' "$PROG/loop"
terminal
keys "clear; $PMUTRACE top -d 0.3 -q -p $started" Enter
within 20 sees "^ +$started "
keys v v v
shows "functions of one process" '^ +[0-9.]+ +[0-9.]+ +[1-9][0-9]* '
sleep 1.5
ok "its own" within 5 sees '^ +[0-9.]+ +[0-9.]+ +[1-9][0-9]* '
ok "not its children's" lacks ' loop_work$'
stop "$started"
keys q

# Options that are about the screen too.
terminal
keys "clear; $PMUTRACE top -d 0.3 -q -p $one --full" Enter
shows "--full: whole commands" "^ +$one .*pmutrace-test\."
keys q
terminal
keys "clear; $PMUTRACE top -d 0.3 -q -p $one --by function -e cpu-clock -F 4999" Enter
shows "--by function: that is where it begins" '\[functions\]'
shows "with samples" '^ +[0-9.]+ +[0-9.]+ +[1-9][0-9]* '
keys Enter f
within 10 sees ' samples  '
keys Home
shows "-F: more than the last 10 seconds have at 99 Hz" '^ +[0-9.]+%  [0-9]{4,} samples  '
ok "-e is not what is counted" lacks '^Events.* cpu-clock'
keys q

# What looking costs, samples too: as the kernel measures it. It adds the way into a program and out.
# run_ns - of the programs of top, up to now
run_ns() {
	cat "/proc/$1/fdinfo/"* 2>/dev/null | sed -n 's/^prog_id:[[:space:]]*//p' | sort -u |
		while read -r id; do bpftool prog show id "$id"; done |
		sed -n 's/.* run_time_ns \([0-9]*\) .*/\1/p' | awk '{ ns += $1 } END { printf "%.0f", ns }'
}
start "$PROG/bpf_stats"
stats=$started
ok "the kernel measures it" within 5 grep -q ready "$T/started.out"
terminal
tmux resize-window -x 160 -y 30
keys "clear; $PMUTRACE top -d 1 -q --by function -e cpu-clock -F 4999" Enter
within 20 sees '^ +[0-9.]+ +[0-9.]+ +[1-9][0-9]* '
sleep 2
before_ns=$(run_ns "$(top_pid)") before_s=$(cut -d' ' -f1 /proc/uptime)
for _ in 1 2 3 4 5; do
	sleep 1
	see
	sed -n 's/.* (BPF \([0-9.]*\)%.*/\1/p' "$T/seen"
done >"$T/told"
after_ns=$(run_ns "$(top_pid)") after_s=$(cut -d' ' -f1 /proc/uptime)
told=$(sort -n "$T/told" | sed -n 3p)
echo "$before_ns $after_ns $before_s $after_s" |
	awk '{ printf "%.3f", ($2 - $1) / ($4 - $3) / 1e7 }' >"$T/kernel"
ok "what the programs cost, samples too: $told% of $(cat "$T/kernel")%" \
	awk -v told="$told" -v kernel="$(cat "$T/kernel")" \
	'BEGIN { exit !(kernel > 0.1 && told > kernel * 0.4 && told < kernel * 1.4) }'
keys q
stop "$stats"

terminal
keys "clear; $PMUTRACE top -d 0.3 -q -p $one --by function -e alignment-faults" Enter
within 20 sees '\[functions\]'
sleep 1
ok "-e: nothing of what it never does" lacks '^ +[0-9.]+ +[0-9.]+ +[1-9][0-9]* '
keys q

# What is shown and has no definition stays when other columns are chosen, paused or not; what has to
# be counted anew begins at once.
terminal
keys "clear; $PMUTRACE top -d 0.3 -q -p $one --columns \"cpu,time / switches,cs,'software/config=3/'\"" Enter
shows "columns of the user's own" '%CPU  time / switches  +cs  software/config=3/'
keys F2
within 10 sees '\[x\] cpu'
keys End
shows "are among those to choose from" "^ \[x\] 'software/config=3/'"
ok "and chosen, all of them" sh -c 'grep -q "\[x\] time / switches" "$1" && grep -q "\[x\] cs$" "$1"' \
	sh "$T/seen"
keys Home
moved() {
	[ "$(under_cursor)" != "$was" ]
}
nr_steps=0
until selects '^ \[.\] tasks ' || [ "$nr_steps" = 40 ]; do
	was=$(under_cursor)
	keys Down
	within 5 moved
	nr_steps=$((nr_steps + 1))
done
keys Space Enter
shows "one more" '%CPU  TASKS  time / switches  +cs .*…1$'
keys Z
within 10 sees paused
keys E page-faults Enter
shows "other events end a pause" 'other events are counted now'
ok "which is seen" lacks '\[processes\].*paused'
shows "with rows again" "^ +$one .* spin_[o]ne"
keys q

# No screen.
run script -qec "$PMUTRACE top -q --by function -e no-such-event" /dev/null
ok "--by function -e: a word that is none is told before: exit status 2" [ "$status" = 2 ]
says out "and a sentence" "unknown event 'no-such-event'"
run script -qec "$PMUTRACE top -q --by function -e cpu-clock,page-faults" /dev/null
says out "several at once are not for a screen" "the functions of one event: -b"
run env TERM=no-such-terminal script -qec "$PMUTRACE top -q" /dev/null
ok "an unknown terminal: exit status 1" [ "$status" = 1 ]
says out "and a sentence" "nothing is known of the terminal 'no-such-terminal'.*-b"
run env -u TERM script -qec "env -u TERM $PMUTRACE top -q" /dev/null
says out "none at all" "TERM is not set"
check 0 "not a terminal: tables" "$PMUTRACE" top -q -n 1 -d 0.2
says out "of processes" '^ +PID .*COMMAND'
