#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# embed.sh NAME < FILE - prints FILE as a C string called NAME, for inclusion.
# A literal is cut at each line of FILE and inside long ones, so no line of C gets long.
[ $# -eq 1 ] || { echo "usage: embed.sh NAME < FILE" >&2; exit 2; }
LC_ALL=C exec awk -v name="$1" '
function emit(s, end) {
	gsub(/\\/, "&&", s)	# "&&": the one doubling all awks agree on
	gsub(/["?]/, "\\\\&", s)	# the question mark: no trigraphs
	gsub(/\t/, "\\t", s)
	gsub(/\r/, "\\r", s)
	printf "\t\"%s%s\"\n", s, end
}
BEGIN { printf "/* Made by embed.sh. */\nstatic const char %s[] =\n\t\"\"\n", name }
{
	while (length($0) > 1000) {
		emit(substr($0, 1, 1000), "")
		$0 = substr($0, 1001)
	}
	emit($0, "\\n")
}
END { print "\t;" }'
