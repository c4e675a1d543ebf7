# SPDX-License-Identifier: BSD-2-Clause
# collapse.awk - folded stacks from `perf script -F comm,ip,sym` (-v from=perf) or from a
# bpftrace map @[kstack, ustack, comm] (-v from=bpftrace): Debian has no stackcollapse scripts.

function fold(name, n, line, i) {
	line = name
	for (i = depth; i > 0; i--)
		line = line ";" frames[i]
	if (depth || name != "")
		counts[line] += n
	depth = 0
}

from == "perf" && /^[^ \t]/ { sub(/[ \t:]+$/, ""); comm = $0; next }
from == "perf" && /^$/ { fold(comm, 1); comm = ""; next }
from == "perf" { frames[++depth] = $2; next }

/^@\[/ { depth = 0; next }
/^    / { sub(/\+[0-9]+$/, ""); frames[++depth] = $1; next }
/\]: [0-9]+$/ {
	n = $NF
	sub(/\]: [0-9]+$/, "")
	sub(/^, /, "")
	fold($0, n)
}

END {
	if (from == "perf" && comm != "")
		fold(comm, 1)
	for (line in counts)
		print line, counts[line]
}
