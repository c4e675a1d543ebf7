# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# lib_screen.sh - a terminal of tmux: it presses the keys, and says what is to be seen. Sourced
# behind lib.sh.

command -v tmux >/dev/null || skip_all "no-tmux: needs tmux"

# One server for each terminal: the next one need not wait for the end of the last.
nr_screens=0
tmux() {
	command tmux -L "pmutrace-$$-$nr_screens" -f /dev/null -u "$@"
}
trap 'tmux kill-server 2>/dev/null; end_test' EXIT

# terminal [ENV=..] - a new one, a shell in it
terminal() {
	tmux kill-server 2>/dev/null
	nr_screens=$((nr_screens + 1))
	rm -f "$T/status" "$T/before" "$T/after"
	tmux new-session -d -x 80 -y 24 "env LC_ALL=C.UTF-8 PS1='\$ ' $* bash --norc --noprofile"
	within 10 sees '^\$'
}

# keys KEY.. - as tmux names them
keys() {
	tmux send-keys "$@"
}

# see - what the terminal shows, into $T/seen
see() {
	tmux capture-pane -p >"$T/seen"
}

# sees REGEX - and it has a line that matches
sees() {
	see
	grep -q -E -e "$1" "$T/seen"
}

# lacks REGEX - no line matches
lacks() {
	! sees "$1"
}

# shows NAME REGEX - sooner or later
shows() {
	within 10 sees "$2"
	point $? "$1" || diag <"$T/seen"
}

# under_cursor - the line that is selected
under_cursor() {
	see
	sed -n "$(($(tmux display -p '#{cursor_y}') + 1))p" "$T/seen"
}

# selects REGEX
selects() {
	under_cursor | grep -q -E -e "$1"
}

top_pid() {
	pgrep -P "$(tmux display -p '#{pane_pid}')" -x pmutrace
}
