// SPDX-License-Identifier: BSD-2-Clause
/* Records as perf/record.h has them -> as users of the library see them. */
#include <errno.h>
#include <string.h>

#include "api/record.h"
#include "perf/record.h"
#include "perf/uapi.h"

_Static_assert(sizeof(struct pmutrace_namespace) == sizeof(struct perf_namespace),
	       "both are what the kernel writes");

static struct pmutrace_reading reading_of(const struct perf_readout *r)
{
	return (struct pmutrace_reading){
		.format = r->format,
		.enabled_ns = r->enabled_ns,
		.running_ns = r->running_ns,
		.nr = r->nr,
		.values = r->values,
	};
}

static struct pmutrace_regs regs_of(const struct perf_regs *r)
{
	return (struct pmutrace_regs){ .abi = r->abi, .mask = r->mask, .values = r->values };
}

static void take_sample(const struct perf_record *r, struct pmutrace_sample *out)
{
	const struct perf_sample *s = &r->sample;

	*out = (struct pmutrace_sample){
		.has = s->has,
		.exact_ip = perf_record__exact_ip(r),
		.ip = s->ip,
		.addr = s->addr,
		.period = s->period,
		.read = reading_of(&s->read),
		.ips = s->ips,
		.nr_ips = s->nr_ips,
		.raw = s->raw,
		.raw_bytes = s->raw_bytes,
		.branches = {
			.entries = s->branches.entries,
			.nr = s->branches.nr,
			.counters = s->branches.counters,
			.has_hw_index = s->branches.has_hw_index,
			.hw_index = s->branches.hw_index,
		},
		.user_regs = regs_of(&s->user_regs),
		.intr_regs = regs_of(&s->intr_regs),
		.stack = s->stack,
		.stack_bytes = s->stack_bytes,
		.stack_dyn_bytes = s->stack_dyn_bytes,
		.weight = s->weight,
		.weight_var1 = s->weight_var1,
		.weight_var2 = s->weight_var2,
		.weight_var3 = s->weight_var3,
		.data_source = s->data_src,
		.transaction = s->transaction,
		.phys_addr = s->phys_addr,
		.cgroup = s->cgroup,
		.data_page_bytes = s->data_page_bytes,
		.code_page_bytes = s->code_page_bytes,
		.aux = s->aux,
		.aux_bytes = s->aux_bytes,
	};
}

static void take_mmap(const struct perf_record *r, struct pmutrace_mmap *out)
{
	const struct perf_record_mmap *m = &r->mmap;

	*out = (struct pmutrace_mmap){
		.pid = m->pid,
		.tid = m->tid,
		.start = m->start,
		.bytes = m->bytes,
		.offset = m->offset,
		.data = perf_record__is_data(r),
		.dev_major = m->dev_major,
		.dev_minor = m->dev_minor,
		.inode = m->inode,
		.inode_generation = m->inode_generation,
		.build_id = m->build_id,
		.build_id_bytes = m->build_id_bytes,
		.prot = m->prot,
		.flags = m->flags,
		.path = m->path,
	};
}

/* The life of tasks. False: it is none of these. */
static bool take_of_task(const struct perf_record *r, struct pmutrace_record *out)
{
	switch (r->type) {
	case PERF_RECORD_COMM:
		out->comm = (struct pmutrace_comm){ r->comm.pid, r->comm.tid,
						    perf_record__is_exec(r), r->comm.name };
		return true;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		out->task = (struct pmutrace_task){ r->task.pid, r->task.parent_pid, r->task.tid,
						    r->task.parent_tid, r->task.time_ns };
		return true;
	case PERF_RECORD_READ:
		out->read = (struct pmutrace_read_record){ r->read.pid, r->read.tid,
							   reading_of(&r->read.values) };
		return true;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		out->cpu_switch = (struct pmutrace_switch){
			.out = perf_record__switched_out(r),
			.preempted = perf_record__preempted(r),
		};
		if (r->type == PERF_RECORD_SWITCH)
			return true;
		out->cpu_switch.next_prev_pid = r->cpu_switch.next_prev_pid;
		out->cpu_switch.next_prev_tid = r->cpu_switch.next_prev_tid;
		return true;
	case PERF_RECORD_NAMESPACES:
		out->namespaces = (struct pmutrace_namespaces){
			r->namespaces.pid, r->namespaces.tid, r->namespaces.nr,
			(const struct pmutrace_namespace *)r->namespaces.namespaces
		};
		return true;
	default:
		return false;
	}
}

/* What the kernel tells of itself, and of the ring. */
static void take_of_kernel(const struct perf_record *r, struct pmutrace_record *out)
{
	switch (r->type) {
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		out->lost = (struct pmutrace_lost){ r->lost.id, r->lost.nr };
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		out->throttle = (struct pmutrace_throttle){ r->throttle.time_ns, r->throttle.id,
							    r->throttle.stream_id };
		break;
	case PERF_RECORD_AUX:
		out->aux = (struct pmutrace_aux){ r->aux.offset, r->aux.bytes, r->aux.flags };
		break;
	case PERF_RECORD_ITRACE_START:
		out->itrace_start =
			(struct pmutrace_itrace_start){ r->itrace_start.pid, r->itrace_start.tid };
		break;
	case PERF_RECORD_KSYMBOL:
		out->ksymbol = (struct pmutrace_ksymbol){ r->ksymbol.start, r->ksymbol.bytes,
							  r->ksymbol.ksym_type, r->ksymbol.flags,
							  r->ksymbol.name };
		break;
	case PERF_RECORD_BPF_EVENT:
		out->bpf_event =
			(struct pmutrace_bpf_event){ r->bpf_event.event, r->bpf_event.flags,
						     r->bpf_event.prog_id, r->bpf_event.tag };
		break;
	case PERF_RECORD_CGROUP:
		out->cgroup = (struct pmutrace_cgroup){ r->cgroup.id, r->cgroup.path };
		break;
	case PERF_RECORD_TEXT_POKE:
		out->text_poke =
			(struct pmutrace_text_poke){ r->text_poke.addr, r->text_poke.old_bytes,
						     r->text_poke.new_bytes, r->text_poke.old_text,
						     r->text_poke.new_text };
		break;
	case PERF_RECORD_AUX_OUTPUT_HW_ID:
		out->aux_output_hw_id = r->aux_output_hw_id.hw_id;
		break;
	case PERF_RECORD_CALLCHAIN_DEFERRED:
		out->callchain_deferred =
			(struct pmutrace_callchain_deferred){ r->callchain_deferred.cookie,
							      r->callchain_deferred.nr_ips,
							      r->callchain_deferred.ips };
		break;
	default:
		break;
	}
}

/* By memset: an initializer need not clear all of the union, where later headers have members. */
void record__clear(struct pmutrace_record *out, const void *bytes, size_t len)
{
	memset(out, 0, sizeof(*out));
	out->event = PMUTRACE_NO_EVENT;
	out->bytes = bytes;
	out->len = len;
}

int record__take(const struct perf_record_layout *layout, const void *bytes, size_t len,
		 struct pmutrace_record *out)
{
	struct perf_record r;
	int err = perf_record__decode(bytes, len, layout, &r);

	record__clear(out, bytes, len);
	if (err && err != -ENOMSG)
		return err;
	out->type = r.type;
	out->misc = r.misc;
	out->cpu_mode = perf_record__cpu_mode(&r);
	if (err)
		return 0;
	out->has = r.id.has;
	out->pid = r.id.pid;
	out->tid = r.id.tid;
	out->cpu = r.id.cpu;
	out->time_ns = r.id.time_ns;
	out->id = r.id.has & PERF_SAMPLE_IDENTIFIER ? r.id.identifier : r.id.id;
	out->stream_id = r.id.stream_id;
	if (r.type == PERF_RECORD_SAMPLE)
		take_sample(&r, &out->sample);
	else if (r.type == PERF_RECORD_MMAP || r.type == PERF_RECORD_MMAP2)
		take_mmap(&r, &out->mmap);
	else if (!take_of_task(&r, out))
		take_of_kernel(&r, out);
	return 0;
}

int pmutrace_decode(const struct perf_event_attr *attr, const void *bytes, size_t len,
		    struct pmutrace_record *out)
{
	struct perf_record_layout layout = perf_record_layout__of(attr);

	return record__take(&layout, bytes, len, out);
}

int pmutrace_reading_get(const struct pmutrace_reading *r, size_t i,
			 struct pmutrace_reading_value *out)
{
	const struct perf_readout readout = { .format = r->format,
					      .nr = r->nr,
					      .values = r->values };
	struct perf_readout_value v;
	int err = perf_readout__get(&readout, i, &v);

	*out = (struct pmutrace_reading_value){ 0 };
	if (!err)
		*out = (struct pmutrace_reading_value){ .value = v.value,
							.id = v.id,
							.lost = v.lost };
	return err;
}

int pmutrace_branch_get(const struct pmutrace_branches *b, size_t i, struct pmutrace_branch *out)
{
	const struct perf_branches branches = { .entries = b->entries, .nr = b->nr };
	struct perf_branch v;
	int err = perf_branches__get(&branches, i, &v);

	*out = (struct pmutrace_branch){ 0 };
	if (!err)
		*out = (struct pmutrace_branch){
			.from = v.from,
			.to = v.to,
			.mispredicted = v.mispredicted,
			.predicted = v.predicted,
			.in_tx = v.in_tx,
			.abort = v.abort,
			.cycles = v.cycles,
			.type = v.type,
			.spec = v.spec,
			.new_type = v.new_type,
			.priv = v.priv,
		};
	return err;
}

int pmutrace_reg_get(const struct pmutrace_regs *r, unsigned int reg, uint64_t *value)
{
	const struct perf_regs regs = { .abi = r->abi, .mask = r->mask, .values = r->values };

	return perf_regs__get(&regs, reg, value);
}

struct pmutrace_data_source pmutrace_data_source_of(uint64_t data_source)
{
	struct perf_data_src s = perf_data_src__of(data_source);

	return (struct pmutrace_data_source){
		.op = s.op,
		.lvl = s.lvl,
		.snoop = s.snoop,
		.lock = s.lock,
		.dtlb = s.dtlb,
		.lvl_num = s.lvl_num,
		.remote = s.remote,
		.snoopx = s.snoopx,
		.blk = s.blk,
		.hops = s.hops,
	};
}

uint32_t pmutrace_abort_code(uint64_t transaction)
{
	return perf_transaction__abort_code(transaction);
}
