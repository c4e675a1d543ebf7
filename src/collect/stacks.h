/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * collect/stacks.h - a sampled stack of addresses -> a node of the profile's trie of names.
 *
 * Names come from sym/namer.h, each stack's once: stacks come again after every drain of the
 * kernel's tables.
 */
#ifndef PMUTRACE_COLLECT_STACKS_H
#define PMUTRACE_COLLECT_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "collect/tracker.h"
#include "model/profile.h"
#include "probe/sample.h"

struct stacks;

/* Bits of a handle beside the node. */
enum stack_bits {
	STACK_UNNAMED = 1u << 30, /* there was no time to find all of its names */
	/* The one reason why its user half is not whole: three bits; 0: it is, or is unnamed. */
	STACK_REASON_SHIFT = 27,
	STACK_CUT = 1u << STACK_REASON_SHIFT,	     /* at the depth limit */
	STACK_UNREADABLE = 2u << STACK_REASON_SHIFT, /* its memory was not resident */
	STACK_BROKEN = 3u << STACK_REASON_SHIFT,     /* code without frame pointers */
	STACK_NO_RULE = 4u << STACK_REASON_SHIFT,    /* nor rules in .eh_frame */
	STACK_BAD_RULE = 5u << STACK_REASON_SHIFT,   /* a rule that leads nowhere */
	STACK_UNKNOWN = 6u << STACK_REASON_SHIFT,    /* rules were not there: by frame pointer */
	STACK_GONE = 7u << STACK_REASON_SHIFT, /* its process had ended before it was looked at */
	STACK_REASON = 7u << STACK_REASON_SHIFT,
	STACK_WAITS = 1u << 26, /* never of stacks__name(): for collect/waiting.h */
	STACK_BITS = STACK_UNNAMED | STACK_REASON | STACK_WAITS,
	STACK_DROPPED = STACK_WAITS - 1, /* no node: there is no room for it in the profile */
};

/*
 * @profile, @tracker: borrowed. @by: enum by; with BY_COMM commands have a level of their
 * own. 0 or -ENOMEM.
 */
int stacks__new(struct stacks **out, struct profile *profile, struct tracker *tracker,
		unsigned by) must_check;
void stacks__free(struct stacks *t);

/*
 * The stack's node and enum stack_bits. 0; -EAGAIN: names have been asked for that are not there
 * yet (sym/namer.h); -ENOSPC: it is new to a sealed profile; -ENOMEM; -E2BIG: more than 2^26 nodes.
 *
 * The user half is whole if it ends in code that has no caller (elf/outermost.h), whatever the
 * kernel side found behind it, and was not found by frame pointer for want of tables. Else a frame
 * at its outer end says so: [truncated] at the depth limit, [callers missing] for all other
 * reasons. A kernel half that was cut has [truncated]. Where a stack is the innermost frame alone
 * (BY_CALLER) nothing is missing.
 */
int stacks__name(struct stacks *t, const struct sample_stack *s, uint32_t *handle) must_check;

uint32_t stacks__node(uint32_t handle);

/* Stacks that were named, and are remembered. */
size_t stacks__nr(const struct stacks *t);

/* Forgets the stacks that were named: when they come again they are named again. */
void stacks__forget(struct stacks *t);

/* Memory that known stacks take, with room for a thousand more. */
size_t stacks__bytes(const struct stacks *t);

#endif
