# SPDX-License-Identifier: BSD-2-Clause
# skips.awk -v environment=NAME tests/skips OUTPUT - what was skipped that is not expected to be.
#
# OUTPUT is TAP of many files, each below a line "# FILE KIND/NAME". tests/skips has a line for each
# reason of a file: ENVIRONMENT[,ENVIRONMENT].. KIND/NAME POINTS REASON; a whole file is one point,
# and less than POINTS is fine. Prints a test point without a number for each reason that is not
# listed, or has more points, and one for all the others. -v list=1: prints the lines to be listed.

FILENAME == ARGV[1] && /^(#|$)/ { next }
FILENAME == ARGV[1] {
	line = $0
	sub(/^[^ ]+ +[^ ]+ +[^ ]+ +/, "", line)
	if (index("," $1 ",", "," environment ","))
		expected[$2 " " line] = $3
	next
}

/^# FILE / { file = $3; next }
tolower($0) ~ /^(ok|not ok|1\.\.0).*# *skip/ {
	reason = $0
	sub(/^[^#]*# *[Ss][Kk][Ii][Pp] */, "", reason)
	skipped[file " " reason]++
}

END {
	for (what in skipped) {
		if (list) {
			blank = index(what, " ")
			print environment, substr(what, 1, blank - 1), skipped[what], substr(what, blank + 1)
		} else if (skipped[what] > expected[what] + 0)
			print "not ok - skips: " environment ": " what ": " skipped[what] \
				" points, expected are " expected[what] + 0
		else
			good++
	}
	if (!list)
		print "ok - skips: " environment ": " good + 0 " reasons, as expected"
}
