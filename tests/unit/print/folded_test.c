// SPDX-License-Identifier: BSD-2-Clause
#include "profiles.h"

#include <errno.h>

#include "print/folded.h"

static void one_line_a_stack_whatever_the_process(void **state)
{
	struct profile *p = small_profile();
	char *cycles = WRITTEN(print__folded(f, p, 0)), *faults = WRITTEN(print__folded(f, p, 1));

	assert_string_equal(cycles, "sh;main;sys_read_[k] 2\n"
				    "sh;main;work 3\n"
				    "sh;main;work;work;leaf 5\n");
	assert_string_equal(faults, "node;run_[j] 1\n"
				    "sh;main;sys_read_[k] 4\n");
	free(cycles);
	free(faults);
	profile__free(p);
}

static void frames_that_read_the_same_are_one(void **state)
{
	struct profile *p = new_profile();
	uint32_t sh = add_stack(p, "csh", NULL), n;
	char *text;

	add_event(p, "cycles");
	assert_int_equal(profile__child(p, sh, add_frame(p, "a:b", "x.so", FRAME_USER), &n), 0);
	add_row(p, 0, 1, n, 1);
	assert_int_equal(profile__child(p, sh, add_frame(p, "a;b", "y.so", FRAME_USER), &n), 0);
	add_row(p, 0, 1, n, 2);
	text = WRITTEN(print__folded(f, p, 0));
	assert_string_equal(text, "sh;a:b 3\n");
	free(text);
	profile__free(p);
}

static void a_hostile_name_cannot_break_a_line(void **state)
{
	struct profile *p = hostile_profile();
	char *text = WRITTEN(print__folded(f, p, 0));
#define SAFE "a:b\"c'd<e>f&g\\h??[31m\xef\xbf\xbd]]>"

	assert_string_equal(text, "[unknown];[unknown] 1\n" SAFE ";" SAFE ";" SAFE "_[k] 2\n");
	free(text);
	profile__free(p);
}

static void inlined_functions_are_marked(void **state)
{
	struct profile *p = new_profile();
	char *text;

	add_event(p, "cycles");
	add_row(p, 0, 1, add_stack(p, "csh", "uf", "ig", "ih", NULL), 3);
	add_row(p, 0, 1, add_stack(p, "csh", "uf", "ug", NULL), 4);
	text = WRITTEN(print__folded(f, p, 0));
	assert_string_equal(text, "sh;f;g 4\nsh;f;g_[i];h_[i] 3\n");
	free(text);
	profile__free(p);
}

/* Readers take the number behind the last space. */
static void a_name_may_have_spaces(void **state)
{
	struct profile *p = new_profile();
	char *text;

	add_event(p, "cycles");
	add_row(p, 0, 1, add_stack(p, "cweb content ", "uoperator new(unsigned long) ", NULL), 12);
	text = WRITTEN(print__folded(f, p, 0));
	assert_string_equal(text, "web content ;operator new(unsigned long)  12\n");
	free(text);
	profile__free(p);
}

static void no_samples_are_no_lines(void **state)
{
	struct profile *p = new_profile();
	char *text;

	add_event(p, "cycles");
	text = WRITTEN(print__folded(f, p, 0));
	assert_string_equal(text, "");
	free(text);
	assert_int_equal(print__folded(stdout, p, 1), -EINVAL);
	profile__free(p);
}

static void all_events_have_a_count_on_each_line(void **state)
{
	struct profile *p = small_profile();
	char *text = WRITTEN(print__folded_all(f, p));

	assert_string_equal(text, "# counts of\tcycles\tfaults\tof each stack\n"
				  "node;run_[j] 0 1\n"
				  "sh;main;sys_read_[k] 2 4\n"
				  "sh;main;work 3 0\n"
				  "sh;main;work;work;leaf 5 0\n");
	free(text);
	profile__free(p);
}

/* What events have of the tree differs in every way: callers, callees, names that return. */
static void counts_are_of_their_own_stack(void **state)
{
	struct profile *p = new_profile();
	uint32_t ab, b, a, abb;
	char *text;

	for (unsigned i = 0; i < 3; i++)
		add_event(p, (const char *[]){ "x", "y\tz", "none" }[i]);
	b = add_stack(p, "csh", "ub", NULL);
	abb = add_stack(p, "csh", "ua", "ub", "ub", NULL);
	ab = add_stack(p, "csh", "ua", "ub", NULL);
	a = add_stack(p, "csh", "ua", NULL);
	add_row(p, 0, 1, b, 1);
	add_row(p, 0, 1, abb, 2);
	add_row(p, 1, 1, b, 3);
	add_row(p, 1, 2, b, 1);
	add_row(p, 1, 1, a, 5);
	add_row(p, 1, 1, ab, 6);
	text = WRITTEN(print__folded_all(f, p));
	assert_string_equal(text, "# counts of\tx\ty?z\tnone\tof each stack\n"
				  "sh;a 0 5 0\nsh;a;b 0 6 0\nsh;a;b;b 2 0 0\nsh;b 1 4 0\n");
	free(text);
	profile__free(p);
}

static void a_full_disk_is_an_error(void **state)
{
	struct profile *p = small_profile();
	FILE *f = full_disk();

	assert_int_equal(print__folded(f, p, 0), -ENOSPC);
	fclose(f);
	f = full_disk();
	assert_int_equal(print__folded_all(f, p), -ENOSPC);
	fclose(f);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_line_a_stack_whatever_the_process),
		cmocka_unit_test(frames_that_read_the_same_are_one),
		cmocka_unit_test(a_hostile_name_cannot_break_a_line),
		cmocka_unit_test(inlined_functions_are_marked),
		cmocka_unit_test(a_name_may_have_spaces),
		cmocka_unit_test(no_samples_are_no_lines),
		cmocka_unit_test(all_events_have_a_count_on_each_line),
		cmocka_unit_test(counts_are_of_their_own_stack),
		cmocka_unit_test(a_full_disk_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
