// SPDX-License-Identifier: BSD-2-Clause
/* Decodes the body of PERF_RECORD_SAMPLE, its registers, branches and data source. */
#include "perf/record_sample.h"

#include <errno.h>

#include "perf/record.h"
#include "perf/record_cursor.h"
#include "perf/uapi.h"

/* All that we know; fields of later bits would follow behind ours. */
#define SAMPLE_KNOWN                                                                               \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |                  \
	 PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_ID | PERF_SAMPLE_CPU |             \
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK | \
	 PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT |                     \
	 PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TRANSACTION |                 \
	 PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_AUX | PERF_SAMPLE_CGROUP |    \
	 PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE | PERF_SAMPLE_WEIGHT_STRUCT)

enum { BRANCH_BYTES = 24 }; /* struct perf_branch_entry */

/* A part of variable length must leave the next one aligned, as the kernel does. */
static void check_aligned(struct record_cursor *c)
{
	if ((uintptr_t)c->at % 8)
		c->bad = true;
}

static void take_id(struct record_cursor *c, struct perf_record_id *id, struct perf_sample *s)
{
	id->has = s->has & PERF_RECORD_ID_FIELDS;
	if (s->has & PERF_SAMPLE_IDENTIFIER)
		id->identifier = cursor__u64(c);
	if (s->has & PERF_SAMPLE_IP)
		s->ip = cursor__u64(c);
	if (s->has & PERF_SAMPLE_TID) {
		id->pid = cursor__u32(c);
		id->tid = cursor__u32(c);
	}
	if (s->has & PERF_SAMPLE_TIME)
		id->time_ns = cursor__u64(c);
	if (s->has & PERF_SAMPLE_ADDR)
		s->addr = cursor__u64(c);
	if (s->has & PERF_SAMPLE_ID)
		id->id = cursor__u64(c);
	if (s->has & PERF_SAMPLE_STREAM_ID)
		id->stream_id = cursor__u64(c);
	if (s->has & PERF_SAMPLE_CPU) {
		id->cpu = cursor__u32(c);
		cursor__u32(c);
	}
	if (s->has & PERF_SAMPLE_PERIOD)
		s->period = cursor__u64(c);
}

static void take_regs(struct record_cursor *c, uint64_t mask, struct perf_regs *regs)
{
	regs->abi = cursor__u64(c);
	if (c->bad || regs->abi == PERF_SAMPLE_REGS_ABI_NONE)
		return;
	regs->mask = mask;
	regs->values = cursor__array(c, __builtin_popcountll(mask), 8);
}

static void take_stack(struct record_cursor *c, struct perf_sample *s)
{
	uint64_t bytes = cursor__u64(c), filled;

	if (!bytes) /* a kernel thread's: the other field is left out, too */
		return;
	s->stack = cursor__array(c, bytes, 1);
	check_aligned(c);
	filled = cursor__u64(c);
	if (filled > bytes)
		c->bad = true;
	s->stack_bytes = bytes;
	s->stack_dyn_bytes = filled;
}

static void take_weight(struct record_cursor *c, struct perf_sample *s)
{
	s->weight = cursor__u64(c);
	if (!(s->has & PERF_SAMPLE_WEIGHT_STRUCT))
		return;
	s->weight_var1 = (uint32_t)s->weight;
	s->weight_var2 = (uint16_t)(s->weight >> 32);
	s->weight_var3 = (uint16_t)(s->weight >> 48);
}

/* All behind the branches. Leaves the cursor bad unless the record ends where it should. */
static void take_rest(struct record_cursor *c, const struct perf_record_layout *layout,
		      struct perf_sample *s)
{
	if (s->has & PERF_SAMPLE_REGS_USER)
		take_regs(c, layout->sample_regs_user, &s->user_regs);
	if (s->has & PERF_SAMPLE_STACK_USER)
		take_stack(c, s);
	if (s->has & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		take_weight(c, s);
	if (s->has & PERF_SAMPLE_DATA_SRC)
		s->data_src = cursor__u64(c);
	if (s->has & PERF_SAMPLE_TRANSACTION)
		s->transaction = cursor__u64(c);
	if (s->has & PERF_SAMPLE_REGS_INTR)
		take_regs(c, layout->sample_regs_intr, &s->intr_regs);
	if (s->has & PERF_SAMPLE_PHYS_ADDR)
		s->phys_addr = cursor__u64(c);
	if (s->has & PERF_SAMPLE_CGROUP)
		s->cgroup = cursor__u64(c);
	if (s->has & PERF_SAMPLE_DATA_PAGE_SIZE)
		s->data_page_bytes = cursor__u64(c);
	if (s->has & PERF_SAMPLE_CODE_PAGE_SIZE)
		s->code_page_bytes = cursor__u64(c);
	if (s->has & PERF_SAMPLE_AUX) {
		s->aux_bytes = cursor__u64(c);
		s->aux = cursor__array(c, s->aux_bytes, 1);
		check_aligned(c);
	}
	if (c->at != c->end && !(s->has & ~(uint64_t)SAMPLE_KNOWN))
		c->bad = true;
}

static void take_branches(struct record_cursor *c, uint64_t type, uint64_t nr,
			  struct perf_branches *b)
{
	if (type & PERF_SAMPLE_BRANCH_HW_INDEX) {
		b->has_hw_index = true;
		b->hw_index = cursor__u64(c);
	}
	b->nr = nr;
	b->entries = cursor__array(c, nr, BRANCH_BYTES);
	if (type & PERF_SAMPLE_BRANCH_COUNTERS)
		b->counters = cursor__array(c, nr, 8);
}

static void take_branches_and_rest(struct record_cursor *c, const struct perf_record_layout *layout,
				   struct perf_sample *s)
{
	struct perf_sample before = *s;
	struct record_cursor at_nr = *c;
	uint64_t nr = cursor__u64(c);

	take_branches(c, layout->branch_sample_type, nr, &s->branches);
	take_rest(c, layout, s);
	if (!c->bad || nr || !(layout->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX))
		return;
	/* The kernel leaves out the index when it had no branches at all to give. */
	*c = at_nr;
	*s = before;
	cursor__u64(c);
	take_rest(c, layout, s);
}

void sample__take(struct record_cursor *c, const struct perf_record_layout *layout,
		  struct perf_record_id *id, struct perf_sample *s)
{
	*s = (struct perf_sample){ .has = layout->sample_type };
	take_id(c, id, s);
	if (s->has & PERF_SAMPLE_READ)
		readout__take(c, layout->read_format, &s->read);
	if (s->has & PERF_SAMPLE_CALLCHAIN) {
		s->nr_ips = cursor__u64(c);
		s->ips = cursor__array(c, s->nr_ips, 8);
	}
	if (s->has & PERF_SAMPLE_RAW) {
		s->raw_bytes = cursor__u32(c);
		s->raw = cursor__array(c, s->raw_bytes, 1);
		check_aligned(c);
	}
	if (s->has & PERF_SAMPLE_BRANCH_STACK)
		take_branches_and_rest(c, layout, s);
	else
		take_rest(c, layout, s);
}

int perf_regs__get(const struct perf_regs *regs, unsigned int reg, uint64_t *value)
{
	uint64_t bit;

	*value = 0;
	if (reg >= 64)
		return -ENOENT;
	bit = 1ULL << reg;
	if (!(regs->mask & bit))
		return -ENOENT;
	*value = regs->values[__builtin_popcountll(regs->mask & (bit - 1))];
	return 0;
}

/* @nr bits from @shift on. */
static uint64_t bits(uint64_t word, unsigned int shift, unsigned int nr)
{
	return word >> shift & ((1ULL << nr) - 1);
}

int perf_branches__get(const struct perf_branches *b, size_t i, struct perf_branch *out)
{
	const uint64_t *e;

	*out = (struct perf_branch){ 0 };
	if (i >= b->nr)
		return -ENOENT;
	e = b->entries + i * (BRANCH_BYTES / 8);
	*out = (struct perf_branch){
		.from = e[0],
		.to = e[1],
		.mispredicted = bits(e[2], 0, 1),
		.predicted = bits(e[2], 1, 1),
		.in_tx = bits(e[2], 2, 1),
		.abort = bits(e[2], 3, 1),
		.cycles = bits(e[2], 4, 16),
		.type = bits(e[2], 20, 4),
		.spec = bits(e[2], 24, 2),
		.new_type = bits(e[2], 26, 4),
		.priv = bits(e[2], 30, 3),
	};
	return 0;
}

struct perf_data_src perf_data_src__of(uint64_t data_src)
{
	return (struct perf_data_src){
		.op = bits(data_src, 0, 5),
		.lvl = bits(data_src, 5, 14),
		.snoop = bits(data_src, 19, 5),
		.lock = bits(data_src, 24, 2),
		.dtlb = bits(data_src, 26, 7),
		.lvl_num = bits(data_src, 33, 4),
		.remote = bits(data_src, 37, 1),
		.snoopx = bits(data_src, 38, 2),
		.blk = bits(data_src, 40, 3),
		.hops = bits(data_src, 43, 3),
	};
}

uint32_t perf_transaction__abort_code(uint64_t transaction)
{
	return (uint32_t)((transaction & PERF_TXN_ABORT_MASK) >> PERF_TXN_ABORT_SHIFT);
}
