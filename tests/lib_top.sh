# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# lib_top.sh - `pmutrace top` that runs beside what a test does; sourced behind lib.sh.

# start_top ARGS.. - an object a line into $T/top.jsonl; returns when it counts. Its pid: $top
start_top() {
	"$PMUTRACE" top -b --json -q --columns time,switches "$@" >"$T/top.jsonl" 2>"$T/top.err" </dev/null &
	top=$!
	all_started="$all_started $top"
	within 60 counts
}
# It takes a higher priority when it has begun, or has ended: see src/run/runloop.c.
counts() {
	awk '$19 == -10 || $3 == "Z" { found = 1 } END { exit !found }' "/proc/$top/stat"
}
# end_top - now, unless it has ended; all of its intervals, as a list, into $T/top.json
end_top() {
	kill -TERM "$top" 2>/dev/null
	wait_top
}
wait_top() {
	wait "$top" || diag <"$T/top.err"
	forget "$top"
	{ echo '[' && paste -sd, "$T/top.jsonl" && echo ']'; } >"$T/top.json"
}
# of EXPR - $d are the intervals
of() {
	json "$T/top.json" "$1"
}

# Of the words below a WHO chooses rows: FIELD=VALUE and FIELD~REGEX of their key, `ended` and
# `lives`; all of them are true of a row that is chosen, "" is of every row.

# picked WHO [FROM] - Perl: the rows of all intervals, or of those from number FROM on
picked() {
	chosen=1
	for word in $1; do
		case $word in
		ended) chosen="$chosen && \$_->{exited}" ;;
		lives) chosen="$chosen && !\$_->{exited}" ;;
		*=*) chosen="$chosen && \$_->{key}{${word%%=*}} eq '${word#*=}'" ;;
		*~*) chosen="$chosen && \$_->{key}{${word%%~*}} =~ /${word#*~}/" ;;
		esac
	done
	echo "grep { $chosen } map { @{\$_->{rows}} } @\$d[${2:-0} .. \$#\$d]"
}
# sum_of WHO COLUMN - over the rows
sum_of() {
	of "sum0(map { \$_->{values}{'$2'} } $(picked "$1"))"
}
# nr_rows WHO
nr_rows() {
	of "scalar(my @rows = $(picked "$1"))"
}
# nr_different FIELD WHO - values of a field of the keys
nr_different() {
	of "my %seen = map { \$_->{key}{$1} => 1 } $(picked "$2"); scalar keys %seen"
}
# lives WHO [FROM] - a letter for each row: x has ended, . goes on
lives() {
	of "join '', map { \$_->{exited} ? 'x' : '.' } $(picked "$@")"
}
# name_of WHO - in the first row
name_of() {
	of "($(picked "$1"))[0]{key}{comm}"
}
# all_of FIELD - of the intervals, summed
all_of() {
	of "sum0(map { \$_->{$1} } @\$d)"
}
# first FIELD - of the first interval
first() {
	of "\$d->[0]{$1}"
}
# lost - of what was seen
lost() {
	of 'sum0(map { $_->{seen} - $_->{kept} } @$d)'
}
# total EVENT - of all intervals
total() {
	of "sum0(map { \$_->{value} } grep { \$_->{event} eq '$1' } map { @{\$_->{events}} } @\$d)"
}
