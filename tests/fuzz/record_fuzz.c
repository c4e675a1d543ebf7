// SPDX-License-Identifier: BSD-2-Clause
/* Records of every layout: the first bytes say what the attr was, the rest is one record. */
#include <stdlib.h>
#include <string.h>

#include "perf/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t used; /* so that reading is not left out */

static void use(const void *bytes, size_t len)
{
	const uint8_t *at = bytes;

	for (size_t i = 0; i < len; i++)
		used += at[i];
}

static void use_readout(const struct perf_readout *r)
{
	struct perf_readout_value v;

	for (size_t i = 0; !perf_readout__get(r, i, &v); i++)
		used += v.value + v.id + v.lost;
	if (!perf_readout__find(r, 1, &v))
		used += v.value;
}

static void use_sample(const struct perf_sample *s)
{
	struct perf_branch b;
	uint64_t v;

	use_readout(&s->read);
	use(s->ips, s->nr_ips * 8);
	use(s->raw, s->raw_bytes);
	use(s->stack, s->stack_dyn_bytes);
	use(s->aux, s->aux_bytes);
	for (size_t i = 0; !perf_branches__get(&s->branches, i, &b); i++)
		used += b.from + b.cycles + (s->branches.counters ? s->branches.counters[i] : 0);
	for (unsigned int i = 0; i <= 64; i++) {
		if (!perf_regs__get(&s->user_regs, i, &v))
			used += v;
		if (!perf_regs__get(&s->intr_regs, i, &v))
			used += v;
	}
}

static void use_record(const struct perf_record *r)
{
	switch (r->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		use(r->mmap.path, strlen(r->mmap.path));
		use(r->mmap.build_id, r->mmap.build_id_bytes);
		break;
	case PERF_RECORD_COMM:
		use(r->comm.name, strlen(r->comm.name));
		break;
	case PERF_RECORD_READ:
		use_readout(&r->read.values);
		break;
	case PERF_RECORD_SAMPLE:
		use_sample(&r->sample);
		break;
	case PERF_RECORD_NAMESPACES:
		use(r->namespaces.namespaces, r->namespaces.nr * sizeof(struct perf_namespace));
		break;
	case PERF_RECORD_KSYMBOL:
		use(r->ksymbol.name, strlen(r->ksymbol.name));
		break;
	case PERF_RECORD_BPF_EVENT:
		use(r->bpf_event.tag, 8);
		break;
	case PERF_RECORD_CGROUP:
		use(r->cgroup.path, strlen(r->cgroup.path));
		break;
	case PERF_RECORD_TEXT_POKE:
		use(r->text_poke.old_text, r->text_poke.old_bytes);
		use(r->text_poke.new_text, r->text_poke.new_bytes);
		break;
	case 22: /* CALLCHAIN_DEFERRED, which headers before 6.19 lack */
		use(r->callchain_deferred.ips, r->callchain_deferred.nr_ips * 8);
		break;
	default:
		break;
	}
}

/* The layout in few bytes, so that little is in the way of the record. */
static struct perf_record_layout layout_of(const uint8_t *at)
{
	uint32_t type;

	memcpy(&type, at, sizeof(type));
	return (struct perf_record_layout){
		.sample_type = type & ((1u << 26) - 1),
		.read_format = at[4] & 31,
		.branch_sample_type = (uint64_t)(at[5] & 1) << 17 | (uint64_t)(at[5] & 2) << 18,
		.sample_regs_user = at[6],
		.sample_regs_intr = (uint64_t)at[7] << 56,
		.sample_id_all = at[4] & 32,
	};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { LAYOUT = 8 };
	struct perf_record_layout layout;
	struct perf_record r;
	uint64_t id;
	uint8_t *copy;

	if (size < LAYOUT + 8 || size > 65535)
		return 0;
	layout = layout_of(data);
	size = (size - LAYOUT) & ~7ul;
	/* An exact copy, so that a read behind the end is noticed. */
	copy = malloc(size);
	if (!copy)
		return 0;
	memcpy(copy, data + LAYOUT, size);
	copy[6] = size;
	copy[7] = size >> 8;
	if (!perf_record__id(copy, size, &layout, &id))
		used += id;
	if (!perf_record__decode(copy, size, &layout, &r))
		use_record(&r);
	free(copy);
	return 0;
}
