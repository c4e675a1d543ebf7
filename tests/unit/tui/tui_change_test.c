// SPDX-License-Identifier: BSD-2-Clause
/* Other columns and events while the screen is on. */
#include "tui.h"

#include "tui/screen.h"

static const char formula[] = "1000000 * page-faults / switches + 1000000 * switches / interval";
static struct screen *screen;
static struct live *other; /* what counts from the next choice on */
static struct canvas page;
static struct buf text;

static int list_columns(void *arg, struct chooser *into)
{
	char name[] = "faults"; /* gone when the list is shown */

	return chooser__add(into, &(struct chooser_item){ .name = name, .is_chosen = true });
}

static int count_others(void *arg, const char *names, struct buf *why)
{
	assert_true(!strcmp(names, "faults") || !strcmp(names, "cs"));
	if (other)
		tui.data.live = other;
	return 0;
}

static int set_up(void **state)
{
	static const struct live_event events[] = { { .name = "page-faults", .group = -1 } };
	const struct screen_opts opts = {
		.fns = { .list_columns = list_columns,
			 .choose_columns = count_others,
			 .choose_events = count_others },
		.data = &tui.data,
		.sort = formula,
	};
	struct buf choice = {}, why = {};
	int err = tui_set_up(state);

	if (!err)
		err = buf__printf(&choice, "cpu,%s,faults", formula);
	if (!err)
		err = columns__choose(&tui.columns, tui.defs, choice.data, events, 1, false, &why);
	buf__free(&choice);
	if (!err)
		err = screen__new(&screen, &opts);
	return err ? err : screen__update(screen);
}

static int tear_down(void **state)
{
	screen__free(screen);
	canvas__free(&page);
	buf__free(&text);
	live__free(other);
	other = NULL;
	return tui_tear_down(state);
}

static void draw(void)
{
	buf__clear(&text);
	assert_int_equal(canvas__begin(&page, 160, 24), 0);
	assert_int_equal(screen__draw(screen, &page), 0);
	assert_int_equal(canvas__text(&page, &text), 0);
}

static void type(const char *keys)
{
	for (; *keys; keys++)
		assert_int_equal(screen__input(screen, &(struct input){ .code = *keys }), 0);
	draw();
}

static bool shows(const char *what)
{
	return strstr(text.data, what);
}

/* Of that many characters one could be cut off. */
static void a_long_formula_sorts(void **state)
{
	assert_true(sizeof(formula) > 64);
	draw();
	assert_true(shows("▼1000000"));
	type(">");
	assert_true(shows("▼FAULTS"));
	type("<");
	assert_true(shows("▼1000000"));
	assert_int_equal(screen__update(screen), 0);
	draw();
	assert_true(shows("▼1000000"));
}

static void a_list_has_names_of_its_own(void **state)
{
	assert_int_equal(screen__input(screen, &(struct input){ .code = INPUT_F1 + 1 }), 0);
	draw();
	assert_true(shows("[x] faults"));
	type("\n");
}

/* What is counted from now on has no rows before the next interval. */
static void other_events_end_a_pause(void **state)
{
	type("Z");
	assert_true(screen__is_paused(screen));
	other = live__new(VALUES);
	assert_non_null(other);
	type("Ecs\n");
	assert_false(screen__is_paused(screen));
	assert_true(shows("other events are counted"));

	tui.data.live = tui.live;
	type("Z");
	assert_int_equal(screen__input(screen, &(struct input){ .code = INPUT_F1 + 1 }), 0);
	type("\n");
	assert_false(screen__is_paused(screen));
	tui.data.live = tui.live;
}

static void other_columns_of_the_same_events_do_not(void **state)
{
	type("Z");
	assert_int_equal(screen__input(screen, &(struct input){ .code = INPUT_F1 + 1 }), 0);
	type("\n");
	assert_true(screen__is_paused(screen));
	assert_true(shows("paused"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_long_formula_sorts),
		TEST(a_list_has_names_of_its_own),
		TEST(other_events_end_a_pause),
		TEST(other_columns_of_the_same_events_do_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
