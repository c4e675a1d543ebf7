# SPDX-License-Identifier: BSD-2-Clause
# tap.awk - what a guest printed -> TAP without numbers, each point with its file's name.
#
# A file that planned other points than it made, or ended with a status although all its points are
# good, fails once more. The remarks of good points are left out.

function point(result, name) {
	print result " - " file (name ~ /^# SKIP/ ? " " : ": ") name
	points++
	if (result == "not ok")
		failed++
	bad = result == "not ok"
}

/^# FILE / { file = $3; points = failed = bad = 0; planned = -1; next }
/^# STATUS / {
	if ($3 != 0 && !failed)
		point("not ok", "exit status " $3 ($3 == 124 ? ", which is its limit of time" : ""))
	else if (planned >= 0 && points != planned)
		point("not ok", points " points of " planned)
	else if (file == "load" && !failed)
		point("ok", "every BPF object")
	file = ""
	next
}
/^1\.\.0 # SKIP/ { sub(/^1\.\.0 /, ""); point("ok", $0); planned = points; next }
/^1\.\.[0-9]+/ { planned = substr($1, 4) + 0; next }
/^not ok / { sub(/^not ok [0-9]+ (- )?/, ""); point("not ok", $0); next }
/^ok / { sub(/^ok [0-9]+ (- )?/, ""); point("ok", $0); next }
file == "load" && /^[a-z-]*,[a-z0-9_]*,[0-9]*$/ { next } # for budget.sh
bad || file == "load" { print "# " $0 }

END {
	if (file != "")
		point("not ok", "the guest ended here")
}
