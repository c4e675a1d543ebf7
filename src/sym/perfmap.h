/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sym/perfmap.h - names of code made at run time: /tmp/perf-PID.map.
 *
 * Format: one "START SIZE NAME" a line, the numbers in hex (with or without 0x), the
 * name up to the end of the line (tools/perf/Documentation/jit-interface.txt). JITs
 * append, and reuse addresses: of overlapping entries the last one wins.
 *
 * The file is a stranger's, and grows: sym/growing.h. Lines that do not parse are skipped. All maps
 * of a run share a room: what has no place in it has no names, and is counted.
 */
#ifndef PMUTRACE_SYM_PERFMAP_H
#define PMUTRACE_SYM_PERFMAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/allowance.h"
#include "base/array.h"
#include "elf/symtab.h"
#include "sym/growing.h"
#include "sym/spans.h"

#define PERFMAPS_BYTES (64u << 20)

/* Of all maps together. Zero-initialise it, but for room.max_bytes. */
struct perfmaps {
	struct spans_room room; /* PERFMAPS_BYTES */
	struct allowance *run;	/* for strangers' maps; NULL: without a bound. Borrowed */
	uint64_t nr_cut;	/* maps not read to their end for want of room or allowance */
};

struct perfmap;

/* An empty map. @all: borrowed until free. NULL when out of memory. */
struct perfmap *perfmap__new(struct perfmaps *all);
void perfmap__free(struct perfmap *m);

/*
 * Reads what is new, a slice of it. @fd: the file, borrowed: the same one in each call, or one that
 * has come to its place. enum growing_state; -ENOMEM; another -errno. The map stays as it is then.
 */
int perfmap__read(struct perfmap *m, int fd) must_check;

/* Adds the lines of @text (for tests and fuzzing). 0; -ENOSPC: there is no room; -ENOMEM. */
int perfmap__parse(struct perfmap *m, const char *text, size_t len) must_check;

/* The name: until the next read. */
bool perfmap__find(const struct perfmap *m, uint64_t addr, struct sym *out);

#endif
