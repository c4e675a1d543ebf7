/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe/sample_tables.h - the maps of a sampling session as memory: shown, drained, cleared.
 *
 * Private to the session (probe/sample.c). Layout: bpf/sample.wire.h.
 */
#ifndef PMUTRACE_PROBE_SAMPLE_TABLES_H
#define PMUTRACE_PROBE_SAMPLE_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/sample.h"
#include "sample.wire.h"

/* What user space knows of one generation of one CPU. */
struct sample_seen {
	uint32_t shown_words; /* of the store: records up to here have been shown */
	uint32_t safe_words;  /* published at the last look: complete for sure by now */
	uint32_t *handles;    /* by order in the store */
	size_t nr_handles, cap_handles;
};

struct sample_tables {
	uint32_t nr_cpus; /* possible ones: what the maps are sized by */
	uint32_t slot_bits;
	uint32_t chunks;
	uint32_t max_stacks;
	struct sample_cpu *cpus;
	struct sample_slot *slots;
	struct sample_chunk *store;
	size_t cpus_bytes, slots_bytes, store_bytes;
	struct sample_seen *seen; /* [cpu * SAMPLE_GENERATIONS + generation] */
};

/* Maps the three arrays by their fds; sizes are set before. 0 or -errno. */
int sample_tables__map(struct sample_tables *t, int cpus_fd, int slots_fd, int store_fd) must_check;
void sample_tables__unmap(struct sample_tables *t);

/* Shows the records of a generation that have not been shown. @all: programs have stopped
 * writing it, else only those that were there at the last look. */
int sample_tables__show(struct sample_tables *t, unsigned gen, bool all,
			const struct sampler_fns *fns) must_check;

/* Hands out all counts of a generation that nobody writes any more, and clears it. */
int sample_tables__drain(struct sample_tables *t, unsigned gen,
			 const struct sampler_fns *fns) must_check;

/* How full the fullest CPU's part of a generation is: 0 to 1. */
double sample_tables__fill(const struct sample_tables *t, unsigned gen);

#endif
