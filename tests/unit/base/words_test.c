// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/words.h"

/* "a|b": the words of @text; "!": it is refused. */
static const char *split(const char *text)
{
	static char joined[256];
	char **words;
	size_t nr;
	int err = words__split(text, &words, &nr);

	if (err) {
		assert_int_equal(err, -EINVAL);
		assert_null(words);
		return "!";
	}
	*joined = '\0';
	for (size_t i = 0; i < nr; i++) {
		strcat(joined, i ? "|" : "");
		strcat(joined, words[i]);
	}
	assert_null(words[nr]);
	words__free(words);
	return joined;
}

/* As `printf '%s|' ..` of a shell prints them. */
static void words_are_a_shells(void **state)
{
	assert_string_equal(split(""), "");
	assert_string_equal(split("  \t\n"), "");
	assert_string_equal(split(" a  bc\td "), "a|bc|d");
	assert_string_equal(split("--filter 'ret < 0 && comm == \"x y\"'"),
			    "--filter|ret < 0 && comm == \"x y\"");
	assert_string_equal(split("\"a 'b' c\""), "a 'b' c");
	assert_string_equal(split("a'b c'd\"e f\""), "ab cde f");
	assert_string_equal(split("'' x \"\""), "|x|");
	assert_string_equal(split("a\\ b \\' \\\\"), "a b|'|\\");
	assert_string_equal(split("'a\\' \"a\\\"b\\c\\\\\""), "a\\|a\"b\\c\\");
	assert_string_equal(split("kprobe:tcp_* $HOME `x` #y"), "kprobe:tcp_*|$HOME|`x`|#y");
}

static void what_does_not_end_is_refused(void **state)
{
	assert_string_equal(split("a 'b"), "!");
	assert_string_equal(split("a \"b\\\""), "!");
	assert_string_equal(split("a b\\"), "!");
	assert_string_equal(split("'"), "!");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_a_shells),
		cmocka_unit_test(what_does_not_end_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
