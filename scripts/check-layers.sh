#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# check-layers.sh [DIR] - who may include whom in src/ and bpf/: the floors of the house.
#
# A file includes headers of its own room (a folder of src/) and of rooms on floors below. Prints
# FILE:LINE of each #include "..." that reaches elsewhere, and exits 1. DIR: the tree to look at
# (default: this one); the tests hand in one that is wrong.
set -u

floors='
1 base
2 dwarf elf event jail machine model proto
3 columns perf run sym unwind
4 import lookup object print stat tui
5 probe
6 collect catalog tape
7 plan live doctor
8 serve
9 cmd api
10 main.c
'

cd "${1:-$(dirname "$0")/..}" || exit 1

# shellcheck disable=SC2046 # no names with blanks
awk -v floors="$floors" '
	function complain(why) {
		print FILENAME ":" FNR ": " why
		bad = 1
	}
	BEGIN {
		nr = split(floors, lines, "\n")
		for (i = 1; i <= nr; i++) {
			split(lines[i], words, " ")
			for (j = 2; j in words; j++)
				floor_of[words[j]] = words[1]
		}
	}
	FNR == 1 {
		split(FILENAME, path, "/")
		room = path[1] == "bpf" ? "bpf" : path[2]
		if (room !~ /^(bpf|pmutrace\.h)$/ && !(room in floor_of))
			complain(room ": this room is not in scripts/check-layers.sh")
	}
	!/^[[:space:]]*#[[:space:]]*include[[:space:]]*"/ { next }
	{
		split($0, quoted, "\"")
		included = quoted[2]
		slash = index(included, "/")
		other = slash ? substr(included, 1, slash - 1) : room
		why = ""
		if (index(included, ".."))
			why = "write the path from src/"
		else if (included ~ /\.skel\.h$/ && room != "probe")
			why = "only src/probe/ talks to the kernel side"
		# One word on all floors.
		else if (included == "by.wire.h")
			;
		# What programs are to fetch is written down in src/plan/, and read in src/collect/.
		else if (included ~ /\.wire\.h$/ && room !~ /^(object|probe|plan|collect|unwind|bpf)$/)
			why = "only src/object/ and src/probe/ talk to the kernel side"
		else if (room == "bpf" && slash)
			why = "the kernel side knows its own headers only"
		else if (room == "main.c" && other !~ /^(main.c|base|cmd)$/)
			why = "main.c only dispatches: base and cmd"
		else if (other != room && !(other in floor_of))
			why = "this room is not in scripts/check-layers.sh"
		else if (other != room && floor_of[other] + 0 >= floor_of[room] + 0)
			why = room " is on floor " floor_of[room] ", " other " on floor " floor_of[other]
		if (why != "")
			complain(included ": " why)
	}
	END { exit bad }
' $(find src bpf -name "*.[ch]" | sort)
