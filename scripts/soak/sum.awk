# SPDX-License-Identifier: BSD-2-Clause
# sum.awk -v ended=STATUS -v profiler_ended=STATUS soak.csv - what became of an exporter, and of a profiler
# in windows of ten seconds where there was one: numbers, then a line FAILED for each thing that is not
# as it should be, or "all is well".

function failed(why) {
	print "FAILED: " why
	failures++
}
# Of the rows from second A up to second B; least, most and mean are left in these, looked is how many rows.
function look_at(name, a, b,    i, v, sum, n) {
	n = sum = 0
	for (i = 1; i <= nr; i++) {
		if (at[i] < a || at[i] > b || value[name, i] == "-")
			continue
		v = value[name, i]
		if (!n++ || v < least)
			least = v
		if (n == 1 || v > most)
			most = v
		sum += v
	}
	mean = n ? sum / n : 0
	looked = n
}
# Of a line through all rows from second A on, by least squares; a second.
function slope(name, a,    i, n, x, y, xy, xx) {
	for (i = 1; i <= nr; i++) {
		if (at[i] < a || value[name, i] == "-")
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
function memory(name,    first, begin) {
	look_at(name, 0, span); first = looked ? sprintf("%.0f", mean) : "-"
	look_at(name, end - span, end)
	put("RSS", sprintf("%s KB in the first %s, %.0f KB in the last one", first, called, mean))
	begin = end >= 1800 ? 600 : end / 3
	put("  slope", sprintf("%+.1f KB an hour, after the first %.0f s", slope(name, begin) * 3600, begin))
}
# Whether those that are there all the time at the end are more than ever before.
function descriptors(name,    all, before, after) {
	look_at(name, 0, end); all = most
	look_at(name, 0, span); before = most
	look_at(name, end - span, end); after = least
	put("descriptors", sprintf("%d at the end, %d at most", last(name), all))
	return after > before
}
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

	memory("rss_kb")
	look_at("pss_kb", 0, end)
	put("PSS", sprintf("%d to %d KB", least, most))
	descriptors_grew = descriptors("descriptors")
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

	profiled = (("windows", nr) in value) && last("windows") != "-"
	if (profiled) {
		print "profile --continuous"
		memory("profiler_rss_kb")
		profiler_grew = descriptors("profiler_descriptors")
		put("CPU of the profiler", sprintf("%.2f %% of one", 100 * last("profiler_cpu_s") / end))
		put("windows", sprintf("%d of 10 s, %d of them failed", last("windows"), last("windows_failed")))
		put("samples", sprintf("%d, and %d lost", last("samples"), last("samples_lost")))
		print ""
	}

	if (last("went_back") > 0)
		failed("counters went back: notes.txt")
	if (last("failed") > 0)
		failed("requests failed: notes.txt")
	if (descriptors_grew)
		failed("descriptors grew")
	# The two are read one after the other.
	if (ratio < 0.98 || ratio > 1.02)
		failed("context switches are not those of /proc/stat")
	if (ended != 0)
		failed("the exporter ended with status " ended)
	if (profiler_grew)
		failed("descriptors of the profiler grew")
	# The first may begin late, and the last one has not ended.
	if (profiled && last("windows") < (end - 20) / 10)
		failed("windows are missing")
	if (profiled && last("windows_failed") > 0)
		failed("windows failed")
	if (profiler_ended != 0)
		failed("the profiler ended with status " profiler_ended)
	if (!failures)
		print "all is well"
}
