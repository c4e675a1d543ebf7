# SPDX-License-Identifier: BSD-2-Clause
# sum.awk -v ended=STATUS soak.csv - what became of an exporter: numbers, then a line FAILED for each
# thing that is not as it should be, or "all is well".

function failed(why) {
	print "FAILED: " why
	failures++
}
# Of the rows from second A up to second B; least, most and mean are left in these.
function look_at(name, a, b,    i, v, sum, n) {
	n = sum = 0
	for (i = 1; i <= nr; i++) {
		if (at[i] < a || at[i] > b)
			continue
		v = value[name, i]
		if (!n++ || v < least)
			least = v
		if (n == 1 || v > most)
			most = v
		sum += v
	}
	mean = n ? sum / n : 0
}
# Of a line through all rows from second A on, by least squares; a second.
function slope(name, a,    i, n, x, y, xy, xx) {
	for (i = 1; i <= nr; i++) {
		if (at[i] < a)
			continue
		n++
		x += at[i]
		y += value[name, i]
	}
	if (n < 2)
		return 0
	x /= n
	y /= n
	for (i = 1; i <= nr; i++) {
		if (at[i] < a)
			continue
		xy += (at[i] - x) * (value[name, i] - y)
		xx += (at[i] - x) ^ 2
	}
	return xy / xx
}
function last(name) { return value[name, nr] }
function grown(name) { return value[name, nr] - value[name, 1] }
function put(what, text) { printf "%-24s %s\n", what, text }

END {
	if (nr < 2) {
		failed("no 20 seconds were seen")
		exit
	}
	end = at[nr]
	took = end - at[1]
	# Hours where there are two, or else halves.
	span = end >= 7200 ? 3600 : end / 2
	called = end >= 7200 ? "hour" : "half"
	put("time", sprintf("%.2f h, %d rows", end / 3600, nr))

	look_at("rss_kb", 0, span); first = mean
	look_at("rss_kb", end - span, end)
	put("RSS", sprintf("%.0f KB in the first %s, %.0f KB in the last one", first, called, mean))
	begin = end >= 1800 ? 600 : end / 3
	put("  slope", sprintf("%+.1f KB an hour, after the first %.0f s", slope("rss_kb", begin) * 3600, begin))
	look_at("pss_kb", 0, end)
	put("PSS", sprintf("%d to %d KB", least, most))

	look_at("descriptors", 0, end); all = most
	look_at("descriptors", 0, span); before = most
	look_at("descriptors", end - span, end); after = least
	put("descriptors", sprintf("%d at first, %d at the end, %d at most", value["descriptors", 1], last("descriptors"), all))
	look_at("threads", 0, end)
	put("threads", sprintf("%d to %d", least, most))
	put("CPU of the exporter", sprintf("%.2f %% of one", 100 * grown("cpu_s") / took))
	put("  of its BPF programs", sprintf("%.3f %% of one, %.0f ns a timeslice", 100 * grown("bpf_s") / took,
		grown("timeslices") ? 1e9 * grown("bpf_s") / grown("timeslices") : 0))

	look_at("series", 0, end)
	put("series", sprintf("%d to %d", least, most))
	look_at("answer_bytes", 0, end)
	put("an answer", sprintf("%d to %d bytes", least, most))
	look_at("answer_median_ms", 0, end); usual = mean
	look_at("answer_worst_ms", 0, end)
	put("  took", sprintf("%.1f ms (mean of medians), %.1f ms at worst", usual, most))

	put("timeslices", sprintf("%d seen, %d lost, %d switches untold", last("timeslices"), last("lost"), last("untold")))
	ratio = grown("kernel_switches") ? grown("switches") / grown("kernel_switches") : 0
	put("context switches", sprintf("%d; %.4f of those of /proc/stat", grown("switches"), ratio))
	put("counters that went back", last("went_back"))
	put("requests that failed", last("failed"))
	print ""

	if (last("went_back") > 0)
		failed("counters went back: notes.txt")
	if (last("failed") > 0)
		failed("requests failed: notes.txt")
	if (after > before)
		failed("descriptors grew")
	# The two are read one after the other.
	if (ratio < 0.98 || ratio > 1.02)
		failed("context switches are not those of /proc/stat")
	if (ended != 0)
		failed("the exporter ended with status " ended)
	if (!failures)
		print "all is well"
}
