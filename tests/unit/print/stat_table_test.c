// SPDX-License-Identifier: BSD-2-Clause
#include "stat_results.h"

#include <errno.h>

#include "print/stat_table.h"

/* The columns of this text are perf 6.1's; what perf pads at a line's end is left out. */
static void looks_like_perf_stat(void **state)
{
	struct counts *c = new_counts(COUNTS_BY_NOTHING);
	char *text;

	add_counter(c, "task-clock", ROLE_TASK_CLOCK, COUNTS_NO_GROUP);
	add_counter(c, "page-faults", ROLE_NONE, COUNTS_NO_GROUP);
	add_counter(c, "cycles", ROLE_CYCLES, 0);
	add_counter(c, "instructions", ROLE_INSTRUCTIONS, 0);
	add_counter(c, "branches", ROLE_BRANCHES, 1);
	add_counter(c, "branch-misses", ROLE_BRANCH_MISSES, 1);
	add_counter(c, "LLC-loads", ROLE_LLC_LOADS, 2);
	add_counter(c, "dTLB-loads", ROLE_DTLB_LOADS, 3);
	add_counter(c, "bus-cycles", ROLE_NONE, 3);
	assert_int_equal(counts__set_target(c, "'make -j2'"), 0);
	c->duration_ns = 2345678901;
	c->user_ns = 1000000000;
	c->system_ns = 7000000;
	SET_VALUES(c, counted(1500000000), counted(30), counted(3000000000), counted(6000000000),
		   part(200000000, 25), part(2500000, 25), absent(COUNT_NOT_SUPPORTED),
		   absent(COUNT_NOT_COUNTED), absent(COUNT_NO_PERMISSION));
	text = WRITTEN(print__stat_table(f, c, true));
	assert_string_equal(text, "\n"
				  " Performance counter stats for 'make -j2':\n"
				  "\n"
				  "          1,500.00 msec task-clock                       "
				  "#    0.639 CPUs utilized\n"
				  "                30      page-faults                      "
				  "#   20.000 /sec\n"
				  "     3,000,000,000      cycles                           "
				  "#    2.000 GHz\n"
				  "     6,000,000,000      instructions                     "
				  "#    2.00  insn per cycle\n"
				  "       800,000,000      branches                         "
				  "#  533.333 M/sec                    (25.00%)\n"
				  "        10,000,000      branch-misses                    "
				  "#    1.25% of all branches          (25.00%)\n"
				  "   <not supported>      LLC-loads\n"
				  "     <not counted>      dTLB-loads\n"
				  "   <no permission>      bus-cycles\n"
				  "\n"
				  "       2.345678901 seconds time elapsed\n"
				  "\n"
				  "       1.000000000 seconds user\n"
				  "       0.007000000 seconds sys\n"
				  "\n");
	free(text);
	counts__free(c);
}

static void reasons_are_given_once(void **state)
{
	static const char why[] = "this CPU has no counter for it";
	struct counts *c = new_counts(COUNTS_BY_CPU);
	char *text;

	add_counter(c, "LLC-loads", ROLE_NONE, 0);
	add_counter(c, "faults", ROLE_NONE, COUNTS_NO_GROUP);
	add_counter(c, "LLC-stores", ROLE_NONE, 0);
	add_counter(c, "instructions", ROLE_NONE, 0);
	c->events[0].why = c->events[2].why = why;
	c->events[1].why = "not said, it was counted";
	c->events[3].why = "bad\033[2J";
	ADD_VALUES(c, of_cpu(0), absent(COUNT_NOT_SUPPORTED), counted(1),
		   absent(COUNT_NOT_SUPPORTED), absent(COUNT_NO_PERMISSION));
	ADD_VALUES(c, of_cpu(1), absent(COUNT_NOT_SUPPORTED), counted(2),
		   absent(COUNT_NOT_SUPPORTED), absent(COUNT_NO_PERMISSION));
	counts__finish(c);
	text = WRITTEN(print__stat_table(f, c, true));
	assert_non_null(strstr(text, "       2.000000000 seconds time elapsed\n"
				     "\n"
				     "LLC-loads, LLC-stores: this CPU has no counter for it\n"
				     "instructions: bad\xef\xbf\xbd[2J\n"));
	assert_null(strstr(text, "not said"));
	assert_non_null(strstr(text, " Performance counter stats:\n"));
	free(text);
	c->at_ns = 1500000000;
	text = WRITTEN(print__stat_table(f, c, true));
	assert_non_null(strstr(text, "# LLC-loads, LLC-stores: this CPU has no counter for it\n"));
	free(text);
	counts__free(c);
}

static void repetitions_have_a_spread(void **state)
{
	struct counts *c = new_counts(COUNTS_BY_NOTHING);
	char *text;

	add_counter(c, "task-clock", ROLE_TASK_CLOCK, COUNTS_NO_GROUP);
	add_counter(c, "page-faults", ROLE_NONE, COUNTS_NO_GROUP);
	add_counter(c, "cycles", ROLE_CYCLES, COUNTS_NO_GROUP);
	assert_int_equal(counts__set_target(c, "'true'"), 0);
	SET_VALUES(c, counted(1), counted(1), absent(COUNT_NOT_SUPPORTED));
	/* Deviation 2, so the mean's standard error is 2 / sqrt(4) = 1. */
	for (int i = 0; i < 4; i++) {
		counts_runs__add(&c->runs[0], 1000000000);
		counts_runs__add(&c->runs[1], i < 2 ? 100 - sqrt(3) : 100 + sqrt(3));
		counts_runs__add(&c->runs[3], i < 2 ? 2 - 0.02 * sqrt(3) : 2 + 0.02 * sqrt(3));
	}
	text = WRITTEN(print__stat_table(f, c, true));
	assert_string_equal(text,
			    "\n"
			    " Performance counter stats for 'true' (4 runs):\n"
			    "\n"
			    "          1,000.00 msec task-clock                       "
			    "#    0.500 CPUs utilized            ( +-  0.00% )\n"
			    "               100      page-faults                      "
			    "#  100.000 /sec                     ( +-  1.00% )\n"
			    "   <not supported>      cycles\n"
			    "\n"
			    "            2.0000 +- 0.0200 seconds time elapsed  ( +-  1.00% )\n"
			    "\n");
	free(text);
	counts__free(c);
}

/* One event, by something: the text between headline and times. */
static void check_rows(struct counts *c, const char *expected)
{
	char *text, *from, *to;

	counts__finish(c);
	assert_int_equal(counts__set_target(c, "'system wide'"), 0);
	text = WRITTEN(print__stat_table(f, c, true));
	from = strstr(text, "'system wide':\n\n");
	assert_non_null(from);
	from += strlen("'system wide':\n\n");
	to = strstr(from, "\n\n");
	assert_non_null(to);
	to[1] = '\0';
	assert_string_equal(from, expected);
	free(text);
	counts__free(c);
}

static struct counts *clock_and_faults(enum counts_by by)
{
	struct counts *c = new_counts(by);

	add_counter(c, "task-clock", ROLE_TASK_CLOCK, COUNTS_NO_GROUP);
	add_counter(c, "page-faults", ROLE_NONE, COUNTS_NO_GROUP);
	return c;
}

static void rows_have_the_prefixes_of_perf(void **state)
{
	struct counts *c = clock_and_faults(COUNTS_BY_CPU);

	ADD_VALUES(c, of_cpu(0), counted(2000000000), counted(150));
	ADD_VALUES(c, of_cpu(11), counted(1000000000), counted(6));
	check_rows(c, "CPU0                 2,000.00 msec task-clock                       "
		      "#    1.000 CPUs utilized\n"
		      "CPU0                      150      page-faults                      "
		      "#   75.000 /sec\n"
		      "CPU11                1,000.00 msec task-clock                       "
		      "#    0.500 CPUs utilized\n"
		      "CPU11                       6      page-faults                      "
		      "#    6.000 /sec\n");
}

/* As perf lays it out: keys that are aligned, a cgroup behind the name. */
static void has_what_the_other_formats_have(void **state)
{
#define VALUE "                4      faults                           #    2.000 /sec\n"
	static const char *const expected[] = {
		"CPU7        " VALUE,
		"S1-D0-C3           2  " VALUE,
		"S1        2  " VALUE,
		"             a,b-42        " VALUE,
		"              sh-41        " VALUE,
		"                 4      faults                    /web #    2.000 /sec\n",
	};

	check_rows(all_states(), "            500.00 msec task-clock                       "
				 "#    0.250 CPUs utilized\n"
				 "     2,000,000,000      cycles:u                         "
				 "#    4.000 GHz                      (50.00%)\n"
				 "     1,000,000,000      instructions:u                   "
				 "#    0.50  insn per cycle           (50.00%)\n"
				 "         2,000,000      branch-misses:u                  "
				 "#    4.000 M/sec                    (50.00%)\n"
				 "                                                         "
				 "#    2.00  MPKI\n"
				 "   <not supported>      LLC-loads\n"
				 "     <not counted>      bus-cycles\n"
				 "   <no permission>      ref-cycles\n");
	for (size_t i = 0; i < ARRAY_SIZE(row_keys); i++)
		check_rows(keyed(i), expected[i]);
	check_rows(thrice(), "CPU0                        1      faults                           "
			     "#    0.500 /sec\n"
			     "CPU0                        2      faults                           "
			     "#    1.000 /sec\n"
			     "CPU0                        3      faults                           "
			     "#    1.500 /sec\n");
}

static void tasks_and_cgroups_are_named(void **state)
{
	struct counts *c = clock_and_faults(COUNTS_BY_THREAD);

	ADD_VALUES(c, task("qemu-system-x86", 400, 443), counted(51210000), counted(14));
	check_rows(c, " qemu-system-x86-443                   51.21 msec task-clock                "
		      "       "
		      "#    0.026 CPUs utilized\n"
		      " qemu-system-x86-443                      14      page-faults               "
		      "       "
		      "#  273.384 /sec\n");

	c = clock_and_faults(COUNTS_BY_CGROUP);
	ADD_VALUES(c, of_cgroup("/a"), counted(2000000000), counted(4));
	ADD_VALUES(c, of_cgroup("/system"), counted(1000000000), counted(6));
	check_rows(c, "          2,000.00 msec task-clock                /a      "
		      "#    1.000 CPUs utilized\n"
		      "                 4      page-faults               /a      "
		      "#    2.000 /sec\n"
		      "          1,000.00 msec task-clock                /system "
		      "#    0.500 CPUs utilized\n"
		      "                 6      page-faults               /system "
		      "#    6.000 /sec\n");
}

static void intervals_have_a_column_of_seconds(void **state)
{
	struct counts *c = clock_and_faults(COUNTS_BY_NOTHING);
	char *text;

	c->at_ns = 12050098186;
	SET_VALUES(c, counted(2000000000), counted(4));
	text = WRITTEN(print__stat_table(f, c, true));
	assert_string_equal(
		text, "#           time             counts unit events\n"
		      "    12.050098186           2,000.00 msec task-clock                       "
		      "#    1.000 CPUs utilized\n"
		      "    12.050098186                  4      page-faults                      "
		      "#    2.000 /sec\n");
	free(text);
	text = WRITTEN(print__stat_table(f, c, false));
	assert_null(strstr(text, "time"));
	assert_int_equal(count_of(text, "\n"), 2);
	free(text);
	counts__free(c);

	c = clock_and_faults(COUNTS_BY_SOCKET);
	c->at_ns = 50092062;
	ADD_VALUES(c, ((struct counts_key){ .nr_cpus = 2 }), counted(2000000000), counted(4));
	counts__finish(c);
	text = WRITTEN(print__stat_table(f, c, true));
	assert_string_equal(text, "#           time socket cpus             counts unit events\n"
				  "     0.050092062 S0        2           2,000.00 msec task-clock "
				  "                      "
				  "#    1.000 CPUs utilized\n"
				  "     0.050092062 S0        2                  4      "
				  "page-faults                      "
				  "#    2.000 /sec\n");
	free(text);
	counts__free(c);
}

/* perf's headings for the other rows: the column "counts" ends where the values end. */
static void headings_stand_over_their_columns(void **state)
{
	static const struct {
		enum counts_by by;
		const char *heading;
	} all[] = {
		{ COUNTS_BY_CPU, "#           time CPU                    counts unit events\n" },
		{ COUNTS_BY_CORE,
		  "#           time core            cpus             counts unit events\n" },
		{ COUNTS_BY_THREAD, "#           time             comm-tid                  "
				    "counts unit events\n" },
		{ COUNTS_BY_PROCESS, "#           time             comm-pid                  "
				     "counts unit events\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		struct counts *c = new_counts(all[i].by);
		char *text, *value;

		add_counter(c, "page-faults", ROLE_NONE, COUNTS_NO_GROUP);
		c->at_ns = 1;
		ADD_VALUES(c, task("sh", 1, 1), counted(777));
		counts__finish(c);
		text = WRITTEN(print__stat_table(f, c, true));
		assert_memory_equal(text, all[i].heading, strlen(all[i].heading));
		value = strstr(text, "777");
		assert_int_equal(value + 3 - (text + strlen(all[i].heading)),
				 strstr(text, "counts") + 6 - text);
		free(text);
		counts__free(c);
	}
}

static void units_and_scales_are_shown(void **state)
{
	struct counts *c = new_counts(COUNTS_BY_NOTHING);
	char *text;

	add_counter(c, "power/energy-pkg/", ROLE_NONE, COUNTS_NO_GROUP);
	add_counter(c, "uncore_imc/data_reads/", ROLE_NONE, COUNTS_NO_GROUP);
	add_counter(c, "faults", ROLE_NONE, COUNTS_NO_GROUP);
	c->events[0].unit = "Joules";
	c->events[0].scale = 0.25;
	c->events[1].unit = "KiB";
	c->events[1].scale = 64;
	c->duration_ns = 0; /* no metrics, please */
	SET_VALUES(c, counted(50001), counted(100), counted(UINT64_MAX));
	text = WRITTEN(print__stat_table(f, c, true));
	assert_non_null(strstr(text, "         12,500.25 Joules power/energy-pkg/\n"
				     "             6,400 KiB    uncore_imc/data_reads/\n"
				     "18,446,744,073,709,551,615        faults\n"));
	free(text);
	counts__free(c);
}

static void a_second_metric_has_its_own_line(void **state)
{
	struct counts *c = new_counts(COUNTS_BY_CPU);

	add_counter(c, "instructions", ROLE_INSTRUCTIONS, 0);
	add_counter(c, "cache-references", ROLE_CACHE_REFS, 0);
	add_counter(c, "cache-misses", ROLE_CACHE_MISSES, 0);
	ADD_VALUES(c, of_cpu(0), counted(2000000), counted(40000), counted(3000));
	check_rows(c, "CPU0                2,000,000      instructions                     "
		      "#    1.000 M/sec\n"
		      "CPU0                   40,000      cache-references                 "
		      "#   20.000 K/sec\n"
		      "CPU0                    3,000      cache-misses                     "
		      "#    7.50% of all cache refs\n"
		      "                                                                    "
		      "#    1.50  MPKI\n");
}

static void long_names_move_the_comments_of_all(void **state)
{
	struct counts *c = new_counts(COUNTS_BY_NOTHING);

	add_counter(c, "cpu/event=0x3c,umask=0x1,name=mine/u", ROLE_NONE, COUNTS_NO_GROUP);
	add_counter(c, "関数", ROLE_NONE, COUNTS_NO_GROUP);
	ADD_VALUES(c, of_cpu(0), counted(2), counted(4));
	check_rows(c, "                 2      cpu/event=0x3c,umask=0x1,name=mine/u "
		      "#    1.000 /sec\n"
		      "                 4      関数                                 "
		      "#    2.000 /sec\n");
}

static void names_cannot_drive_the_terminal(void **state)
{
	struct counts *c = hostile_results();
	char *text;

	counts__finish(c);
	assert_int_equal(counts__set_target(c, HOSTILE), 0);
	text = WRITTEN(print__stat_table(f, c, true));
	assert_null(strchr(text, '\033'));
	/* headline with an empty line on both sides, the row, times with the same */
	assert_int_equal(count_of(text, "\n"), 7);
	assert_int_equal(count_of(text, "a;b\"c'd<e>f&g\\h\xef\xbf\xbd\xef\xbf\xbd[31m"), 3);
	free(text);
	counts__free(c);
}

static void a_full_disk_is_an_error(void **state)
{
	struct counts *c = clock_and_faults(COUNTS_BY_NOTHING);
	FILE *f = full_disk();

	SET_VALUES(c, counted(1), counted(1));
	assert_int_equal(print__stat_table(f, c, true), -ENOSPC);
	fclose(f);
	counts__free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(looks_like_perf_stat),
		cmocka_unit_test(reasons_are_given_once),
		cmocka_unit_test(repetitions_have_a_spread),
		cmocka_unit_test(rows_have_the_prefixes_of_perf),
		cmocka_unit_test(has_what_the_other_formats_have),
		cmocka_unit_test(tasks_and_cgroups_are_named),
		cmocka_unit_test(intervals_have_a_column_of_seconds),
		cmocka_unit_test(headings_stand_over_their_columns),
		cmocka_unit_test(units_and_scales_are_shown),
		cmocka_unit_test(a_second_metric_has_its_own_line),
		cmocka_unit_test(long_names_move_the_comments_of_all),
		cmocka_unit_test(names_cannot_drive_the_terminal),
		cmocka_unit_test(a_full_disk_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
