// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "model/livefilter.h"

enum { WEB, WORKER, DB, KTHREAD, UNKNOWN, IDLE, TASKS };

static const struct live_task tasks[TASKS] = {
	[WEB] = { 10, 10, 100, "web" },	      [WORKER] = { 10, 11, 100, "worker-1" },
	[DB] = { 20, 20, 200, "db" },	      [KTHREAD] = { 2, 2, 1, "kthreadd" },
	[UNKNOWN] = { 30, 30, 300, "ghost" }, [IDLE] = { 0, 0, 1, "swapper/0" },
};

static struct processes *known;
static struct livefilter *f;
static struct buf why;

static int set_up(void **state)
{
	static const struct process processes[] = {
		{ 10, 1, 33, false, "web", "/usr/sbin/Web --port=80" },
		{ 20, 1, 1000, false, "db", "db" },
		{ 2, 0, 0, true, "kthreadd", "" },
	};
	int err = 0;

	(void)state;
	known = processes__new();
	f = livefilter__new(known);
	for (size_t i = 0; i < ARRAY_SIZE(processes); i++)
		err |= processes__set(known, &processes[i]);
	err |= processes__set_user(known, 33, "www");
	err |= processes__set_cgroup(known, 1, "/", "/");
	err |= processes__set_cgroup(known, 50, "/shop.slice", "/shop.slice");
	err |= processes__set_cgroup(known, 100, "/shop.slice/docker-1.scope", "docker:frontend");
	err |= processes__set_cgroup(known, 200, "/shop.slice2/db", "/shop.slice2/db");
	return err;
}

static int tear_down(void **state)
{
	(void)state;
	livefilter__free(f);
	processes__free(known);
	buf__free(&why);
	return 0;
}

/* Letters of the tasks that are wanted. */
static void assert_wanted(const char *wanted)
{
	static const char letters[] = "wWdkui";
	char got[TASKS + 1] = "", *end = got;

	for (size_t i = 0; i < TASKS; i++)
		if (livefilter__wants(f, &tasks[i]))
			*end++ = letters[i];
	assert_string_equal(got, wanted);
}

static void without_conditions_everything_is_wanted(void **state)
{
	(void)state;
	assert_false(livefilter__selects(f));
	assert_wanted("wWdkui");
}

static void processes_and_threads(void **state)
{
	(void)state;
	assert_int_equal(livefilter__add_pids(f, "10", &why), 0);
	assert_wanted("wW");
	assert_int_equal(livefilter__add_pids(f, "30,99", &why), 0);
	assert_wanted("wWu");
	assert_int_equal(livefilter__add_tids(f, "11", &why), 0);
	assert_wanted("W");
	assert_int_equal(livefilter__add_pids(f, "1x", &why), -EINVAL);
	assert_non_null(strstr(why.data, "-p: '1x' is no list"));
}

static void users_by_name_or_number(void **state)
{
	(void)state;
	assert_int_equal(livefilter__add_user(f, "www", &why), 0);
	assert_wanted("wW");
	assert_int_equal(livefilter__add_user(f, "1000", &why), 0);
	assert_wanted("wWd");
	/* A number that is not known to be one of a name. */
	assert_int_equal(livefilter__add_user(f, "0", &why), 0);
	assert_wanted("wWdk");
	assert_int_equal(livefilter__add_user(f, "", &why), -EINVAL);
}

static void names_of_threads(void **state)
{
	(void)state;
	assert_int_equal(livefilter__add_comm(f, "w*", &why), 0);
	assert_wanted("wW");
	assert_int_equal(livefilter__add_comm(f, "db", &why), 0);
	assert_wanted("wWd");
	assert_int_equal(livefilter__add_comm(f, "", &why), -EINVAL);
}

static void assert_cgroup(const char *text, const char *wanted)
{
	livefilter__free(f);
	f = livefilter__new(known);
	assert_int_equal(livefilter__add_cgroups(f, text, &why), 0);
	assert_wanted(wanted);
}

static void cgroups_and_those_below(void **state)
{
	(void)state;
	assert_cgroup("shop.slice", "wW");
	assert_cgroup("/shop.slice/", "wW");
	assert_cgroup("/sys/fs/cgroup/shop.slice", "wW");
	assert_cgroup("shop.slice/docker-1.scope", "wW");
	assert_cgroup("shop", "");
	assert_cgroup("shop*", "wWd");
	assert_cgroup("*.scope", "wW");
	assert_cgroup("*/db", "d");
	assert_cgroup("/", "wWdk");
	assert_cgroup("/sys/fs/cgroup", "wWdk");
	assert_cgroup("100", "wW");
	assert_cgroup("50", "wW");
	assert_cgroup("1", "wWdk");
	assert_cgroup("300", "u"); /* by its number, which is all that is known */
	assert_cgroup("300,shop.slice2", "du");
	assert_int_equal(livefilter__add_cgroups(f, "a,,b", &why), -EINVAL);
}

static void sums_are_of_what_is_wanted(void **state)
{
	struct live *live = live__new(1);
	struct live_rows rows = {};
	struct live_filter filter = livefilter__of(f);

	(void)state;
	for (size_t i = 0; i < TASKS; i++)
		assert_int_equal(live__add(live, &tasks[i], 0, &(uint64_t){ 1ull << i }), 0);
	assert_int_equal(livefilter__add_tids(f, "11,20", &why), 0);
	assert_int_equal(live__rows_of(live, LIVE_CGROUPS, &filter, &rows), 0);
	assert_int_equal(rows.nr, 2);
	assert_int_equal(rows.items[0].values[0], 1 << WORKER);
	assert_int_equal(live__rows_of(live, LIVE_CPUS, &filter, &rows), 0);
	assert_int_equal(rows.items[0].values[0], 1 << WORKER | 1 << DB);
	live_rows__free(&rows);
	live__free(live);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(without_conditions_everything_is_wanted),
		TEST(processes_and_threads),
		TEST(users_by_name_or_number),
		TEST(names_of_threads),
		TEST(cgroups_and_those_below),
		TEST(sums_are_of_what_is_wanted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
