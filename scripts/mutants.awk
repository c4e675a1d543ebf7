# SPDX-License-Identifier: BSD-2-Clause
# mutants.awk - reads the faults of tests/mutants for scripts/mutate.sh, which says what they are.
#
# For each that `chosen` has (words: FOLDER or FOLDER/NAME; all, if empty) a line of words parted by
# tabs: "fits" FOLDER/NAME FILE TESTS SAYS, or "stale" FOLDER/NAME WHY. With `out`, a directory that
# has one for each FOLDER, the file with its fault is written to out/FOLDER/NAME.

BEGIN {
	FS = "\n" # no fields: lines as they are
	of_kind["unit"] = "_test.c"
	of_kind["cli"] = of_kind["live"] = ".sh"
	if (!split(chosen, words, " "))
		words[1] = ""
	for (i in words)
		wanted[words[i]] = 1
}

FNR == 1 {
	finish()
	n = split(FILENAME, words, "/")
	folder = words[n]
}

/^#/ { next }
/^$/ { finish(); next }

# A further line of a text; the first may stand below its key, too.
/^   \| / || $0 == "   |" {
	text = substr($0, 6)
	value[key] = value[key] == "" && !continued ? text : value[key] "\n" text
	continued = 1
	next
}

match($0, /^(name|says|file|was|now|tests):( |$)/) {
	key = substr($0, 1, index($0, ":") - 1)
	if (key in value)
		wrong = "says \"" key "\" twice"
	value[key] = substr($0, RLENGTH + 1)
	continued = 0
	next
}

{ wrong = "line " FNR " is not of a fault: " $0 }

END {
	finish()
	for (word in wanted)
		if (word != "")
			print "stale\t" word "\tthere is no such fault"
}

# finish() - what has been read of a fault is all of it
function finish(	id) {
	if (wrong != "" || "name" in value || "file" in value) {
		id = folder "/" value["name"]
		if ("" in wanted || folder in found || folder in wanted || id in wanted) {
			if (folder in wanted)
				found[folder] = 1
			delete wanted[folder]
			delete wanted[id]
			if (wrong == "")
				wrong = misfit(id)
			if (wrong == "")
				print "fits\t" id "\t" value["file"] "\t" value["tests"] "\t" value["says"]
			else
				print "stale\t" id "\t" wrong
		}
	}
	wrong = key = ""
	split("", value)
}

# misfit() - why it cannot be applied, or "" when it can, and has been
function misfit(id,	whole, place, rest, i, n, tests, part) {
	if (value["name"] !~ /^[a-z0-9][a-z0-9-]*$/ || seen[id]++)
		return "needs a name of its own, of a-z, 0-9 and -"
	if (value["says"] == "" || value["was"] == "" || value["was"] == value["now"])
		return "needs `says`, `was`, and another text as `now`"
	n = split(value["tests"], tests, " ")
	if (!n)
		return "names no tests"
	for (i = 1; i <= n; i++) {
		split(tests[i], part, "/")
		if (contents("tests/" tests[i] of_kind[part[1]]) == "")
			return "there is no test " tests[i]
	}
	whole = contents(value["file"])
	if (whole == "")
		return "there is no file " value["file"]
	place = index(whole, value["was"])
	if (!place)
		return value["file"] " no longer has what is to be replaced"
	rest = substr(whole, place + 1)
	if (index(rest, value["was"]))
		return value["file"] " has what is to be replaced more than once"
	if (out != "") {
		printf "%s%s%s", substr(whole, 1, place - 1), value["now"],
			substr(whole, place + length(value["was"])) >(out "/" id)
		close(out "/" id)
	}
	return ""
}

# contents() - of a file that ends with a whole line; "" without one
function contents(file,	line, whole) {
	while ((getline line <file) > 0)
		whole = whole line "\n"
	close(file)
	return whole
}
