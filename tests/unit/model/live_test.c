// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "model/live.h"

enum { VALUES = 2 };

static struct live *live;
static struct live_rows rows;

static int set_up(void **state)
{
	live = live__new(VALUES);
	return !live;
}

static int tear_down(void **state)
{
	live__free(live);
	live_rows__free(&rows);
	return 0;
}

static void add(uint32_t tgid, uint32_t tid, const char *comm, uint32_t cpu, uint64_t a, uint64_t b)
{
	struct live_task t = { .tgid = tgid, .tid = tid, .cgroup = tgid / 10 };
	const uint64_t values[VALUES] = { a, b };

	strncpy(t.comm, comm, sizeof(t.comm) - 1);
	assert_int_equal(live__add(live, &t, cpu, values), 0);
}

/* Two processes in one cgroup, one of them with two threads, and one in another. */
static void add_all(void)
{
	add(11, 11, "web", 0, 100, 1);
	add(11, 12, "worker", 1, 50, 2);
	add(11, 11, "web", 1, 10, 4);
	add(13, 13, "db", 3, 200, 8);
	add(21, 21, "cron", 0, 5, 16);
}

static void view(enum live_by by)
{
	assert_int_equal(live__rows(live, by, &rows), 0);
	live_rows__sort(&rows, LIVE_VALUES, false);
}

static void assert_row(size_t i, uint64_t id, const char *comm, uint64_t a, uint64_t b)
{
	assert_true(i < rows.nr);
	assert_int_equal(rows.items[i].id, id);
	assert_string_equal(rows.items[i].comm, comm);
	assert_int_equal(rows.items[i].values[0], a);
	assert_int_equal(rows.items[i].values[1], b);
}

static void a_process_is_the_sum_of_its_threads(void **state)
{
	add_all();
	view(LIVE_PROCESSES);
	assert_int_equal(rows.nr, 3);
	assert_row(0, 11, "web", 160, 7);
	assert_int_equal(rows.items[0].nr_tasks, 2);
	assert_row(1, 13, "db", 200, 8);
	assert_row(2, 21, "cron", 5, 16);
}

static void a_process_is_called_as_its_first_thread(void **state)
{
	add(11, 12, "worker", 0, 1, 0);
	view(LIVE_PROCESSES);
	assert_row(0, 11, "worker", 1, 0);
	add(11, 11, "web", 0, 1, 0);
	view(LIVE_PROCESSES);
	assert_row(0, 11, "web", 2, 0);
}

static void threads_cgroups_and_cpus(void **state)
{
	add_all();
	view(LIVE_THREADS);
	assert_int_equal(rows.nr, 4);
	assert_row(0, 11, "web", 110, 5);
	assert_row(1, 12, "worker", 50, 2);
	assert_int_equal(rows.items[1].tgid, 11);
	view(LIVE_CGROUPS);
	assert_int_equal(rows.nr, 2);
	assert_row(0, 1, "", 360, 15);
	assert_row(1, 2, "", 5, 16);
	view(LIVE_CPUS);
	assert_int_equal(rows.nr, 4);
	assert_row(0, 0, "", 105, 17);
	assert_row(1, 1, "", 60, 6);
	assert_row(2, 2, "", 0, 0);
	assert_row(3, 3, "", 200, 8);
}

static void idle_tasks_are_no_process(void **state)
{
	uint64_t totals[LIVE_VALUES];

	add(0, 0, "swapper/0", 0, 1000, 3);
	add(0, 0, "swapper/1", 1, 2000, 5);
	add(11, 11, "web", 0, 100, 7);
	view(LIVE_PROCESSES);
	assert_int_equal(rows.nr, 1);
	assert_row(0, 11, "web", 100, 7);
	view(LIVE_THREADS);
	assert_int_equal(rows.nr, 1);
	view(LIVE_CGROUPS);
	assert_int_equal(rows.nr, 1);
	/* Time without theirs, switches with theirs. */
	view(LIVE_CPUS);
	assert_int_equal(rows.nr, 2);
	assert_row(0, 0, "", 100, 10);
	assert_int_equal(rows.items[0].idle_ns, 1000);
	assert_row(1, 1, "", 0, 5);
	assert_int_equal(rows.items[1].idle_ns, 2000);
	live__totals(live, totals);
	assert_int_equal(totals[LIVE_TIME], 3100);
	assert_int_equal(totals[LIVE_SWITCHES], 15);
	live__idle(live, totals);
	assert_int_equal(totals[LIVE_TIME], 3000);
	assert_int_equal(totals[LIVE_SWITCHES], 8);
}

static void threads_that_are_not_told_apart(void **state)
{
	add(11, 0, "web", 0, 100, 1);
	add(11, 0, "web", 1, 10, 2);
	add(13, 0, "db", 0, 5, 4);
	view(LIVE_PROCESSES);
	assert_int_equal(rows.nr, 2);
	assert_row(0, 11, "web", 110, 3);
	assert_int_equal(rows.items[0].nr_tasks, 0);
	assert_row(1, 13, "db", 5, 4);
}

static void an_interval_begins_at_nothing(void **state)
{
	add_all();
	live__next(live);
	view(LIVE_PROCESSES);
	assert_int_equal(rows.nr, 0);
	add(13, 13, "db", 3, 1, 1);
	view(LIVE_PROCESSES);
	assert_int_equal(rows.nr, 1);
	assert_row(0, 13, "db", 1, 1);
	view(LIVE_CPUS);
	assert_row(0, 0, "", 0, 0);
}

/* Of process 11 one thread, process 13 as a whole. */
static unsigned ends_12_and_13(const void *arg, const struct live_task *t)
{
	(void)arg;
	return t->tid == 12    ? LIVE_THREAD_ENDED
	       : t->tgid == 13 ? LIVE_THREAD_ENDED | LIVE_PROCESS_ENDED
			       : 0;
}

static void assert_exited(enum live_by by, const char *expected)
{
	view(by);
	assert_int_equal(rows.nr, strlen(expected));
	for (size_t i = 0; i < rows.nr; i++)
		assert_int_equal(rows.items[i].exited, expected[i] == 'x');
}

static void a_process_has_exited_when_it_has_ended(void **state)
{
	add_all();
	live__mark(live, ends_12_and_13, NULL);
	assert_exited(LIVE_PROCESSES, ".x.");
	assert_exited(LIVE_THREADS, ".xx.");
	assert_exited(LIVE_CGROUPS, "..");
	assert_exited(LIVE_CPUS, "....");
}

/* Its other threads have used nothing: no row is made of them, and it lives on. */
static void a_process_outlives_its_threads(void **state)
{
	add(11, 12, "worker", 1, 50, 2);
	live__mark(live, ends_12_and_13, NULL);
	assert_exited(LIVE_PROCESSES, ".");
	assert_exited(LIVE_THREADS, "x");
	assert_exited(LIVE_CGROUPS, ".");
}

static void add_at(uint64_t first_ns, uint64_t cgroup, const char *comm, uint64_t a)
{
	struct live_task t = { .tgid = 11, .tid = 11, .cgroup = cgroup, .first_ns = first_ns };
	const uint64_t values[VALUES] = { a };

	strncpy(t.comm, comm, sizeof(t.comm) - 1);
	assert_int_equal(live__add(live, &t, 7, values), 0);
}

/* CPUs are looked at in any order: a shell may have become a compiler on one of a lower number. */
static void a_task_is_called_as_it_was_at_last(void **state)
{
	add_at(20, 1, "cc1", 1);
	add_at(10, 1, "bash", 2);
	view(LIVE_PROCESSES);
	assert_row(0, 11, "cc1", 3, 0);
	view(LIVE_THREADS);
	assert_row(0, 11, "cc1", 3, 0);
}

static bool is_of_cgroup_5(const void *arg, const struct live_task *t)
{
	(void)arg;
	return t->cgroup == 5;
}

static void what_was_used_in_a_cgroup_is_its(void **state)
{
	struct live_filter only_5 = { .wants = is_of_cgroup_5 };

	add_at(20, 5, "sleep", 1);
	add_at(10, 1, "bash", 2);
	add_at(20, 5, "sleep", 4);
	view(LIVE_CGROUPS);
	assert_row(0, 1, "", 2, 0);
	assert_int_equal(rows.items[0].nr_tasks, 1);
	assert_row(1, 5, "", 5, 0);
	assert_int_equal(rows.items[1].nr_tasks, 1);
	view(LIVE_PROCESSES);
	assert_int_equal(rows.nr, 1);
	assert_row(0, 11, "sleep", 7, 0);
	assert_int_equal(rows.items[0].cgroup, 5);
	assert_int_equal(rows.items[0].nr_tasks, 1);
	assert_int_equal(live__rows_of(live, LIVE_PROCESSES, &only_5, &rows), 0);
	assert_row(0, 11, "sleep", 5, 0);
	assert_int_equal(rows.items[0].nr_tasks, 1);
}

static void rows_are_sorted_largest_first(void **state)
{
	add_all();
	view(LIVE_PROCESSES);
	live_rows__sort(&rows, 0, false);
	assert_int_equal(rows.items[0].id, 13);
	assert_int_equal(rows.items[2].id, 21);
	live_rows__sort(&rows, 0, true);
	assert_int_equal(rows.items[0].id, 21);
	live_rows__sort(&rows, 1, false);
	assert_int_equal(rows.items[0].id, 21);
}

static bool is_of_11_but_its_first(const void *arg, const struct live_task *t)
{
	return t->tgid == *(const uint32_t *)arg && t->tid != t->tgid;
}

static void a_view_of_some_tasks_is_the_sum_of_these(void **state)
{
	const uint32_t wanted = 11;
	const struct live_filter filter = { .wants = is_of_11_but_its_first, .arg = &wanted };
	static const enum live_by by[] = { LIVE_PROCESSES, LIVE_THREADS, LIVE_CGROUPS };

	add_all();
	for (size_t i = 0; i < ARRAY_SIZE(by); i++) {
		assert_int_equal(live__rows_of(live, by[i], &filter, &rows), 0);
		assert_int_equal(rows.nr, 1);
		assert_int_equal(rows.items[0].values[0], 50);
		assert_int_equal(rows.items[0].nr_tasks, 1);
	}
	assert_int_equal(live__rows_of(live, LIVE_CPUS, &filter, &rows), 0);
	assert_int_equal(rows.nr, 4);
	assert_row(0, 0, "", 0, 0);
	assert_row(1, 1, "", 50, 2);
}

static bool is_any(const void *arg, const struct live_task *t)
{
	return true;
}

static void a_view_of_one_cpu_has_what_was_used_there(void **state)
{
	const struct live_filter filter = { is_any, NULL, true, 1 };

	add_all();
	assert_int_equal(live__rows_of(live, LIVE_THREADS, &filter, &rows), 0);
	live_rows__sort(&rows, LIVE_VALUES, false);
	assert_int_equal(rows.nr, 2);
	assert_row(0, 11, "web", 10, 4);
	assert_row(1, 12, "worker", 50, 2);
	assert_int_equal(live__rows_of(live, LIVE_PROCESSES, &filter, &rows), 0);
	assert_int_equal(rows.nr, 1);
	assert_row(0, 11, "web", 60, 6);
	assert_int_equal(live__rows_of(live, LIVE_CPUS, &filter, &rows), 0);
	assert_row(0, 0, "", 0, 0);
	assert_row(1, 1, "", 60, 6);
}

static void what_was_added_can_be_had_again(void **state)
{
	uint64_t sum = 0;
	unsigned ends;

	add_all();
	live__mark(live, ends_12_and_13, NULL);
	assert_int_equal(live__nr_tasks(live), 4);
	assert_int_equal(live__task(live, 1, &ends)->tid, 12);
	assert_int_equal(ends, LIVE_THREAD_ENDED);
	assert_int_equal(live__task(live, 0, &ends)->tid, 11);
	assert_int_equal(ends, 0);
	/* 11 has been on two CPUs. */
	assert_int_equal(live__nr_uses(live), 5);
	for (size_t i = 0; i < 5; i++)
		sum += live__use(live, i).values[0];
	assert_int_equal(sum, 365);
	assert_int_equal(live__use(live, 2).task, 0);
	assert_int_equal(live__use(live, 2).cpu, 1);
}

/* As many as a large machine has, again and again, in any order. */
static void a_task_may_be_on_all_cpus(void **state)
{
	enum { CPUS = 40 };

	for (uint64_t round = 0; round < 3; round++)
		for (uint32_t i = 0; i < CPUS; i++) {
			add(11, 11, "web", i * 7 % CPUS, i * 7 % CPUS, 1);
			add(13, 13, "db", i, 1000, 0);
		}
	assert_int_equal(live__nr_uses(live), 2 * CPUS);
	for (size_t i = 0; i < 2 * CPUS; i++) {
		struct live_use use = live__use(live, i);

		assert_int_equal(use.values[0], use.task ? 3000 : 3 * use.cpu);
		assert_int_equal(use.values[1], use.task ? 0 : 3);
	}
	view(LIVE_CPUS);
	assert_int_equal(rows.nr, CPUS);
}

static void each_event_has_a_value(void **state)
{
	const struct live_event events[] = { { .name = "cycles" }, { .name = "faults" } };
	struct live *other = live__new(LIVE_EVENTS + 1);

	assert_int_equal(live__most_events(live), 0);
	assert_int_equal(live__set_events(live, events, 0), 0);
	assert_int_equal(live__set_events(live, events, 1), -EINVAL);
	assert_int_equal(live__most_events(other), 1);
	assert_int_equal(live__set_events(other, events, 1), 0);
	assert_int_equal(live__set_events(other, events, 2), -EINVAL);
	assert_int_equal(live__interval(other)->nr_events, 1);
	live__free(other);
	other = live__new(1);
	assert_int_equal(live__most_events(other), 0);
	live__free(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_process_is_the_sum_of_its_threads, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_process_is_called_as_its_first_thread, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(threads_cgroups_and_cpus, set_up, tear_down),
		cmocka_unit_test_setup_teardown(idle_tasks_are_no_process, set_up, tear_down),
		cmocka_unit_test_setup_teardown(threads_that_are_not_told_apart, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_interval_begins_at_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_process_has_exited_when_it_has_ended, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_process_outlives_its_threads, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_task_is_called_as_it_was_at_last, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_was_used_in_a_cgroup_is_its, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(rows_are_sorted_largest_first, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_view_of_some_tasks_is_the_sum_of_these, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_view_of_one_cpu_has_what_was_used_there, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_was_added_can_be_had_again, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_task_may_be_on_all_cpus, set_up, tear_down),
		cmocka_unit_test_setup_teardown(each_event_has_a_value, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
