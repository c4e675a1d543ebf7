// SPDX-License-Identifier: BSD-2-Clause
#include "profiles.h"

#include <errno.h>

#include "model/functions.h"

static void assert_function(const struct profile *p, const struct function *f, const char *name,
			    uint64_t self, uint64_t total)
{
	assert_string_equal(profile__name(p, f->frame), name);
	assert_int_equal(f->self, self);
	assert_int_equal(f->total, total);
	assert_int_equal(f->self_weight, self * 1000);
	assert_int_equal(f->total_weight, total * 1000);
}

/* work;work;leaf 5 and work 3: work's total is 8, not 13. */
static void a_stack_counts_once_under_recursion(void **state)
{
	struct profile *p = small_profile();
	struct functions *f;

	assert_int_equal(functions__new(&f, p, 0), 0);
	assert_int_equal(f->samples, 10);
	assert_int_equal(f->nr, 5);
	assert_function(p, &f->by[0], "leaf", 5, 5);
	assert_function(p, &f->by[1], "work", 3, 8);
	assert_function(p, &f->by[2], "sys_read", 2, 2);
	assert_function(p, &f->by[3], "main", 0, 10);
	assert_function(p, &f->by[4], "sh", 0, 10);
	functions__free(f);
	profile__free(p);
}

/*
 * a;b;a;c 1, a;b 2, b;a;b;a 4, a;c;a;a 8:
 * a is on all four (15), b on the first three (7), c on the first and the last (9).
 */
static void mutual_recursion_is_counted_once_too(void **state)
{
	struct profile *p = new_profile();
	struct functions *f;

	add_event(p, "cycles");
	add_row(p, 0, 1, add_stack(p, "csh", "ua", "ub", "ua", "uc", NULL), 1);
	add_row(p, 0, 1, add_stack(p, "csh", "ua", "ub", NULL), 2);
	add_row(p, 0, 1, add_stack(p, "csh", "ub", "ua", "ub", "ua", NULL), 4);
	add_row(p, 0, 1, add_stack(p, "csh", "ua", "uc", "ua", "ua", NULL), 8);
	assert_int_equal(functions__new(&f, p, 0), 0);
	assert_int_equal(f->nr, 4);
	assert_function(p, &f->by[0], "a", 12, 15);
	assert_function(p, &f->by[1], "b", 2, 7);
	assert_function(p, &f->by[2], "c", 1, 9);
	assert_function(p, &f->by[3], "sh", 0, 15);
	functions__free(f);
	profile__free(p);
}

static void samples_without_a_stack_stay_with_the_command(void **state)
{
	struct profile *p = new_profile();
	struct functions *f;

	add_event(p, "cycles");
	add_row(p, 0, 1, add_stack(p, "csh", NULL), 7);
	assert_int_equal(functions__new(&f, p, 0), 0);
	assert_int_equal(f->nr, 1);
	assert_function(p, &f->by[0], "sh", 7, 7);
	functions__free(f);
	assert_int_equal(functions__new(&f, p, 1), -EINVAL);
	assert_null(f);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stack_counts_once_under_recursion),
		cmocka_unit_test(mutual_recursion_is_counted_once_too),
		cmocka_unit_test(samples_without_a_stack_stay_with_the_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
