#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Output that does not reach the reader is a failed run, and is noticed before measuring.
. "$(dirname "$0")/../lib.sh"
export TMPDIR="$T" # for results that a full disk does not take

# Milliseconds on some clock.
ms() {
	echo $(($(date +%s%N) / 1000000))
}

# Commands that print without a permission, in each of their formats.
written() {
	cat <<-'END'
		help
		--version
		completion bash
		list software
		list --json software
		list --explain dummy
		list --explain dummy --json
		doctor
		doctor --json
		stat -e dummy -o - -- true
		stat -e dummy -o - --json -- true
		stat -e dummy -o - --csv -- true
		stat -e dummy -o - -x; -- true
		stat -e dummy -o - -I 1000 -- true
	END
}

# run_unread CMD.. - stdout is a pipe that nobody reads from any more, and SIGPIPE is ignored
run_unread() {
	rm -f "$T/fifo"
	mkfifo "$T/fifo"
	: <"$T/fifo" &
	reader=$!
	exec 5>"$T/fifo"
	wait "$reader"
	status=0
	(
		trap '' PIPE
		exec "$@"
	) >&5 2>"$T/err" </dev/null || status=$?
	exec 5>&-
}

# Nobody reads: that is an error, not a run that waits for ever. A reader that comes a little later
# than we do is waited for.
unread() {
	rm -f "$T/fifo" && mkfifo "$T/fifo"
	check 1 "$*: a pipe without a reader fails" timeout 20 "$PMUTRACE" "$@" -o "$T/fifo" -- true
	says err "$*: and says so" "cannot write '.*/fifo': nobody reads from this pipe"
}

# Where results go that could not be written.
export TMPDIR="$T"

plan 112
written >"$T/commands"
while read -r words; do
	# shellcheck disable=SC2086
	check 1 "$words: a full disk fails" sh -c 'exec "$PMUTRACE" "$@" >/dev/full' - $words
	says err "$words: and is the reason" '^pmutrace: cannot write stdout: No space left on device'
	# shellcheck disable=SC2086
	check 1 "$words: a closed stdout fails" sh -c 'exec "$PMUTRACE" "$@" >&-' - $words
	says err "$words: and is the reason" '^pmutrace: cannot write stdout: Bad file descriptor'
done <"$T/commands"
# A reader that has had enough is nothing to be told.
while read -r words; do
	# shellcheck disable=SC2086
	run_unread "$PMUTRACE" $words
	ok "$words: without a reader it fails" equal "$status" 1
	ok "$words: and says nothing" sh -c '! grep "cannot write\|ipe" "$T/err"'
done <"$T/commands"
check 1 "-o on a full disk fails" "$PMUTRACE" stat -e dummy -o /dev/full -- true
says err "and says so" 'cannot write /dev/full: No space left on device'
check 1 "by interval, too" "$PMUTRACE" stat -e dummy -I 1000 -o /dev/full -- true
says err "and says so" 'cannot write /dev/full: No space left on device'
# A file that is opened does not take the place of a descriptor that is closed.
run sh -c '"$PMUTRACE" stat -e dummy -o "$T/r.json" -- true >&- 2>&-'
ok "files are what they are" json_pp <"$T/r.json"
check 1 "help on a full disk fails" sh -c '"$PMUTRACE" help >/dev/full'
says err "and says so" 'No space|full|stdout'
check 1 "version on a full disk fails" sh -c '"$PMUTRACE" --version >/dev/full'

before=$(ms)
check 1 "-o in a directory that is not there fails" \
	"$PMUTRACE" profile -o "$T/nosuch/flame.svg" --duration 5
ok "before measuring" between 0 $(($(ms) - before)) 2000
says err "and names the file" 'nosuch/flame.svg'

mkdir "$T/dir"
before=$(ms)
check 1 "-o on a directory fails" "$PMUTRACE" profile -f svg -o "$T/dir" --duration 5
ok "before measuring" between 0 $(($(ms) - before)) 2000
says err "and names it" "$T/dir"

check 2 "-o with an ending that tells no format is a usage error" \
	"$PMUTRACE" profile -o "$T/flame.sgv" --duration 5
says err "and names the endings" "'\\.sgv' .*\\.svg"
ok "nothing was left there" sh -c '! ls "$T" | grep -q sgv'
unread stat -e dummy
unread stat -e dummy -I 1000
(sleep 0.3 && exec cat "$T/fifo" >"$T/read") &
check 0 "-o: a reader that comes later" timeout 20 "$PMUTRACE" stat -e dummy -o "$T/fifo" -- true
wait
ok "has it all" grep -q dummy "$T/read"
# A file that is replaced stays whose it is, and as secret as it is.
: >"$T/kept.json"
chmod 600 "$T/kept.json"
[ "$(id -u)" != 0 ] || chown 65534:65534 "$T/kept.json"
before=$(stat -c '%a %u %g' "$T/kept.json")
check 0 "-o onto a file" "$PMUTRACE" stat -e dummy -o "$T/kept.json" -- true
ok "it is written" grep -q dummy "$T/kept.json"
ok "and keeps mode and owner" equal "$(stat -c '%a %u %g' "$T/kept.json")" "$before"
# A terminal that goes away ends a run, and takes nothing of its result; nohup keeps it from that.
"$PMUTRACE" stat -e dummy -o "$T/hup.json" -- sleep 60 2>"$T/hup.err" &
hung=$!
within 20 sh -c 'grep -q ^sleep "/proc/$(pgrep -P "$1")/cmdline"' - $hung || :
kill -HUP $hung
wait $hung
ok "SIGHUP: the result is there" grep -q dummy "$T/hup.json"
# shellcheck disable=SC2016
check 0 "under nohup a run goes on" sh -c 'trap "" HUP
	exec "$PMUTRACE" stat -e dummy -o "$T/nohup.json" -- sh -c "kill -HUP \$PPID; sleep 0.3; exit 0"'
