// SPDX-License-Identifier: BSD-2-Clause
#include "profiles.h"

#include "print/cell.h"

static size_t columns;

static int put(FILE *f, const char *s, const char *mark, size_t width)
{
	struct writer w = { .f = f };

	columns = cell__put(&w, s, mark, width);
	return writer__end(&w);
}

static void assert_cut(const char *s, const char *mark, size_t width, const char *expected,
		       size_t expected_columns)
{
	char *text = WRITTEN(put(f, s, mark, width));

	assert_string_equal(text, expected);
	assert_int_equal(columns, expected_columns);
	assert_int_equal(cell__width(text), columns);
	free(text);
}

static void both_ends_of_a_name_stay(void **state)
{
	/* Of 9 columns beside the ellipsis a third is for the end. */
	assert_cut("abcdefghijklmnop", "", 10, "abcdef…nop", 10);
	assert_cut("abcdefghijklmnop", "", 16, "abcdefghijklmnop", 16);
	assert_cut("abcdefghijklmnop", "", 15, "abcdefghij…mnop", 15);
	assert_cut("abcdefghijklmnop", "", 0, "abcdefghijklmnop", 16);
	assert_cut("", "", 5, "", 0);
}

static void the_mark_is_never_cut(void **state)
{
	assert_cut("abcdefghijklmnop", " [k]", 14, "abcdef…nop [k]", 14);
	assert_cut("abcd", " [k]", 8, "abcd [k]", 8);
	assert_cut("abcdef", " [k]", 3, "… [k]", 5);
}

static void little_room_has_the_beginning(void **state)
{
	assert_cut("abcdef", "", 1, "…", 1);
	assert_cut("abcdef", "", 2, "a…", 2);
	assert_cut("abcdef", "", 3, "ab…", 3);
	assert_cut("abcdef", "", 4, "ab…f", 4);
}

/* Two columns each, and never half of one: then one column less is used. */
static void wide_characters_stay_whole(void **state)
{
	assert_cut("一二三四五六七八", "", 10, "一二三…八", 9);
	assert_cut("一二三四五六七八", "", 13, "一二三四…七八", 13);
	assert_cut("一二三四五六七八", "", 16, "一二三四五六七八", 16);
}

/* What is combined with a letter that is left out is left out with it. */
static void marks_stay_with_their_letters(void **state)
{
	assert_cut("abcdefghe\xcc\x81xyz", "", 9, "abcdef…yz", 9);
	assert_cut("abcdefghe\xcc\x81yz", "", 9, "abcdef…yz", 9);
	assert_cut("abcdefghije\xcc\x81y", "", 9, "abcdef…e\xcc\x81y", 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ends_of_a_name_stay),
		cmocka_unit_test(the_mark_is_never_cut),
		cmocka_unit_test(little_room_has_the_beginning),
		cmocka_unit_test(wide_characters_stay_whole),
		cmocka_unit_test(marks_stay_with_their_letters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
