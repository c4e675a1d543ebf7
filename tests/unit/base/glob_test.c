// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "base/glob.h"

static bool matches(const char *pattern, const char *s)
{
	struct glob g;

	assert_int_equal(glob__compile(&g, pattern), 0);
	return glob__matches(&g, s);
}

static void letters_match_themselves(void **state)
{
	assert_true(matches("nginx", "nginx"));
	assert_false(matches("nginx", "nginx2"));
	assert_false(matches("nginx", "ngin"));
}

static void a_star_matches_any_run(void **state)
{
	assert_true(matches("*", ""));
	assert_true(matches("*", "anything"));
	assert_true(matches("a*b*c", "a123b456c"));
	assert_true(matches("a*b*c", "abc"));
	assert_false(matches("a*b*c", "acb"));
	assert_true(matches("***x", "xxx"));
	assert_true(matches("*ab", "aab"));
}

static void a_question_mark_matches_one_byte(void **state)
{
	assert_true(matches("k?d", "kid"));
	assert_false(matches("k?d", "kd"));
	assert_true(matches("?*", "x"));
	assert_false(matches("?*", ""));
}

static void only_62_tokens_fit(void **state)
{
	char pattern[65] = "";
	struct glob g;

	for (int i = 0; i < 62; i++)
		pattern[i] = 'x';
	assert_int_equal(glob__compile(&g, pattern), 0);
	assert_true(glob__matches(&g, pattern));
	pattern[62] = 'x';
	assert_int_equal(glob__compile(&g, pattern), -E2BIG);
	assert_int_equal(glob__compile(&g, ""), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(letters_match_themselves),
		cmocka_unit_test(a_star_matches_any_run),
		cmocka_unit_test(a_question_mark_matches_one_byte),
		cmocka_unit_test(only_62_tokens_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
