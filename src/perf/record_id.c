// SPDX-License-Identifier: BSD-2-Clause
/* Headers and trailers of records: who wrote them, and when. */
#include "perf/record.h"

#include <errno.h>

#include "perf/record_parts.h"

int record__take_header(struct record_cursor *c, const void *bytes, size_t len,
			struct perf_event_header *h)
{
	*h = (struct perf_event_header){ 0 };
	if (len < sizeof(*h))
		return -EBADMSG;
	memcpy(h, bytes, sizeof(*h));
	if (h->size != len || len % 8)
		return -EBADMSG;
	*c = (struct record_cursor){
		.at = (const char *)bytes + sizeof(*h),
		.end = (const char *)bytes + len,
	};
	return 0;
}

/*
 * Of these the kernel makes the size larger by a trailer for each event that has had the record
 * before (perf_event_ksymbol_output() and perf_event_bpf_output(), kernel/events/core.c, do not set
 * it back): what lies behind the first trailer was never written.
 */
static size_t body_bytes(const struct record_cursor *c, uint32_t type)
{
	enum { BPF_BYTES = 16, BEFORE_NAME = 16 };
	const size_t len = c->end - c->at;
	const char *end;

	if (type == PERF_RECORD_BPF_EVENT)
		return BPF_BYTES;
	if (type != PERF_RECORD_KSYMBOL || len < BEFORE_NAME)
		return len;
	end = memchr(c->at + BEFORE_NAME, '\0', len - BEFORE_NAME);
	return end ? (size_t)(end + 1 - c->at + 7) & ~(size_t)7 : len;
}

void record__take_trailer(struct record_cursor *c, const struct perf_record_layout *layout,
			  uint32_t type, struct perf_record_id *id)
{
	struct record_cursor t = {};
	size_t len, body;

	*id = (struct perf_record_id){ 0 };
	if (!layout->sample_id_all)
		return;
	id->has = layout->sample_type & PERF_RECORD_ID_FIELDS;
	len = 8 * __builtin_popcountll(id->has);
	if (len > (size_t)(c->end - c->at)) {
		c->bad = true;
		return;
	}
	body = body_bytes(c, type);
	if (body < (size_t)(c->end - c->at) - len)
		c->end = c->at + body + len;
	t.end = c->end;
	t.at = c->end = c->end - len;
	if (id->has & PERF_SAMPLE_TID) {
		id->pid = cursor__u32(&t);
		id->tid = cursor__u32(&t);
	}
	if (id->has & PERF_SAMPLE_TIME)
		id->time_ns = cursor__u64(&t);
	if (id->has & PERF_SAMPLE_ID)
		id->id = cursor__u64(&t);
	if (id->has & PERF_SAMPLE_STREAM_ID)
		id->stream_id = cursor__u64(&t);
	if (id->has & PERF_SAMPLE_CPU) {
		id->cpu = cursor__u32(&t);
		cursor__u32(&t);
	}
	if (id->has & PERF_SAMPLE_IDENTIFIER)
		id->identifier = cursor__u64(&t);
}

/* How far from the front PERF_SAMPLE_ID is in a sample. */
static size_t sample_id_offset(uint64_t type)
{
	uint64_t before = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;

	return 8 * __builtin_popcountll(type & before);
}

/* How far from the end it is in a trailer. */
static size_t trailer_id_offset(uint64_t type)
{
	uint64_t behind = PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU;

	return 8 * (1 + __builtin_popcountll(type & behind));
}

int perf_record__id(const void *bytes, size_t len, const struct perf_record_layout *any,
		    uint64_t *id)
{
	uint64_t type = any->sample_type;
	struct perf_event_header h;
	struct record_cursor c;
	size_t skip;
	int err = record__take_header(&c, bytes, len, &h);

	*id = 0;
	if (err)
		return err;
	if (!(type & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER)))
		return -ENODATA;
	if (h.type == PERF_RECORD_SAMPLE) {
		skip = type & PERF_SAMPLE_IDENTIFIER ? 0 : sample_id_offset(type);
	} else if (any->sample_id_all) {
		/* From the front, counted back from the end; too much if the record is short. */
		skip = type & PERF_SAMPLE_IDENTIFIER ? 8 : trailer_id_offset(type);
		skip = (size_t)(c.end - c.at) - skip;
	} else {
		return -ENODATA;
	}
	cursor__array(&c, skip, 1);
	*id = cursor__u64(&c);
	return c.bad ? -EBADMSG : 0;
}
