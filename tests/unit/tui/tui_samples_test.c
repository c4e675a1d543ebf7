// SPDX-License-Identifier: BSD-2-Clause
/* The screen's functions and stacks. */
#include "profiles.h"
#include "tui_screen.h"

static struct profile *samples;

static int sample(void *arg, bool wanted, struct buf *why)
{
	tui.data.profile = wanted ? samples : NULL;
	return 0;
}

/* Functions of no samples yet. */
static int set_up(void **state)
{
	const struct screen_opts opts = {
		.fns = { .sample = sample },
		.data = &tui.data,
		.what = SCREEN_FUNCTIONS,
	};

	samples = new_profile();
	add_event(samples, "cycles");
	if (tui_set_up(state) || screen__new(&screen, &opts))
		return -1;
	return screen__update(screen);
}

static int tear_down(void **state)
{
	int err = screen_tear_down(state);

	profile__free(samples);
	return err;
}

static void show_again(void)
{
	assert_int_equal(screen__update(screen), 0);
	draw(80, 24);
}

/* Another interval has other samples. */
static void begin_interval(void)
{
	profile__free(samples);
	samples = new_profile();
	tui.data.profile = samples;
	add_event(samples, "cycles");
}

static bool ends(const char *what, const char *with)
{
	return what && strlen(what) >= strlen(with) &&
	       !strcmp(what + strlen(what) - strlen(with), with);
}

#define assert_selected(end) assert_true(ends(selected(), end))

/* Down from the first row to the one that ends so. */
static void select_row(const char *end)
{
	key(INPUT_HOME);
	for (int i = 0; i < 20 && !ends(selected(), end); i++)
		key(INPUT_DOWN);
	assert_selected(end);
}

/* Names that are parts of others, which come first, and lead elsewhere. */
static void add_mains(void)
{
	static const char start[] = "u__libc_start_main";

	add_row(samples, 0, 10, add_stack(samples, "cmainframe", start, "umain", "ua", NULL), 4);
	add_row(samples, 0, 10, add_stack(samples, "cmainframe", start, "umain", "ub", NULL), 5);
	add_row(samples, 0, 10, add_stack(samples, "cmainframe", start, "umain", "uc", NULL), 1);
	add_row(samples, 0, 10, add_stack(samples, "cmainframe", start, "uy", NULL), 6);
	add_row(samples, 0, 10, add_stack(samples, "cmainframe", start, "uz", NULL), 5);
	show_again();
}

static void enter_opens_the_row_that_is_highlighted(void **state)
{
	add_mains();
	assert_string_equal(line(6), "    28.6    28.6         6  prog               y");
	key(INPUT_ENTER);
	assert_string_equal(line(4), " processes   threads   cgroups  [functions]  CPUs");
	assert_selected("    28.6    28.6          y");
	key(INPUT_ESC);
	assert_selected("  prog               y");
}

static void enter_opens_that_very_name_each_time(void **state)
{
	add_mains();
	for (int i = 0; i < 2; i++) {
		select_row(" main");
		key(INPUT_ENTER);
		assert_selected("    47.6     0.0        - main");
		key(INPUT_ESC);
	}
	select_row(" __libc_start_main");
	key(INPUT_ENTER);
	assert_selected("   100.0     0.0      - __libc_start_main");
}

static void enter_opens_where_most_of_it_is(void **state)
{
	add_row(samples, 0, 10, add_stack(samples, "ca", "umain", "uread", NULL), 1);
	add_row(samples, 0, 11, add_stack(samples, "cb", "umain", "uread", "uread", NULL), 3);
	show_again();
	select_row(" read");
	key(INPUT_ENTER);
	assert_selected("    75.0    75.0            read");
	assert_string_equal(line(8), "    75.0     0.0      - main");
	assert_string_equal(line(9), "    75.0     0.0        - read");
	assert_string_equal(line(11), "    25.0     0.0    + a");
	/* In the flame graph too, if that is what is shown. */
	key(INPUT_ESC);
	select_row(" main");
	key(INPUT_ENTER);
	key('f');
	assert_string_equal(line(5), " 75.0%  3 samples  main");
}

static void add_two_reads(uint64_t first, uint64_t second)
{
	uint32_t node = add_stack(samples, "ca", NULL), a, b;

	assert_int_equal(profile__child(samples, node,
					add_frame(samples, "read", "liba.so", FRAME_USER), &a),
			 0);
	assert_int_equal(profile__child(samples, node,
					add_frame(samples, "read", "libb.so", FRAME_USER), &b),
			 0);
	add_row(samples, 0, 10, a, first);
	add_row(samples, 0, 10, b, second);
	show_again();
}

static void functions_of_one_name_are_not_one(void **state)
{
	add_two_reads(3, 2);
	key(INPUT_DOWN);
	assert_selected("  libb.so            read");
	show_again();
	assert_selected("  libb.so            read");
	key(INPUT_ENTER);
	assert_selected("    40.0    40.0        read");
	key(INPUT_ESC);
	begin_interval();
	add_two_reads(1, 2);
	assert_selected("  libb.so            read");
	assert_int_equal(page.cursor_y, 6);
}

/* What is inlined is marked, and is another function than one of that name with code of its own. */
static void inlined_functions_are_marked(void **state)
{
	uint32_t node = add_stack(samples, "ca", NULL), a, b;

	assert_int_equal(
		profile__child(samples, node, add_frame(samples, "get", "liba.so", FRAME_USER), &a),
		0);
	assert_int_equal(profile__child(samples, node,
					add_frame(samples, "get", "liba.so", FRAME_INLINED), &b),
			 0);
	add_row(samples, 0, 10, a, 1);
	add_row(samples, 0, 10, b, 2);
	show_again();
	assert_selected("  liba.so            get [i]");
	key(INPUT_DOWN);
	assert_selected("  liba.so            get");
}

static void one_that_is_gone_is_no_other(void **state)
{
	add_mains();
	select_row(" b");
	begin_interval();
	add_two_reads(1, 2);
	assert_null(selected());
	key(INPUT_ENTER);
	assert_true(shows("[functions]"));
	assert_true(shows("FUNCTION"));
	assert_string_equal(line(23), "what is selected is not there now");
	begin_interval();
	add_mains();
	assert_selected(" b");
	/* Of what one asks for something is selected. */
	type("\\start\n");
	assert_selected(" __libc_start_main");
}

/* 33 is www-data, of pids 10 and 11; 2 is the kernel's. */
static void whose_samples_they_are(void **state)
{
	add_row(samples, 0, 10, add_stack(samples, "cweb", "uof_web", NULL), 4);
	add_row(samples, 0, 30, add_stack(samples, "ccron", "uof_cron", NULL), 3);
	add_row(samples, 0, 2, add_stack(samples, "ckthreadd", "kof_kernel", NULL), 2);
	add_row(samples, 0, 99, add_stack(samples, "cwho", "uof_nobody", NULL), 1);
	show_again();
	assert_string_equal(line(6), "    40.0    40.0         4  prog               of_web");
	key('K');
	assert_true(shows("without the kernel's threads"));
	assert_string_equal(line(6), "    50.0    50.0         4  prog               of_web");
	assert_false(shows("of_kernel"));
	assert_true(shows("of_nobody"));
	type("u33\n");
	assert_true(shows("user: 33"));
	assert_string_equal(line(6), "   100.0   100.0         4  prog               of_web");
	assert_string_equal(line(7), "");
	key(INPUT_ENTER);
	assert_string_equal(line(7), "   100.0     0.0    - web");
	assert_string_equal(line(9), "");
	key('K');
	type("u\25root\n");
	assert_true(shows("user: root"));
	assert_string_equal(line(6), "   100.0     0.0  - all");
	assert_true(shows("    60.0     0.0    + cron"));
	assert_true(shows("    40.0     0.0    + kthreadd"));
	assert_false(shows("web"));
	assert_false(shows("who"));
}

static void search_in_stacks(void **state)
{
	add_row(samples, 0, 10, add_stack(samples, "ca", "umain", "uread", NULL), 2);
	add_row(samples, 0, 11, add_stack(samples, "cb", "umain", "usys_READ", NULL), 1);
	show_again();
	key(INPUT_ENTER);
	key(INPUT_HOME);
	type("/read\n");
	assert_selected("    66.7    66.7          read");
	key('n');
	assert_selected("    33.3    33.3          sys_READ");
	key('n');
	assert_selected("  read");
	type("/nowhere\n");
	assert_string_equal(line(23), "no row has 'nowhere'");
	assert_selected("  read");
	key('f');
	type("/read\n");
	assert_string_equal(line(5), " 66.7%  2 samples  read");
	key('n');
	assert_string_equal(line(5), " 33.3%  1 samples  sys_READ");
	key('n');
	assert_string_equal(line(5), " 66.7%  2 samples  read");
	key(INPUT_ENTER); /* zoomed in: what is not there ends it */
	key('n');
	assert_string_equal(line(5), " 33.3%  1 samples  sys_READ");
}

static void wheel(uint32_t code)
{
	const struct input in = { .code = code };

	assert_int_equal(screen__input(screen, &in), 0);
	draw(80, 24);
}

static void moving_in_a_flame_graph(void **state)
{
	uint32_t deep = add_stack(samples, "ca", "ub", "uc", "ud", "ue", "uf", NULL);

	add_row(samples, 0, 10, deep, 2);
	show_again();
	key(INPUT_ENTER);
	key('f');
	assert_string_equal(line(5), " 100.0%  2 samples  f");
	wheel(INPUT_WHEEL_UP);
	assert_string_equal(line(5), " 100.0%  2 samples  c");
	wheel(INPUT_WHEEL_DOWN);
	assert_string_equal(line(5), " 100.0%  2 samples  f");
	key(INPUT_HOME);
	assert_string_equal(line(5), " 100.0%  2 samples  all");
	key(INPUT_END);
	assert_string_equal(line(5), " 100.0%  2 samples  f");
	key(INPUT_PAGE_UP);
	assert_string_equal(line(5), " 100.0%  2 samples  all");
	key(INPUT_PAGE_DOWN);
	assert_string_equal(line(5), " 100.0%  2 samples  f");
	key(INPUT_UP);
	key(' ');
	key(INPUT_HOME);
	assert_string_equal(line(5), " 100.0%  2 samples  all"); /* callers are there */
}

/* Its own stacks, as wide as the screen, below its callers; the others are an Esc away. */
static void a_flame_graph_begins_with_the_function(void **state)
{
	add_row(samples, 0, 10, add_stack(samples, "ca", "umain", "uread", "uload", NULL), 1);
	add_row(samples, 0, 10, add_stack(samples, "ca", "umain", "uwrite", NULL), 3);
	show_again();
	select_row(" read");
	key(INPUT_ENTER);
	key('f');
	assert_string_equal(line(5), " 25.0%  1 samples  read");
	for (int y = 6; y <= 10; y++) {
		static const char *const names[] = { "all", "a", "main", "read", "load" };
		const struct canvas_cell *first = &page.cells[(size_t)y * page.width];
		size_t len = strlen(names[y - 6]);

		assert_memory_equal(line(y), names[y - 6], len);
		assert_int_equal(line(y)[len], ' ');
		/* All the width is one box. */
		for (int x = 1; x < page.width; x++)
			assert_int_equal(first[x].style, first->style);
		assert_int_equal(first->style, y < 9	? STYLE_DIM
					       : y == 9 ? STYLE_SELECTED
							: STYLE_BOX_USER);
	}
	key(INPUT_ESC);
	assert_non_null(strstr(line(9), "write"));
	assert_string_equal(line(5), " 25.0%  1 samples  read");
	key(INPUT_ESC);
	assert_selected("  read");
}

/* What is behind is as it was. */
static void keys_that_are_not_for_stacks_or_functions(void **state)
{
	static const uint32_t not_for_functions[] = { INPUT_LEFT, INPUT_RIGHT, 't',	    'p',
						      ' ',	  'U',	       INPUT_F1 + 1 };
	static const uint32_t not_for_stacks[] = { '\\', INPUT_F1 + 5, '<', '>',	 'I',
						   't',	 'p',	       'U', INPUT_F1 + 1 };
	char rows[2][512];

	add_mains();
	key('H'); /* threads */
	key('H');
	strcpy(rows[0], line(5));
	strcpy(rows[1], line(6));
	type("vvv");
	for (size_t i = 0; i < ARRAY_SIZE(not_for_functions); i++) {
		key(not_for_functions[i]);
		assert_string_equal(line(23), "this key is not for functions");
	}
	key(INPUT_ENTER);
	for (int flame = 0; flame < 2; flame++) {
		for (size_t i = 0; i < ARRAY_SIZE(not_for_stacks); i++) {
			key(not_for_stacks[i]);
			assert_string_equal(line(23), "this key is not for stacks");
		}
		key('f');
	}
	type("vv");
	assert_true(shows("[processes]"));
	assert_string_equal(line(5), rows[0]);
	assert_string_equal(line(6), rows[1]);
}

static void deep_stacks_keep_room_for_names(void **state)
{
	static const char name[] = "a_name_of_thirty_characters_it";
	uint32_t node = add_stack(samples, "cdeep", NULL);
	char of[64];

	for (int i = 2; i <= 60; i++) {
		snprintf(of, sizeof(of), "%s_%d", name, i);
		assert_int_equal(profile__child(samples, node,
						add_frame(samples, of, "", FRAME_USER), &node),
				 0);
	}
	add_row(samples, 0, 10, node, 1);
	show_again();
	key(INPUT_ENTER);
	/* 17 lines, of levels 44 to 60. */
	assert_string_equal(line(5), "  TOTAL%   SELF%    STACKS  from level 44 on");
	assert_string_equal(line(6), "   100.0     0.0  - a_name_of_thirty_characters_it_44");
	assert_string_equal(line(7), "   100.0     0.0    - a_name_of_thirty_characters_it_45");
	assert_string_equal(line(21), "   100.0     0.0                                "
				      "- a_name_of_thirty_characters_it");
	assert_string_equal(line(22), "   100.0   100.0                                "
				      "  a_name_of_thirty_characters_it");
	draw(40, 24);
	assert_string_equal(line(22), "   100.0   100.0    a_name_of_thirty_cha");
	key(INPUT_HOME);
	assert_string_equal(line(5), "  TOTAL%   SELF%    STACKS");
	assert_string_equal(line(8), "   100.0     0.0      - a_name_of_thirty_characters_it_2");
	draw(250, 24);
	assert_string_equal(line(5), "  TOTAL%   SELF%    STACKS");
}

static void lost_samples_are_told(void **state)
{
	const struct loss full = { .name = "full", .text = "table full", .n = 5 };
	const struct loss cut = { .name = "cut", .text = "stacks cut", .flaw = true, .n = 2 };
	struct live_about *about = live__about(tui.live);

	add_mains();
	assert_string_equal(line(3), "Lost nothing  Own 0.00% of a CPU (BPF 0.00%, screen 0.00%)");
	losses__add(&samples->losses, &full);
	samples->losses.seen += 5;
	show_again();
	assert_non_null(strstr(line(3), "Lost 5 of 26 samples  Own"));
	about->seen = 100;
	about->kept = 97;
	about->untold = 4;
	losses__add(&samples->losses, &cut);
	show_again();
	draw(100, 24);
	assert_non_null(strstr(line(3),
			       "Lost 3 of 100 timeslices, 4 switches missed, 5 of 26 samples, "
			       "2 stacks incomplete"));
	key(INPUT_ENTER);
	assert_non_null(strstr(line(3), "5 of 26 samples"));
	type("v");
	assert_true(shows("[CPUs]"));
	assert_false(shows("samples"));

	/* What there is of a recording without counts. */
	tui.data.interval = tui.data.nr_intervals = 1;
	type("V");
	tui.data.has_samples_only = true;
	about->seen = about->kept = about->untold = 0;
	show_again();
	assert_string_equal(line(1), "Lost 5 of 26 samples, 2 stacks incomplete");
	assert_non_null(strstr(line(2), "[functions]"));
}

static unsigned all_end(const void *arg, const struct live_task *t)
{
	return LIVE_THREAD_ENDED;
}

/* Its samples, and no other's, are seen as long as there are any. */
static void a_thread_that_has_exited_is_told(void **state)
{
	add_row(samples, 0, 10, add_stack(samples, "cweb", "umain", NULL), 1);
	add_row(samples, 0, 10, add_stack(samples, "cweb", "uother", NULL), 1);
	samples->rows[0].key.tid = 12;
	samples->rows[1].key.tid = 10;
	samples->by = BY_PID | BY_TID | BY_COMM;
	assert_int_equal(setenv("TZ", "UTC", 1), 0);
	live__about(tui.live)->at_ns = 45296000000000;
	live__mark(tui.live, all_end, NULL);
	show_again();
	type("H/worker\n\n");
	assert_non_null(strstr(line(4), "of thread 12 worker (exited)"));
	assert_true(ends(line(6), "  main"));
	assert_false(shows("other"));
	begin_interval();
	show_again();
	assert_string_equal(line(6), " thread 12 worker has exited, by 12:34:56: Esc leads back");
}

static void a_way_that_is_barred_does_not_end_the_way_back(void **state)
{
	tui.data.interval = tui.data.nr_intervals = 1;
	tui.data.has_samples_only = true;
	add_mains();
	key(INPUT_ENTER);
	assert_true(shows("STACKS"));
	key(INPUT_TAB);
	assert_non_null(strstr(line(23), "nothing was counted"));
	key(INPUT_BACKTAB);
	key('H');
	assert_true(shows("STACKS"));
	key(INPUT_ESC);
	assert_true(shows("FUNCTION"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(enter_opens_the_row_that_is_highlighted),
		TEST(enter_opens_that_very_name_each_time),
		TEST(enter_opens_where_most_of_it_is),
		TEST(functions_of_one_name_are_not_one),
		TEST(inlined_functions_are_marked),
		TEST(one_that_is_gone_is_no_other),
		TEST(whose_samples_they_are),
		TEST(search_in_stacks),
		TEST(moving_in_a_flame_graph),
		TEST(a_flame_graph_begins_with_the_function),
		TEST(keys_that_are_not_for_stacks_or_functions),
		TEST(deep_stacks_keep_room_for_names),
		TEST(lost_samples_are_told),
		TEST(a_thread_that_has_exited_is_told),
		TEST(a_way_that_is_barred_does_not_end_the_way_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
