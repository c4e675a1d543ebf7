// SPDX-License-Identifier: BSD-2-Clause
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tui/keys.h"
#include "tui/meters.h"
#include "tui/prompt.h"

static struct canvas page;

static void begin(int width, int height, bool is_ascii)
{
	page.is_ascii = is_ascii;
	assert_int_equal(canvas__begin(&page, width, height), 0);
}

static int tear_down(void **state)
{
	canvas__free(&page);
	return 0;
}

static void assert_page(const char *text)
{
	struct buf out = {};

	assert_int_equal(canvas__text(&page, &out), 0);
	assert_string_equal(out.data, text);
	buf__free(&out);
}

static void text_is_cut_by_columns(void **state)
{
	begin(6, 2, false);
	assert_int_equal(canvas__put(&page, 0, 0, 99, STYLE_PLAIN, "abcdefgh"), 6);
	assert_int_equal(canvas__put(&page, 1, 1, 3, STYLE_PLAIN, "xyzw"), 3);
	assert_page("abcdef\n xyz\n");
	/* Beyond the page nothing happens. */
	assert_int_equal(canvas__put(&page, 0, 2, 9, STYLE_PLAIN, "no"), 0);
	assert_int_equal(canvas__put(&page, 6, 0, 9, STYLE_PLAIN, "no"), 0);
	assert_int_equal(canvas__put(&page, 2, -1, 9, STYLE_PLAIN, "no"), 0);
	assert_page("abcdef\n xyz\n");
}

static void wide_characters_take_two_columns(void **state)
{
	begin(5, 2, false);
	assert_int_equal(canvas__put(&page, 0, 0, 99, STYLE_PLAIN, "関数関"), 4);
	assert_int_equal(canvas__put(&page, 0, 1, 99, STYLE_PLAIN, "e\xcc\x81üx"), 3);
	assert_page("関数\neüx\n");
	/* What stands behind one that has no room is no neighbour of what stands before it. */
	begin(4, 1, false);
	assert_int_equal(canvas__put(&page, 0, 0, 2, STYLE_PLAIN, "a関b"), 1);
	assert_page("a\n");
}

static void what_cannot_be_shown(void **state)
{
	begin(12, 1, false);
	canvas__put(&page, 0, 0, 99, STYLE_PLAIN, "\33[2J\tü\xff");
	assert_page("?[2J?ü\xef\xbf\xbd\n");
	begin(12, 1, true);
	canvas__put(&page, 0, 0, 99, STYLE_PLAIN, "a\33ü関\xff");
	assert_page("a????\n");
}

static void right_aligned_text_loses_its_beginning(void **state)
{
	begin(8, 2, false);
	canvas__put_right(&page, 1, 0, 6, STYLE_PLAIN, "12");
	canvas__put_right(&page, 1, 1, 6, STYLE_PLAIN, "12345678");
	assert_page("     12\n 345678\n");
}

static void a_history_is_a_line_of_blocks(void **state)
{
	struct history h = {};

	begin(10, 1, false);
	history__add(&h, 0);
	history__add(&h, 0.5);
	history__add(&h, NAN);
	history__add(&h, 1);
	history__add(&h, 7); /* more than all */
	meter__spark(&page, 0, 0, 8, &h, 1);
	assert_page("   ▁▅ ██\n");
	begin(10, 1, true);
	meter__spark(&page, 0, 0, 3, &h, 0);
	assert_page(" _#\n");
	for (int i = 0; i < 2 * HISTORY; i++)
		history__add(&h, i);
	assert_true(history__at(&h, 0) == 2 * HISTORY - 1);
	assert_true(history__at(&h, HISTORY - 1) == HISTORY);
	assert_true(isnan(history__at(&h, HISTORY)));
}

static void a_bar_is_as_long_as_its_share(void **state)
{
	begin(22, 4, false);
	meter__bar(&page, 0, 0, 22, 0.25);
	meter__bar(&page, 0, 1, 22, 1.5);
	meter__bar(&page, 0, 2, 22, NAN);
	meter__bar(&page, 0, 3, 12, 0);
	assert_page("[|||||          25.0%]\n[||||||||||||||150.0%]\n"
		    "[                   -]\n[      0.0%]\n");
}

/* CPUs are a little more than busy where clocks differ: what is beside a meter stays. */
static void a_bar_above_all_stays_in_its_place(void **state)
{
	begin(24, 3, false);
	canvas__put(&page, 12, 0, 12, STYLE_PLAIN, "beside");
	canvas__put(&page, 12, 1, 12, STYLE_PLAIN, "beside");
	meter__bar(&page, 0, 0, 12, 1.001);
	meter__bar(&page, 0, 1, 12, 20);
	meter__bar(&page, 0, 2, 12, -0.5);
	assert_page("[||||100.1%]beside\n[|||2000.0%]beside\n[    -50.0%]\n");
}

static enum prompt_end type(struct prompt *p, const char *text)
{
	enum prompt_end end = PROMPT_GOES_ON;

	for (; *text; text++)
		end = prompt__input(p, &(struct input){ .code = (unsigned char)*text });
	return end;
}

static void a_prompt_is_edited(void **state)
{
	struct prompt p;

	prompt__begin(&p, "Filter", "ab");
	assert_int_equal(type(&p, "cd"), PROMPT_GOES_ON);
	assert_string_equal(p.text, "abcd");
	prompt__input(&p, &(struct input){ .code = 0xfc });
	prompt__input(&p, &(struct input){ .code = 0x95a2 });
	assert_string_equal(p.text, "abcdü関");
	type(&p, "\177\177\177");
	assert_string_equal(p.text, "abc");
	prompt__input(&p, &(struct input){ .code = INPUT_UP });
	assert_string_equal(p.text, "abc");
	assert_int_equal(type(&p, "\n"), PROMPT_DONE);
	assert_int_equal(type(&p, "\33"), PROMPT_CANCELLED);
	type(&p, "\25");
	assert_string_equal(p.text, "");
	type(&p, "\177");
	for (int i = 0; i < 2 * PROMPT_BYTES; i++)
		type(&p, "x");
	assert_int_equal(p.len, PROMPT_BYTES - 1);

	begin(20, 1, false);
	prompt__draw(&p, &page, 0);
	assert_page("Filter: xxxxxxxxxxx\n");
	assert_true(page.shows_cursor);
	assert_int_equal(page.cursor_x, 19);
}

static void no_key_means_two_things(void **state)
{
	size_t nr;
	const struct key *keys = keys__all(&nr);

	for (size_t i = 0; i < nr; i++)
		for (size_t k = 0; k < KEY_CODES && keys[i].codes[k]; k++) {
			char name[KEY_NAME];

			assert_int_equal(keys__find(keys[i].codes[k]), keys[i].action);
			key__name(keys[i].codes[k], name);
			assert_true(strlen(name) > 0);
		}
	assert_int_equal(keys__find(INPUT_NONE), ACTION_NONE);
	assert_int_equal(keys__find('@'), ACTION_NONE);
}

#define TEST(name) cmocka_unit_test_teardown(name, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(text_is_cut_by_columns),
		TEST(wide_characters_take_two_columns),
		TEST(what_cannot_be_shown),
		TEST(right_aligned_text_loses_its_beginning),
		TEST(a_history_is_a_line_of_blocks),
		TEST(a_bar_is_as_long_as_its_share),
		TEST(a_bar_above_all_stays_in_its_place),
		TEST(a_prompt_is_edited),
		TEST(no_key_means_two_things),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
