// SPDX-License-Identifier: BSD-2-Clause
#include "profiles.h"

#include "base/utf8.h"

#define BAD "\xef\xbf\xbd"

static size_t sequence(const char *s)
{
	return utf8__sequence(s, strlen(s));
}

static void assert_made_valid(const char *in, size_t len, const char *expected)
{
	struct buf b = {};

	assert_int_equal(utf8__put_valid(&b, in, len), 0);
	assert_int_equal(b.len, strlen(expected));
	assert_memory_equal(b.data, expected, b.len + 1);
	buf__free(&b);
}

/* The first and last code point of each length (RFC 3629). */
static void knows_the_length_of_each_sequence(void **state)
{
	assert_int_equal(utf8__sequence("\0", 1), 1);
	assert_int_equal(sequence("\x7f"), 1);
	assert_int_equal(sequence("\xc2\x80"), 2);
	assert_int_equal(sequence("\xdf\xbf"), 2);
	assert_int_equal(sequence("\xe0\xa0\x80"), 3);
	assert_int_equal(sequence("\xed\x9f\xbf"), 3); /* before the surrogates */
	assert_int_equal(sequence("\xee\x80\x80"), 3); /* behind them */
	assert_int_equal(sequence("\xef\xbf\xbf"), 3);
	assert_int_equal(sequence("\xf0\x90\x80\x80"), 4);
	assert_int_equal(sequence("\xf4\x8f\xbf\xbf"), 4); /* U+10FFFF */
	assert_int_equal(utf8__sequence("", 0), 0);
}

static void rejects_what_is_no_sequence(void **state)
{
	assert_int_equal(sequence("\x80"), 0);	       /* continuation alone */
	assert_int_equal(sequence("\xc0\x80"), 0);     /* overlong NUL */
	assert_int_equal(sequence("\xc1\xbf"), 0);     /* overlong */
	assert_int_equal(sequence("\xe0\x9f\xbf"), 0); /* overlong */
	assert_int_equal(sequence("\xed\xa0\x80"), 0); /* surrogate U+D800 */
	assert_int_equal(sequence("\xed\xbf\xbf"), 0); /* surrogate U+DFFF */
	assert_int_equal(sequence("\xf0\x8f\xbf\xbf"), 0);
	assert_int_equal(sequence("\xf4\x90\x80\x80"), 0); /* past U+10FFFF */
	assert_int_equal(sequence("\xf5\x80\x80\x80"), 0);
	assert_int_equal(sequence("\xff"), 0);
	assert_int_equal(sequence("\xe2\x82"), 0); /* cut short */
	assert_int_equal(sequence("\xe2\x82z"), 0);
	assert_int_equal(utf8__sequence("\xe2\x82\xac", 2), 0);
}

static void replaces_each_bad_byte(void **state)
{
	assert_made_valid("a\xff\xfe"
			  "b",
			  4, "a" BAD BAD "b");
	assert_made_valid("\xe2\x82", 2, BAD BAD);
	assert_made_valid("\xe2\x82\xac\x80", 4, "\xe2\x82\xac" BAD);
	assert_made_valid("\xed\xa0\x80", 3, BAD BAD BAD);
}

static void leaves_valid_text_alone(void **state)
{
	assert_made_valid("", 0, "");
	assert_made_valid("main", 4, "main");
	assert_made_valid("Grüße 関数 \xf0\x9f\x94\xa5", strlen("Grüße 関数 \xf0\x9f\x94\xa5"),
			  "Grüße 関数 \xf0\x9f\x94\xa5");
}

static void fitting_counts_columns_not_bytes(void **state)
{
	size_t used;

	assert_int_equal(utf8__fit("abcdef", 6, 4, &used), 4);
	assert_int_equal(used, 4);
	assert_int_equal(utf8__fit("üüü", 6, 2, &used), 4);
	/* Two columns each: only one fits into three. */
	assert_int_equal(utf8__fit("関数", 6, 3, &used), 3);
	assert_int_equal(used, 2);
	/* A combining mark stays with its letter. */
	assert_int_equal(utf8__fit("e\xcc\x81x", 4, 1, &used), 3);
	assert_int_equal(utf8__fit("abc", 3, 0, &used), 0);
}

static void assert_line(const char *s, size_t len, size_t limit, const char *line)
{
	struct buf out = {};

	assert_int_equal(buf__puts(&out, "> "), 0);
	assert_int_equal(utf8__put_line(&out, s, len, limit), 0);
	assert_string_equal(out.data + 2, line);
	assert_int_equal(out.len, strlen(line) + 2);
	buf__free(&out);
}

static void makes_one_line(void **state)
{
	assert_line("", 0, 9, "");
	assert_line("a\0-b\0", 5, 9, "a -b");
	assert_line("a\n\tb \0\0", 7, 9, "a  b");
	assert_line("\33[2J", 4, 9, " [2J");
	assert_line("a\xc2\x9b"
		    "2J",
		    5, 9, "a 2J"); /* CSI in one character */
	assert_line("a\xc2\xa0"
		    "b",
		    4, 9,
		    "a\xc2\xa0"
		    "b");
	assert_line("a\xff", 2, 9, "a" BAD);
	/* A character is not cut. */
	assert_line("a\xe2\x82\xac", 4, 3, "a");
	assert_line("a\xe2\x82\xac", 4, 4, "a\xe2\x82\xac");
	assert_line("a\xff", 2, 3, "a");
	assert_line("ab cd", 5, 3, "ab");
}

static void assert_put(uint32_t character, const char *bytes)
{
	struct buf out = {};
	size_t len;

	assert_int_equal(utf8__put(&out, character), 0);
	assert_string_equal(out.data, bytes);
	if (strcmp(bytes, BAD))
		assert_int_equal(utf8__decode(bytes, strlen(bytes), &len), character);
	buf__free(&out);
}

static void puts_a_character(void **state)
{
	assert_put('a', "a");
	assert_put(0xfc, "\xc3\xbc");
	assert_put(0x20ac, "\xe2\x82\xac");
	assert_put(0x1f525, "\xf0\x9f\x94\xa5");
	assert_put(0xd800, BAD);
	assert_put(0x110000, BAD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_the_length_of_each_sequence),
		cmocka_unit_test(rejects_what_is_no_sequence),
		cmocka_unit_test(replaces_each_bad_byte),
		cmocka_unit_test(leaves_valid_text_alone),
		cmocka_unit_test(fitting_counts_columns_not_bytes),
		cmocka_unit_test(makes_one_line),
		cmocka_unit_test(puts_a_character),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
