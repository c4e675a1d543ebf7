// SPDX-License-Identifier: BSD-2-Clause
/* An interval as table, JSON and CSV: formats that scripts read stay as they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <inttypes.h>

#include "columns/column_defs.h"
#include "columns/columns.h"
#include "print/top_csv.h"
#include "print/top_json.h"
#include "print/top_table.h"

static struct live *live;
static struct processes *processes;
static struct column_defs *defs;
static struct columns columns;
static struct live_rows rows;
static char *text;

static unsigned ends_13(const void *arg, const struct live_task *t)
{
	(void)arg;
	return t->tid == 13 ? LIVE_THREAD_ENDED | LIVE_PROCESS_ENDED : 0;
}

static void add(uint32_t tgid, uint32_t tid, const char *comm, uint32_t cpu, uint64_t ns,
		uint64_t switches, uint64_t cycles, uint64_t faults)
{
	struct live_task t = { .tgid = tgid, .tid = tid, .cgroup = tgid / 10 };
	const uint64_t values[] = { ns, switches, cycles, faults, 0 };

	strncpy(t.comm, comm, sizeof(t.comm) - 1);
	assert_int_equal(live__add(live, &t, cpu, values), 0);
}

/* 2019-06-01 12:00:00 UTC: two seconds on two CPUs; cycles had a counter for a quarter of it. */
static int set_up(void **state)
{
	static const struct live_event events[] = {
		{ .name = "cycles", .group = 0, .enabled_ns = 4000, .running_ns = 1000 },
		{ .name = "page-faults", .group = -1, .enabled_ns = 4000, .running_ns = 4000 },
		{ .name = "LLC-loads",
		  .why = "this machine cannot count 'LLC-loads'",
		  .state = COUNT_NOT_SUPPORTED,
		  .group = 1 },
	};
	const struct process web = { 11, 1, 33, false, "web", "web --port 80" };
	struct live_about *a;

	setenv("TZ", "UTC", 1);
	live = live__new(5);
	processes = processes__new();
	defs = column_defs__new();
	a = live__about(live);
	a->at_ns = 1559390400123456789;
	a->interval_ns = 2000000000;
	a->nr_cpus = 2;
	a->own_bpf_ns = 1000000;
	a->own_user_ns = 3000000;
	a->seen = a->kept = a->losses.seen = a->losses.kept = 100;
	strcpy(a->host, "box");
	strcpy(a->kernel, "6.18");
	add(11, 11, "web", 0, 1000000000, 7, 500, 3);
	add(11, 12, "worker", 1, 500000000, 1, 250, 0);
	add(13, 13, "a\"b\033,\xff", 1, 1000000, 0, 0, 1);
	live__mark(live, ends_13, NULL);
	if (processes__set(processes, &web) || processes__set_user(processes, 33, "www") ||
	    processes__set_cgroup(processes, 1, "/web.slice", "/web.slice"))
		return -1;
	return live__set_events(live, events, 3);
}

static int tear_down(void **state)
{
	columns__free(&columns);
	column_defs__free(defs);
	live_rows__free(&rows);
	live__free(live);
	processes__free(processes);
	free(text);
	text = NULL;
	return 0;
}

static struct top_page page(enum live_by by, const char *choice)
{
	const struct live_about *a = live__interval(live);
	struct buf why = {};

	if (columns__choose(&columns, defs, choice, a->events, a->nr_events, false, &why))
		fail_msg("%s", why.data);
	assert_int_equal(columns__explain(&columns, a), 0);
	assert_int_equal(live__rows(live, by, &rows), 0);
	columns__sort(&columns.items[0], a, &rows, false);
	return (struct top_page){
		.live = live,
		.columns = &columns,
		.rows = &rows,
		.by = by,
		.max_rows = SIZE_MAX,
		.processes = processes,
	};
}

static void assert_text(const char *expected)
{
	if (strcmp(text, expected))
		fail_msg("it is\n%s\nnot\n%s", text, expected);
}

static void table(const struct top_page *p)
{
	size_t len;
	FILE *f;

	free(text);
	f = open_memstream(&text, &len);
	assert_int_equal(print__top_table(f, p), 0);
	fclose(f);
}

#define SHARES                                                                                     \
	"multiplexed: cycles 25%\n"                                                                \
	"not counted: this machine cannot count 'LLC-loads'\n"

static void a_table_for_people(void **state)
{
	struct top_page p = page(LIVE_PROCESSES, "cpu,cycles,faults,cycles / switches,LLC-loads");

	table(&p);
	assert_text("2019-06-01 12:00:00  2s  2 CPUs 37.5% busy  own 0.2%\n" SHARES
		    "     PID    %CPU  cycles  FAULTS  cycles / switches  LLC-loads  COMMAND\n"
		    "      11    75.0      3k       3             375.00          -  web\n"
		    "      13     0.1       0       1                  -          -  a\"b"
		    "\xef\xbf\xbd,\xef\xbf\xbd (exited)\n");
	p = page(LIVE_THREADS, "cpu,tasks");
	p.max_rows = 2;
	table(&p);
	assert_text("2019-06-01 12:00:00  2s  2 CPUs 37.5% busy  own 0.2%\n" SHARES
		    "     TID      PID    %CPU   TASKS  COMMAND\n"
		    "      11       11    50.0       1  web\n"
		    "      12       11    25.0       1  worker\n");
	p = page(LIVE_CGROUPS, "time");
	table(&p);
	assert_text("2019-06-01 12:00:00  2s  2 CPUs 37.5% busy  own 0.2%\n" SHARES
		    "  CGROUP    TIME  NAME\n"
		    "       1    1.5s  /web.slice\n");
	p = page(LIVE_CPUS, "cpu,tasks");
	table(&p);
	assert_text("2019-06-01 12:00:00  2s  2 CPUs 37.5% busy  own 0.2%\n" SHARES
		    "     CPU    %CPU   TASKS\n"
		    "       0    50.0       -\n"
		    "       1    25.1       -\n");
}

static struct top_page page_with_losses(void)
{
	static const struct loss lost = { "tasks_full", "no room for another task", "a shorter -d",
					  false, 3 };
	struct live_about *a = live__about(live);

	losses__add(&a->losses, &lost);
	a->kept = a->losses.kept = 97;
	a->untold = 2;
	return page(LIVE_CPUS, "cpu");
}

static void losses_are_told(void **state)
{
	struct top_page p = page_with_losses();

	table(&p);
	assert_non_null(strstr(text,
			       "busy  own 0.2%\n"
			       "timeslices: 100 seen, 97 kept, 3 lost: 3 no room for another task "
			       "(a shorter -d)\n"
			       "2 context switches missed: their time counts for the task that "
			       "ran at the end\nmultiplexed"));
}

static void json(const struct top_page *p)
{
	size_t len;
	FILE *f;

	free(text);
	f = open_memstream(&text, &len);
	assert_int_equal(print__top_json(f, p), 0);
	fclose(f);
}

#define HEAD(by)                                                                                   \
	"{\"schema\":1,\"command\":\"top\",\"version\":\"" PMUTRACE_VERSION                        \
	"\",\"duration_ns\":2000000000,\"at_ns\":1559390400123456789,\"cpus\":2,"                  \
	"\"own_bpf_ns\":1000000,\"own_user_ns\":3000000,\"by\":\"" by                              \
	"\",\"host\":\"box\",\"kernel\":\"6.18\",\"events\":["                                     \
	"{\"event\":\"cycles\",\"unit\":\"\",\"state\":\"multiplexed\",\"value\":3000,"            \
	"\"raw\":750,\"idle\":0,\"enabled_ns\":4000,\"running_ns\":1000,\"group\":0},"             \
	"{\"event\":\"page-faults\",\"unit\":\"\",\"state\":\"counted\",\"value\":4,\"raw\":4,"    \
	"\"idle\":0,\"enabled_ns\":4000,\"running_ns\":4000,\"group\":null},"                      \
	"{\"event\":\"LLC-loads\",\"unit\":\"\",\"state\":\"not-supported\",\"value\":null,"       \
	"\"raw\":null,\"idle\":null,\"enabled_ns\":0,\"running_ns\":0,\"group\":1,"                \
	"\"why\":\"this machine cannot count 'LLC-loads'\"}],"
#define TAIL "\"seen\":100,\"kept\":100,\"losses\":{},\"untold\":0}\n"

static void json_tells_losses(void **state)
{
	struct top_page p = page_with_losses();

	json(&p);
	assert_non_null(strstr(text, "],\"seen\":100,\"kept\":97,\"losses\":{\"tasks_full\":3},"
				     "\"untold\":2}\n"));
}

static void json_is_frozen(void **state)
{
	struct top_page p = page(LIVE_PROCESSES, "cpu,cycles / switches,LLC-loads");

	json(&p);
	assert_text(HEAD("process") "\"columns\":[{\"name\":\"cpu\",\"formula\":"
				    "\"100 * time / interval\",\"share\":1},"
				    "{\"name\":\"cycles / switches\",\"formula\":\"cycles / "
				    "switches\",\"share\":0.25},"
				    "{\"name\":\"LLC-loads\",\"formula\":\"LLC-loads\","
				    "\"share\":0,\"why\":\"this machine cannot count "
				    "'LLC-loads'\"}],\"rows\":["
				    "{\"key\":{\"pid\":11,\"comm\":\"web\"},\"values\":{"
				    "\"cpu\":75,\"cycles / switches\":375,\"LLC-loads\":null},"
				    "\"command\":\"web --port 80\",\"parent\":1,\"uid\":33,"
				    "\"user\":\"www\",\"cgroup\":\"/web.slice\","
				    "\"exited\":false},"
				    "{\"key\":{\"pid\":13,\"comm\":\"a\\\"b\\u001b,\xef\xbf\xbd\"},"
				    "\"values\":{\"cpu\":0.05,\"cycles / switches\":null,"
				    "\"LLC-loads\":null},\"command\":null,\"parent\":null,"
				    "\"uid\":null,\"user\":null,\"cgroup\":\"/web.slice\","
				    "\"exited\":true}]," TAIL);
	p = page(LIVE_CGROUPS, "switches");
	p.max_rows = 1;
	json(&p);
	assert_text(HEAD("cgroup") "\"columns\":[{\"name\":\"switches\",\"formula\":\"switches\","
				   "\"share\":1}],\"rows\":[{\"key\":{\"cgroup_id\":1,"
				   "\"cgroup\":\"/web.slice\"},\"values\":{\"switches\":8},"
				   "\"exited\":false}]," TAIL);
	p = page(LIVE_THREADS, "faults");
	p.max_rows = 1;
	json(&p);
	assert_non_null(strstr(text, "\"key\":{\"tid\":11,\"pid\":11,\"comm\":\"web\"}"));
	p = page(LIVE_CPUS, "faults");
	json(&p);
	assert_non_null(strstr(text, "\"rows\":[{\"key\":{\"cpu\":0},\"values\":{\"faults\":3},"
				     "\"exited\":false},{\"key\":{\"cpu\":1},\"values\":{"
				     "\"faults\":1},\"exited\":false}],"));
}

static void units_are_told(void **state)
{
	struct top_page p = page(LIVE_PROCESSES, "cpu");

	live__about(live)->events[1].unit = "ns";
	json(&p);
	assert_non_null(strstr(text, "{\"event\":\"page-faults\",\"unit\":\"ns\","));
}

/* As stat does: the value is in the unit, raw is what was counted. */
static void values_are_in_the_unit(void **state)
{
	struct top_page p = page(LIVE_PROCESSES, "cpu");
	uint64_t values[LIVE_VALUES];
	char expected[128];

	live__about(live)->events[1].scale = 2.5;
	live__totals(live, values);
	snprintf(expected, sizeof(expected), "\"value\":%g,\"raw\":%" PRIu64 ",",
		 2.5 * values[LIVE_EVENTS + 1], values[LIVE_EVENTS + 1]);
	json(&p);
	assert_non_null(strstr(text, expected));
}

/* Rows of processes and what idle CPUs have counted are all of it. */
static void rows_and_idle_are_the_total(void **state)
{
	struct top_page p = page(LIVE_PROCESSES, "cpu");

	json(&p);
	assert_non_null(strstr(text, "\"idle\":0,"));
	add(0, 0, "swapper/1", 1, 1000, 3, 0, 17);
	json(&p);
	assert_non_null(strstr(text, "{\"event\":\"page-faults\","));
	assert_non_null(strstr(strstr(text, "{\"event\":\"page-faults\","), "\"idle\":17,"));
}

/* What people and programs can do about it depends on it. */
static void why_an_event_has_no_value(void **state)
{
	static const struct {
		enum count_state state;
		const char *name;
	} states[] = { { COUNT_NOT_COUNTED, "\"state\":\"not-counted\",\"value\":null" },
		       { COUNT_NOT_SUPPORTED, "\"state\":\"not-supported\",\"value\":null" },
		       { COUNT_NO_PERMISSION, "\"state\":\"no-permission\",\"value\":null" } };
	struct top_page p = page(LIVE_PROCESSES, "cpu");

	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		live__about(live)->events[2].state = states[i].state;
		json(&p);
		assert_non_null(strstr(text, states[i].name));
	}
}

static void full_commands(void **state)
{
	struct top_page p = page(LIVE_PROCESSES, "switches");

	p.full = true;
	table(&p);
	assert_non_null(strstr(text, "  web --port 80\n"));
	assert_non_null(strstr(text, "(exited)\n")); /* by its name: no more is known */
	p = page(LIVE_CGROUPS, "switches");
	p.full = true;
	table(&p);
	assert_non_null(strstr(text, "  /web.slice\n"));
}

static void csv(const struct top_page *p, bool header)
{
	size_t len;
	FILE *f;

	free(text);
	f = open_memstream(&text, &len);
	assert_int_equal(print__top_csv(f, p, header), 0);
	fclose(f);
}

#define WHEN "1559390400123456789,2000000000,"

static void csv_is_frozen(void **state)
{
	struct top_page p = page(LIVE_PROCESSES, "cpu,cycles / switches,LLC-loads");

	csv(&p, true);
	assert_text("at_ns,duration_ns,pid,comm,exited,cpu,cycles / switches,LLC-loads\n" WHEN
		    "11,web,0,75,375,-\n" WHEN "13,\"a\"\"b?,\xef\xbf\xbd\",1,0.05,-,-\n");
	csv(&p, false);
	assert_text(WHEN "11,web,0,75,375,-\n" WHEN "13,\"a\"\"b?,\xef\xbf\xbd\",1,0.05,-,-\n");
	p = page(LIVE_CGROUPS, "switches");
	p.processes = NULL;
	csv(&p, true);
	assert_text("at_ns,duration_ns,cgroup_id,cgroup,exited,switches\n" WHEN "1,-,0,8\n");
	p = page(LIVE_THREADS, "switches");
	p.max_rows = 1;
	csv(&p, true);
	assert_text("at_ns,duration_ns,tid,pid,comm,exited,switches\n" WHEN "11,11,web,0,7\n");
	p = page(LIVE_CPUS, "switches");
	csv(&p, true);
	assert_text("at_ns,duration_ns,cpu,exited,switches\n" WHEN "0,0,7\n" WHEN "1,0,1\n");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(a_table_for_people),
		TEST(losses_are_told),
		TEST(json_tells_losses),
		TEST(json_is_frozen),
		TEST(units_are_told),
		TEST(values_are_in_the_unit),
		TEST(rows_and_idle_are_the_total),
		TEST(why_an_event_has_no_value),
		TEST(full_commands),
		TEST(csv_is_frozen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
