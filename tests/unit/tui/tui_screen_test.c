// SPDX-License-Identifier: BSD-2-Clause
#include "tui_screen.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* What the screen has asked for. */
static struct {
	char columns[64], events[64], path[64];
	uint64_t delay_ns;
	struct buf written;
	long steps;
	const char *told; /* where it was taken to */
	bool samples;
	int fails;
	enum screen_what what; /* is written */
	size_t nr_rows;
	char of[64];
} asked;

static int sample(void *arg, bool wanted, struct buf *why)
{
	asked.samples = wanted;
	return 0;
}

static int list_columns(void *arg, struct chooser *into)
{
	int err = chooser__add(into, &(struct chooser_item){ .name = "all", .is_exclusive = true });

	if (!err)
		err = chooser__add(into,
				   &(struct chooser_item){ .name = "cpu", .is_chosen = true });
	return err ? err : chooser__add(into, &(struct chooser_item){ .name = "time" });
}

static int choose_columns(void *arg, const char *names, struct buf *why)
{
	strcpy(asked.columns, names);
	return 0;
}

static int choose_events(void *arg, const char *events, struct buf *why)
{
	strcpy(asked.events, events);
	assert_int_equal(buf__puts(why, "no such event"), 0);
	return -EINVAL;
}

static int set_delay(void *arg, uint64_t ns)
{
	asked.delay_ns = ns;
	return 0;
}

/* A recording of 240 intervals. */
static int seek(void *arg, long by, struct buf *why)
{
	long at = (long)tui.data.interval + (by < -1000 ? -1000 : by > 1000 ? 1000 : by);

	asked.steps = by;
	if (asked.fails)
		return asked.fails;
	tui.data.interval = at < 1 ? 1 : at > 240 ? 240 : at;
	live__about(tui.live)->at_ns = tui.data.interval * 1000000000ull;
	return asked.told ? buf__puts(why, asked.told) : 0;
}

static int write_page(void *arg, const char *path, const struct screen_page *written,
		      struct buf *why)
{
	strcpy(asked.path, path);
	asked.what = written->what;
	asked.nr_rows = written->view->rows.nr;
	snprintf(asked.of, sizeof(asked.of), "%s", written->of ? written->of : "");
	return buf__puts(&asked.written, written->text->data);
}

static int set_up(void **state)
{
	const struct screen_opts opts = {
		.fns = { sample, list_columns, choose_columns, choose_events, set_delay, seek,
			 write_page, NULL },
		.data = &tui.data,
	};

	memset(&asked, 0, sizeof(asked));
	if (tui_set_up(state) || screen__new(&screen, &opts))
		return -1;
	return screen__update(screen);
}

static int tear_down(void **state)
{
	buf__free(&asked.written);
	return screen_tear_down(state);
}

static void the_page_as_it_is(void **state)
{
	draw(80, 24);
	assert_non_null(strstr(line(0), "testhost"));
	assert_string_equal(line(1), "0   [||||||||||||||||76.5%]          ▆");
	assert_string_equal(line(2), "Events page-faults");
	assert_string_equal(line(3), "Lost nothing  Own 0.00% of a CPU (BPF 0.00%, screen 0.00%)");
	assert_string_equal(line(4), "[processes]  threads   cgroups   functions   CPUs");
	assert_string_equal(line(5), "     PID USER      ▼%CPU  SWITCH  FAULTS  COMMAND");
	assert_string_equal(line(6), "      11 www-data   40.0       1      20  db");
	assert_string_equal(line(7), "      10 www-data   30.0       9      40  web");
	assert_string_equal(line(10), "       2 root        0.5       8       0  kthreadd");
	assert_string_equal(line(11), "");
	assert_string_equal(line(23), "F1Help F2Columns F3Search F4Filter F5Tree F6Sort qQuit");
	assert_int_equal(page.cursor_y, 6);
}

/* Nothing runs over an edge, and the selected row is there. */
static void every_size(void **state)
{
	static const int sizes[][2] = { { 40, 10 }, { 250, 60 }, { 20, 5 }, { 1, 1 }, { 7, 3 } };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		draw(sizes[i][0], sizes[i][1]);
		key('h');
		draw(sizes[i][0], sizes[i][1]);
		key('q');
		type("t");
		draw(sizes[i][0], sizes[i][1]);
	}
	type("t");
	/* The table, the more lines of it the fewer there are, and never two things on one. */
	draw(20, 5);
	assert_string_equal(line(0), "[processes]");
	assert_string_equal(line(1), "     PID  ▼%CPU …2");
	assert_non_null(strstr(line(2), "40.0"));
	assert_non_null(strstr(line(3), "30.0"));
	assert_string_equal(line(4), "F1Help F5Tree qQuit");
	draw(20, 3);
	assert_non_null(strstr(line(0), "PID"));
	assert_non_null(strstr(line(1), "40.0"));
	assert_string_equal(line(2), "F1Help F5Tree qQuit");
	draw(20, 2);
	assert_string_equal(line(1), "F1Help F5Tree qQuit");
	draw(40, 10);
	assert_string_equal(line(2), "[processes]");
	assert_string_equal(line(3), "     PID  ▼%CPU  SWITCH  COMMAND    …1");
	draw(250, 60);
	assert_string_equal(line(5), "     PID USER      ▼%CPU  SWITCH  FAULTS  COMMAND");
}

static void sorting_by_keys_and_clicks(void **state)
{
	draw(80, 24);
	key('>');
	assert_true(shows("▼SWITCH"));
	assert_non_null(strstr(line(6), " web"));
	key('<');
	assert_true(shows("▼%CPU"));
	key('I');
	assert_true(shows("▲%CPU"));
	assert_non_null(strstr(line(6), "kthreadd"));
	click(36, 5);
	assert_true(shows("▲FAULTS"));
	click(36, 5);
	assert_true(shows("▼FAULTS"));
	assert_non_null(strstr(line(6), "cron"));
	key(INPUT_F1 + 5);
	key('k');
	key(INPUT_ENTER);
	assert_true(shows("▼SWITCH"));
}

static void a_click_selects_a_row(void **state)
{
	draw(80, 24);
	click(3, 8);
	assert_int_equal(page.cursor_y, 8);
	click(3, 20); /* nothing there */
	assert_int_equal(page.cursor_y, 8);
}

/* Another interval, of one process, up to that second of the day. */
static void only_runs(uint32_t pid, const char *comm, uint64_t at_s)
{
	next_interval();
	run(pid, pid, 7, comm, 20, 1, 0);
	live__about(tui.live)->at_ns = at_s * 1000000000;
}

static void look(void)
{
	assert_int_equal(screen__update(screen), 0);
	draw(80, 24);
}

/* Six threads, of which a page of four lines shows three. */
static void the_selection_is_seen_on_the_last_line_too(void **state)
{
	static const char *const names[] = { "db", "web", "worker", "cron", "init", "kthreadd" };

	type("H");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		draw(80, 8);
		assert_non_null(selected());
		assert_non_null(strstr(selected(), names[i]));
		assert_int_equal(page.cursor_y, i < 3 ? 4 + i : 6);
		assert_int_equal(screen__input(screen, &(struct input){ .code = INPUT_DOWN }), 0);
	}
	draw(80, 8);
	assert_non_null(strstr(selected(), "kthreadd"));
	assert_int_equal(screen__input(screen, &(struct input){ .code = INPUT_HOME }), 0);
	assert_int_equal(screen__input(screen, &(struct input){ .code = INPUT_PAGE_DOWN }), 0);
	draw(80, 8);
	assert_non_null(strstr(selected(), "cron"));
	assert_int_equal(screen__input(screen, &(struct input){ .code = INPUT_END }), 0);
	draw(80, 8);
	assert_non_null(strstr(line(4), "cron"));
	/* A larger page wastes no room behind the end, and fewer rows leave none. */
	draw(80, 24);
	assert_non_null(strstr(line(6), "db"));
	assert_non_null(strstr(line(11), "kthreadd"));
	assert_string_equal(line(12), "");
	only_runs(11, "db", 1);
	assert_int_equal(screen__update(screen), 0);
	draw(80, 8);
	assert_null(selected());
	assert_non_null(strstr(line(4), "db"));
}

static void a_filter_and_how_it_ends(void **state)
{
	type("\\cr");
	assert_non_null(strstr(line(23), "Filter: cr"));
	assert_true(page.shows_cursor);
	type("\n");
	assert_true(shows("filter: cr"));
	assert_non_null(strstr(line(6), "cron"));
	assert_string_equal(line(7), "");
	key(INPUT_ESC);
	assert_false(shows("filter"));
	assert_true(shows("kthreadd"));
	/* Not taken. */
	type("\\xx\33");
	assert_false(shows("filter"));
}

/* It is of one table, not of what is below. */
static void a_filter_waits_for_the_way_back(void **state)
{
	draw(80, 24);
	type("\\cron\n");
	assert_string_equal(line(7), "");
	key(INPUT_ENTER);
	assert_true(shows("[threads]"));
	assert_false(shows("filter:"));
	key(INPUT_ESC);
	assert_non_null(strstr(line(4), "filter: cron"));
	assert_non_null(strstr(line(6), "cron"));
	assert_string_equal(line(7), "");
}

static bool wants_none(const void *arg, const struct live_task *t)
{
	return false;
}

static void a_table_without_rows_says_why(void **state)
{
	const struct live_filter none = { .wants = wants_none };

	draw(80, 24);
	type("\\nobody\n");
	assert_string_equal(line(6), " nothing that has run is left by the filters");
	type("\\\25\n");
	assert_non_null(strstr(line(6), "db"));
	tui.data.filter = &none;
	look();
	assert_string_equal(line(6), " nothing that was asked for has run in this interval");
	tui.data.filter = NULL;
}

static void search_tells_when_there_is_none(void **state)
{
	type("/cron\n");
	assert_int_equal(page.cursor_y, 8);
	type("/nobody\n");
	assert_non_null(strstr(line(23), "no row has 'nobody'"));
	assert_int_equal(page.cursor_y, 8);
	type("u33\n");
	assert_true(shows("user: 33"));
	assert_false(shows("cron"));
}

static void down_and_back(void **state)
{
	draw(80, 24);
	type("j\n");
	assert_non_null(strstr(line(4), "[threads]"));
	assert_true(shows("of process 10"));
	assert_non_null(strstr(line(6), "web"));
	assert_non_null(strstr(line(7), "worker"));
	assert_false(asked.samples);
	type("j\n");
	assert_non_null(strstr(line(4), "[functions]"));
	assert_true(shows("of thread 12"));
	assert_true(asked.samples);
	key(INPUT_ESC);
	assert_false(asked.samples);
	assert_true(shows("of process 10"));
	assert_int_equal(page.cursor_y, 7); /* where one was */
	key(INPUT_ESC);
	assert_non_null(strstr(line(4), "[processes]"));
	assert_int_equal(page.cursor_y, 7);
}

/* Nobody has moved to it: what was on top when Enter was pressed. */
static unsigned web_ends(const void *arg, const struct live_task *t)
{
	return t->tgid == 10 ? LIVE_PROCESS_ENDED | LIVE_THREAD_ENDED : 0;
}

static unsigned worker_ends(const void *arg, const struct live_task *t)
{
	return t->tid == 12 ? LIVE_THREAD_ENDED : 0;
}

/* Its last thread but one, in an interval in which no other one ran. */
static void a_thread_that_exits_is_not_its_process(void **state)
{
	draw(80, 24);
	type("/web\n\n");
	next_interval();
	run(10, 12, 7, "worker", 20, 1, 0);
	live__about(tui.live)->at_ns = 45296000000000;
	live__mark(tui.live, worker_ends, NULL);
	look();
	assert_non_null(strstr(line(6), "worker (exited)"));
	assert_string_equal(line(4), " processes  [threads]  cgroups   functions   CPUs"
				     "   of process 10 web");
	only_runs(11, "db", 45297);
	look();
	assert_string_equal(line(6), " process 10 web has not run in this interval");
}

static void one_that_has_exited_is_told(void **state)
{
	static const char gone[] = " process 10 web has exited, by 12:34:56: Esc leads back";

	assert_int_equal(setenv("TZ", "UTC", 1), 0);
	draw(80, 24);
	type("/web\n\n");
	assert_string_equal(line(4), " processes  [threads]  cgroups   functions   CPUs"
				     "   of process 10 web");
	only_runs(11, "db", 45295);
	look();
	assert_string_equal(line(6), " process 10 web has not run in this interval");
	only_runs(10, "web", 45296);
	live__mark(tui.live, web_ends, NULL);
	look();
	assert_string_equal(line(4), " processes  [threads]  cgroups   functions   CPUs"
				     "   of process 10 web (exited)");
	assert_non_null(strstr(line(6), "web (exited)"));
	only_runs(11, "db", 45297);
	look();
	assert_string_equal(line(6), gone);
	look();
	assert_string_equal(line(6), gone);
	/* Where there is not room for all, other views are left out. */
	type("\\nobody\n");
	assert_string_equal(line(4), "[threads]  of process 10 web (exited)  filter: nobody");
	type("\\\25\n");
	/* A later one of the same number. */
	only_runs(10, "other", 45299);
	look();
	assert_string_equal(line(4), " processes  [threads]  cgroups   functions   CPUs"
				     "   of process 10 other");
	assert_non_null(strstr(line(6), "other"));
}

static void one_that_exits_behind_another_page_is_told_on_the_way_back(void **state)
{
	assert_int_equal(setenv("TZ", "UTC", 1), 0);
	draw(80, 24);
	type("/web\n\n/worker\n\n");
	assert_true(shows("[functions]"));
	assert_true(shows("of thread 12 worker"));
	only_runs(10, "web", 45296);
	live__mark(tui.live, web_ends, NULL);
	look();
	only_runs(11, "db", 45297);
	look();
	key(INPUT_ESC);
	assert_string_equal(line(6), " process 10 web has exited, by 12:34:56: Esc leads back");
	key(INPUT_ESC);
	assert_null(strstr(line(4), "of process"));
}

/* It lives again where it did. */
static void one_that_exits_in_a_recording(void **state)
{
	assert_int_equal(setenv("TZ", "UTC", 1), 0);
	draw(80, 24);
	type("/web\n\n");
	only_runs(10, "web", 45296);
	live__mark(tui.live, web_ends, NULL);
	look();
	only_runs(11, "db", 45290);
	look();
	assert_string_equal(line(6), " process 10 web has not run in this interval");
}

static void back_on_the_row_that_was_entered(void **state)
{
	draw(80, 24);
	key(INPUT_ENTER);
	assert_true(shows("of process 11"));
	next_interval();
	run(30, 30, 5, "cron", 500, 9, 50);
	run(11, 11, 7, "db", 400, 1, 20);
	assert_int_equal(screen__update(screen), 0);
	key(INPUT_ESC);
	assert_string_equal(selected(), "      11 www-data   40.0       1      20  db");
	assert_int_equal(page.cursor_y, 7);
}

static void a_row_that_is_gone_for_now(void **state)
{
	type("/cron\n");
	assert_non_null(strstr(selected(), "cron"));
	next_interval();
	run(11, 11, 7, "db", 400, 1, 20);
	run(10, 10, 7, "web", 200, 7, 30);
	assert_int_equal(screen__update(screen), 0);
	draw(80, 24);
	assert_null(selected());
	key(INPUT_ENTER);
	assert_true(shows("[processes]"));
	assert_non_null(strstr(line(23), "what is selected is not there now"));
	key(' ');
	assert_null(selected());
	assert_false(shows("*"));
	next_interval();
	run_all();
	assert_int_equal(screen__update(screen), 0);
	draw(80, 24);
	assert_non_null(strstr(selected(), "cron"));
	/* What one asks not to see. */
	type("u33\n");
	assert_non_null(strstr(selected(), "web"));
}

static void tags_stay(void **state)
{
	draw(80, 24);
	type(" \n");
	assert_true(shows("of process 10"));
	type(" ");
	assert_non_null(strstr(line(6), "*     10"));
	key(INPUT_ESC);
	assert_non_null(strstr(line(6), "*     11"));
	assert_non_null(strstr(line(7), "      10"));
	type("vv");
	assert_false(shows("*"));
	type("VV");
	assert_non_null(strstr(line(6), "*     11"));
	key(INPUT_ESC); /* from the top there is no further back */
	assert_false(shows("*"));
}

static void all_views(void **state)
{
	static const char *const names[] = { "[threads]", "[cgroups]", "[functions]", "[CPUs]",
					     "[processes]" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		key('v');
		assert_true(shows(names[i]));
	}
	key('V');
	assert_true(shows("[CPUs]"));
	key('V');
	key('V');
	assert_true(shows("[cgroups]"));
	assert_true(shows("/web.slice"));
	assert_true(shows("cgroup 5")); /* that nobody knows the name of */
	key(INPUT_ENTER);
	assert_true(shows("of cgroup /web.slice"));
	assert_false(shows("cron"));
	key('H');
	assert_true(shows("[threads]"));
	assert_true(shows("cron"));
}

static void samples_are_drawn_as_functions_and_stacks(void **state)
{
	const struct profile_event event = { .name = "cpu-clock", .unit = "ns", .hz = 99 };
	struct profile *p = profile__new();
	uint32_t id, name, frame, node;
	const char *const names[] = { "web", "main", "work" };
	struct row_key row = { .pid = 10, .tid = 12 };

	assert_non_null(p);
	assert_int_equal(profile__event(p, &event, &id), 0);
	for (size_t i = 0, at = 0; i < 3; i++, at = node) {
		struct frame f = { .kind = i ? FRAME_USER : FRAME_COMM };

		assert_int_equal(profile__string(p, names[i], strlen(names[i]), &name), 0);
		f.name = name;
		assert_int_equal(profile__string(p, "web.so", 6, &f.module), 0);
		assert_int_equal(profile__frame(p, &f, &frame), 0);
		assert_int_equal(profile__child(p, at, frame, &node), 0);
		row.stack = node;
		if (i)
			assert_int_equal(profile__add(p, &row, i, i, NULL), 0);
	}
	p->by = BY_PID | BY_TID | BY_COMM;
	tui.data.profile = p;
	type("H/worker\n\n");
	assert_string_equal(line(5), "  ▼SELF%  TOTAL%   SAMPLES  MODULE             FUNCTION");
	assert_string_equal(line(6), "    66.7    66.7         2  web.so             work");
	assert_string_equal(line(7), "    33.3   100.0         1  web.so             main");
	key('>');
	assert_string_equal(line(5), "   SELF% ▼TOTAL%   SAMPLES  MODULE             FUNCTION");
	assert_non_null(strstr(line(6), "main"));
	key(INPUT_HOME);
	key(INPUT_ENTER);
	assert_string_equal(line(6), "   100.0     0.0  - all");
	assert_string_equal(line(8), "   100.0    33.3      - main");
	assert_string_equal(line(9), "    66.7    66.7          work");
	key('f');
	assert_true(shows("work"));
	assert_non_null(strstr(line(6), "all"));
	key(INPUT_DOWN);
	key(INPUT_DOWN);
	key(INPUT_DOWN);
	assert_non_null(strstr(line(5), "66.7%  2 samples  work"));
	key(INPUT_ESC); /* all of them */
	key(INPUT_ESC);
	assert_true(shows("FUNCTION"));
	key(INPUT_ESC);
	tui.data.profile = NULL;
	profile__free(p);
}

static void questions_to_others(void **state)
{
	type("d0.5\n");
	assert_int_equal(asked.delay_ns, 500 * MS);
	type("d0.05\n");
	assert_int_equal(asked.delay_ns, 50 * MS);
	type("d0.049\n");
	assert_non_null(strstr(line(23), "'0.049' is no time"));
	type("d0.5\ndx\n");
	assert_non_null(strstr(line(23), "'x' is no time"));
	assert_int_equal(asked.delay_ns, 500 * MS);
	type("Eno,such\n");
	assert_string_equal(asked.events, "no,such");
	assert_non_null(strstr(line(23), "no such event"));
	key(INPUT_F1 + 1);
	assert_true(shows("[x] cpu"));
	type("jj ");
	assert_true(shows("[x] time"));
	key(INPUT_ENTER);
	assert_string_equal(asked.columns, "cpu,time");
	key(INPUT_F1 + 1);
	type(" \n"); /* a set is taken by itself */
	assert_string_equal(asked.columns, "all");
}

static void the_page_is_written_without_the_question(void **state)
{
	draw(80, 24);
	type("W");
	assert_non_null(strstr(line(23), "pmutrace-top"));
	type("\25/tmp/page\n");
	assert_string_equal(asked.path, "/tmp/page");
	assert_non_null(strstr(asked.written.data, "kthreadd\n"));
	assert_null(strstr(asked.written.data, "Write this"));
	assert_non_null(strstr(line(23), "written to /tmp/page"));
}

/* Rows as they are filtered, however many of them are seen. */
static void what_is_written_is_what_is_looked_at(void **state)
{
	draw(80, 24);
	key(INPUT_F1 + 3);
	type("web\nW\25x.csv\n");
	assert_int_equal(asked.what, SCREEN_PROCESSES);
	assert_int_equal(asked.nr_rows, 1);
	key(INPUT_ESC);
	draw(80, 9);
	for (const char *at = "HW\25x.csv\n"; *at; at++)
		assert_int_equal(screen__input(screen, &(struct input){ .code = *at }), 0);
	assert_int_equal(asked.what, SCREEN_THREADS);
	assert_int_equal(asked.nr_rows, 6);
	assert_string_equal(asked.of, "");
	type("H/web\n\nW\25x.csv\n");
	assert_int_equal(asked.nr_rows, 2);
	assert_string_equal(asked.of, "process 10 web");
}

/* Keys that come at once are all taken before anything is drawn. */
static void the_page_is_written_twice_in_between(void **state)
{
	static const char keys[] = "W\25/tmp/page\n";
	size_t len;

	draw(80, 24);
	for (int i = 0; i < 2; i++)
		for (const char *at = keys; *at; at++)
			assert_int_equal(screen__input(screen, &(struct input){ .code = *at }), 0);
	len = asked.written.len / 2;
	assert_non_null(strstr(asked.written.data, "kthreadd\n"));
	assert_memory_equal(asked.written.data, asked.written.data + len, len);
}

static void help_is_made_of_the_keys_and_columns(void **state)
{
	draw(80, 24);
	key('h');
	assert_true(shows("F1 h ?"));
	key(INPUT_END);
	assert_true(shows("FAULTS"));
	key('z'); /* any other key leaves, and does nothing else */
	assert_true(shows("kthreadd"));
	assert_false(screen__is_paused(screen));
}

static void pause_tags_kernel_threads_commands(void **state)
{
	key('Z');
	assert_true(screen__is_paused(screen));
	assert_true(shows("paused"));
	key('z');
	assert_false(screen__is_paused(screen));
	type("K");
	assert_false(shows("kthreadd"));
	type("p");
	assert_true(shows("/usr/bin/web --port 80"));
	type("K ");
	assert_string_equal(line(6), "*     11 www-data   40.0       1      20  /usr/bin/db");
	assert_int_equal(page.cursor_y, 7);
	type("U");
	assert_non_null(strstr(line(6), "      11"));
	type("t");
	assert_true(shows("└─ /usr/bin/db"));
	page.is_ascii = true;
	type("t");
	type("t");
	assert_true(shows("`- /usr/bin/db"));
	assert_true(shows("v%CPU"));
	page.is_ascii = false;
}

static void columns_move(void **state)
{
	draw(40, 10);
	key(INPUT_RIGHT);
	draw(40, 10);
	assert_string_equal(line(3), "     PID  SWITCH  FAULTS  COMMAND   …1");
	key(INPUT_LEFT);
	draw(40, 10);
	assert_true(shows("▼%CPU"));
}

/* Also while it is paused, and what was before is not what is drawn as the past. */
static void keys_move_in_a_recording(void **state)
{
	static const struct {
		char key;
		size_t interval;
		const char *line;
	} moves[] = {
		{ ']', 18, "00:00:18  interval 18 of 240" },
		{ '[', 17, "00:00:17  interval 17 of 240" },
		{ '{', 7, "00:00:07  interval 7 of 240" },
		{ '{', 1, "00:00:01  interval 1 of 240" },
		{ '}', 11, "00:00:11  interval 11 of 240" },
		{ '$', 240, "00:04:00  interval 240 of 240" },
		{ '^', 1, "00:00:01  interval 1 of 240" },
	};

	assert_int_equal(setenv("TZ", "UTC", 1), 0);
	tui.data.interval = 17;
	tui.data.nr_intervals = 240;
	type("Z");
	for (size_t i = 0; i < ARRAY_SIZE(moves); i++) {
		key(moves[i].key);
		assert_int_equal(tui.data.interval, moves[i].interval);
		assert_non_null(strstr(line(0), moves[i].line));
		assert_true(shows("paused"));
	}
	assert_non_null(strstr(line(0), "replay  1970-01-01 00:00:01  interval 1 of 240"));
	assert_string_equal(line(23),
			    "F1Help [Back ]On {10Back }10On ^First $Last ZPause F2Columns "
			    "F3Search qQuit");
	type("t");
	assert_string_equal(line(23), "F1Help [Back ]On {10Back }10On ^First $Last ZPause +Unfold "
				      "-Fold F2Columns qQuit");
	type("t");
	type("t");
	draw(40, 10);
	assert_string_equal(line(0), "replay  00:00:01  interval 1 of 240  in");
	/* One to the left of the newest: from one interval to the next alone. */
	type("^");
	assert_string_equal(line(1), "0   [||||||||||||||||76.5%]          ▆");
	type("]");
	assert_string_equal(line(1), "0   [||||||||||||||||76.5%]         ▆▆");
	type("}");
	assert_string_equal(line(1), "0   [||||||||||||||||76.5%]          ▆");
	unsetenv("TZ");
}

static void what_is_in_the_way_in_a_recording_is_told(void **state)
{
	tui.data.interval = 17;
	tui.data.nr_intervals = 240;
	asked.told = "interval 18 of 240 is damaged";
	type("]");
	assert_non_null(strstr(line(23), "interval 18 of 240 is damaged"));
	asked.told = NULL;
	asked.fails = -EIO;
	type("[");
	assert_non_null(strstr(line(23), "Input/output error"));
	assert_non_null(strstr(line(0), "interval 18 of 240"));
	asked.fails = 0;
	key('h');
	key(INPUT_PAGE_DOWN);
	assert_true(shows("of a recording: the interval before"));
}

static void without_a_recording_there_is_only_now(void **state)
{
	const struct screen_opts opts = { .data = &tui.data };

	screen__free(screen);
	assert_int_equal(screen__new(&screen, &opts), 0);
	assert_int_equal(screen__update(screen), 0);
	type("[");
	assert_non_null(strstr(line(23), "this is no recording"));
	assert_non_null(strstr(line(0), "pmutrace top"));
}

static void an_interval_without_samples_says_so(void **state)
{
	type("H/worker\n\n");
	assert_true(shows("samples come with the next interval"));
	type("\33");
	tui.data.interval = tui.data.nr_intervals = 1;
	type("\n");
	assert_true(shows("this interval has no samples: functions were not looked at"));
}

static void where_nothing_was_counted_there_are_functions_alone(void **state)
{
	const struct screen_opts opts = {
		.fns = { .sample = sample },
		.data = &tui.data,
		.what = SCREEN_FUNCTIONS,
	};

	screen__free(screen);
	tui.data.interval = tui.data.nr_intervals = 1;
	tui.data.has_samples_only = true;
	assert_int_equal(screen__new(&screen, &opts), 0);
	assert_int_equal(screen__update(screen), 0);
	type("v");
	assert_non_null(strstr(line(0), "interval 1 of 1"));
	assert_non_null(strstr(line(1), "[functions]"));
	assert_non_null(strstr(line(23), "nothing was counted"));
}

static void quitting(void **state)
{
	assert_int_equal(screen__input(screen, &(struct input){ .code = 'q' }), -ECANCELED);
	assert_int_equal(screen__input(screen, &(struct input){ .code = INPUT_F1 + 9 }),
			 -ECANCELED);
}

static void losses_are_told(void **state)
{
	struct live_about *about = live__about(tui.live);

	about->seen = 100;
	about->kept = 97;
	about->untold = 4;
	draw(80, 24);
	assert_true(shows("Lost 3 of 100 timeslices, 4 switches missed  Own"));
}

static enum style style_of_loss(const char *what)
{
	const char *line_3 = line(3), *at = strstr(line_3, what);

	assert_non_null(at);
	return page.cells[(size_t)3 * page.width + (at - line_3)].style;
}

/* A tenth of a percent. */
static void losses_are_red_from_a_share_on(void **state)
{
	struct live_about *about = live__about(tui.live);
	struct profile *p = profile__new();

	assert_non_null(p);
	tui.data.profile = p;
	about->seen = 10000;
	about->kept = 9991;
	about->untold = 9;
	p->losses = (struct losses){
		.seen = 2000, .kept = 1999, .nr = 1, .by = { { .n = 1, .flaw = true } }
	};
	draw(100, 24);
	assert_int_equal(style_of_loss("9 of 10000 timeslices"), STYLE_PLAIN);
	assert_int_equal(style_of_loss("9 switches missed"), STYLE_PLAIN);
	assert_int_equal(style_of_loss("1 of 2000 samples"), STYLE_PLAIN);
	assert_int_equal(style_of_loss("1 stacks incomplete"), STYLE_PLAIN);
	about->kept = 9990;
	about->untold = 10;
	p->losses.kept = 1998;
	p->losses.by[0].n = 2;
	draw(100, 24);
	assert_int_equal(style_of_loss("10 of 10000 timeslices"), STYLE_ALERT);
	assert_int_equal(style_of_loss("10 switches missed"), STYLE_ALERT);
	assert_int_equal(style_of_loss("2 of 2000 samples"), STYLE_ALERT);
	assert_int_equal(style_of_loss("2 stacks incomplete"), STYLE_HALF);
	tui.data.profile = NULL;
	profile__free(p);
}

/* The same words, each with what it means. */
static void the_help_has_each_word_of_a_loss(void **state)
{
	static const char *const words[] = { "timeslices", "switches missed", "samples",
					     "stacks incomplete" };

	draw(200, 70);
	assert_int_equal(screen__input(screen, &(struct input){ .code = 'h' }), 0);
	draw(200, 70);
	for (int y = 0; y < 70; y++)
		assert_true(text__width(line(y)) <= 80); /* of a usual terminal */
	assert_true(shows("Lost, in colour from 0.1 %"));
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		const char *lost = strstr(text.data, "Lost, in"), *at = strstr(lost, words[i]);

		assert_non_null(at);
		assert_true(strcspn(at, "\n") > strlen(words[i]) + 20);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_page_as_it_is),
		TEST(every_size),
		TEST(sorting_by_keys_and_clicks),
		TEST(a_click_selects_a_row),
		TEST(the_selection_is_seen_on_the_last_line_too),
		TEST(a_filter_and_how_it_ends),
		TEST(a_filter_waits_for_the_way_back),
		TEST(a_table_without_rows_says_why),
		TEST(search_tells_when_there_is_none),
		TEST(down_and_back),
		TEST(a_thread_that_exits_is_not_its_process),
		TEST(one_that_has_exited_is_told),
		TEST(one_that_exits_behind_another_page_is_told_on_the_way_back),
		TEST(one_that_exits_in_a_recording),
		TEST(back_on_the_row_that_was_entered),
		TEST(a_row_that_is_gone_for_now),
		TEST(tags_stay),
		TEST(all_views),
		TEST(samples_are_drawn_as_functions_and_stacks),
		TEST(questions_to_others),
		TEST(the_page_is_written_without_the_question),
		TEST(the_page_is_written_twice_in_between),
		TEST(what_is_written_is_what_is_looked_at),
		TEST(help_is_made_of_the_keys_and_columns),
		TEST(pause_tags_kernel_threads_commands),
		TEST(columns_move),
		TEST(keys_move_in_a_recording),
		TEST(what_is_in_the_way_in_a_recording_is_told),
		TEST(without_a_recording_there_is_only_now),
		TEST(an_interval_without_samples_says_so),
		TEST(where_nothing_was_counted_there_are_functions_alone),
		TEST(quitting),
		TEST(losses_are_told),
		TEST(losses_are_red_from_a_share_on),
		TEST(the_help_has_each_word_of_a_loss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
