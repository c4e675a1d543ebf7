/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwind/table.h - a file's .eh_frame -> rows by address, as bpf/unwind.wire.h has them.
 *
 * Where no function is described the rule is UNWIND_CFA_NONE: code without rules (hand-written
 * assembly). Go's code is described by a table of its own (elf/go_frames.h). A gap of less than 16
 * bytes is padding, and belongs to the function before it.
 * The code at the file's entry point has no caller: UNWIND_CFA_STOP, if it is not described; what
 * signal handlers return to is known by its instructions (unwind/restorer.h).
 * A file without .eh_frame may have .debug_frame instead.
 *
 * The file is a stranger's. Garbage costs rules: what does not lie in executable segments is passed
 * over; of functions that overlap the one that begins first counts.
 */
#ifndef PMUTRACE_UNWIND_TABLE_H
#define PMUTRACE_UNWIND_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "elf/elf_bytes.h"
#include "unwind/rules.h"

enum { UNWIND_SEGMENTS = 8 }; /* of a file; one or two are usual */

/* Executable bytes of a file: where they are in it, and their address in its own terms. */
struct unwind_segment {
	uint64_t offset, vaddr, bytes;
};

struct unwind_table {
	struct unwind_segment segments[UNWIND_SEGMENTS];
	uint32_t nr_segments;
	uint64_t base;	 /* address, in the file's terms, at which page 0 begins */
	uint32_t *rows;	 /* UNWIND_ROW() */
	uint32_t *pages; /* where each page begins in rows, and one more: where the last one ends */
	uint32_t nr_rows, nr_pages;
};

/**
 * unwind_table__build() - make the table of a file
 * @rules:    the numbers in its rows are of these; new ones are added
 * @max_rows: more are not made
 *
 * Return: 0 (nr_rows 0: nothing is described); -E2BIG: more than @max_rows, or code that is strewn
 * over its addresses; -ENOMEM. Free it in any case.
 */
int unwind_table__build(struct unwind_table *out, const struct elf_from *from,
			struct unwind_rules *rules, size_t max_rows) must_check;
void unwind_table__free(struct unwind_table *t);

/* The rule at an address in the file's terms; UNWIND_CFA_NONE's number where there is none. */
uint32_t unwind_table__find(const struct unwind_table *t, uint64_t addr);

#endif
