#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# budget.sh OUTPUT KERNEL - holds what tests/vm/load printed, among OUTPUT, against
# tests/bpf/budget.csv: KERNEL,OBJECT,PROGRAM,INSTRUCTIONS.
#
# A test point for each program: a tenth more than the file says fails, and so does one that is not
# in it. The file is edited by hand, on purpose. Unwinding by rules has one budget for all.
set -u
. "$(dirname "$0")/lib.sh"

awk -F , -v kernel="$2" '
	NR == FNR {
		if ($1 == kernel)
			budget[$2 "," $3] = $4
		next
	}
	/^[a-z][a-z-]*,[a-z0-9_]+,[0-9]+,rules$/ {
		nr_rules++
		if ($3 > most)
			most = $3
	}
	!/^[a-z][a-z-]*,[a-z0-9_]+,[0-9]+$/ { next }
	{
		key = $1 "," $2
		seen[key] = 1
		if (!(key in budget))
			print "not ok - budget: tests/bpf/budget.csv lacks " kernel "," $0
		else
			print ($3 <= budget[key] * 1.1 ? "ok" : "not ok") " - budget: " key ": " $3 \
				" instructions verified, of " budget[key]
	}
	END {
		for (key in budget)
			if (!(key in seen))
				print "not ok - budget: " key " did not load"
		print (nr_rules && most <= 9000 ? "ok" : "not ok") " - budget: rules: " most \
			" instructions at most of " nr_rules + 0 " programs, of 9000"
	}' "$TOP/tests/bpf/budget.csv" "$1"
