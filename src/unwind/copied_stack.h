/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwind/copied_stack.h - registers of a sample, and the end of its stack in pages: as programs
 * have copied them (struct unwind_copy), wherever they are now.
 */
#ifndef PMUTRACE_UNWIND_COPIED_STACK_H
#define PMUTRACE_UNWIND_COPIED_STACK_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "unwind.wire.h"

/* All is borrowed. */
struct copied_stack {
	const uint64_t *regs;	     /* UNWIND_REGS of them */
	uint64_t from, bytes;	     /* addresses of it */
	const uint8_t *const *pages; /* UNWIND_COPY_PAGE_BYTES each; NULL: was not copied */
};

/* How many pages have these addresses in them: the first one @from, and so on. */
size_t copied_stack__pages(uint64_t from, uint64_t bytes);

/* What is at @at there; 0, or -1: not all of it was copied. */
int copied_stack__read(const struct copied_stack *c, void *to, size_t len, uint64_t at) must_check;

#endif
