// SPDX-License-Identifier: BSD-2-Clause
/* Decodes struct read_format: values, times, ids and lost counts of an event or a group. */
#include "perf/readout.h"

#include <errno.h>

#include "perf/record_cursor.h"
#include "perf/uapi.h"

/* Bytes of one member of a group. */
static size_t member_bytes(uint64_t format)
{
	return 8 * (1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST));
}

static void take_times(struct record_cursor *c, struct perf_readout *out)
{
	if (out->format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		out->enabled_ns = cursor__u64(c);
	if (out->format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		out->running_ns = cursor__u64(c);
}

void readout__take(struct record_cursor *c, uint64_t format, struct perf_readout *out)
{
	uint64_t nr;

	*out = (struct perf_readout){ .format = format, .nr = 1 };
	if (format & PERF_FORMAT_GROUP) {
		nr = cursor__u64(c);
		take_times(c, out);
		out->values = cursor__array(c, nr, member_bytes(format));
		out->nr = nr;
	} else {
		/* The times stand between the value and its id. */
		out->values = (const uint64_t *)c->at;
		cursor__u64(c);
		take_times(c, out);
		cursor__array(c, member_bytes(format) - 8, 1);
	}
}

int perf_readout__decode(struct perf_readout *out, const void *bytes, size_t len, uint64_t format)
{
	struct record_cursor c = { .at = bytes, .end = (const char *)bytes + len };

	*out = (struct perf_readout){ 0 };
	if (!len)
		return -ENODATA;
	readout__take(&c, format, out);
	return c.bad || c.at != c.end ? -EBADMSG : 0;
}

int perf_readout__get(const struct perf_readout *r, size_t i, struct perf_readout_value *out)
{
	const uint64_t *word;

	*out = (struct perf_readout_value){ 0 };
	if (i >= r->nr)
		return -ENOENT;
	word = (const uint64_t *)r->values + i * (member_bytes(r->format) / 8);
	out->value = *word++;
	if (!(r->format & PERF_FORMAT_GROUP))
		word += !!(r->format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			!!(r->format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	if (r->format & PERF_FORMAT_ID)
		out->id = *word++;
	if (r->format & PERF_FORMAT_LOST)
		out->lost = *word;
	return 0;
}

int perf_readout__find(const struct perf_readout *r, uint64_t id, struct perf_readout_value *out)
{
	for (size_t i = 0; r->format & PERF_FORMAT_ID && i < r->nr; i++)
		if (!perf_readout__get(r, i, out) && out->id == id)
			return 0;
	*out = (struct perf_readout_value){ 0 };
	return -ENOENT;
}
