// SPDX-License-Identifier: BSD-2-Clause
/* Stacks that are written down here, beside those of a reference: the same, or why not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "unwind/compare.h"

static const uint64_t chain[] = { 0x1010, 0x2020, 0x3030, 0x4040 };
static const uint8_t all_ruled[] = { FRAME_RULE_FILE, FRAME_RULE_FILE, FRAME_RULE_FILE,
				     FRAME_RULE_FILE };
static const uint8_t by_register[] = { FRAME_RULE_FILE, FRAME_RULE_REGISTER, FRAME_RULE_FILE,
				       FRAME_RULE_FILE };

static struct compared_stack stack(size_t nr, uint16_t flaws)
{
	return (struct compared_stack){ chain, all_ruled, nr, flaws };
}

static struct reference_frames reference(size_t nr, enum reference_end end)
{
	struct reference_frames r = { .nr = nr, .end = end };

	memcpy(r.pc, chain, nr * sizeof(*chain));
	r.is_exact[0] = 1;
	return r;
}

static void assert_result(const struct compared_stack *ours, const struct reference_frames *theirs,
			  enum unwind_check_result want, size_t want_at)
{
	size_t at;

	assert_int_equal(compare(ours, theirs, &at), want);
	assert_int_equal(at, want_at);
}

static void equal_chains_are_the_same_however_they_end(void **state)
{
	const struct compared_stack whole = stack(4, 0), cut = stack(4, STACK_USER_TRUNCATED);

	for (enum reference_end end = REFERENCE_OUTERMOST; end <= REFERENCE_MAX; end++) {
		const struct reference_frames theirs = reference(4, end);

		assert_result(&whole, &theirs, UNWIND_CHECK_SAME, 4);
		assert_result(&cut, &theirs, UNWIND_CHECK_SAME, 4);
	}
}

static void a_frame_that_is_missing_in_ours_is_a_difference(void **state)
{
	const uint64_t skips[] = { 0x1010, 0x3030, 0x4040 };
	const struct compared_stack ours = { skips, all_ruled, 3, 0 };
	const struct reference_frames theirs = reference(4, REFERENCE_OUTERMOST);

	assert_result(&ours, &theirs, UNWIND_CHECK_DIFFERENT, 1);
}

static void an_address_that_is_one_off_is_a_difference(void **state)
{
	const struct compared_stack ours = stack(4, 0);
	struct reference_frames theirs = reference(4, REFERENCE_OUTERMOST);

	theirs.pc[2]--;
	assert_result(&ours, &theirs, UNWIND_CHECK_DIFFERENT, 2);
	theirs.pc[2] += 2;
	assert_result(&ours, &theirs, UNWIND_CHECK_DIFFERENT, 2);
	theirs = reference(4, REFERENCE_OUTERMOST);
	theirs.pc[0]--; /* the innermost one is named by itself */
	assert_result(&ours, &theirs, UNWIND_CHECK_DIFFERENT, 0);
}

/* bpf/unwind_step.h: by the byte behind it, since it is no return address. */
static void what_a_signal_has_interrupted_is_named_by_the_byte_behind_it(void **state)
{
	const struct compared_stack ours = stack(4, 0);
	struct reference_frames theirs = reference(4, REFERENCE_OUTERMOST);

	theirs.pc[2]--;
	theirs.is_exact[2] = 1;
	assert_result(&ours, &theirs, UNWIND_CHECK_SAME, 4);
	theirs.pc[2]--;
	assert_result(&ours, &theirs, UNWIND_CHECK_DIFFERENT, 2);
}

/* Ours claims that it is whole, and the reference knows a caller: the worst there is. */
static void a_stack_that_is_too_short_without_a_word_is_a_difference(void **state)
{
	const struct reference_frames theirs = reference(4, REFERENCE_OUTERMOST);
	struct compared_stack ours = stack(3, 0);

	assert_result(&ours, &theirs, UNWIND_CHECK_DIFFERENT, 3);
	ours.flaws = STACK_KERNEL_TRUNCATED | STACK_KERNEL_FAILED; /* of the other half */
	assert_result(&ours, &theirs, UNWIND_CHECK_DIFFERENT, 3);
	ours.flaws |= STACK_USER_BAD_RULE;
	assert_result(&ours, &theirs, UNWIND_CHECK_INCOMPLETE, 3);
}

/* An end that is told explains no frame before it. */
static void a_flaw_does_not_explain_another_caller(void **state)
{
	const uint64_t other[] = { 0x1010, 0x9999, 0x3030 };
	const struct compared_stack ours = { other, all_ruled, 3, STACK_USER_BAD_RULE };
	const struct reference_frames theirs = reference(4, REFERENCE_OUTERMOST);

	assert_result(&ours, &theirs, UNWIND_CHECK_DIFFERENT, 1);
}

static void where_the_reference_ends_early_it_says_why(void **state)
{
	struct compared_stack ours = stack(4, 0);
	struct reference_frames theirs = reference(2, REFERENCE_UNCOPIED);

	assert_result(&ours, &theirs, UNWIND_CHECK_UNCOPIED, 2);
	theirs.end = REFERENCE_GAVE_UP;
	assert_result(&ours, &theirs, UNWIND_CHECK_GAVE_UP, 2);
	theirs.end = REFERENCE_OUTERMOST;
	assert_result(&ours, &theirs, UNWIND_CHECK_DIFFERENT, 2);
	ours.by = by_register;
	assert_result(&ours, &theirs, UNWIND_CHECK_GAVE_UP, 2);
	/* Another frame is another one, though. */
	theirs = reference(4, REFERENCE_OUTERMOST);
	theirs.pc[2] = 0x9999;
	assert_result(&ours, &theirs, UNWIND_CHECK_DIFFERENT, 2);
	/* It knows that nobody called this. */
	theirs.end = REFERENCE_OUTERMOST;
	assert_result(&ours, &theirs, UNWIND_CHECK_DIFFERENT, 2);
	/* Its early end explains no frame before it. */
	theirs.end = REFERENCE_UNCOPIED;
	theirs.pc[1] = 0x9999;
	assert_result(&ours, &theirs, UNWIND_CHECK_DIFFERENT, 1);
}

/* Only the step out of the frame without a rule is by frame pointer. */
static void a_frame_pointer_explains_the_caller_that_it_led_to(void **state)
{
	const uint8_t ruled[] = { 1, 0, 1, 1 };
	const struct compared_stack ours = { chain, ruled, 4, 0 };
	struct reference_frames theirs = reference(4, REFERENCE_OUTERMOST);

	theirs.pc[2] = 0x9999;
	assert_result(&ours, &theirs, UNWIND_CHECK_BY_FP, 2);
	theirs = reference(4, REFERENCE_OUTERMOST);
	theirs.pc[1] = 0x9999;
	assert_result(&ours, &theirs, UNWIND_CHECK_DIFFERENT, 1);
	theirs = reference(4, REFERENCE_OUTERMOST);
	theirs.pc[3] = 0x9999;
	assert_result(&ours, &theirs, UNWIND_CHECK_DIFFERENT, 3);
}

/* So does the reference's, which has no rule where ours has one. */
static void a_guess_of_the_references_explains_what_it_led_to(void **state)
{
	const struct compared_stack ours = stack(4, 0), short_one = stack(2, 0);
	struct reference_frames theirs = reference(4, REFERENCE_GAVE_UP);

	theirs.is_guess[1] = 1;
	theirs.pc[2] = 0x9999;
	assert_result(&ours, &theirs, UNWIND_CHECK_BY_FP, 2);
	assert_result(&short_one, &theirs, UNWIND_CHECK_BY_FP, 2);
	theirs.pc[1] = 0x9999;
	assert_result(&ours, &theirs, UNWIND_CHECK_DIFFERENT, 1);
	/* What it guesses and is the same is the same. */
	theirs = reference(4, REFERENCE_OUTERMOST);
	theirs.is_guess[1] = 1;
	assert_result(&ours, &theirs, UNWIND_CHECK_SAME, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_chains_are_the_same_however_they_end),
		cmocka_unit_test(a_frame_that_is_missing_in_ours_is_a_difference),
		cmocka_unit_test(an_address_that_is_one_off_is_a_difference),
		cmocka_unit_test(what_a_signal_has_interrupted_is_named_by_the_byte_behind_it),
		cmocka_unit_test(a_stack_that_is_too_short_without_a_word_is_a_difference),
		cmocka_unit_test(a_flaw_does_not_explain_another_caller),
		cmocka_unit_test(where_the_reference_ends_early_it_says_why),
		cmocka_unit_test(a_frame_pointer_explains_the_caller_that_it_led_to),
		cmocka_unit_test(a_guess_of_the_references_explains_what_it_led_to),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
