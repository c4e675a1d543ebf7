#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# check-circles.sh [OBJECTS [SOURCES]] - whether use goes one way between the sources of src/.
#
# Two sources that use each other's functions, directly or by way of others, are one subject in two
# files, or one of them has what belongs below both. Prints each such circle, a line for each use in
# it, and exits 1. OBJECTS: the folder that has an object for each source of SOURCES (default:
# build/src, src); objects of sources that are gone are left out.
set -u

cd "$(dirname "$0")/.." || exit 1
objects=${1:-${O:-build}/src}

circles=$(find "$objects" -name '*.o' -exec nm -A {} + 2>/dev/null | 
	awk -v objects="$objects" -v sources_in="${2:-src}" '
	# PATH.o:ADDRESS KIND NAME, or PATH.o: U NAME
	{
		at = index($0, ".o:")
		source = substr($0, length(objects) + 2, at - length(objects) - 2)
		if (!(source in is_there)) {
			file = sources_in "/" source ".c"
			is_there[source] = (getline line < file) >= 0
			close(file)
		}
		if (!is_there[source])
			next
		nr = split(substr($0, at + 3), words, " ")
		kind = words[nr - 1]
		name = words[nr]
		if (kind == "U")
			uses[source, name] = 1
		else if (kind ~ /^[TDBRVWC]$/)
			home[name] = source
		sources[source] = 1
	}
	END {
		for (use in uses) {
			split(use, pair, SUBSEP)
			to = home[pair[2]]
			if (to == "" || to == pair[1])
				continue
			below[pair[1], to] = below[pair[1], to] " " pair[2]
			next_of[pair[1]] = next_of[pair[1]] " " to
		}
		for (source in sources)
			reach(source, source)
		for (edge in below) {
			split(edge, pair, SUBSEP)
			if ((pair[2], pair[1]) in reached)
				print pair[1] ".c uses " pair[2] ".c:" below[edge]
		}
		for (source in sources)
			exit
		print "no objects in " objects ": build first"
	}
	# All that @from reaches by way of @at.
	function reach(from, at, list, i, n) {
		n = split(next_of[at], list, " ")
		for (i = 1; i <= n; i++)
			if (!((from, list[i]) in reached)) {
				reached[from, list[i]] = 1
				reach(from, list[i])
			}
	}
' | sort)
[ -z "$circles" ] && exit 0
echo "$circles"
exit 1
