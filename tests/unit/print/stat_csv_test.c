// SPDX-License-Identifier: BSD-2-Clause
#include "stat_results.h"

#include <errno.h>

#include "print/stat_csv.h"
#include "print/stat_separated.h"

#define COLUMNS                                                                                    \
	"event,unit,state,value,raw,enabled_ns,running_ns,metric,metric_unit,metric2,metric2_unit"

static const struct stat_separated_opts comma = { ",", NULL };

/* task-clock, cycles (a quarter of the time), instructions (not supported) */
static struct counts *three(enum counts_by by)
{
	struct counts *c = new_counts(by);

	add_counter(c, "task-clock", ROLE_TASK_CLOCK, COUNTS_NO_GROUP);
	add_counter(c, "cycles", ROLE_CYCLES, COUNTS_NO_GROUP);
	add_counter(c, "instructions", ROLE_INSTRUCTIONS, COUNTS_NO_GROUP);
	return c;
}

static void add_three(struct counts *c, struct counts_key key)
{
	ADD_VALUES(c, key, counted(500000000), part(200, 25), absent(COUNT_NOT_SUPPORTED));
}

static void check_of(struct counts *c, const char *separator, const char *cgroups,
		     const char *expected)
{
	const struct stat_separated_opts opts = { separator, cgroups };
	char *text;

	counts__finish(c);
	text = WRITTEN(print__stat_separated(f, c, &opts));
	assert_string_equal(text, expected);
	free(text);
	counts__free(c);
}

static void check_separated(struct counts *c, const char *separator, const char *expected)
{
	check_of(c, separator, NULL, expected);
}

static void check_csv(struct counts *c, const char *expected)
{
	char *text;

	counts__finish(c);
	text = WRITTEN(print__stat_csv(f, c, true));
	assert_string_equal(text, expected);
	free(text);
	counts__free(c);
}

static void separated_values_are_those_of_perf(void **state)
{
	struct counts *c = three(COUNTS_BY_NOTHING);

	add_three(c, of_cpu(0));
	check_separated(c, ",",
			"500.00,msec,task-clock,1000000000,100.00,0.250,CPUs utilized\n"
			"800,,cycles,250000000,25.00,0.000,GHz\n"
			"<not supported>,,instructions,0,100.00,,\n");
	c = three(COUNTS_BY_NOTHING);
	add_three(c, of_cpu(0));
	check_separated(c, "; ",
			"500.00; msec; task-clock; 1000000000; 100.00; 0.250; CPUs utilized\n"
			"800; ; cycles; 250000000; 25.00; 0.000; GHz\n"
			"<not supported>; ; instructions; 0; 100.00; ; \n");
}

static void separated_rows_have_the_prefixes_of_perf(void **state)
{
#define LINE(before, behind)                                                                       \
	before "500.00,msec,task-clock" behind ",1000000000,100.00,0.250,CPUs utilized\n" before   \
	       "800,,cycles" behind ",250000000,25.00,0.000,GHz\n" before                          \
	       "<not supported>,,instructions" behind ",0,100.00,,\n"

	static const char *const expected[] = {
		LINE("CPU7,", ""),   LINE("S1-D0-C3,2,", ""), LINE("S1,2,", ""),
		LINE("a,b-42,", ""), LINE("sh-41,", ""),      LINE("", ",/web"),
	};
	struct counts *c;

	for (size_t i = 0; i < ARRAY_SIZE(row_keys); i++) {
		c = three(row_keys[i].by);
		add_three(c, row_keys[i].key);
		check_separated(c, ",", expected[i]);
	}
	c = three(COUNTS_BY_CPU);
	c->at_ns = 50103823;
	add_three(c, of_cpu(0));
	check_separated(c, ",", LINE("0.050103823,CPU0,", ""));
}

/* The lines of perf stat -a -x, -G NAME, also with -A. */
static void separated_counts_of_cgroups_name_them(void **state)
{
	struct counts *c = three(COUNTS_BY_NOTHING);

	add_three(c, of_cpu(0));
	check_of(c, ",", "web+db", LINE("", ",web+db"));
	c = three(COUNTS_BY_CPU);
	add_three(c, of_cpu(7));
	check_of(c, ",", "web", LINE("CPU7,", ",web"));
}

/* Never on a counter while it was enabled is no share of nothing. */
static void separated_not_counted_ran_for_nothing(void **state)
{
	struct counts *c = new_counts(COUNTS_BY_NOTHING);

	add_counter(c, "cycles", ROLE_CYCLES, COUNTS_NO_GROUP);
	ADD_VALUES(c, of_cpu(0), part(0, 0));
	check_separated(c, ",", "<not counted>,,cycles,0,0.00,,\n");
}

static void separated_repetitions_have_a_spread(void **state)
{
	struct counts *c = three(COUNTS_BY_NOTHING);

	add_three(c, of_cpu(0));
	for (int i = 0; i < 4; i++) {
		counts_runs__add(&c->runs[0], 300000000);
		/* deviation 2 of 4 runs: the mean is good to 1 in 100 */
		counts_runs__add(&c->runs[1], i < 2 ? 100 - sqrt(3) : 100 + sqrt(3));
		counts_runs__add(&c->runs[3], 2);
	}
	check_separated(c, ",",
			"300.00,msec,task-clock,0.00%,1000000000,100.00,0.150,CPUs utilized\n"
			"100,,cycles,1.00%,250000000,25.00,0.000,GHz\n"
			"<not supported>,,instructions,,0,100.00,,\n");
}

/* All fields before it are empty: as many separators as in the line above. */
static void a_second_metric_is_a_line_of_empty_fields(void **state)
{
	struct counts *c = new_counts(COUNTS_BY_SOCKET);

	add_counter(c, "instructions", ROLE_INSTRUCTIONS, 0);
	add_counter(c, "branch-misses", ROLE_BRANCH_MISSES, 0);
	c->at_ns = 1000000001;
	ADD_VALUES(c, ((struct counts_key){ .nr_cpus = 4 }), counted(4000), counted(10));
	check_separated(c, ",",
			"1.000000001,S0,4,4000,,instructions,1000000000,100.00,2.000,K/sec\n"
			"1.000000001,S0,4,10,,branch-misses,1000000000,100.00,5.000,/sec\n"
			",,,,,,,,2.50,MPKI\n");
}

static void it_has_one_more_with_a_cgroup(void **state)
{
	struct counts *c = new_counts(COUNTS_BY_NOTHING);

	add_counter(c, "instructions", ROLE_INSTRUCTIONS, 0);
	add_counter(c, "branch-misses", ROLE_BRANCH_MISSES, 0);
	ADD_VALUES(c, of_cpu(0), counted(4000), counted(10));
	check_of(c, ",", "web",
		 "4000,,instructions,web,1000000000,100.00,2.000,K/sec\n"
		 "10,,branch-misses,web,1000000000,100.00,5.000,/sec\n"
		 ",,,,,,2.50,MPKI\n");
}

static void our_own_has_a_header_and_all_states(void **state)
{
	check_csv(all_states(), COLUMNS
		  "\n"
		  "task-clock,ns,counted,500000000,500000000,1000000000,1000000000,"
		  "0.250,CPUs utilized,-,-\n"
		  "cycles:u,,multiplexed,2000000000,1000000000,1000000000,500000000,4.000,GHz,-,-\n"
		  "instructions:u,,multiplexed,1000000000,500000000,1000000000,500000000,"
		  "0.50,insn per cycle,-,-\n"
		  "branch-misses:u,,multiplexed,2000000,1000000,1000000000,500000000,"
		  "4.000,M/sec,2.00,MPKI\n"
		  "LLC-loads,,not-supported,-,-,0,0,-,-,-,-\n"
		  "bus-cycles,,not-counted,-,-,1000000000,0,-,-,-,-\n"
		  "ref-cycles,,no-permission,-,-,0,0,-,-,-,-\n");
}

static void our_own_has_columns_for_the_key(void **state)
{
	static const struct {
		const char *header, *values;
	} expected[] = {
		{ "cpu,", "7," },	    { "socket,core,cpus,", "1,3,2," },
		{ "socket,cpus,", "1,2," }, { "comm,pid,tid,", "\"a,b\",41,42," },
		{ "comm,pid,", "sh,41," },  { "cgroup,", "/web," },
	};

	for (size_t i = 0; i < 2 * ARRAY_SIZE(row_keys); i++) {
		size_t k = i % ARRAY_SIZE(row_keys);
		struct counts *c = keyed(k);
		bool later = i != k;
		char text[512];

		c->at_ns = later ? 1500000000 : 0;
		snprintf(text, sizeof(text),
			 "%s%s" COLUMNS "\n%s%sfaults,,counted,4,4,1000000000,1000000000,"
			 "2.000,/sec,-,-\n",
			 later ? "time_ns," : "", expected[k].header, later ? "1500000000," : "",
			 expected[k].values);
		check_csv(c, text);
	}
}

static void only_the_first_interval_has_a_header(void **state)
{
	struct counts *c = three(COUNTS_BY_NOTHING);
	char *text;

	c->at_ns = 5;
	add_three(c, of_cpu(0));
	counts__finish(c);
	text = WRITTEN(print__stat_csv(f, c, false));
	assert_int_equal(count_of(text, "\n"), 3);
	assert_memory_equal(text, "5,task-clock,", 13);
	free(text);
	counts__free(c);
}

static void our_own_has_runs_and_scales(void **state)
{
	struct counts *c = repeated();
	char *text;

	counts__finish(c);
	text = WRITTEN(print__stat_csv(f, c, true));
	assert_non_null(strstr(text, COLUMNS ",runs,stddev,ci95\n"));
	assert_non_null(strstr(text, "\npower/energy-pkg/,Joules,counted,2.5,12,"
				     "1000000000,1000000000,-,-,-,-,2,0.7071067811865"));
	assert_non_null(strstr(text, ",6.353"));
	assert_non_null(strstr(text, "\nonce,,counted,3,3,1000000000,1000000000,"
				     "-,-,-,-,1,-,-\n"));
	free(text);
	counts__free(c);
}

static void hostile_names_are_quoted_or_harmless(void **state)
{
	struct counts *c = hostile_results();
	char *text;
#define QUOTED "\"a;b\"\"c'd<e>f&g\\h??[31m\xef\xbf\xbd]]>\""
#define PLAIN  "a;b\"c'd<e>f&g\\h??[31m\xef\xbf\xbd]]>"

	counts__finish(c);
	text = WRITTEN(print__stat_csv(f, c, true));
	assert_non_null(strstr(text, "\n" QUOTED ",1,2," QUOTED ",,counted,4,4,"));
	assert_int_equal(count_of(text, "\n"), 2);
	free(text);
	text = WRITTEN(print__stat_separated(f, c, &comma));
	assert_memory_equal(text, PLAIN "-2,4,," PLAIN ",", strlen(PLAIN "-2,4,," PLAIN ","));
	assert_int_equal(count_of(text, "\n"), 1);
	free(text);
	counts__free(c);
}

static void events_asked_for_twice_can_be_told_apart(void **state)
{
	struct counts *c = thrice();
	char *text;

	counts__finish(c);
	text = WRITTEN(print__stat_csv(f, c, false));
	assert_memory_equal(text, "0,faults,,counted,1,", 20);
	assert_non_null(strstr(text, "\n0,faults#2,,counted,2,"));
	assert_non_null(strstr(text, "\n0,faults#3,,counted,3,"));
	free(text);
	counts__free(c);
}

static void a_full_disk_is_an_error(void **state)
{
	struct counts *c = three(COUNTS_BY_NOTHING);
	FILE *f = full_disk();

	add_three(c, of_cpu(0));
	counts__finish(c);
	assert_int_equal(print__stat_csv(f, c, true), -ENOSPC);
	fclose(f);
	f = full_disk();
	assert_int_equal(print__stat_separated(f, c, &comma), -ENOSPC);
	fclose(f);
	counts__free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(separated_values_are_those_of_perf),
		cmocka_unit_test(separated_rows_have_the_prefixes_of_perf),
		cmocka_unit_test(separated_counts_of_cgroups_name_them),
		cmocka_unit_test(separated_not_counted_ran_for_nothing),
		cmocka_unit_test(separated_repetitions_have_a_spread),
		cmocka_unit_test(a_second_metric_is_a_line_of_empty_fields),
		cmocka_unit_test(it_has_one_more_with_a_cgroup),
		cmocka_unit_test(our_own_has_a_header_and_all_states),
		cmocka_unit_test(our_own_has_columns_for_the_key),
		cmocka_unit_test(only_the_first_interval_has_a_header),
		cmocka_unit_test(our_own_has_runs_and_scales),
		cmocka_unit_test(hostile_names_are_quoted_or_harmless),
		cmocka_unit_test(events_asked_for_twice_can_be_told_apart),
		cmocka_unit_test(a_full_disk_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
