// SPDX-License-Identifier: BSD-2-Clause
/* What is said of stacks that were compared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "print/unwind_check.h"

static void assert_line(const struct unwind_check *c, const char *want)
{
	struct buf b = {};

	assert_int_equal(print__unwind_check(&b, c), 0);
	assert_string_equal(b.data, want);
	buf__free(&b);
}

static void all_are_the_same(void **state)
{
	const struct unwind_check c = {
		.wanted = true,
		.reference = "elfutils 0.1",
		.results = { [UNWIND_CHECK_SAME] = 7 },
	};

	assert_line(&c, "unwinding: 7 of 7 user stacks (100.0 %) are as elfutils 0.1 has them, 0 "
			"different");
}

/* 1999 of 2000 are 99.95 %: not 100. */
static void a_share_is_rounded_down(void **state)
{
	const struct unwind_check c = {
		.wanted = true,
		.reference = "elfutils 0.1",
		.results = { [UNWIND_CHECK_SAME] = 1999, [UNWIND_CHECK_DIFFERENT] = 1 },
	};

	assert_line(&c, "unwinding: 1999 of 2000 user stacks (99.9 %) are as elfutils 0.1 has "
			"them, 1 different");
}

static void every_reason_has_its_number(void **state)
{
	const struct unwind_check c = {
		.wanted = true,
		.reference = "elfutils 0.1",
		.results = { 10, 1, 2, 3, 4, 0 },
		.skipped = { 5, 6, 7 },
	};

	assert_line(&c, "unwinding: 10 of 20 user stacks (50.0 %) are as elfutils 0.1 has them, 1 "
			"the same up to the end of what was copied, 2 differ in code without "
			"rules, by frame pointer, 3 the same up to a rule that it cannot follow, 4 "
			"end early, and are told as incomplete, 0 different; not compared: 5 "
			"without a copy or rules, 6 in files that could not be read in time, 7 "
			"that the reference could not look at");
}

static void nothing_to_compare_is_no_success(void **state)
{
	const struct unwind_check c = { .wanted = true,
					.reference = "elfutils 0.1",
					.skipped = { 0, 0, 9 } };

	assert_line(&c, "unwinding: no user stack was compared with elfutils 0.1; not compared: 9 "
			"that the reference could not look at");
}

/* By programs, not by the reference; of none there is no line. */
static void kernel_stacks_have_a_line_of_their_own(void **state)
{
	struct unwind_check c = {
		.wanted = true,
		.reference = "elfutils 0.1",
		.results = { [UNWIND_CHECK_SAME] = 7 },
		.kernel = { .is_known = true },
	};

	assert_line(&c, "unwinding: 7 of 7 user stacks (100.0 %) are as elfutils 0.1 has them, 0 "
			"different\n  no kernel stack was compared with the kernel's own walk");
	c.kernel.left = 2;
	assert_line(&c, "unwinding: 7 of 7 user stacks (100.0 %) are as elfutils 0.1 has them, 0 "
			"different\n  no kernel stack was compared with the kernel's own walk; "
			"left to that walk: 2");
	c.kernel.same = 1999;
	c.kernel.different = 1;
	assert_line(&c, "unwinding: 7 of 7 user stacks (100.0 %) are as elfutils 0.1 has them, 0 "
			"different\n  1999 of 2000 kernel stacks (99.9 %) are as the kernel's own "
			"walk has them, 1 different; left to that walk: 2");
	c.wanted = false;
	assert_line(&c, "unwinding: 1999 of 2000 kernel stacks (99.9 %) are as the kernel's own "
			"walk has them, 1 different; left to that walk: 2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_are_the_same),
		cmocka_unit_test(a_share_is_rounded_down),
		cmocka_unit_test(every_reason_has_its_number),
		cmocka_unit_test(nothing_to_compare_is_no_success),
		cmocka_unit_test(kernel_stacks_have_a_line_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
