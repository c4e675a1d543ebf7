// SPDX-License-Identifier: BSD-2-Clause
#include "profiles.h"

#include "model/loss.h"

static void flaws_are_not_losses(void **state)
{
	struct losses l = { .seen = 100, .kept = 88 };

	losses__add(&l, &(struct loss){ .name = "full", .text = "table full", .n = 10 });
	losses__add(&l, &(struct loss){ .name = "nomem", .text = "no memory", .n = 2 });
	losses__add(&l, &(struct loss){ .name = "cut", .text = "cut", .flaw = true, .n = 50 });
	assert_int_equal(losses__sum(&l), 12);
	assert_int_equal(l.seen, l.kept + losses__sum(&l));
}

static void one_reason_is_one_entry(void **state)
{
	char name[] = "full"; /* equal by text, not by address */
	struct losses l = {};

	losses__add(&l, &(struct loss){ .name = "full", .text = "table full", .n = 10 });
	losses__add(&l, &(struct loss){ .name = name, .text = "table full", .n = 5 });
	assert_int_equal(l.nr, 1);
	assert_int_equal(l.by[0].n, 15);
}

static void nothing_lost_sums_to_0(void **state)
{
	const struct losses l = { .seen = 5, .kept = 5 };

	assert_int_equal(losses__sum(&l), 0);
}

/* A reason too many must not take its samples with it. */
static void a_full_table_loses_no_samples(void **state)
{
	char names[LOSSES_MAX + 2][16];
	struct losses l = {};

	for (int i = 0; i < LOSSES_MAX + 2; i++) {
		snprintf(names[i], sizeof(names[i]), "r%d", i);
		losses__add(&l, &(struct loss){ .name = names[i], .text = names[i], .n = 1 });
	}
	assert_int_equal(l.nr, LOSSES_MAX);
	assert_int_equal(losses__sum(&l), LOSSES_MAX + 2);
	assert_string_equal(l.by[LOSSES_MAX - 1].name, "other");
	assert_int_equal(l.by[LOSSES_MAX - 1].n, 3);
}

/* A loss that there is no place for is none of a sample that was kept, and the other way round. */
static void a_full_table_keeps_losses_and_flaws_apart(void **state)
{
	char names[LOSSES_MAX][16];
	struct losses l = {};

	for (int i = 0; i < LOSSES_MAX; i++) {
		snprintf(names[i], sizeof(names[i]), "r%d", i);
		losses__add(&l, &(struct loss){ names[i], names[i], NULL, i >= 8, 1 });
	}
	losses__add(&l, &(struct loss){ "late", "too late", NULL, false, 10 });
	losses__add(&l, &(struct loss){ "cut", "cut", NULL, true, 100 });
	assert_int_equal(losses__sum(&l), 8 + 10);
	assert_string_equal(l.by[7].name, "other");
	assert_int_equal(l.by[7].n, 11);
	assert_string_equal(l.by[LOSSES_MAX - 1].name, "other_flaws");
	assert_int_equal(l.by[LOSSES_MAX - 1].n, 101);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flaws_are_not_losses),
		cmocka_unit_test(one_reason_is_one_entry),
		cmocka_unit_test(nothing_lost_sums_to_0),
		cmocka_unit_test(a_full_table_loses_no_samples),
		cmocka_unit_test(a_full_table_keeps_losses_and_flaws_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
