/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe/top_keys.h - how many tasks a session of probe/top.h has room for: arithmetic alone.
 */
#ifndef PMUTRACE_PROBE_TOP_KEYS_H
#define PMUTRACE_PROBE_TOP_KEYS_H

#include <stddef.h>
#include <stdint.h>

struct top_machine {
	size_t nr_cpus;	       /* online */
	size_t nr_places;      /* CPUs that may come: each has tables of its own from the start */
	size_t nr_tasks;       /* threads too; 0: not known */
	uint64_t memory_bytes; /* of the machine; 0: not known */
};

/*
 * Keys per CPU between two flushes, when each has so many values: enough for the tasks that there
 * are and for new ones, but no more than a small part of the memory goes to all tables.
 */
uint64_t top_keys__default(const struct top_machine *m, uint32_t nr_values);

/* What tables for so many keys take of the kernel's memory, all of it from the start. */
uint64_t top_keys__bytes(uint64_t keys, size_t nr_places, uint32_t nr_values);

#endif
