// SPDX-License-Identifier: BSD-2-Clause
/* Decodes records: headers, trailers (who wrote them, and when), bodies of all but SAMPLE. */
#include "perf/record.h"

#include <errno.h>

#include "perf/record_cursor.h"
#include "perf/uapi.h"

struct perf_record_layout perf_record_layout__of(const struct perf_event_attr *attr)
{
	return (struct perf_record_layout){
		.sample_type = attr->sample_type,
		.read_format = attr->read_format,
		.branch_sample_type = attr->branch_sample_type,
		.sample_regs_user = attr->sample_regs_user,
		.sample_regs_intr = attr->sample_regs_intr,
		.sample_id_all = attr->sample_id_all,
		.inode_only = !perf_attr__build_id(attr),
	};
}

static int take_header(struct record_cursor *c, const void *bytes, size_t len,
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

static void take_trailer(struct record_cursor *c, const struct perf_record_layout *layout,
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

static void take_file(struct record_cursor *c, bool has_build_id, struct perf_record_mmap *m)
{
	enum { BUILD_ID_MAX = 20 };
	const uint8_t *build_id;

	if (has_build_id) {
		build_id = cursor__array(c, 4 + BUILD_ID_MAX, 1);
		if (!build_id || build_id[0] > BUILD_ID_MAX) {
			c->bad = true;
			return;
		}
		m->build_id_bytes = build_id[0];
		m->build_id = build_id + 4;
	} else {
		m->dev_major = cursor__u32(c);
		m->dev_minor = cursor__u32(c);
		m->inode = cursor__u64(c);
		m->inode_generation = cursor__u64(c);
	}
	m->prot = cursor__u32(c);
	m->flags = cursor__u32(c);
}

static void take_mmap(struct record_cursor *c, const struct perf_record_layout *layout,
		      const struct perf_record *r, struct perf_record_mmap *m)
{
	*m = (struct perf_record_mmap){ 0 };
	m->pid = cursor__u32(c);
	m->tid = cursor__u32(c);
	m->start = cursor__u64(c);
	m->bytes = cursor__u64(c);
	m->offset = cursor__u64(c);
	if (r->type == PERF_RECORD_MMAP2)
		take_file(c, !layout->inode_only && r->misc & PERF_RECORD_MISC_MMAP_BUILD_ID, m);
	m->path = cursor__string(c);
}

static void take_task(struct record_cursor *c, struct perf_record_task *t)
{
	t->pid = cursor__u32(c);
	t->parent_pid = cursor__u32(c);
	t->tid = cursor__u32(c);
	t->parent_tid = cursor__u32(c);
	t->time_ns = cursor__u64(c);
}

static void take_namespaces(struct record_cursor *c, struct perf_record_namespaces *n)
{
	n->pid = cursor__u32(c);
	n->tid = cursor__u32(c);
	n->nr = cursor__u64(c);
	n->namespaces = cursor__array(c, n->nr, sizeof(*n->namespaces));
}

static void take_ksymbol(struct record_cursor *c, struct perf_record_ksymbol *k)
{
	k->start = cursor__u64(c);
	k->bytes = cursor__u32(c);
	k->ksym_type = cursor__u16(c);
	k->flags = cursor__u16(c);
	k->name = cursor__string(c);
}

static void take_bpf_event(struct record_cursor *c, struct perf_record_bpf_event *b)
{
	b->event = cursor__u16(c);
	b->flags = cursor__u16(c);
	b->prog_id = cursor__u32(c);
	b->tag = cursor__array(c, 8, 1);
}

static void take_text_poke(struct record_cursor *c, struct perf_record_text_poke *t)
{
	t->addr = cursor__u64(c);
	t->old_bytes = cursor__u16(c);
	t->new_bytes = cursor__u16(c);
	t->old_text = cursor__array(c, t->old_bytes, 1);
	t->new_text = cursor__array(c, t->new_bytes, 1);
}

static void take_callchain(struct record_cursor *c, struct perf_record_callchain_deferred *d)
{
	d->cookie = cursor__u64(c);
	d->nr_ips = cursor__u64(c);
	d->ips = cursor__array(c, d->nr_ips, 8);
}

/* Records of two or three plain numbers, and those with a name behind. False: not one of them. */
static bool take_plain(struct record_cursor *c, struct perf_record *r)
{
	switch (r->type) {
	case PERF_RECORD_LOST:
		r->lost.id = cursor__u64(c);
		r->lost.nr = cursor__u64(c);
		return true;
	case PERF_RECORD_LOST_SAMPLES:
		r->lost.id = 0;
		r->lost.nr = cursor__u64(c);
		return true;
	case PERF_RECORD_COMM:
		r->comm.pid = cursor__u32(c);
		r->comm.tid = cursor__u32(c);
		r->comm.name = cursor__string(c);
		return true;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		r->throttle.time_ns = cursor__u64(c);
		r->throttle.id = cursor__u64(c);
		r->throttle.stream_id = cursor__u64(c);
		return true;
	case PERF_RECORD_AUX:
		r->aux.offset = cursor__u64(c);
		r->aux.bytes = cursor__u64(c);
		r->aux.flags = cursor__u64(c);
		return true;
	case PERF_RECORD_ITRACE_START:
		r->itrace_start.pid = cursor__u32(c);
		r->itrace_start.tid = cursor__u32(c);
		return true;
	case PERF_RECORD_SWITCH:
		return true;
	case PERF_RECORD_SWITCH_CPU_WIDE:
		r->cpu_switch.next_prev_pid = cursor__u32(c);
		r->cpu_switch.next_prev_tid = cursor__u32(c);
		return true;
	case PERF_RECORD_CGROUP:
		r->cgroup.id = cursor__u64(c);
		r->cgroup.path = cursor__string(c);
		return true;
	case PERF_RECORD_AUX_OUTPUT_HW_ID:
		r->aux_output_hw_id.hw_id = cursor__u64(c);
		return true;
	default:
		return false;
	}
}

static int take_body(struct record_cursor *c, const struct perf_record_layout *layout,
		     struct perf_record *r)
{
	switch (r->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		take_mmap(c, layout, r, &r->mmap);
		return 0;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		take_task(c, &r->task);
		return 0;
	case PERF_RECORD_READ:
		r->read.pid = cursor__u32(c);
		r->read.tid = cursor__u32(c);
		readout__take(c, layout->read_format, &r->read.values);
		return 0;
	case PERF_RECORD_NAMESPACES:
		take_namespaces(c, &r->namespaces);
		return 0;
	case PERF_RECORD_KSYMBOL:
		take_ksymbol(c, &r->ksymbol);
		return 0;
	case PERF_RECORD_BPF_EVENT:
		take_bpf_event(c, &r->bpf_event);
		return 0;
	case PERF_RECORD_TEXT_POKE:
		take_text_poke(c, &r->text_poke);
		return 0;
	case PERF_RECORD_CALLCHAIN_DEFERRED:
		take_callchain(c, &r->callchain_deferred);
		return 0;
	default:
		return take_plain(c, r) ? 0 : -ENOMSG;
	}
}

int perf_record__decode(const void *bytes, size_t len, const struct perf_record_layout *layout,
			struct perf_record *out)
{
	struct perf_event_header h;
	struct record_cursor c;
	int err;

	out->type = 0;
	out->misc = 0;
	if ((uintptr_t)bytes % 8)
		return -EINVAL;
	err = take_header(&c, bytes, len, &h);
	out->type = h.type;
	out->misc = h.misc;
	if (err)
		return err;
	if (h.type == PERF_RECORD_SAMPLE) {
		out->id = (struct perf_record_id){ 0 };
		sample__take(&c, layout, &out->id, &out->sample);
	} else {
		take_trailer(&c, layout, h.type, &out->id);
		err = take_body(&c, layout, out);
		if (err)
			return err;
	}
	return c.bad ? -EBADMSG : 0;
}

uint16_t perf_record__cpu_mode(const struct perf_record *r)
{
	return r->misc & PERF_RECORD_MISC_CPUMODE_MASK;
}

bool perf_record__exact_ip(const struct perf_record *r)
{
	return r->type == PERF_RECORD_SAMPLE && r->misc & PERF_RECORD_MISC_EXACT_IP;
}

bool perf_record__is_exec(const struct perf_record *r)
{
	return r->type == PERF_RECORD_COMM && r->misc & PERF_RECORD_MISC_COMM_EXEC;
}

static bool is_switch(const struct perf_record *r)
{
	return r->type == PERF_RECORD_SWITCH || r->type == PERF_RECORD_SWITCH_CPU_WIDE;
}

bool perf_record__switched_out(const struct perf_record *r)
{
	return is_switch(r) && r->misc & PERF_RECORD_MISC_SWITCH_OUT;
}

bool perf_record__preempted(const struct perf_record *r)
{
	return is_switch(r) && r->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
}

bool perf_record__is_data(const struct perf_record *r)
{
	return (r->type == PERF_RECORD_MMAP || r->type == PERF_RECORD_MMAP2) &&
	       r->misc & PERF_RECORD_MISC_MMAP_DATA;
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
	int err = take_header(&c, bytes, len, &h);

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
