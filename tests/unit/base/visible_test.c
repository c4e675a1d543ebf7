// SPDX-License-Identifier: BSD-2-Clause
#include "profiles.h"

#include "base/visible.h"

static void assert_shown(const char *in, const char *expected)
{
	struct buf b = {};

	assert_int_equal(visible__put(&b, in, strlen(in), "?"), 0);
	assert_string_equal(b.data, expected);
	buf__free(&b);
}

/* General_Category Cc, Zl, Zp and Bidi_Control of the Unicode database, and their neighbours. */
static void ranges_end_where_unicode_says(void **state)
{
	static const struct {
		uint32_t first, last;
	} hidden[] = { { 0x1, 0x1f },	   { 0x7f, 0x9f },	  { 0x61c, 0x61c },
		       { 0x200e, 0x200f }, { 0x2028, 0x202e },	  { 0x2066, 0x2069 },
		       { 0xfffe, 0xffff }, { 0x10fffe, 0x10ffff } };
	static const uint32_t shown[] = { ' ',	  '~',	  0xa0,	  0xac,	   0xae,   0x61b,  0x61d,
					  0x200a, 0x2010, 0x2027, 0x202f,  0x205f, 0x2070, 0xd7ff,
					  0xe000, 0xfffc, 0xfffd, 0x10000, 0x1f600 };

	for (size_t i = 0; i < ARRAY_SIZE(hidden); i++)
		for (uint32_t c = hidden[i].first; c <= hidden[i].last; c++)
			assert_false(visible__is(c, 0x1f600));
	for (size_t i = 0; i < ARRAY_SIZE(shown); i++)
		assert_true(visible__is(shown[i], 0));
	/* What no letter has a part in. */
	assert_false(visible__is(0x200b, 0x1f600));
	assert_false(visible__is(0xfeff, 0x1f600));
	assert_false(visible__is(0xad, 'a'));
}

/* Default_Ignorable_Code_Point of the Unicode database. */
static void what_nobody_can_see_is_not_shown(void **state)
{
	static const struct {
		uint32_t first, last;
	} ignorable[] = { { 0xad, 0xad },	{ 0x34f, 0x34f },    { 0x61c, 0x61c },
			  { 0x115f, 0x1160 },	{ 0x17b4, 0x17b5 },  { 0x180b, 0x180f },
			  { 0x200b, 0x200f },	{ 0x202a, 0x202e },  { 0x2060, 0x206f },
			  { 0x3164, 0x3164 },	{ 0xfe00, 0xfe0f },  { 0xfeff, 0xfeff },
			  { 0xffa0, 0xffa0 },	{ 0xfff0, 0xfff8 },  { 0x1bca0, 0x1bca3 },
			  { 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff } };

	for (size_t i = 0; i < ARRAY_SIZE(ignorable); i++)
		for (uint32_t c = ignorable[i].first; c <= ignorable[i].last; c++)
			assert_false(visible__is(c, 'a'));
	/* "main" with a filler, and with a variation selector. */
	assert_shown("ma\xe3\x85\xa4in", "ma?in");
	assert_shown("ma\xef\xb8\x8fin", "ma?in");
	/* A heart that is red. */
	assert_shown("\xe2\x9d\xa4\xef\xb8\x8f", "\xe2\x9d\xa4\xef\xb8\x8f");
}

static void joiners_belong_to_what_is_before_them(void **state)
{
	assert_shown("👩\xe2\x80\x8d🔧", "👩\xe2\x80\x8d🔧");
	assert_shown("ma\xe2\x80\x8din", "ma?in");
	assert_shown("\xe2\x80\x8cx", "?x");
	/* Behind one that is not shown there is nothing to join. */
	assert_shown("ü\xe2\x80\xae\xe2\x80\x8dx", "ü??x");
	/* The flag of Scotland: a black flag and tags. */
	assert_shown("🏴\xf3\xa0\x81\xa7\xf3\xa0\x81\xa2\xf3\xa0\x81\xbf",
		     "🏴\xf3\xa0\x81\xa7\xf3\xa0\x81\xa2\xf3\xa0\x81\xbf");
	assert_shown("x\xf3\xa0\x81\xa7", "x?");
}

static void one_mark_stands_for_one_character(void **state)
{
	assert_shown("a\xc2\x9b\xe2\x80\xae\x80z", "a???z");
	assert_shown("\xff", "?");
	assert_shown("", "");
	assert_shown("\xef\xbf\xbd", "\xef\xbf\xbd");
}

static void text_may_have_any_length(void **state)
{
	struct buf b = {};
	size_t hidden;

	assert_int_equal(visible__span("ab\0c", 4, &hidden), 2);
	assert_int_equal(hidden, 1);
	assert_int_equal(visible__put(&b, "a\0b", 3, "?"), 0);
	assert_string_equal(b.data, "a?b");
	buf__clear(&b);
	/* A sequence that goes on behind the end is none. */
	assert_int_equal(visible__put(&b, "a\xe2\x82\xac", 3, "?"), 0);
	assert_string_equal(b.data, "a??");
	buf__free(&b);
}

static void messages_keep_their_lines(void **state)
{
	static const char text[] = "no '\xc2\x9b\x1b[2J':\n\tsee\r\n";
	struct buf b = {};

	assert_int_equal(visible__put_message(&b, text, sizeof(text) - 1), 0);
	assert_string_equal(b.data, "no '\xef\xbf\xbd\xef\xbf\xbd[2J':\n\tsee\xef\xbf\xbd\n");
	buf__clear(&b);
	assert_int_equal(visible__put_message(&b, "", 0), 0);
	assert_string_equal(b.data, "");
	/* What a name has in it cannot look like another message. */
	assert_int_equal(visible__put_message(&b, "no 'x\npmutrace: y'\n\nz", 21), 0);
	assert_string_equal(b.data, "no 'x\n  pmutrace: y'\n\n  z");
	buf__free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_end_where_unicode_says),
		cmocka_unit_test(what_nobody_can_see_is_not_shown),
		cmocka_unit_test(joiners_belong_to_what_is_before_them),
		cmocka_unit_test(one_mark_stands_for_one_character),
		cmocka_unit_test(text_may_have_any_length),
		cmocka_unit_test(messages_keep_their_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
