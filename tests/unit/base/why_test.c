// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "base/why.h"

static void an_errno_and_its_sentence(void **state)
{
	struct buf why = {};

	(void)state;
	assert_int_equal(why__refuse(&why, -ENOENT, "no '%s': %d are known", "x", 3), -ENOENT);
	assert_string_equal(why.data, "no 'x': 3 are known");
	assert_int_equal(why__refuse(&why, -EINVAL, "; and more"), -EINVAL);
	assert_string_equal(why.data, "no 'x': 3 are known; and more");
	buf__free(&why);
}

/* What people type may be long: sentences have it whole. */
static void sentences_have_any_length(void **state)
{
	static char word[100000];
	struct buf why = {};

	(void)state;
	memset(word, 'w', sizeof(word) - 1);
	assert_int_equal(why__refuse(&why, -EINVAL, "<%s>", word), -EINVAL);
	assert_int_equal(why.len, sizeof(word) - 1 + 2);
	assert_string_equal(why.data + why.len - 2, "w>");
	buf__free(&why);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_errno_and_its_sentence),
		cmocka_unit_test(sentences_have_any_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
