# SPDX-License-Identifier: BSD-2-Clause
# table.awk - medians of measurements as tables, one for each case; also appended to a CSV.
#
# Reads tab-separated lines:	CASE TOOL METRIC VALUE
#	goal CASE METRIC LIMIT		ours is to be at most LIMIT
#	goal CASE METRIC LIMIT TOOL	ours is to be at most LIMIT times what TOOL needs
# A cell is the median and, where TOOL is not ours, how many times ours that is.
# Set: section, csv, stamp (first columns of the CSV).

function median(text, v, n, i, j, x) {
	n = split(text, v, " ")
	for (i = 2; i <= n; i++) {
		x = v[i] + 0
		for (j = i - 1; j > 0 && v[j] + 0 > x; j--)
			v[j + 1] = v[j]
		v[j + 1] = x
	}
	return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
}

function number(x) {
	return sprintf(x == int(x) || x >= 100 ? "%.0f" : x >= 1 ? "%.1f" : "%.3f", x)
}

BEGIN { FS = "\t" }

$1 == "goal" { goals[++nr_goals] = $0; next }

{
	if (!($1 in seen_case)) { seen_case[$1] = 1; cases[++nr_cases] = $1 }
	if (!(($1, $2) in seen_tool)) {
		seen_tool[$1, $2] = 1
		tools[$1, ++nr_tools[$1]] = $2
	}
	if (!(($1, $3) in seen_metric)) {
		seen_metric[$1, $3] = 1
		metrics[$1, ++nr_metrics[$1]] = $3
	}
	values[$1, $2, $3] = values[$1, $2, $3] " " $4
}

END {
	for (c = 1; c <= nr_cases; c++) {
		name = cases[c]
		printf "\n%-20s", section ", " name
		for (m = 1; m <= nr_metrics[name]; m++)
			printf " %20s", metrics[name, m]
		printf "\n"
		for (t = 1; t <= nr_tools[name]; t++) {
			tool = tools[name, t]
			printf "  %-18s", tool
			for (m = 1; m <= nr_metrics[name]; m++) {
				metric = metrics[name, m]
				if (!((name, tool, metric) in values)) {
					printf " %20s", "-"
					continue
				}
				x = median(values[name, tool, metric])
				ours = median(values[name, "pmutrace", metric])
				ratio = tool != "pmutrace" && ours > 0 ? sprintf("(%.2fx)", x / ours) : ""
				printf " %10s %9s", number(x), ratio
				printf "%s,%s,%s,%s,%s,%s\n", stamp, section, name, tool, metric, number(x) >> csv
			}
			printf "\n"
		}
		for (g = 1; g <= nr_goals; g++) {
			split(goals[g], goal, "\t")
			if (goal[2] != name || !((name, "pmutrace", goal[3]) in values))
				continue
			x = median(values[name, "pmutrace", goal[3]])
			of = ""
			if (goal[5] != "") {
				if (!((name, goal[5], goal[3]) in values))
					continue
				x /= median(values[name, goal[5], goal[3]])
				of = " of " goal[5]
			}
			printf "  goal: %s %s%s, at most %s: %s\n", goal[3], number(x), of, goal[4],
				x <= goal[4] + 0 ? "met" : "MISSED"
		}
	}
}
