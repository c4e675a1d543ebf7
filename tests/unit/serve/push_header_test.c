// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "serve/push_header.h"

static int check_one(const char *header, const char *says)
{
	struct buf why = {};
	const int err = push_headers__check(&header, 1, &why);

	if (err)
		assert_non_null(strstr(why.data, says));
	buf__free(&why);
	return err;
}

static void what_can_be_added(void **state)
{
	static const char *const good[] = { "X-Scope-OrgID: team-a", "x:y",
					    "A!#$%&'*+-.^_`|~9: z",  "X-A:   two words\tand more",
					    "X-A: a:b=\"c\"",	     "Content: x",
					    "X-Authorization: x" };

	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_int_equal(check_one(good[i], ""), 0);
}

/* Two headers in one, nothing that is a header, and what libcurl would take for "no header". */
static void what_is_no_header(void **state)
{
	static const char *const bad[] = { "",
					   "X-A",
					   "X-A:",
					   "X-A:  ",
					   ": x",
					   "X A: x",
					   "X-A : x",
					   "X-A: x ",
					   "X-A: x\r\nB: y",
					   "X-A: x\nB: y",
					   "X-A: \r",
					   "X-A\r: x",
					   "X-A: \x7f",
					   "X-A: \x1b[m",
					   "X-A;",
					   "X-A: caf\xc3\xa9",
					   "(X): y",
					   "X\xff: y" };
	char longest[PUSH_HEADER + 2] = "X-A: ";

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(check_one(bad[i], "'NAME: VALUE'"), -EINVAL);
	memset(longest + 5, 'x', PUSH_HEADER - 5);
	assert_int_equal(check_one(longest, ""), 0);
	longest[PUSH_HEADER] = 'x';
	assert_int_equal(check_one(longest, "1024 bytes"), -EINVAL);
}

static void what_requests_have_and_what_is_secret(void **state)
{
	assert_int_equal(check_one("Content-Length: 5", "of their own"), -EINVAL);
	assert_int_equal(check_one("content-type: x", "of their own"), -EINVAL);
	assert_int_equal(check_one("HOST: a", "of their own"), -EINVAL);
	assert_int_equal(check_one("Transfer-Encoding: chunked", "of their own"), -EINVAL);
	assert_int_equal(check_one("authorization: Bearer x", "--push-token FILE"), -EINVAL);
	assert_int_equal(check_one("Cookie: x", "--push-token FILE"), -EINVAL);
}

static void several(void **state)
{
	static const char *const twice[] = { "X-A: 1", "X-B: 2", "x-a: 3" };
	const char *many[PUSH_HEADERS + 1];
	static char texts[PUSH_HEADERS + 1][16];
	struct buf why = {};

	assert_int_equal(push_headers__check(NULL, 0, &why), 0);
	assert_int_equal(push_headers__check(twice, 2, &why), 0);
	assert_int_equal(push_headers__check(twice, 3, &why), -EINVAL);
	assert_string_equal(why.data, "--push-header: x-a twice");
	for (size_t i = 0; i < ARRAY_SIZE(many); i++) {
		snprintf(texts[i], sizeof(texts[i]), "X-%zu: y", i);
		many[i] = texts[i];
	}
	assert_int_equal(push_headers__check(many, PUSH_HEADERS, &why), 0);
	assert_int_equal(push_headers__check(many, PUSH_HEADERS + 1, &why), -EINVAL);
	buf__free(&why);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_can_be_added),
		cmocka_unit_test(what_is_no_header),
		cmocka_unit_test(what_requests_have_and_what_is_secret),
		cmocka_unit_test(several),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
