// SPDX-License-Identifier: BSD-2-Clause
#include "tui.h"

#include "model/livefilter.h"

static struct view view;

static int set_up(void **state)
{
	view = (struct view){};
	return tui_set_up(state) || view__sort_by(&view, "cpu") ? -1 : 0;
}

static int tear_down(void **state)
{
	view__free(&view);
	return tui_tear_down(state);
}

static void sort_by(const char *column)
{
	assert_int_equal(view__sort_by(&view, column), 0);
}

/* Ids of all lines, in their order; 0 ends. */
static void assert_ids(const uint64_t *ids)
{
	size_t nr = 0;

	assert_int_equal(view__fill(&view, &tui.data), 0);
	while (ids[nr])
		nr++;
	assert_int_equal(view.nr, nr);
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(view__row(&view, i)->id, ids[i]);
}

#define assert_lines(...) assert_ids((const uint64_t[]){ __VA_ARGS__, 0 })

static void rows_are_sorted_by_the_column(void **state)
{
	assert_lines(11, 10, 30, 1, 2);
	sort_by("switches");
	assert_lines(10, 30, 2, 1, 11); /* 9, 9, 8, 4, 1 */
	view.invert = true;
	assert_lines(11, 1, 2, 10, 30);
	view.invert = false;
	sort_by("no such column");
	assert_lines(1, 2, 10, 11, 30);
}

static void each_kind_of_rows(void **state)
{
	view.by = LIVE_THREADS;
	assert_lines(11, 10, 12, 30, 1, 2);
	view.only_tgid = true;
	view.tgid = 10;
	assert_lines(10, 12);
	view.only_tgid = false;
	view.by = LIVE_CGROUPS;
	assert_lines(7, 5);
	view.by = LIVE_PROCESSES;
	view.only_cgroup = true;
	view.cgroup = 5;
	assert_lines(30, 1, 2);
}

static void the_selection_stays_on_its_row(void **state)
{
	assert_lines(11, 10, 30, 1, 2);
	view__select(&view, 2);
	assert_int_equal(view__selected(&view)->id, 30);
	sort_by("switches");
	assert_lines(10, 30, 2, 1, 11);
	assert_int_equal(view__selected(&view)->id, 30);
	assert_int_equal(view.at, 1);

	/* Gone for an interval: no other is taken for it, then it is back. */
	next_interval();
	run(10, 10, 7, "web", 1, 1, 1);
	assert_lines(10);
	assert_null(view__selected(&view));
	next_interval();
	run_all();
	assert_lines(10, 30, 2, 1, 11);
	assert_int_equal(view__selected(&view)->id, 30);
}

static void one_that_is_gone_gives_way_when_it_is_told_to(void **state)
{
	assert_lines(11, 10, 30, 1, 2);
	view__let_go(&view);
	assert_int_equal(view__selected(&view)->id, 11); /* nothing was chosen: the first */
	view__select(&view, 2);
	view__let_go(&view);
	assert_int_equal(view__selected(&view)->id, 30); /* it is there */
	strcpy(view.filter, "web");
	assert_lines(10);
	assert_null(view__selected(&view));
	view__let_go(&view);
	assert_int_equal(view__selected(&view)->id, 10);
}

static void moving_ends_at_the_first_and_the_last(void **state)
{
	assert_lines(11, 10, 30, 1, 2);
	view__move(&view, -1);
	assert_int_equal(view.at, 0);
	view__move(&view, 3);
	assert_int_equal(view.at, 3);
	view__move(&view, 100);
	assert_int_equal(view.at, 4);
	view__move(&view, -100);
	assert_int_equal(view.at, 0);
	next_interval();
	assert_int_equal(view__fill(&view, &tui.data), 0);
	assert_null(view__selected(&view));
	view__move(&view, 1);
	assert_null(view__selected(&view));
}

static void a_filter_looks_at_names_and_commands(void **state)
{
	strcpy(view.filter, "WEB");
	assert_lines(10);
	strcpy(view.filter, "usr");
	assert_lines(11, 10, 30);
	strcpy(view.filter, "30"); /* an id: all of it */
	assert_lines(30);
	strcpy(view.filter, "3");
	assert_int_equal(view__fill(&view, &tui.data), 0);
	assert_int_equal(view.nr, 0);
	view.by = LIVE_CGROUPS;
	strcpy(view.filter, "slice");
	assert_lines(7);
}

static void users_and_the_kernels_threads(void **state)
{
	strcpy(view.user, "www-data");
	assert_lines(11, 10);
	strcpy(view.user, "0");
	assert_lines(30, 1, 2);
	view.hides_kernel = true;
	assert_lines(30, 1);
	strcpy(view.user, "");
	assert_lines(11, 10, 30, 1);
}

static uint64_t faults_of_cpu(void)
{
	assert_int_equal(view__fill(&view, &tui.data), 0);
	assert_int_equal(view.nr, 1);
	return view__row(&view, 0)->values[FAULTS];
}

/* What idle tasks cause is their CPU's, but no user's and no process's. */
static void idle_tasks_are_of_their_cpu_alone(void **state)
{
	run(0, 0, 0, "swapper", 1, 0, 1000);
	view.by = LIVE_CPUS;
	assert_int_equal(faults_of_cpu(), 1000 + 30 + 10 + 20 + 50);
	view.hides_kernel = true;
	assert_int_equal(faults_of_cpu(), 1000 + 30 + 10 + 20 + 50);
	strcpy(view.user, "www-data");
	assert_int_equal(faults_of_cpu(), 30 + 10 + 20);
	strcpy(view.user, "");
	view.only_tgid = true;
	view.tgid = 10;
	assert_int_equal(faults_of_cpu(), 30 + 10);
	view.only_tgid = view.hides_kernel = false;
	view.by = LIVE_PROCESSES;
	assert_lines(11, 10, 30, 1, 2);
}

static void a_filter_of_the_run_holds_too(void **state)
{
	struct livefilter *f = livefilter__new(tui.processes);
	struct live_filter filter;
	struct buf why = {};

	assert_non_null(f);
	assert_int_equal(livefilter__add_pids(f, "10,30", &why), 0);
	filter = livefilter__of(f);
	tui.data.filter = &filter;
	assert_lines(10, 30);
	livefilter__free(f);
}

static void search_goes_round(void **state)
{
	assert_lines(11, 10, 30, 1, 2);
	assert_true(view__search(&view, &tui.data, "usr", 0));
	assert_int_equal(view.at, 0);
	assert_true(view__search(&view, &tui.data, "usr", view.at + 1));
	assert_int_equal(view.at, 1);
	assert_true(view__search(&view, &tui.data, "usr", view.at + 1));
	assert_int_equal(view.at, 2);
	assert_true(view__search(&view, &tui.data, "usr", view.at + 1));
	assert_int_equal(view.at, 0);
	assert_false(view__search(&view, &tui.data, "nobody", 0));
	assert_int_equal(view.at, 0);
}

static void assert_line(size_t i, uint64_t id, uint32_t depth, bool is_last, uint32_t rails)
{
	assert_int_equal(view__row(&view, i)->id, id);
	assert_int_equal(view.lines[i].depth, depth);
	assert_int_equal(view.lines[i].is_last, is_last);
	assert_int_equal(view.lines[i].rails, rails);
}

static void a_tree_is_in_the_order_of_its_siblings(void **state)
{
	view.tree = true;
	assert_lines(1, 10, 11, 30, 2);
	assert_line(0, 1, 0, true, 0);
	assert_line(1, 10, 1, false, 0);
	assert_line(2, 11, 2, true, 2); /* beside it the line from 10 to 30 */
	assert_line(3, 30, 1, true, 0);
	assert_line(4, 2, 0, true, 0);
	sort_by("switches"); /* of 30 9, of 10 and 11 together 10; 2 has 8, 1 and all of it 23 */
	assert_lines(1, 10, 11, 30, 2);
	view.invert = true;
	assert_lines(2, 1, 30, 10, 11);
}

/* 10 has not run: it is there for its child, and has counted nothing. */
static void a_tree_has_those_that_wait_for_their_children(void **state)
{
	next_interval();
	run(1, 1, 5, "init", 1, 1, 1);
	run(11, 11, 7, "db", 9, 1, 1);
	assert_lines(11, 1);
	view.tree = true;
	assert_lines(1, 10, 11);
	assert_line(1, 10, 1, true, 0);
	assert_line(2, 11, 2, true, 0);
	assert_false(view__row(&view, 0)->is_waiting);
	assert_true(view__row(&view, 1)->is_waiting);
	assert_int_equal(view__row(&view, 1)->values[LIVE_TIME], 0);
	assert_false(view__row(&view, 2)->is_waiting);
	/* The parents of what waits, too: nothing has run but 11. */
	next_interval();
	run(11, 11, 7, "db", 9, 1, 1);
	assert_lines(1, 10, 11);
	assert_true(view__row(&view, 0)->is_waiting);
	view.tree = false;
	assert_lines(11);
}

/* What is not to be seen is not there either when it waits. */
static void who_waits_is_wanted_as_others_are(void **state)
{
	next_interval();
	run(11, 11, 7, "db", 9, 1, 1);
	view.tree = true;
	strcpy(view.user, "www-data");
	assert_lines(10, 11);
	strcpy(view.user, "");
	strcpy(view.filter, "db");
	assert_lines(11);
	strcpy(view.filter, "usr");
	assert_lines(10, 11);
	strcpy(view.filter, "/sbin/init");
	assert_int_equal(view__fill(&view, &tui.data), 0);
	assert_int_equal(view.nr, 0);
	strcpy(view.filter, "");
	view.only_cgroup = true; /* where 10 and 1 are nobody knows */
	view.cgroup = 7;
	assert_lines(11);
}

/* The nearest that is to be seen. */
static void a_filter_of_the_run_holds_for_who_waits(void **state)
{
	struct livefilter *f = livefilter__new(tui.processes);
	struct live_filter filter;
	struct buf why = {};

	assert_non_null(f);
	assert_int_equal(livefilter__add_pids(f, "1,11", &why), 0);
	filter = livefilter__of(f);
	tui.data.filter = &filter;
	view.tree = true;
	next_interval();
	run(11, 11, 7, "db", 9, 1, 1);
	assert_lines(1, 11);
	assert_line(1, 11, 1, true, 0);
	livefilter__free(f);
}

/* make has used least itself, and its compilers most of all. */
static void siblings_are_in_the_order_of_their_branches(void **state)
{
	next_interval();
	know(40, 1, 0, false, "make");
	know(41, 40, 0, false, "cc1");
	know(42, 40, 0, false, "cc1");
	run(1, 1, 5, "init", 1, 1, 7);
	run(30, 30, 5, "cron", 300, 1, 9);
	run(41, 41, 5, "cc1", 200, 1, 2);
	run(42, 42, 5, "cc1", 250, 1, 3);
	run(2, 2, 5, "kthreadd", 700, 1, 0);
	view.tree = true;
	assert_lines(1, 40, 42, 41, 30, 2); /* 751: 450 (250, 200), 300; 700 */
	sort_by("faults");
	assert_lines(1, 30, 40, 42, 41, 2); /* 9, 5 (3, 2) */
	view.invert = true;
	assert_lines(2, 1, 40, 41, 42, 30);
	sort_by("no such column");
	assert_lines(2, 1, 40, 42, 41, 30); /* by id, and inverted */
}

static uint64_t used_ms(size_t line)
{
	return view__used(&view, &view.lines[line])->values[LIVE_TIME] / MS;
}

/* init 10 + web 300 + cron 50, and below web: db 400. */
static void a_folded_branch_is_a_line_with_its_sum(void **state)
{
	view.tree = true;
	assert_lines(1, 10, 11, 30, 2);
	assert_int_equal(view.lines[0].nr_below, 3);
	assert_int_equal(view.lines[1].nr_below, 1);
	assert_int_equal(view.lines[2].nr_below, 0);
	assert_int_equal(used_ms(1), 300);
	view__select(&view, 1);
	assert_int_equal(view__fold(&view, true), 0);
	assert_lines(1, 10, 30, 2);
	assert_true(view.lines[1].is_folded);
	assert_int_equal(used_ms(0), 10);
	assert_int_equal(used_ms(1), 700);
	assert_int_equal(view__used(&view, &view.lines[1])->values[FAULTS], 60);
	assert_int_equal(view__selected(&view)->id, 10);
	/* What is folded gives way to what it is in. */
	assert_int_equal(view__fold(&view, true), 0);
	assert_int_equal(view__selected(&view)->id, 1);
	assert_int_equal(view__fold(&view, true), 0);
	assert_lines(1, 2);
	assert_int_equal(used_ms(0), 760);
	assert_int_equal(view.lines[0].nr_below, 3);

	/* It stays so, also while nothing of it is there but one below. */
	next_interval();
	run(11, 11, 7, "db", 40, 1, 20);
	assert_lines(1);
	assert_int_equal(used_ms(0), 40);
	assert_int_equal(view__fold(&view, false), 0);
	assert_lines(1, 10);
	view__select(&view, 1);
	assert_int_equal(view__fold(&view, false), 0);
	assert_lines(1, 10, 11);
	/* What has nothing below it. */
	view__select(&view, 2);
	assert_int_equal(view__fold(&view, true), 0);
	assert_int_equal(view__selected(&view)->id, 10);
	assert_lines(1, 10, 11);
}

/* Who searches for it wants to see it. */
static void what_is_folded_is_found(void **state)
{
	bool found;

	view.tree = true;
	assert_lines(1, 10, 11, 30, 2);
	for (size_t line = 2; line--;) {
		view__select(&view, line);
		assert_int_equal(view__fold(&view, true), 0);
		assert_int_equal(view__fill(&view, &tui.data), 0);
	}
	assert_lines(1, 2);
	assert_false(view__search(&view, &tui.data, "db", 0));
	assert_int_equal(view__reveal(&view, &tui.data, "nobody", &found), 0);
	assert_false(found);
	assert_int_equal(view__reveal(&view, &tui.data, "db", &found), 0);
	assert_true(found);
	assert_int_equal(view__selected(&view)->id, 11);
	assert_int_equal(view.nr, 5);
	assert_int_equal(view.at, 2);
}

static void parents_in_a_circle_lose_nobody(void **state)
{
	know(1, 11, 0, false, ""); /* 1 - 10 - 11 - 1, and 30 below 1 */
	view.tree = true;
	assert_int_equal(view__fill(&view, &tui.data), 0);
	assert_int_equal(view.nr, 5);
	know(30, 30, 0, false, "");
	assert_int_equal(view__fill(&view, &tui.data), 0);
	assert_int_equal(view.nr, 5);
}

/* Deeper than there are lines to draw. */
static void a_deep_tree(void **state)
{
	next_interval();
	for (uint32_t pid = 100; pid < 200; pid++) {
		know(pid, pid - 1, 0, false, "deep");
		run(pid, pid, 1, "deep", 1, 1, 1);
	}
	view.tree = true;
	assert_int_equal(view__fill(&view, &tui.data), 0);
	assert_int_equal(view.nr, 100);
	assert_int_equal(view__row(&view, 99)->id, 199);
	assert_int_equal(view.lines[99].depth, VIEW_DEPTH - 1);
}

static void tags_come_and_go(void **state)
{
	assert_int_equal(view__toggle_tag(&view, 11), 0);
	assert_int_equal(view__toggle_tag(&view, 30), 0);
	assert_true(view__is_tagged(&view, 11));
	assert_true(view__is_tagged(&view, 30));
	assert_int_equal(view__toggle_tag(&view, 11), 0);
	assert_false(view__is_tagged(&view, 11));
	assert_true(view__is_tagged(&view, 30));

	/* Thread 30 is something else. */
	view.by = LIVE_THREADS;
	assert_false(view__is_tagged(&view, 30));
	assert_int_equal(view__toggle_tag(&view, 12), 0);
	view.by = LIVE_PROCESSES;
	assert_true(view__is_tagged(&view, 30));
	view__untag_all(&view);
	assert_false(view__is_tagged(&view, 30));
	view.by = LIVE_THREADS;
	assert_false(view__is_tagged(&view, 12));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rows_are_sorted_by_the_column),
		TEST(each_kind_of_rows),
		TEST(the_selection_stays_on_its_row),
		TEST(one_that_is_gone_gives_way_when_it_is_told_to),
		TEST(moving_ends_at_the_first_and_the_last),
		TEST(a_filter_looks_at_names_and_commands),
		TEST(users_and_the_kernels_threads),
		TEST(idle_tasks_are_of_their_cpu_alone),
		TEST(a_filter_of_the_run_holds_too),
		TEST(search_goes_round),
		TEST(a_tree_is_in_the_order_of_its_siblings),
		TEST(a_tree_has_those_that_wait_for_their_children),
		TEST(who_waits_is_wanted_as_others_are),
		TEST(a_filter_of_the_run_holds_for_who_waits),
		TEST(siblings_are_in_the_order_of_their_branches),
		TEST(a_folded_branch_is_a_line_with_its_sum),
		TEST(what_is_folded_is_found),
		TEST(parents_in_a_circle_lose_nobody),
		TEST(a_deep_tree),
		TEST(tags_come_and_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
