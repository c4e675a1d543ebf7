/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwind/walk.h - unwinds a copy of registers and stack, as programs do with the stack itself: by
 * the same rules, in the same layout (bpf/unwind.wire.h, bpf/unwind_step.h).
 */
#ifndef PMUTRACE_UNWIND_WALK_H
#define PMUTRACE_UNWIND_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "unwind/compare.h"
#include "unwind/copied_stack.h"
#include "unwind.wire.h"

/* Tables of all files, where programs find them. Borrowed. */
struct walk_tables {
	const uint32_t *rows;
	const uint64_t *pages;
	const struct unwind_rule *rules;
	uint32_t nr_rows, nr_pages, nr_rules; /* elements */
};

/* A stack, and the executable mappings of its process, by address. */
struct walk_from {
	const struct copied_stack *stack;
	const struct unwind_mapping *mappings;
	uint32_t nr_mappings;
	uint64_t code_mask; /* of return addresses: see struct stack_cfg */
};

/*
 * Addresses of its frames, innermost first, at most @max. Their number; *flaws: enum stack_flaw,
 * 0 where no caller is missing as far as rules tell. STACK_USER_UNKNOWN is among them when a frame
 * pointer was followed where there may be a rule: frames may be missing in the middle then.
 */
size_t walk(const struct walk_tables *t, const struct walk_from *from, uint64_t *frames, size_t max,
	    uint16_t *flaws);

/* How the caller of the @i-th frame that was found is known. */
enum frame_rule walk__rule_of(const struct walk_tables *t, const struct walk_from *from,
			      const uint64_t *frames, size_t i);

#endif
