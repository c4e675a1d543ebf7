// SPDX-License-Identifier: BSD-2-Clause
/* Decodes the bodies of all records but SAMPLE, and the bits of their misc field. */
#include "perf/record.h"

#include <errno.h>

#include "perf/record_parts.h"
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
	err = record__take_header(&c, bytes, len, &h);
	out->type = h.type;
	out->misc = h.misc;
	if (err)
		return err;
	if (h.type == PERF_RECORD_SAMPLE) {
		out->id = (struct perf_record_id){ 0 };
		sample__take(&c, layout, &out->id, &out->sample);
	} else {
		record__take_trailer(&c, layout, h.type, &out->id);
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
