/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf/record_sample.h - what PERF_RECORD_SAMPLE can hold.
 *
 * Pointers go into the record: nothing is copied. Bit fields are decoded for little-endian
 * machines, by the masks of linux/perf_event.h.
 * Source: include/uapi/linux/perf_event.h; perf_output_sample(), kernel/events/core.c.
 */
#ifndef PMUTRACE_PERF_RECORD_SAMPLE_H
#define PMUTRACE_PERF_RECORD_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "perf/readout.h"

/* Registers of PERF_SAMPLE_REGS_USER or _REGS_INTR; numbers are those of asm/perf_regs.h. */
struct perf_regs {
	uint64_t abi;  /* PERF_SAMPLE_REGS_ABI_NONE (kernel thread: no registers), _32, _64 */
	uint64_t mask; /* which registers there are; 0 with _NONE */
	const uint64_t *values; /* one for each bit of the mask, lowest first */
};

/* PERF_SAMPLE_BRANCH_STACK, the latest branch first. */
struct perf_branches {
	const uint64_t *entries; /* ask perf_branches__get() */
	size_t nr;
	const uint64_t *counters; /* one an entry with PERF_SAMPLE_BRANCH_COUNTERS, else NULL */
	bool has_hw_index;
	uint64_t hw_index; /* PERF_SAMPLE_BRANCH_HW_INDEX: of the latest; -1: not known */
};

struct perf_branch {
	uint64_t from, to;
	bool mispredicted, predicted; /* neither: not known */
	bool in_tx, abort;	      /* hardware transactions */
	uint16_t cycles;	      /* since the branch before; 0: not known */
	uint8_t type;		      /* PERF_BR_*; PERF_BR_EXTEND_ABI: see new_type */
	uint8_t spec;		      /* PERF_BR_SPEC_* */
	uint8_t new_type;	      /* PERF_BR_NEW_* */
	uint8_t priv;		      /* PERF_BR_PRIV_* */
};

/* PERF_SAMPLE_DATA_SRC taken apart: PERF_MEM_OP_*, PERF_MEM_LVL_* and so on, unshifted. */
struct perf_data_src {
	uint8_t op;
	uint16_t lvl;
	uint8_t snoop;
	uint8_t lock;
	uint8_t dtlb;
	uint8_t lvl_num;
	uint8_t remote;
	uint8_t snoopx;
	uint8_t blk;
	uint8_t hops;
};

/*
 * What is absent in `has` is 0 or NULL. TID, TIME, ID, STREAM_ID, CPU and IDENTIFIER are in the
 * record's `id`.
 */
struct perf_sample {
	uint64_t has; /* PERF_SAMPLE_*: attr.sample_type */
	uint64_t ip, addr, period;
	struct perf_readout read;
	const uint64_t *ips; /* CALLCHAIN, innermost first, with PERF_CONTEXT_* marks between */
	size_t nr_ips;
	const void *raw; /* RAW: for a tracepoint its fields; 4 bytes aligned only */
	size_t raw_bytes;
	struct perf_branches branches;
	struct perf_regs user_regs, intr_regs;
	const void *stack;	/* STACK_USER, from the stack pointer upwards */
	size_t stack_bytes;	/* room in the record */
	size_t stack_dyn_bytes; /* of these are filled in */
	uint64_t weight;	/* WEIGHT and WEIGHT_STRUCT: all 64 bits */
	uint32_t weight_var1;	/* WEIGHT_STRUCT: its parts; for x86 loads latency in cycles, .. */
	uint16_t weight_var2, weight_var3; /* .. instruction latency, and retire latency */
	uint64_t data_src;		   /* ask perf_data_src__of() */
	uint64_t transaction;		   /* PERF_TXN_* */
	uint64_t phys_addr;
	uint64_t cgroup; /* id of the cgroup2 */
	uint64_t data_page_bytes, code_page_bytes;
	const void *aux; /* AUX: a piece of the AUX area */
	size_t aux_bytes;
};

/* The value of register @reg. 0, or -ENOENT: it was not sampled. */
int perf_regs__get(const struct perf_regs *regs, unsigned int reg, uint64_t *value) must_check;

/* The @i-th branch. 0, or -ENOENT: there are fewer. */
int perf_branches__get(const struct perf_branches *b, size_t i, struct perf_branch *out) must_check;

struct perf_data_src perf_data_src__of(uint64_t data_src);

/* The code the program gave when it aborted its transaction: 32 bits of the transaction field. */
uint32_t perf_transaction__abort_code(uint64_t transaction);

/* Takes the body out of a record, perf/record_cursor.h: all that is left must be part of it. */
struct record_cursor;
struct perf_record_layout;
struct perf_record_id;
void sample__take(struct record_cursor *c, const struct perf_record_layout *layout,
		  struct perf_record_id *id, struct perf_sample *out);

#endif
