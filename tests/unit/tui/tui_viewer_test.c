// SPDX-License-Identifier: BSD-2-Clause
/* The screen of a profile that is whole. */
#include "profiles.h"
#include "tui_page.h"

#include <errno.h>

#include "tui/viewer.h"

static struct profile *samples;
static struct viewer *viewer;

/* What the viewer has asked to be written. */
static struct {
	char path[64], text[4096];
	uint32_t event;
	int answer;
} written;

static int write_page(void *arg, const char *path, const struct buf *what, uint32_t event,
		      struct buf *why)
{
	assert_ptr_equal(arg, &written);
	snprintf(written.path, sizeof(written.path), "%s", path);
	snprintf(written.text, sizeof(written.text), "%s", what->data);
	written.event = event;
	if (written.answer)
		assert_int_equal(buf__puts(why, "the disk is full"), 0);
	return written.answer;
}

static void draw(int width, int height)
{
	buf__clear(&text);
	assert_int_equal(canvas__begin(&page, width, height), 0);
	assert_int_equal(viewer__draw(viewer, &page), 0);
	assert_int_equal(canvas__text(&page, &text), 0);
}

static void key(uint32_t code)
{
	assert_int_equal(viewer__input(viewer, &(struct input){ .code = code }), 0);
	draw(80, 24);
}

static void type(const char *keys)
{
	for (; *keys; keys++)
		key(*keys);
	key(INPUT_ENTER);
}

static void point(uint32_t code, int x, int y)
{
	assert_int_equal(viewer__input(viewer, &(struct input){ code, x, y }), 0);
	draw(80, 24);
}

static void look_at(struct profile *p, uint32_t event)
{
	const struct viewer_opts opts = {
		.profile = p,
		.name = "x.pmut",
		.event = event,
		.write = write_page,
		.arg = &written,
	};

	viewer__free(viewer);
	assert_int_equal(viewer__new(&viewer, &opts), 0);
	draw(80, 24);
}

static int set_up(void **state)
{
	memset(&written, 0, sizeof(written));
	samples = small_profile();
	samples->losses.seen += 7;
	viewer = NULL;
	look_at(samples, 0);
	return 0;
}

static int tear_down(void **state)
{
	viewer__free(viewer);
	profile__free(samples);
	canvas__free(&page);
	buf__free(&text);
	return 0;
}

#define assert_shows(what) assert_true(shows(what))
#define assert_lacks(what) assert_false(shows(what))

/* Of cycles: 5 leaf, 3 work, 2 sys_read; 22 samples seen of both, 15 kept. */
static void begins_with_functions(void **state)
{
	assert_non_null(strstr(line(0), "x.pmut  10 samples of cycles (E: 1 more event)  2.00 s"));
	assert_string_equal(line(1), "Lost 7 of 22 samples");
	assert_string_equal(line(2), "[functions]  stacks   flame graph   cycles");
	assert_non_null(strstr(line(4), "50.0    50.0         5  prog               leaf"));
	assert_non_null(strstr(line(5), "30.0    80.0         3  prog               work"));
	assert_non_null(strstr(line(6), "sys_read"));
	assert_lacks("run");
	assert_non_null(strstr(line(23), "F1Help"));
	assert_lacks("F2Columns");
}

/* The file tells nothing of what was lost: that is not none. */
static void does_not_know_what_was_not_told(void **state)
{
	samples->losses.seen = samples->losses.kept;
	draw(80, 24);
	assert_string_equal(line(1), "Lost nothing");
	samples->losses.untold = true;
	draw(80, 24);
	assert_string_equal(line(1), "Lost - (not told by who measured)");
}

static void enter_leads_to_the_stacks_of_a_function_and_esc_back(void **state)
{
	key(INPUT_DOWN);
	key(INPUT_ENTER);
	assert_string_equal(line(2), " functions  [stacks]  flame graph   cycles");
	assert_non_null(strstr(line(7), "80.0    30.0        - work"));
	assert_non_null(strstr(selected(), "leaf")); /* which has most of it */
	key(INPUT_ESC);
	assert_non_null(strstr(line(2), "[functions]"));
	assert_non_null(strstr(selected(), "work"));
}

/* Of recursive work the leaf has 5, and those who call it are below it. */
static void shows_callers(void **state)
{
	key('r');
	assert_non_null(strstr(line(2), "[stacks]"));
	assert_non_null(strstr(line(2), "by callers"));
	assert_string_equal(line(3), "  TOTAL%            CALLED BY");
	assert_non_null(strstr(line(5), "50.0            + leaf"));
	key(INPUT_DOWN);
	key('+');
	assert_non_null(strstr(line(6), "work"));
	assert_non_null(strstr(line(7), "work"));
	assert_non_null(strstr(line(8), "main"));
	assert_non_null(strstr(line(9), "sh"));
	key('r');
	assert_null(strstr(line(2), "by callers"));
	assert_non_null(strstr(line(5), "100.0     0.0    "));
	assert_non_null(strstr(line(5), "sh"));
}

static void tab_leads_through_the_views(void **state)
{
	key(INPUT_TAB);
	assert_non_null(strstr(line(2), "[stacks]"));
	key(INPUT_TAB);
	assert_non_null(strstr(line(2), "[flame graph]"));
	assert_non_null(strstr(line(4), "all"));
	assert_non_null(strstr(line(5), "sh"));
	assert_non_null(strstr(line(6), "main"));
	key(INPUT_TAB);
	assert_non_null(strstr(line(2), "[functions]"));
	key(INPUT_BACKTAB);
	assert_non_null(strstr(line(2), "[flame graph]"));
	key('f');
	assert_non_null(strstr(line(2), "[stacks]"));
	key(INPUT_ESC);
	key('f');
	assert_non_null(strstr(line(2), "[flame graph]"));
}

/* faults: 4 in sys_read, 1 in run. */
static void another_event_is_chosen(void **state)
{
	key('f');
	assert_lacks("node");
	key(INPUT_ESC);
	key('E');
	assert_shows("cycles");
	assert_shows("5 samples");
	key(INPUT_DOWN);
	key(INPUT_ENTER);
	assert_non_null(strstr(line(0), "5 samples of faults"));
	assert_non_null(strstr(line(4), "sys_read"));
	assert_non_null(strstr(line(4), "80.0"));
	assert_non_null(strstr(line(6), "main"));
	key('f');
	assert_shows("node");
	key('E');
	key(INPUT_ESC);
	assert_non_null(strstr(line(0), "5 samples of faults"));
	look_at(samples, 1);
	assert_non_null(strstr(line(0), "5 samples of faults"));
}

static void one_event_is_no_choice(void **state)
{
	struct profile *p = new_profile();

	add_event(p, "cycles");
	look_at(p, 0);
	assert_shows("no samples");
	key('E');
	assert_string_equal(line(23), "there is no other event");
	key('f');
	assert_shows("no samples");
	key('r');
	key(INPUT_ENTER);
	viewer__free(viewer);
	viewer = NULL;
	profile__free(p);
}

static void searches_in_all_views(void **state)
{
	key('/');
	type("SYS_");
	assert_non_null(strstr(selected(), "sys_read"));
	key(INPUT_HOME);
	key('n');
	assert_non_null(strstr(selected(), "sys_read"));
	key(INPUT_TAB);
	key(INPUT_HOME);
	key('n');
	assert_non_null(strstr(selected(), "sys_read"));
	key('/');
	type("nowhere");
	assert_string_equal(line(23), "no row has 'nowhere'");
}

static void filters_functions(void **state)
{
	key('\\');
	type("ea");
	assert_shows("filter: ea");
	assert_shows("leaf");
	assert_shows("sys_read");
	assert_lacks("work");
	key(INPUT_TAB);
	assert_lacks("filter");
	assert_shows("sh");
	key('\\');
	assert_string_equal(line(23), "this key is not for stacks");
	key(INPUT_ESC);
	key(INPUT_ESC);
	assert_shows("work");
}

static void sorts_functions(void **state)
{
	key('>');
	assert_non_null(strstr(line(4), "main"));
	key('I');
	assert_null(strstr(line(4), "main"));
	point(INPUT_CLICK, 2, 3); /* SELF% */
	assert_non_null(strstr(line(7), "leaf"));
	point(INPUT_CLICK, 2, 3); /* again: the other way round */
	assert_non_null(strstr(line(4), "leaf"));
	point(INPUT_CLICK, 2, 6);
	assert_non_null(strstr(selected(), "sys_read"));
	point(INPUT_WHEEL_UP, 2, 6);
	assert_non_null(strstr(selected(), "leaf"));
	point(INPUT_CLICK, 2, 0);
	key('+');
	assert_string_equal(line(23), "this key is not for functions");
}

static void writes_what_is_shown(void **state)
{
	key('E');
	key(INPUT_DOWN);
	key(INPUT_ENTER);
	key(INPUT_TAB);
	key('W');
	key(21); /* Ctrl-U */
	type("a.svg");
	assert_string_equal(line(23), "written to a.svg");
	assert_string_equal(written.path, "a.svg");
	assert_int_equal(written.event, 1);
	assert_non_null(strstr(written.text, "5 samples of faults"));
	assert_null(strstr(written.text, "Write this screen"));
	written.answer = -ENOSPC;
	key('W');
	type("");
	assert_string_equal(written.path, "pmutrace.txt");
	assert_string_equal(line(23), "the disk is full");
	key('W');
	key(INPUT_ESC);
	assert_non_null(strstr(line(23), "F1Help"));
	written.answer = -ENOMEM;
	key('W');
	assert_int_equal(viewer__input(viewer, &(struct input){ .code = INPUT_ENTER }), -ENOMEM);
}

/* Only keys that do something here are in the help. */
static void helps(void **state)
{
	key(INPUT_F1);
	draw(80, 60);
	assert_shows("who calls it");
	assert_shows("a title: sort by it");
	assert_lacks("Columns");
	assert_lacks("interval");
	assert_lacks("user's");
	key('q');
	assert_shows("[functions]");
	assert_int_equal(viewer__input(viewer, &(struct input){ .code = 'q' }), -ECANCELED);
}

/* Nothing is drawn beyond the page, whatever its size and the names. */
static void fits_on_any_page(void **state)
{
	struct profile *p = hostile_profile();

	look_at(p, 0);
	for (int what = 0; what < 3; what++, key(INPUT_TAB))
		for (int size = 1; size < 30; size++) {
			draw(3 * size, size);
			assert_true(count_of(text.data, "\n") == (size_t)size);
			draw(size, 3);
		}
	assert_null(strchr(text.data, '\033'));
	viewer__free(viewer);
	viewer = NULL;
	profile__free(p);
}

#define test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(begins_with_functions),
		test(does_not_know_what_was_not_told),
		test(enter_leads_to_the_stacks_of_a_function_and_esc_back),
		test(shows_callers),
		test(tab_leads_through_the_views),
		test(another_event_is_chosen),
		test(one_event_is_no_choice),
		test(searches_in_all_views),
		test(filters_functions),
		test(sorts_functions),
		test(writes_what_is_shown),
		test(helps),
		test(fits_on_any_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
