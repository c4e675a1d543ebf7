#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# check-names.sh [DIR] - one struct, one name: what a header of src/ or bpf/ declares has no namesake.
#
# Prints FILE:LINE of each struct that has the name of one in a header elsewhere, and exits 1. Structs
# of two .c files may have the same name: nobody sees both. DIR: the tree to look at (default: this
# one).
set -u

cd "${1:-$(dirname "$0")/..}" || exit 1

# shellcheck disable=SC2046 # no names with blanks
awk '
	/^struct [a-z0-9_]+ \{/ {
		nr++
		name[nr] = $2
		place[nr] = FILENAME ":" FNR
		if (FILENAME ~ /\.h$/ && !($2 in header))
			header[$2] = place[nr]
	}
	END {
		for (i = 1; i <= nr; i++)
			if (name[i] in header && header[name[i]] != place[i]) {
				print place[i] ": struct " name[i] " is also in " header[name[i]]
				bad = 1
			}
		exit bad
	}
' $(find src bpf -name "*.[ch]" | sort)
