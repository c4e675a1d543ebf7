// SPDX-License-Identifier: BSD-2-Clause
/* The table of tasks on the page: a tree, columns without a value, pages with room for little. */
#include "tui_screen.h"

static int list_columns(void *arg, struct chooser *into)
{
	int err = chooser__add(into, &(struct chooser_item){ .name = "ipc",
							     .help = "Instructions.",
							     .why = "there is no PMU" });

	return err ? err
		   : chooser__add(into, &(struct chooser_item){ .name = "cpu",
								.help = "Time.",
								.is_chosen = true });
}

static int choose_columns(void *arg, const char *names, struct buf *why)
{
	return 0;
}

static int set_up(void **state)
{
	const struct screen_opts opts = {
		.fns = { .list_columns = list_columns, .choose_columns = choose_columns },
		.data = &tui.data,
	};

	if (tui_set_up(state) || screen__new(&screen, &opts))
		return -1;
	return screen__update(screen);
}

static enum style style_at(int x, int y)
{
	return page.cells[(size_t)y * page.width + x].style;
}

static const char no_pmu[] = "this machine cannot count 'cycles': no hardware PMU";

/* A column without a value is grey, and says why; all others are as they were. */
static void columns_that_cannot_work_are_grey(void **state)
{
	static const struct live_event events[] = {
		{ .name = "page-faults", .group = -1 },
		{ .name = "cycles", .group = -1, .why = no_pmu },
	};
	struct buf why = {};

	assert_int_equal(live__set_events(tui.live, events, 1), 0);
	assert_int_equal(columns__choose(&tui.columns, tui.defs, "cpu,ghz,cycles,faults", events, 2,
					 false, &why),
			 0);
	draw(110, 24);
	assert_string_equal(line(4),
			    "Not known GHZ, cycles: this machine cannot count 'cycles': no "
			    "hardware PMU");
	assert_string_equal(line(6), "     PID USER      ▼%CPU    GHZ  cycles  FAULTS  COMMAND");
	assert_string_equal(line(7), "      11 www-data   40.0      -       -      20  db");
	assert_int_equal(style_at(20, 6), STYLE_SORTED);
	assert_int_equal(style_at(29, 6), STYLE_DIM);
	assert_int_equal(style_at(34, 6), STYLE_DIM);
	assert_int_equal(style_at(42, 6), STYLE_TITLE);
	assert_int_equal(style_at(30, 8), STYLE_DIM);
	assert_int_equal(style_at(46, 8), STYLE_PLAIN);
	/* Without room for it the table has the line. */
	draw(110, 12);
	assert_false(shows("Not known"));
	key(INPUT_F1 + 5);
	assert_string_equal(line(2), " ghz                  not here: this machine cannot count "
				     "'cycles': no hardware");
	assert_int_equal(style_at(1, 2), STYLE_DIM);
	assert_int_equal(style_at(1, 4), STYLE_PLAIN);
	key(INPUT_ESC);
	key(INPUT_F1 + 1);
	assert_string_equal(line(1), " [ ] ipc              not here: there is no PMU");
	assert_string_equal(line(2), " [x] cpu              Time.");
	key('j');
	assert_int_equal(style_at(5, 1), STYLE_DIM);
	key('k');
	assert_int_equal(style_at(5, 2), STYLE_PLAIN);
}

/* 10 waits for 11. */
static void a_tree_shows_who_waits_and_folds(void **state)
{
	const struct process web = { .pid = 10, .parent = 1, .uid = 33, .comm = "web" };

	next_interval();
	run(1, 1, 5, "init", 10, 4, 0);
	run(11, 11, 7, "db", 400, 1, 20);
	assert_int_equal(processes__set(tui.processes, &web), 0);
	assert_int_equal(screen__update(screen), 0);
	type("-");
	assert_non_null(strstr(line(23), "only trees are folded"));
	type("t");
	assert_string_equal(line(6), "       1 root        1.0       4       0  init");
	assert_string_equal(line(7), "      10 www-data    0.0       0       0  └─ web");
	assert_string_equal(line(8), "      11 www-data   40.0       1      20     └─ db");
	assert_int_equal(style_at(23, 7), STYLE_DIM);
	assert_int_equal(style_at(23, 8), STYLE_PLAIN);
	assert_string_equal(line(23), "F1Help +Unfold -Fold F2Columns F3Search F4Filter F5Tree "
				      "F6Sort qQuit");
	key(INPUT_HOME);
	type("-");
	assert_string_equal(line(6), "       1 root       41.0       5      20  + init (2 below)");
	assert_string_equal(line(7), "");
	type("+");
	assert_string_equal(line(8), "      11 www-data   40.0       1      20     └─ db");
	type("t");
	assert_string_equal(line(23), "F1Help F2Columns F3Search F4Filter F5Tree F6Sort qQuit");

	/* What was lost may be its. */
	live__about(tui.live)->seen = 10;
	live__about(tui.live)->kept = 9;
	type("t");
	assert_string_equal(line(7), "      10 www-data      -       -       -  └─ web");
	assert_string_equal(line(8), "      11 www-data   40.0       1      20     └─ db");
	/* A sum is of what was counted, as the rows in it. */
	type("j-k");
	assert_string_equal(line(7),
			    "      10 www-data   40.0       1      20  └─ + web (1 below)");
	assert_int_equal(style_at(23, 7), STYLE_PLAIN);
	type("/db\n");
	assert_string_equal(selected(), "      11 www-data   40.0       1      20     └─ db");
}

/* The way out is told where there is room for nothing else. */
static void the_last_line_has_the_help_and_the_way_out(void **state)
{
	draw(30, 10);
	assert_string_equal(line(9), "F1Help F2Columns F5Tree qQuit");
	draw(12, 10);
	assert_string_equal(line(9), "F1Help qQuit");
	draw(6, 10);
	assert_string_equal(line(9), "F1Help");
}

/* Levels come closer where names would have no room. */
static void a_deep_tree_leaves_room_for_names(void **state)
{
	next_interval();
	for (uint32_t pid = 100; pid < 110; pid++) {
		know(pid, pid - 1, 0, false, "");
		run(pid, pid, 1, "deep", 1, 1, 1);
	}
	assert_int_equal(screen__update(screen), 0);
	type("t");
	draw(90, 24);
	assert_string_equal(line(15), "     109 root        0.1       1       1  "
				      "                        └─ deep");
	draw(65, 24);
	assert_string_equal(line(15), "     109 root        0.1       1       1          └─ deep");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, screen_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(columns_that_cannot_work_are_grey),
		TEST(a_tree_shows_who_waits_and_folds),
		TEST(the_last_line_has_the_help_and_the_way_out),
		TEST(a_deep_tree_leaves_room_for_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
