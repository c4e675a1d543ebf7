# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# lib_readers.sh - the programs that people open our files with, as their authors publish them; after
# lib.sh. What they have read is told as lines of text.

# stacks_by_hand - 60 samples, whose sums are easily made: recursion, frames of the kernel and of a JIT
stacks_by_hand() {
	cat <<-'END'
		node;run_[j] 40
		sh;main;vfs_read_[k] 2
		sh;main;work 3
		sh;main;work;leaf 5
		sh;rec;rec;end 10
	END
}

# reader NAME - its directory, which scripts/fetch-reader.sh fetches
reader() {
	"$TOP/scripts/fetch-reader.sh" "$1" 2>"$T/err" && return
	show >&2
	echo "no-reader: $1 cannot be fetched" >"$T/no-reader"
	return 1
}

# have_readers - false: there is none, for the reason that is in $T/no-reader
have_readers() {
	if ! command -v node >/dev/null; then
		echo "no-node: node is not installed" >"$T/no-reader"
		return 1
	fi
	reader_firefox=$(reader firefox) && reader_devtools=$(reader devtools) && reader_catapult=$(reader catapult)
}

# firefox_cli ARGS.. - the command of Firefox Profiler, which has the file in a process of its own
firefox_cli() {
	PROFILER_CLI_SESSION_DIR=$T node "${reader_firefox:?}/profiler-cli.js" "$@"
}

# open_firefox FILE - begins that process, and has its threads in $T/threads. `load` gives up on it after
# half a second, which a busy machine takes to start it; and whoever asks before it listens forgets it.
open_firefox() {
	session=$((${session:-0} + 1))
	rm -f "$T/threads"
	firefox_cli --daemon "$1" --session "$session" >"$T/daemon" 2>&1 &
	firefox=$!
	all_started="$all_started $firefox"
	within 30 grep -q 'Profile loaded successfully' "$T/$session.log" &&
		firefox_cli thread list --session "$session" --limit 0 --json >"$T/threads"
}

# How it ends is its own affair: it may be killed while it does.
close_firefox() {
	firefox_cli stop "$session" >"$T/out" 2>&1
	wait "$firefox" || return 0
}

# open_in_firefox FILE - what it has read, into $T/told: "PID TID FUNCTION: TOTAL SELF", in samples or
# ms, and "counter PID NAME: SUM" over the whole of the time that it shows
open_in_firefox() {
	open_firefox "$1" || return 1
	{
		json "$T/threads" 'join "\n", map { "$_->{threadHandle} $_->{pid} $_->{tid}" } @{$d->{threads}}' |
			while read -r thread pid tid; do
				# Its list of functions has those that are active; ours all are.
				firefox_cli thread functions --session "$session" --thread "$thread" --limit 0 --json >"$T/functions" &&
					ID="$pid $tid" json "$T/functions" 'utf8::encode($_->{name}), printf "%s %s: %.9g %.9g\n",
					$ENV{ID}, @$_{qw(name totalSamples selfSamples)} for @{$d->{functions}}; ""'
			done
		firefox_cli counter list --session "$session" --json >"$T/counters" &&
			json "$T/counters" 'utf8::encode($_->{name}), printf "counter %s %s: %.9g\n", @$_{qw(pid name)},
			$_->{stats}[0]{value} for @{$d->{counters}}; ""'
	} | grep . >"$T/told"
	close_firefox
}

# devtools FILE - the samples that Chrome's performance panel finds: "PID TID STACK N"
devtools() {
	node "$TOP/tests/devtools.mjs" "${reader_devtools:?}" "$1"
}

# catapult FILE - counters of chrome://tracing: "PID TIME-IN-US NAME KEY VALUE"
catapult() {
	node "$TOP/tests/catapult.js" "${reader_catapult:?}" "$1"
}
