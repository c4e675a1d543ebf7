// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/suggest.h"

static struct buf why;

static int tear_down(void **state)
{
	buf__free(&why);
	return 0;
}

/* "" when nothing was appended. */
static const char *said(void)
{
	return why.len ? why.data : "";
}

static void up_to_three_are_named_the_nearest_first(void **state)
{
	const char *names[] = { "minor", "major", "mpki", "manor", "majors", "miss" };

	assert_int_equal(suggest(&why, "mjor", names, 6), 0);
	assert_string_equal(said(), "; did you mean major, minor or manor?");
	assert_null(names[1]);
	assert_non_null(names[5]);
}

static void nothing_near_says_nothing(void **state)
{
	const char *names[] = { "cycles", "faults" };

	assert_int_equal(suggest(&why, "zzzz", names, 2), 0);
	assert_string_equal(said(), "");
}

static void or_else_there_is_a_list(void **state)
{
	const char *names[18] = { "cycles", "faults" };

	assert_int_equal(suggest_or_list(&why, "cycels", names, 2), 0);
	assert_string_equal(said(), "; did you mean cycles?");
	names[0] = "cycles";
	buf__clear(&why);
	assert_int_equal(suggest_or_list(&why, "zzzz", names, 2), 0);
	assert_string_equal(said(), "; there is cycles, faults");
	buf__clear(&why);
	for (size_t i = 0; i < 18; i++)
		names[i] = "a";
	assert_int_equal(suggest_or_list(&why, "zzzz", names, 18), 0);
	assert_string_equal(said(), "; there is a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a "
				    "and 2 more");
}

static void a_table_is_searched_without_wild_cards(void **state)
{
	struct strtab *t = strtab__new();
	uint32_t id;

	assert_non_null(t);
	assert_int_equal(strtab__add(t, "vfs_read", 8, &id), 0);
	assert_int_equal(suggest_of(&why, "vfs_*reed", t), 0);
	assert_string_equal(said(), "; did you mean vfs_read?");
	strtab__free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(up_to_three_are_named_the_nearest_first, tear_down),
		cmocka_unit_test_teardown(nothing_near_says_nothing, tear_down),
		cmocka_unit_test_teardown(or_else_there_is_a_list, tear_down),
		cmocka_unit_test_teardown(a_table_is_searched_without_wild_cards, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
