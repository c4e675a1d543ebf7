// SPDX-License-Identifier: BSD-2-Clause
/*
 * Frames that are taken in registers: each is held against what unwind_by_rule() makes of the same
 * rule and the same stack.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { WORDS = 64 };

static const uint64_t AT = 0x7ffc00001000;
static __u64 words[WORDS];

/* Only what has been copied: whatever else is read is no usual frame. */
static int read_words(void *to, size_t len, uint64_t at)
{
	if (at < AT || at - AT > sizeof(words) - len)
		return -1;
	memcpy(to, (const char *)words + (at - AT), len);
	return 0;
}

#define UNWIND_WORD(frame, out, at)	    read_words(out, sizeof(*(out)), at)
#define UNWIND_READ(frame, to, len, at)	    read_words(to, len, at)
#define UNWIND_REGISTER(frame, word, value) (-1)
#include "unwind_step.h"

static uint32_t below(uint32_t limit)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (state >> 33) % limit;
}

/* On the stack, aligned but for one in eight, or somewhere else. */
static uint64_t some_pointer(void)
{
	if (!below(8))
		return AT - 4096 + below(8192);
	return AT + 8 * below(WORDS) + (below(8) ? 0 : below(8));
}

/* Of any kind; usual ones are as frequent as others. */
static struct unwind_rule some_rule(void)
{
	const bool usual = below(2);

	return (struct unwind_rule){
		.cfa = usual ? UNWIND_CFA_SP + below(2) : below(UNWIND_CFA_BAD + 1),
		.fp = usual ? below(2) : below(UNWIND_SAVED_BAD + 1),
		.ra = usual ? UNWIND_SAVED_AT_CFA : below(UNWIND_SAVED_BAD + 1),
		.reg = below(40),
		.cfa_off = 8 * (int)below(20) - (below(8) ? 0 : 44),
		.fp_off = -8 * (int)below(12) + (below(8) ? 0 : 20),
		.ra_off = below(2) ? -8 : -8 * (int)below(8),
	};
}

/* Whether it was taken. */
static bool check(const struct unwind_frame *frame, const struct unwind_rule *rule, uint32_t bytes)
{
	struct unwind_usual u = {
		.pc = frame->pc,
		.sp = frame->sp,
		.fp = frame->fp,
		.words = words,
		.at = AT,
		.bytes = bytes,
		.mask = WORDS - 1,
	};
	struct unwind_frame by_rule = *frame;

	if (!unwind_usual(&u, rule)) {
		assert_true(u.pc == frame->pc && u.sp == frame->sp && u.fp == frame->fp);
		return false;
	}
	assert_int_equal(unwind_by_rule(&by_rule, rule), u.pc ? UNWIND_MORE : UNWIND_END);
	assert_true(u.pc == by_rule.pc && u.sp == by_rule.sp && u.fp == by_rule.fp);
	assert_true(!u.wanted);
	return true;
}

static void as_by_the_rule(void **state)
{
	uint32_t taken = 0;

	(void)state;
	for (uint32_t i = 0; i < 2000000; i++) {
		const struct unwind_frame frame = { .pc = 0x401000 + below(4096),
						    .sp = some_pointer(),
						    .fp = some_pointer(),
						    .is_return = below(2) };
		const struct unwind_rule rule = some_rule();

		for (uint32_t w = 0; w < 4; w++)
			words[below(WORDS)] = below(4) ? some_pointer() : 0;
		taken += check(&frame, &rule, 8 * (below(WORDS) + 1));
	}
	assert_in_range(taken, 100000, 1000000);
}

/* push %rbp; mov %rsp,%rbp: the caller's frame pointer, the return address. */
static void by_frame_pointer(void **state)
{
	const struct unwind_rule rule = { .cfa = UNWIND_CFA_FP,
					  .fp = UNWIND_SAVED_AT_CFA,
					  .ra = UNWIND_SAVED_AT_CFA,
					  .cfa_off = 16,
					  .fp_off = -16,
					  .ra_off = -8 };
	struct unwind_usual u = { .pc = 0x401000,
				  .sp = AT,
				  .fp = AT + 80,
				  .words = words,
				  .at = AT,
				  .bytes = sizeof(words),
				  .mask = WORDS - 1 };

	(void)state;
	words[10] = 0x7ffc00001200;
	words[11] = 0x402345;
	assert_true(unwind_usual(&u, &rule));
	assert_true(u.sp == AT + 96);
	assert_true(u.fp == 0x7ffc00001200);
	assert_true(u.pc == 0x402345);
	/* That is behind the copy: it is told what to read. */
	assert_false(unwind_usual(&u, &rule));
	assert_true(u.wanted == 0x7ffc00001208);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_by_the_rule),
		cmocka_unit_test(by_frame_pointer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
