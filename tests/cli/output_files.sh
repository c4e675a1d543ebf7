#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Files that are written: links on the way to them, and what is left when a run fails or is killed.
. "$(dirname "$0")/../lib.sh"

# Where results go that could not be written.
mkdir "$T/rescue"
export TMPDIR="$T/rescue"

# In a directory of its own, to see what is left there.
mkdir "$T/here"
cd "$T/here" || exit 1

dummy() {
	"$PMUTRACE" stat -e dummy "$@"
}

# here_is NAME.. - and nothing else, hidden or not
here_is() {
	equal "$(ls -A "$T/here")" "$(printf '%s\n' "$@")"
}

plan 73
# A link stays a link, in one go and by interval; so is one to what is not there yet.
echo old >target
ln -s target link
ln -s new dangling
mkdir dir
ln -s dir results
for interval in '' '-I 1000'; do
	# shellcheck disable=SC2086
	check 0 "-o onto a link $interval" dummy $interval -f csv -o link -- true
	ok "the link stays" test -L link
	ok "what it points to is written" grep -q dummy target
	# shellcheck disable=SC2086
	check 0 "-o onto a link to nothing $interval" dummy $interval -f csv -o dangling -- true
	ok "the link stays" test -L dangling
	ok "what it points to is made" grep -q dummy new
	# shellcheck disable=SC2086
	check 0 "-o by a link to a directory $interval" dummy $interval -o results/x.csv -- true
	ok "it is in there" grep -q dummy dir/x.csv
	# shellcheck disable=SC2086
	check 1 "-o onto a link to a directory $interval" dummy $interval -f csv -o results -- true
	says err "is told" "cannot write 'results': Is a directory"
	rm new dir/x.csv
done

# Where everybody may put something, links and files of others are left alone.
mkdir -m 1777 tmp
echo old >precious
ln -s ../precious tmp/trap
ln -s ../precious tmp/mine
ln -s "$T/here/dir" tmp/results
echo old >tmp/file
if [ "$(id -u)" = 0 ]; then
	chown -h 65534 tmp/trap tmp/results tmp/file
	for interval in '' '-I 1000'; do
		for path in tmp/trap tmp/results/x tmp/file; do
			# shellcheck disable=SC2086
			check 1 "-o $path, a stranger's $interval" dummy $interval -f csv -o $path -- true
			says err "is refused" \
				"cannot write '$path': what is there, or a link on the way, is another user's"
		done
	done
	ok "nothing was written" equal "$(cat precious tmp/file; ls dir)" "$(printf 'old\nold')"
else
	skip 13 "no-root: only root makes files of others"
fi
check 0 "-o onto a link of our own there" dummy -f csv -o tmp/mine -- true
ok "is written" grep -q dummy precious
rm -r ./*

# What is open already is written to from where it is.
check 0 "-o /proc/self/fd/1" sh -c 'echo before; "$PMUTRACE" stat -e dummy -f csv -o /proc/self/fd/1 -- true
	echo behind'
ok "in its turn" equal "$(sed 's/[,0-9].*//' "$T/out" | tr '\n' ' ')" "before event dummy behind "
check 0 "-o /dev/fd/1 into a pipe" sh -c '"$PMUTRACE" stat -e dummy -f csv -o /dev/fd/1 -- true | cat'
says out "is there" '^dummy,'

# A run that fails leaves nothing, and what there was.
echo old >kept.csv
fails() {
	# shellcheck disable=SC2086
	check "$1" "$2" "$PMUTRACE" stat -e dummy -o new.json -o kept.csv $3 -- "${4:-true}"
}
fails 2 "another output that tells no format" "-o x.sgv"
fails 1 "another output that cannot be" "-o none/x.csv"
fails 1 "no such command" "" ./no-such-command
fails 1 "by interval: another output that cannot be" "-I 100 -o none/x.csv"
fails 1 "by interval: no such command" "-I 100" ./no-such-command
ok "nothing is left" here_is kept.csv
ok "what there was is" equal "$(cat kept.csv)" old

# Who reads from a pipe goes: the other results are there.
mkfifo "$T/pipe"
(exec <"$T/pipe" && sleep 0.2) &
check 1 "-o into a pipe whose reader goes" dummy -f csv -o "$T/pipe" -o other.csv -- sleep 0.8
says err "is told" "cannot write $T/pipe: Broken pipe; the result is in $T/rescue/pmutrace-"
ok "the other result is there" grep -q dummy other.csv
ok "and that one elsewhere" grep -q dummy "$T"/rescue/pmutrace-*.csv
rm other.csv

# A limit of files is a full disk: not the end of the run without a word.
# shellcheck disable=SC2016
check 1 "ulimit -f" sh -c 'ulimit -f 2 && exec "$PMUTRACE" stat -e dummy -I 10 -o limited.csv -- sleep 0.6'
says err "is told" 'cannot write limited.csv: File too large; from here on the result is in'
ok "and ends with a whole line" equal "$(tail -c 1 limited.csv | od -An -tx1)" " 0a"
rm limited.csv
# shellcheck disable=SC2016
check $((128 + 25)) "a command has it as it was" "$PMUTRACE" stat -e dummy -o limited.csv -- \
	sh -c 'ulimit -c 0 && ulimit -f 2 && exec head -c 10000 /dev/zero >"$T/zeros"'
rm limited.csv

# Nor does one that is killed before it takes signals: while it waits for who reads from a pipe. The
# shell has what runs beside it ignore two of them.
# shellcheck disable=SC3045
ulimit -c 0
mkfifo "$T/fifo"
for signal in HUP=1 INT=2 QUIT=3 KILL=9 TERM=15; do
	start perl -e '$SIG{INT} = $SIG{QUIT} = "DEFAULT"; exec @ARGV' \
		"$PMUTRACE" stat -e dummy -o new.json -o kept.csv -o "$T/fifo" -- true
	within 20 sh -c 'ls -l "/proc/$1/fd" | grep -q fifo' - "$started"
	kill "-${signal#*=}" "$started"
	wait "$started"
	ok "SIG${signal%=*} before it runs ends it" equal $? $((128 + ${signal#*=}))
	forget "$started"
	ok "and leaves nothing" here_is kept.csv
done
# While it runs, by what it does not take.
for signal in 3 9; do
	for interval in '' '-I 60000'; do
		# shellcheck disable=SC2086,SC2016
		check $((128 + signal)) "signal $signal while it runs $interval" sh -c 'trap - QUIT
			exec "$PMUTRACE" "$@"' - stat -e dummy $interval -o new.json -o kept.csv -- \
			sh -c "kill -$signal \$PPID; sleep 0.1"
		ok "leaves nothing" here_is kept.csv
	done
done
ok "what there was is" equal "$(cat kept.csv)" old
