// SPDX-License-Identifier: BSD-2-Clause
/* Copies of stacks with known chains, unwound by rules that are written down here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "stack.wire.h"
#include "unwind/walk.h"

enum { CODE = 0x400000, STACK = 0x7ffe0fb8, FRAMES = 16 };

/* Of one file: 8 bytes of code each. By number. */
static const struct unwind_rule rules[] = {
	{ .cfa = UNWIND_CFA_NONE },
	{ .cfa = UNWIND_CFA_SP, .cfa_off = 8, .ra = UNWIND_SAVED_AT_CFA, .ra_off = -8 },
	{ .cfa = UNWIND_CFA_SP, .cfa_off = 32, .ra = UNWIND_SAVED_AT_CFA, .ra_off = -8 },
	{ .cfa = UNWIND_CFA_FP,
	  .cfa_off = 16,
	  .ra = UNWIND_SAVED_AT_CFA,
	  .ra_off = -8,
	  .fp = UNWIND_SAVED_AT_CFA,
	  .fp_off = -16 },
	{ .cfa = UNWIND_CFA_STOP },
	{ .cfa = UNWIND_CFA_BAD },
};

static const uint32_t rows[] = {
	UNWIND_ROW(1, 0),  /* a leaf */
	UNWIND_ROW(2, 8),  /* a frame of 32 bytes */
	UNWIND_ROW(3, 16), /* by frame pointer */
	UNWIND_ROW(4, 24), /* the outermost function */
	UNWIND_ROW(5, 32), /* cannot be expressed */
	UNWIND_ROW(0, 40), /* no rule */
};

static const uint64_t pages[] = { UNWIND_PAGE(0, 6) };

static const struct walk_tables tables = {
	.rows = rows, .pages = pages, .rules = rules, .nr_rows = 6, .nr_pages = 1, .nr_rules = 6
};

static const struct unwind_mapping mappings[] = {
	{ .start = CODE, .end = CODE + 0x1000, .bias = CODE, .first_page = 0, .nr_pages = 1 },
	{ .start = CODE + 0x2000, .end = CODE + 0x3000 }, /* made at run time */
};

enum { PAGES = 3 };

/* A stack from STACK on, which is somewhere in a page: the pair at STACK + 64 is in two. */
struct copy {
	struct copied_stack stack;
	uint64_t regs[UNWIND_REGS];
	const uint8_t *pages[PAGES];
	uint8_t bytes[PAGES * UNWIND_COPY_PAGE_BYTES];
};

static size_t walk_copy(const struct copy *c, size_t max, uint64_t *frames, uint16_t *flaws)
{
	const struct walk_from from = { &c->stack, mappings, 2, UINT64_MAX };

	return walk(&tables, &from, frames, max, flaws);
}

static void *stack_of(struct copy *c)
{
	return c->bytes + STACK % UNWIND_COPY_PAGE_BYTES;
}

/* These words are there. */
static struct copy *copy_of(uint64_t ip, uint64_t sp, uint64_t fp, const uint64_t *words, size_t nr)
{
	struct copy *c = calloc(1, sizeof(*c));

	assert_non_null(c);
	for (size_t i = 0; i < PAGES; i++)
		c->pages[i] = &c->bytes[i * UNWIND_COPY_PAGE_BYTES];
	c->stack = (struct copied_stack){ c->regs, STACK, nr * sizeof(*words), c->pages };
	memcpy(stack_of(c), words, nr * sizeof(*words));
	c->regs[UNWIND_REG_IP] = ip;
	c->regs[UNWIND_REG_SP] = sp;
	c->regs[UNWIND_REG_FP] = fp;
	return c;
}

static void each_frame_by_its_own_rule(void **state)
{
	const uint64_t words[] = {
		CODE + 12, /* return address of the leaf */
		1,
		2,
		3,	       /* a frame of 32 bytes: */
		CODE + 20,     /* and its return address */
		STACK + 64,    /* this the frame pointer leads to */
		CODE + 0x2010, /* return address: in code made at run time */
		0,
		STACK + 80, /* its frame */
		CODE + 28,  /* not read: */
		0,
		CODE + 28, /* what its frame pointer leads to: the outermost function */
	};
	uint64_t frames[FRAMES];
	struct copy *c;
	uint16_t flaws;

	(void)state;
	c = copy_of(CODE + 4, STACK, STACK + 40, words, ARRAY_SIZE(words));
	/* CFA of the third frame is 56: the fourth is unwound by the pair at 64. */
	memcpy((char *)stack_of(c) + 64, (uint64_t[]){ STACK + 80, CODE + 28 }, 16);
	assert_int_equal(walk_copy(c, FRAMES, frames, &flaws), 5);
	assert_int_equal(frames[0], CODE + 4);
	assert_int_equal(frames[1], CODE + 12);
	assert_int_equal(frames[2], CODE + 20);
	assert_int_equal(frames[3], CODE + 0x2010);
	assert_int_equal(frames[4], CODE + 28);
	assert_int_equal(flaws, 0);
	assert_int_equal(walk_copy(c, 3, frames, &flaws), 3);
	assert_int_equal(flaws, STACK_USER_TRUNCATED);
	free(c);
}

static void why_it_ends(void **state)
{
	static const uint64_t words[] = { CODE + 36, 0 };
	static const struct {
		uint64_t ip, sp, fp;
		uint16_t flaws;
		size_t nr;
	} cases[] = {
		{ CODE + 28, STACK, 0, 0, 1 },			      /* the outermost */
		{ CODE + 4, STACK, 0, STACK_USER_BAD_RULE, 2 },	      /* its caller's is bad */
		{ CODE + 44, STACK, 0, STACK_USER_NO_RULE, 1 },	      /* nor a frame pointer */
		{ CODE + 12, STACK, 0, STACK_USER_UNREADABLE, 1 },    /* behind the copy */
		{ CODE + 20, STACK, 0x1234, STACK_USER_BAD_RULE, 1 }, /* no frame pointer */
		{ 0x1000, STACK, 0, STACK_USER_UNKNOWN, 1 },	      /* in no mapping */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct copy *c = copy_of(cases[i].ip, cases[i].sp, cases[i].fp, words, 2);
		uint64_t frames[FRAMES];
		uint16_t flaws;
		size_t nr = walk_copy(c, FRAMES, frames, &flaws);

		if (nr != cases[i].nr || flaws != cases[i].flaws)
			fail_msg("case %zu: %zu frames, flaws %#x", i, nr, flaws);
		free(c);
	}
}

/*
 * Code at CODE + 0x4000 keeps a frame pointer, or holds that of its caller's caller: without its
 * table nobody can tell.
 */
static void a_guess_is_told(void **state)
{
	static const uint64_t words[] = { STACK + 16, CODE + 0x4008, 0, CODE + 28 };
	static const struct {
		uint32_t first_page;
		bool is_mapped;
		uint16_t flaws;
	} cases[] = {
		{ 0, true, 0 }, /* made at run time: there are no rules */
		{ UNWIND_NOT_YET, true, STACK_USER_UNKNOWN },
		{ UNWIND_NEVER, true, STACK_USER_UNKNOWN },
		{ 0, false, STACK_USER_UNKNOWN },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct unwind_mapping all[] = {
			mappings[0],
			{ .start = CODE + 0x4000,
			  .end = CODE + 0x5000,
			  .first_page = cases[i].first_page },
		};
		struct copy *c = copy_of(CODE + 0x4000, STACK, STACK, words, 4);
		const struct walk_from from = { &c->stack, all, 1 + cases[i].is_mapped,
						UINT64_MAX };
		uint64_t frames[FRAMES];
		uint16_t flaws;
		const size_t nr = walk(&tables, &from, frames, FRAMES, &flaws);

		if (nr != 3 || frames[2] != CODE + 28 || flaws != cases[i].flaws)
			fail_msg("case %zu: %zu frames, flaws %#x", i, nr, flaws);
		free(c);
	}
}

/* A return address that no call has left there is the first byte of its function. */
static void a_frame_may_be_named_by_its_own_byte(void **state)
{
	static const struct unwind_rule its[] = {
		{ .cfa = UNWIND_CFA_NONE },
		{ .cfa = UNWIND_CFA_SP, .cfa_off = 8, .ra = UNWIND_SAVED_AT_CFA, .ra_off = -8 },
		{ .cfa = UNWIND_CFA_STOP, .reg = UNWIND_NAMED_BY_NEXT },
	};
	static const uint32_t its_rows[] = { UNWIND_ROW(1, 0), UNWIND_ROW(2, 15) };
	static const uint64_t its_pages[] = { UNWIND_PAGE(0, 2) }, words[] = { CODE + 16 };
	static const struct walk_tables t = {
		.rows = its_rows,
		.pages = its_pages,
		.rules = its,
		2,
		1,
		3,
	};
	struct copy *c = copy_of(CODE + 4, STACK, 0, words, 1);
	const struct walk_from from = { &c->stack, mappings, 2, UINT64_MAX };
	uint64_t frames[FRAMES];
	uint16_t flaws;

	(void)state;
	assert_int_equal(walk(&t, &from, frames, FRAMES, &flaws), 2);
	assert_int_equal(frames[1], CODE + 17); /* less one is what it is named by */
	assert_int_equal(flaws, 0);
	free(c);
}

/* Behind clone(2): in the new task it is 0, and what lies on its stack is no return address. */
static void a_register_tells_whether_anybody_has_called(void **state)
{
	enum { RESULT = UNWIND_REG_IP + 1 };
	static const struct unwind_rule its[] = {
		{ .cfa = UNWIND_CFA_NONE },
		{ .cfa = UNWIND_CFA_SP, .cfa_off = 8, .ra = UNWIND_SAVED_AT_CFA, .ra_off = -8 },
		{ .cfa = UNWIND_CFA_CLONE,
		  .reg = RESULT,
		  .cfa_off = 8,
		  .ra = UNWIND_SAVED_AT_CFA,
		  .ra_off = -8 },
		{ .cfa = UNWIND_CFA_STOP },
	};
	static const uint32_t its_rows[] = { UNWIND_ROW(1, 0), UNWIND_ROW(2, 8),
					     UNWIND_ROW(3, 16) };
	static const uint64_t its_pages[] = { UNWIND_PAGE(0, 3) };
	static const uint64_t words[] = { CODE + 20 }, called[] = { CODE + 12, CODE + 20 };
	static const struct walk_tables t = { its_rows, its_pages, its, 3, 1, 4 };
	struct copy *c = copy_of(CODE + 8, STACK, 0, words, 1);
	const struct walk_from from = { &c->stack, mappings, 2, UINT64_MAX };
	uint64_t frames[FRAMES];
	uint16_t flaws;

	(void)state;
	assert_int_equal(walk(&t, &from, frames, FRAMES, &flaws), 1);
	assert_int_equal(flaws, 0);
	c->regs[RESULT] = 1;
	assert_int_equal(walk(&t, &from, frames, FRAMES, &flaws), 2);
	assert_int_equal(frames[1], CODE + 20);
	assert_int_equal(flaws, 0);
	free(c);
	/* Above the innermost frame the register is another's: somebody has called. */
	c = copy_of(CODE + 4, STACK, 0, called, 2);
	{
		const struct walk_from above = { &c->stack, mappings, 2, UINT64_MAX };

		assert_int_equal(walk(&t, &above, frames, FRAMES, &flaws), 3);
		assert_int_equal(frames[2], CODE + 20);
	}
	free(c);
}

/* Rules lead out of the copy: half of what is read is behind its end, or behind that of memory. */
static void it_ends_with_the_copy(void **state)
{
	uint64_t words[4] = { CODE + 12, CODE + 12, CODE + 12, CODE + 12 }, frames[FRAMES];
	struct copy *c = copy_of(CODE + 4, STACK, STACK, words, 4);
	uint16_t flaws;

	(void)state;
	c->regs[UNWIND_REG_SP] = STACK + 28;
	assert_int_equal(walk_copy(c, FRAMES, frames, &flaws), 1);
	assert_int_equal(flaws, STACK_USER_UNREADABLE);
	c->regs[UNWIND_REG_SP] = UINT64_MAX - 8;
	assert_int_equal(walk_copy(c, FRAMES, frames, &flaws), 1);
	assert_true(flaws);
	free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_register_tells_whether_anybody_has_called),
		cmocka_unit_test(each_frame_by_its_own_rule),
		cmocka_unit_test(why_it_ends),
		cmocka_unit_test(a_guess_is_told),
		cmocka_unit_test(a_frame_may_be_named_by_its_own_byte),
		cmocka_unit_test(it_ends_with_the_copy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
