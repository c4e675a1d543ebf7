// SPDX-License-Identifier: BSD-2-Clause
#include "profiles.h"

#include <errno.h>

#include "model/functions.h"
#include "model/scope.h"

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

	assert_int_equal(functions__new(&f, p, 0, NULL), 0);
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
	assert_int_equal(functions__new(&f, p, 0, NULL), 0);
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
	assert_int_equal(functions__new(&f, p, 0, NULL), 0);
	assert_int_equal(f->nr, 1);
	assert_function(p, &f->by[0], "sh", 7, 7);
	functions__free(f);
	assert_int_equal(functions__new(&f, p, 1, NULL), -EINVAL);
	assert_null(f);
	profile__free(p);
}

static uint64_t self_sum(const struct profile *p, const struct scope *scope, uint64_t samples)
{
	struct functions *f;
	uint64_t sum = 0;

	assert_int_equal(functions__new(&f, p, 0, scope), 0);
	for (size_t i = 0; i < f->nr; i++)
		sum += f->by[i].self;
	assert_int_equal(f->samples, samples);
	functions__free(f);
	return sum;
}

static bool wants_pid(const void *pid, const struct profile *p, const struct row *row)
{
	return row->key.pid == *(const uint32_t *)pid;
}

/* Rows of each scope that the profile has, and their selfs. */
static void a_scope_has_its_own_rows_alone(void **state)
{
	const uint32_t one = 1, two = 2, both[] = { 2, 1 }, thread = 11;
	struct profile *p = small_profile();
	struct row_key key = { .pid = 3, .tid = 11 };
	struct functions *f;
	struct scope s = { .of = SCOPE_PROCESSES, .ids = &two, .nr_ids = 1 };

	key.stack = add_stack(p, "cd", "umain", NULL);
	assert_int_equal(profile__string(p, "/x", 2, &key.cgroup), 0);
	assert_int_equal(profile__add(p, &key, 6, 6000, NULL), 0);

	assert_int_equal(functions__new(&f, p, 0, &s), 0);
	assert_int_equal(f->samples, 2);
	assert_int_equal(f->nr, 4);
	assert_function(p, &f->by[0], "leaf", 2, 2);
	assert_function(p, &f->by[1], "main", 0, 2);
	functions__free(f);

	assert_int_equal(self_sum(p, NULL, 16), 16);
	assert_int_equal(self_sum(p, &(struct scope){}, 16), 16);
	assert_int_equal(self_sum(p, &s, 2), 2);
	s.ids = &one;
	assert_int_equal(self_sum(p, &s, 8), 8);
	s = (struct scope){ .of = SCOPE_PROCESSES, .ids = both, .nr_ids = 2 };
	assert_int_equal(self_sum(p, &s, 10), 10);
	s = (struct scope){ .of = SCOPE_THREADS, .ids = &thread, .nr_ids = 1 };
	assert_int_equal(self_sum(p, &s, 6), 6);
	s = (struct scope){ .of = SCOPE_CGROUP, .cgroup = "/x" };
	assert_int_equal(self_sum(p, &s, 6), 6);
	s = (struct scope){ .of = SCOPE_CGROUP, .cgroup = "/" };
	assert_int_equal(self_sum(p, &s, 0), 0);
	s = (struct scope){ .wants = wants_pid, .arg = &two };
	assert_int_equal(self_sum(p, &s, 2), 2);
	s = (struct scope){
		.of = SCOPE_THREADS, .ids = &thread, .nr_ids = 1, .wants = wants_pid, .arg = &two
	};
	assert_int_equal(self_sum(p, &s, 0), 0); /* both have to hold */
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stack_counts_once_under_recursion),
		cmocka_unit_test(mutual_recursion_is_counted_once_too),
		cmocka_unit_test(samples_without_a_stack_stay_with_the_command),
		cmocka_unit_test(a_scope_has_its_own_rows_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
