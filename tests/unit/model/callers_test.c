// SPDX-License-Identifier: BSD-2-Clause
#include "profiles.h"

#include <errno.h>

#include "model/callers.h"

/*
 *	sh;main;f 1
 *	sh;main;g;f;h 2
 *	sh;main;g;f;g;f;f;h 4	f is called by g twice, and by itself
 *	sh;f 8
 *	sh;main;h 16
 *	node;f(JIT) 32
 */
static struct profile *six_stacks(void)
{
	struct profile *p = new_profile();

	add_event(p, "cycles");
	add_event(p, "faults");
	add_row(p, 0, 1, add_stack(p, "csh", "umain", "uf", NULL), 1);
	add_row(p, 0, 1, add_stack(p, "csh", "umain", "ug", "uf", "uh", NULL), 2);
	add_row(p, 0, 2, add_stack(p, "csh", "umain", "ug", "uf", "ug", "uf", "uf", "uh", NULL), 4);
	add_row(p, 0, 1, add_stack(p, "csh", "uf", NULL), 8);
	add_row(p, 0, 1, add_stack(p, "csh", "umain", "uh", NULL), 16);
	add_row(p, 0, 1, add_stack(p, "cnode", "jf", NULL), 32);
	add_row(p, 1, 1, add_stack(p, "csh", "umain", "uf", NULL), 64);
	return p;
}

static uint64_t of(const struct profile *p, const struct call_of *calls, size_t nr,
		   const char *name)
{
	uint64_t samples = 0;
	size_t found = 0;

	for (size_t i = 0; i < nr; i++)
		if (!strcmp(profile__name(p, calls[i].frame), name)) {
			samples = calls[i].samples;
			found++;
		}
	assert_true(found <= 1);
	return samples;
}

static void a_sample_counts_once_for_each_call(void **state)
{
	struct profile *p = six_stacks();
	struct callers *c;

	assert_int_equal(callers__new(&c, p, 0, "f"), 0);
	assert_int_equal(c->all, 63);
	assert_int_equal(c->self, 1 + 8 + 32);
	assert_int_equal(c->total, 1 + 2 + 4 + 8 + 32);
	assert_int_equal(c->nr_callers, 5);
	assert_int_equal(of(p, c->callers, c->nr_callers, "main"), 1);
	assert_int_equal(of(p, c->callers, c->nr_callers, "g"), 2 + 4);
	assert_int_equal(of(p, c->callers, c->nr_callers, "f"), 4);
	assert_int_equal(of(p, c->callers, c->nr_callers, "sh"), 8);
	assert_int_equal(of(p, c->callers, c->nr_callers, "node"), 32);
	assert_int_equal(c->nr_callees, 3);
	assert_int_equal(of(p, c->callees, c->nr_callees, "h"), 2 + 4);
	assert_int_equal(of(p, c->callees, c->nr_callees, "g"), 4);
	assert_int_equal(of(p, c->callees, c->nr_callees, "f"), 4);
	callers__free(c);
	profile__free(p);
}

static void the_most_come_first(void **state)
{
	struct profile *p = six_stacks();
	struct callers *c;

	assert_int_equal(callers__new(&c, p, 0, "f"), 0);
	for (size_t i = 1; i < c->nr_callers; i++)
		assert_true(c->callers[i - 1].samples >= c->callers[i].samples);
	assert_string_equal(profile__name(p, c->callers[0].frame), "node");
	assert_string_equal(profile__name(p, c->callees[1].frame), "f"); /* of 4 each by name */
	callers__free(c);
	profile__free(p);
}

static void an_event_has_its_own(void **state)
{
	struct profile *p = six_stacks();
	struct callers *c;

	assert_int_equal(callers__new(&c, p, 1, "f"), 0);
	assert_int_equal(c->total, 64);
	assert_int_equal(c->nr_callers, 1);
	assert_int_equal(c->nr_callees, 0);
	callers__free(c);
	profile__free(p);
}

static void a_command_is_no_function(void **state)
{
	struct profile *p = six_stacks();
	struct callers *c;

	assert_int_equal(callers__new(&c, p, 0, "sh"), -ENOENT);
	assert_null(c);
	assert_int_equal(callers__new(&c, p, 0, "nosuch"), -ENOENT);
	profile__free(p);
}

static void arguments_need_not_be_told(void **state)
{
	assert_true(callers__is_named("f", "f"));
	assert_true(callers__is_named("f(int, char)", "f"));
	assert_true(callers__is_named("f(int, char)", "f(int, char)"));
	assert_false(callers__is_named("f(int, char)", "f(int"));
	assert_false(callers__is_named("ff", "f"));
	assert_false(callers__is_named("f", "ff"));
	assert_false(callers__is_named("f<int>(int)", "f"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sample_counts_once_for_each_call),
		cmocka_unit_test(the_most_come_first),
		cmocka_unit_test(an_event_has_its_own),
		cmocka_unit_test(a_command_is_no_function),
		cmocka_unit_test(arguments_need_not_be_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
