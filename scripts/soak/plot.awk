# SPDX-License-Identifier: BSD-2-Clause
# plot.awk soak.csv - memory, descriptors, answer times and losses over time, as SVG; and of the profiler, where
# there was one, memory and descriptors.

BEGIN {
	wide = 960; left = 90; right = 20; high = 150; gap = 70; top = 60
	plot = wide - left - right
}

# 1, 2 or 5 times a power of ten: some N of them in SPAN
function step_of(span, n,    power, x) {
	x = span / n
	power = 10 ^ int(log(x) / log(10) - (x < 1))
	x /= power
	return power * (x <= 1.001 ? 1 : x <= 2.001 ? 2 : x <= 5.001 ? 5 : 10)
}
function text(x, y, anchor, class, what) {
	printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" class=\"%s\">%s</text>\n", x, y, anchor, class, what
}
function x_of(seconds) { return left + plot * seconds / (end > 0 ? end : 1) }
function y_of(v) { return base - high * (v - low) / (high_value - low) }

# What the axis of these columns goes from and to; all have 0 but memory.
function scale(names, from_zero,    n, name, k, i, v, least, most) {
	n = split(names, name, " ")
	least = most = value[name[1], nr] / per
	for (k = 1; k <= n; k++)
		for (i = 1; i <= nr; i++) {
			if (value[name[k], i] == "-")
				continue
			v = value[name[k], i] / per
			if (v < least) least = v
			if (v > most) most = v
		}
	if (from_zero)
		least = 0
	if (most - least < least_span)
		most = least + least_span
	tick = step_of(most - least, 4)
	low = int(least / tick) * tick
	high_value = (int(most / tick) + (most > int(most / tick) * tick)) * tick
}
function axes(title, unit,    v, s, step) {
	text(left, base - high - 14, "start", "title", title)
	text(left - 10, base - high - 14, "end", "", unit)
	for (v = low; v <= high_value + tick / 2; v += tick) {
		printf "<path class=\"grid\" d=\"M%d %.1fH%d\"/>\n", left, y_of(v), wide - right
		text(left - 8, y_of(v) + 4, "end", "", sprintf("%g", v))
	}
	for (s = 0; s <= end; s += time_step) {
		printf "<path class=\"axis\" d=\"M%.1f %.1fv5\"/>\n", x_of(s), base
		text(x_of(s), base + 19, "middle", "", sprintf("%g", s / time_unit) " " time_name)
	}
	printf "<path class=\"axis\" d=\"M%d %.1fV%.1fH%d\"/>\n", left, base - high, base, wide - right
}
# The most in each pixel: nothing is so short that it is not seen.
function line(name, class,    i, x, was, most, path) {
	was = -1
	for (i = 1; i <= nr + 1; i++) {
		if (i <= nr && value[name, i] == "-")
			continue
		x = i <= nr ? int(x_of(at[i])) : -2
		if (x != was && was >= 0)
			path = path sprintf("%s%d %.1f", path == "" ? "M" : "L", was, y_of(most / per))
		if (x != was || value[name, i] > most)
			most = value[name, i]
		was = x
	}
	printf "<path class=\"line %s\" d=\"%s\"/>\n", class, path
}
function legend(place, class, what,    x) {
	x = wide - right - 130 * place
	printf "<path class=\"line %s\" d=\"M%d %.1fh24\"/>\n", class, x, base - high - 18
	text(x + 30, base - high - 14, "start", "", what)
}
function panel(title, unit, names, labels, from_zero, span, units_each,    n, name, label, k) {
	base = top + high + panels++ * (high + gap)
	least_span = span
	per = units_each
	scale(names, from_zero)
	axes(title, unit)
	n = split(names, name, " ")
	split(labels, label, ";")
	for (k = n; k >= 1; k--) {
		line(name[k], "c" k)
		if (n > 1)
			legend(n - k + 1, "c" k, label[k])
	}
}
END {
	if (!nr)
		exit
	end = at[nr]
	profiled = (("windows", nr) in value) && value["windows", nr] != "-"
	time_unit = end >= 7200 ? 3600 : end >= 300 ? 60 : 1
	time_name = end >= 7200 ? "h" : end >= 300 ? "min" : "s"
	time_step = step_of(end / time_unit, 8)
	time_step = (time_step < 1 ? 1 : time_step) * time_unit
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\">\n", wide, top + (profiled ? 6 : 4) * (high + gap) - gap / 2
	print "<style>text{font:13px sans-serif;fill:#333}.head{font-size:17px}.title{font-weight:bold}"
	print "path{fill:none}.grid{stroke:#e4e4e4}.axis{stroke:#888}.line{stroke-width:1.5}"
	print ".c1{stroke:#1f5fa8}.c2{stroke:#d98218}</style>"
	print "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
	text(wide / 2, 22, "middle", "head", sprintf("pmutrace export over %.1f %s", end / time_unit, time_name))
	panel("Memory", "MB", "rss_kb pss_kb", "RSS;PSS", 0, 1, 1024)
	panel("Descriptors", "number", "descriptors", "", 1, 4, 1)
	panel("Time of an answer, of ten each", "ms", "answer_median_ms answer_worst_ms", "median;worst", 1, 1, 1)
	panel("Lost up to then", "number", "lost untold", "timeslices;untold switches", 1, 4, 1)
	if (profiled) {
		panel("Memory of profile --continuous", "MB", "profiler_rss_kb", "", 0, 1, 1024)
		panel("Its descriptors", "number", "profiler_descriptors", "", 1, 4, 1)
	}
	print "</svg>"
}
