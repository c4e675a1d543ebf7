# SPDX-License-Identifier: BSD-2-Clause
# tries.awk - judges the tries of a run of tests: whether more were spoilt than chance explains.
#
# Reads what tests print (`tries` of tests/lib.sh), "# try FILE REASON good" or ".. spoilt"; prints a
# test point without a number for each REASON, and for each FILE of it that had several.
#
# A try is spoilt, on a machine in order, no more often than is said below. The limit is the least
# number that is exceeded once in a thousand runs or less. A defect that spoils one try in three is
# therefore found where there are some ten tries, in one run or in a few.

BEGIN {
	# The kernel did not tell a task's switch: rare, and in bursts; virtual machines.
	often["untold"] = 0.1
	# A hypervisor took the CPUs for 0.2 s by the kernel's own count.
	often["stolen"] = 0.3
	# A task of the test was kept from its CPU: 10 ms to 0.25 s, as the test says.
	often["away"] = 0.05
}

# more_than K N P - the probability of more than K of N
function more_than(k, n, p,	i, one, all) {
	one = (1 - p) ^ n
	for (i = 0; i <= k; i++) {
		all += one
		one *= (n - i) / (i + 1) * p / (1 - p)
	}
	return 1 - all
}

function judge(what, n, spoilt, p,	limit) {
	while (more_than(limit, n, p) > 0.001)
		limit++
	print (spoilt <= limit ? "ok" : "not ok") " - tries: " what ": " spoilt + 0 " of " n \
		" spoilt, chance explains " limit + 0
}

$1 == "#" && $2 == "try" && NF == 5 {
	if (!($4 in often)) {
		print "not ok - tries: " $3 ": no such reason: " $4
		next
	}
	n[$4]++
	of_file[$4 " in " $3]++
	if ($5 != "good") {
		spoilt[$4]++
		spoilt_of_file[$4 " in " $3]++
	}
}

END {
	for (what in n)
		judge(what, n[what], spoilt[what], often[what])
	for (what in of_file) {
		split(what, words, " ")
		if (of_file[what] > 1)
			judge(what, of_file[what], spoilt_of_file[what], often[words[1]])
	}
}
