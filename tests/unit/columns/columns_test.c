// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <malloc.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "columns/column_defs.h"
#include "columns/columns.h"

enum { CYCLES, INSTRUCTIONS, CACHE_MISSES, FAULTS, NR_EVENTS };

/* Two of a group, one by itself, one that is counted all the time. */
static struct live_event events[NR_EVENTS + 1];
static struct live_about about;
static struct live_row row;
static struct column_defs *defs;
static struct columns columns;
static struct buf why;

static int set_up(void **state)
{
	const struct live_event all[] = {
		{ .name = "cycles", .group = 0, .enabled_ns = 1000, .running_ns = 1000 },
		{ .name = "instructions", .group = 0, .enabled_ns = 1000, .running_ns = 1000 },
		{ .name = "cache-misses", .group = 1, .enabled_ns = 1000, .running_ns = 250 },
		{ .name = "page-faults", .group = -1 },
		{ .name = "LLC-loads", .group = -1, .why = "this machine has no such event" },
	};

	memcpy(events, all, sizeof(events));
	about = (struct live_about){ .interval_ns = 2000,
				     .events = events,
				     .nr_events = NR_EVENTS + 1 };
	/* 500 ns of 2000, 4 switches, 400 cycles, 1000 instructions, 25 of 100 misses, 7 faults */
	row = (struct live_row){ .id = 1, .nr_tasks = 3, .values = { 500, 4, 400, 1000, 25, 7 } };
	defs = column_defs__new();
	return !defs;
}

static int tear_down(void **state)
{
	columns__free(&columns);
	column_defs__free(defs);
	buf__free(&why);
	return 0;
}

static void choose(const char *choice)
{
	buf__clear(&why);
	if (columns__choose(&columns, defs, choice, events, NR_EVENTS + 1, false, &why))
		fail_msg("%s: %s", choice, why.data);
}

static double value(const char *formula)
{
	choose(formula);
	assert_int_equal(columns.nr, 1);
	return column__value(&columns.items[0], &about, &row);
}

static void assert_value(const char *formula, double expected)
{
	double is = value(formula);

	if (!(fabs(is - expected) <= 1e-12 * fabs(expected)))
		fail_msg("%s is %.17g, not %.17g", formula, is, expected);
}

static void assert_unknown(const char *formula)
{
	if (!isnan(value(formula)))
		fail_msg("%s has a value", formula);
}

static void assert_refused(const char *choice, const char *reason)
{
	buf__clear(&why);
	assert_int_equal(
		columns__choose(&columns, defs, choice, events, NR_EVENTS + 1, false, &why),
		-EINVAL);
	assert_non_null(why.data);
	if (!strstr(why.data, reason))
		fail_msg("%s: '%s' does not say '%s'", choice, why.data, reason);
}

static void arithmetic(void **state)
{
	assert_value("1 + 2 * 3", 7);
	assert_value("(1 + 2) * 3", 9);
	assert_value("10 - 4 - 3", 3);
	assert_value("64 / 4 / 2", 8);
	assert_value("2 - -3", 5);
	assert_value("--2", 2);
	assert_value("-(2 + 3) * 2", -10);
	assert_value("-2 - 3", -5);
	assert_value("0.5", 0.5);
	assert_value("1e6 / 1e3", 1000);
	assert_value("15e-1", 1.5);
	assert_value("123456789012345", 123456789012345.0);
	assert_value("0.1 + 0.2", 0.1 + 0.2);
}

static void what_a_row_has(void **state)
{
	assert_value("time", 500);
	assert_value("switches", 4);
	assert_value("tasks", 3);
	assert_value("interval", 2000);
	assert_value("cycles", 400);
	assert_value("instructions / cycles", 2.5);
	assert_value("page-faults * 2", 14);
	assert_value("cycles -page-faults", 393);
	assert_value("'page-faults' + 1", 8);
}

static void built_in_columns(void **state)
{
	assert_value("cpu", 25);
	assert_value("ipc", 2.5);
	assert_value("ghz", 0.8);
	assert_value("slice", 125);
	assert_value("faults", 7);
}

static void of_an_event_that_took_turns_the_estimate_is_used(void **state)
{
	assert_value("cache-misses", 100);
	assert_value("1000 * cache-misses / time", 200);
	choose("cache-misses,cycles,page-faults,cache-misses + page-faults");
	assert_true(column__share(&columns.items[0], &about) == 0.25);
	assert_true(column__share(&columns.items[1], &about) == 1);
	assert_true(column__share(&columns.items[2], &about) == 1);
	assert_true(column__share(&columns.items[3], &about) == 0.25);
}

static void the_scale_of_an_event_is_applied(void **state)
{
	events[CYCLES].scale = 4;
	assert_value("cycles", 1600);
	assert_value("instructions / cycles", 0.625);
	events[CACHE_MISSES].scale = 0.5;
	assert_value("'cache-misses'", 50);
}

static void what_is_not_known_has_no_value(void **state)
{
	assert_unknown("1 / 0");
	assert_unknown("0 / 0");
	assert_unknown("0 * (1 / 0)");
	row.values[LIVE_EVENTS + CYCLES] = 0;
	assert_unknown("ipc");
	row.nr_tasks = 0;
	assert_unknown("tasks");
	events[CACHE_MISSES].running_ns = 0;
	assert_unknown("cache-misses");
	assert_unknown("0 * cache-misses");
	about.nr_events = FAULTS;
	assert_unknown("page-faults");
	about.interval_ns = 0;
	assert_unknown("cpu");
	assert_unknown(
		"1e22 * 1e22 * 1e22 * 1e22 * 1e22 * 1e22 * 1e22 * 1e22 * 1e22 * 1e22 * 1e22 * "
		"1e22 * 1e22 * 1e22 * 1e22");
}

static void what_was_not_counted_together_makes_no_ratio(void **state)
{
	assert_refused("1000 * cache-misses / instructions",
		       "cache-misses and instructions are not counted together");
	assert_refused("mpki", "-e '{cache-misses,instructions}'");
	assert_refused("ipc,ipc * mpki", "instructions and cache-misses");
	assert_value("cache-misses / page-faults", 100.0 / 7);
}

static void wrong_formulas_are_told_with_their_place(void **state)
{
	assert_refused("1 +", "in '1 +', column 4: a number, a name or ( is missing");
	assert_refused("(1 + 2", "column 7: ) is missing");
	assert_refused("1 + 2)", "column 6: there is no ( for this )");
	assert_refused("1 2", "column 3: an operator is expected");
	assert_refused("2x", "not a number");
	assert_refused("1.", "not a number");
	assert_refused("1e", "not a number");
	assert_refused("1e23", "not a number");
	assert_refused("1234567890123456", "not a number");
	assert_refused("1..2", "not a number");
	assert_refused("'cycles", "the quote has no end");
	assert_refused("1 * ''", "a name is missing");
	assert_refused("cpu,,ipc", "a name is missing in 'cpu,,ipc'");
	assert_refused("", "a name is missing");
	assert_refused("cpu,", "a name is missing");
	assert_refused("cycle", "did you mean cycles");
	assert_refused("swiches", "did you mean switches");
	assert_refused("cycles % 2", "column 8: an operator is expected");
}

static void there_is_a_limit_to_everything(void **state)
{
	struct buf text = {};

	for (int i = 0; i < FORMULA_DEPTH + 1; i++)
		assert_int_equal(buf__puts(&text, "("), 0);
	assert_refused(text.data, "too many parentheses");
	buf__clear(&text);
	assert_int_equal(buf__puts(&text, "1"), 0);
	for (int i = 0; i < FORMULA_OPS; i++)
		assert_int_equal(buf__puts(&text, "+1"), 0);
	assert_refused(text.data, "too long");
	buf__clear(&text);
	for (int i = 0; i < FORMULA_NAME; i++)
		assert_int_equal(buf__puts(&text, "a"), 0);
	assert_int_equal(buf__puts(&text, "+1"), 0);
	assert_refused(text.data, "the name is too long");
	buf__free(&text);
}

static void assert_columns(const char *choice, const char *expected)
{
	struct buf names = {};

	choose(choice);
	for (size_t i = 0; i < columns.nr; i++)
		assert_int_equal(buf__printf(&names, "%s%s", i ? " " : "", columns.items[i].name),
				 0);
	assert_string_equal(names.data, expected);
	buf__free(&names);
}

static void a_set_is_its_columns(void **state)
{
	assert_refused("software", "cpu-migrations");
	/* Without mpki, whose events are of two groups. */
	assert_columns("default,ipc,tasks", "cpu ipc ghz cache-misses switches faults tasks");
	assert_string_equal(columns.items[1].title, "IPC");
	assert_string_equal(columns.items[1].formula, "instructions / cycles");
	assert_non_null(columns.items[1].help);
	events[CYCLES].why = "this machine cannot count it";
	assert_columns("default", "cpu cache-misses switches faults");
	column_defs__set_no_pmu(defs);
	assert_columns("default", "cpu switches faults");
	assert_columns("ipc", "ipc");
}

static void an_event_gets_a_column_once(void **state)
{
	choose("cpu,faults");
	assert_int_equal(columns__add_event(&columns, events, FAULTS), 0);
	assert_int_equal(columns.nr, 2);
	assert_int_equal(columns__add_event(&columns, events, CACHE_MISSES), 0);
	assert_int_equal(columns__add_event(&columns, events, CACHE_MISSES), 0);
	assert_int_equal(columns.nr, 3);
	assert_string_equal(columns.items[2].name, "cache-misses");
	assert_true(column__value(&columns.items[2], &about, &row) == 100);
	events[CYCLES].name = "cpu"; /* name=cpu */
	assert_int_equal(columns__add_event(&columns, events, CYCLES), 0);
	assert_string_equal(columns.items[3].name, "'cpu'");
	assert_true(column__value(&columns.items[3], &about, &row) == 400);
}

/* What is in quotes is the event, whatever columns are called; one of that name is another one. */
static void an_event_may_be_called_as_a_column_is(void **state)
{
	static const char config[] = "page-faults = 1000 * 'page-faults'\n";
	size_t at;

	assert_int_equal(column_defs__read(defs, "config", config, strlen(config), &why), 0);
	assert_columns("page-faults,'page-faults',page-faults", "page-faults 'page-faults'");
	assert_true(column__value(&columns.items[0], &about, &row) == 7000);
	assert_true(column__value(&columns.items[1], &about, &row) == 7);
	choose("cpu,'page-faults'");
	assert_int_equal(columns__add(&columns, defs, "page-faults", events, NR_EVENTS, &at, &why),
			 0);
	assert_int_equal(columns.nr, 3);
	assert_true(column__value(&columns.items[at], &about, &row) == 7000);
}

/* name= and paths may have any bytes, JSON may not. */
static void names_are_well_formed(void **state)
{
	events[CYCLES].name = "caf\xe9";
	choose("cpu");
	assert_int_equal(columns__add_event(&columns, events, CYCLES), 0);
	assert_string_equal(columns.items[1].name, "caf\xef\xbf\xbd");
	assert_string_equal(columns.items[1].title, "caf\xef\xbf\xbd");
}

/* What a choice has become can be chosen again. */
static void the_words_of_columns_are_a_choice(void **state)
{
	static const char words[] = "'cpu/event=0x3c,umask=1/',cache-misses,faults,time / switches,"
				    "page-faults,'cpu/event=0x3c,umask=1/' / time,'cpu'";
	struct buf again = {};

	events[CYCLES].name = "cpu/event=0x3c,umask=1/";
	events[INSTRUCTIONS].name = "cpu"; /* name=cpu */
	choose("cpu,'cpu/event=0x3c,umask=1/','cache-misses',faults,time / switches,page-faults,"
	       "'cpu/event=0x3c,umask=1/' / time");
	assert_int_equal(columns__add_event(&columns, events, INSTRUCTIONS), 0);
	for (size_t i = 1; i < columns.nr; i++) {
		if (again.len)
			assert_int_equal(buf__puts(&again, ","), 0);
		assert_int_equal(column__word(&columns.items[i], &again), 0);
	}
	assert_string_equal(again.data, words);
	choose(words);
	assert_int_equal(columns.nr, 7);
	buf__free(&again);
}

static void a_column_to_sort_by_is_shown(void **state)
{
	size_t index;

	choose("cpu,ipc");
	assert_int_equal(columns__add(&columns, defs, "ipc", events, NR_EVENTS, &index, &why), 0);
	assert_int_equal(index, 1);
	assert_int_equal(columns__add(&columns, defs, "time", events, NR_EVENTS, &index, &why), 0);
	assert_int_equal(index, 2);
	assert_int_equal(columns__add(&columns, defs, "cache", events, NR_EVENTS, &index, &why),
			 -EINVAL);
	assert_non_null(strstr(why.data, "is a set"));
	assert_int_equal(columns.nr, 3);
}

static void a_column_without_a_value_says_why(void **state)
{
	choose("LLC-loads,cache-misses,cpu,2 * cycles");
	assert_string_equal(columns.items[0].why, "this machine has no such event");
	assert_true(isnan(column__value(&columns.items[0], &about, &row)));
	assert_null(columns.items[1].why);
	events[CACHE_MISSES].running_ns = 0;
	events[CYCLES].why = "the kernel refuses it";
	assert_int_equal(columns__explain(&columns, &about), 0);
	assert_string_equal(columns.items[0].why, "this machine has no such event");
	assert_non_null(strstr(columns.items[1].why, "cache-misses had none"));
	assert_null(columns.items[2].why);
	assert_string_equal(columns.items[3].why, "the kernel refuses it");
	events[CACHE_MISSES].running_ns = 1;
	assert_int_equal(columns__explain(&columns, &about), 0);
	assert_null(columns.items[1].why);
}

static int say_missing(void *arg, const char *name, struct buf *w)
{
	strcpy(arg, name);
	return buf__puts(w, "nobody counts it");
}

/* One who knows more than which columns there are is asked why. */
static void a_name_without_a_value_is_told_by_who_knows(void **state)
{
	char asked[64] = "";
	size_t index;

	assert_int_equal(
		columns__choose(&columns, defs, "cpu,branches", events, NR_EVENTS, false, &why),
		-EINVAL);
	assert_non_null(strstr(why.data, "there is no column 'branches'"));
	column_defs__on_missing(defs, say_missing, asked);
	buf__clear(&why);
	assert_int_equal(
		columns__choose(&columns, defs, "cpu,2 * branches", events, NR_EVENTS, false, &why),
		-EINVAL);
	assert_string_equal(asked, "branches");
	assert_string_equal(why.data, "in '2 * branches', column 5: nobody counts it");
	buf__clear(&why);
	choose("cpu");
	assert_int_equal(columns__add(&columns, defs, "slots", events, NR_EVENTS, &index, &why),
			 -EINVAL);
	assert_string_equal(asked, "slots");
	assert_string_equal(why.data, "nobody counts it");
}

static void assert_order(const char *formula, bool invert, const uint64_t *ids)
{
	struct live_row items[] = {
		{ .id = 1, .values = { 10, 0, 0, 9 } },	 { .id = 2, .values = { 10, 0, 3, 9 } },
		{ .id = 3, .values = { 30, 0, 1, 9 } },	 { .id = 4, .values = { 20, 0, 0, 9 } },
		{ .id = 5, .values = { 20, 0, 9, 27 } },
	};
	struct live_rows rows = { .items = items, .nr = 5 };

	choose(formula);
	columns__sort(&columns.items[0], &about, &rows, invert);
	for (size_t i = 0; i < rows.nr; i++)
		if (items[i].id != ids[i])
			fail_msg("%s: row %zu is %d, not %d", formula, i, (int)items[i].id,
				 (int)ids[i]);
}

static void rows_are_sorted_and_the_unknown_are_last(void **state)
{
	assert_order("time", false, (const uint64_t[]){ 3, 4, 5, 1, 2 });
	assert_order("time", true, (const uint64_t[]){ 1, 2, 4, 5, 3 });
	assert_order("ipc", false, (const uint64_t[]){ 3, 2, 5, 1, 4 });
	assert_order("ipc", true, (const uint64_t[]){ 2, 5, 3, 1, 4 });
	assert_order("-time", false, (const uint64_t[]){ 1, 2, 4, 5, 3 });
}

static void assert_text(enum column_form form, double x, const char *expected)
{
	const struct column c = { .form = form };
	char text[READABLE_CHARS];

	column__text(&c, x, text);
	assert_string_equal(text, expected);
}

static void values_as_people_read_them(void **state)
{
	assert_text(COLUMN_COUNT, NAN, "-");
	assert_text(COLUMN_TIME, NAN, "-");
	assert_text(COLUMN_COUNT, 12300000, "12.3M");
	assert_text(COLUMN_COUNT, -1210, "-1.21k");
	assert_text(COLUMN_COUNT, 0, "0");
	assert_text(COLUMN_PERCENT, 99.75, "99.8");
	assert_text(COLUMN_PERCENT, 0, "0.0");
	assert_text(COLUMN_RATIO, 2.5, "2.50");
	assert_text(COLUMN_RATIO, -0.125, "-0.12");
	assert_text(COLUMN_RATIO, 12300000, "12.3M");
	assert_text(COLUMN_TIME, 12300000, "12.3ms");
	assert_text(COLUMN_COUNT, 1e18, "1000000000G");
}

/* An event's reason may be another one in each interval of a recording. */
static void reasons_of_intervals_before_are_not_kept(void **state)
{
	static char reason[60000];
	size_t before;

	(void)state;
	memset(reason, 'x', sizeof(reason) - 1);
	events[FAULTS].why = reason;
	choose("page-faults,2 * page-faults,LLC-loads");
	assert_int_equal(columns__explain(&columns, &about), 0);
	before = mallinfo2().uordblks;
	for (unsigned i = 0; i < 1000; i++) {
		snprintf(reason, 8, "%07u", i);
		reason[7] = 'x';
		assert_int_equal(columns__explain(&columns, &about), 0);
	}
	assert_true(mallinfo2().uordblks < before + (1 << 20));
	assert_string_equal(columns.items[1].why, reason);
	assert_string_equal(columns.items[2].why, "this machine has no such event");
	events[FAULTS].why = NULL;
	assert_int_equal(columns__explain(&columns, &about), 0);
	assert_null(columns.items[1].why);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(arithmetic),
		TEST(what_a_row_has),
		TEST(built_in_columns),
		TEST(of_an_event_that_took_turns_the_estimate_is_used),
		TEST(the_scale_of_an_event_is_applied),
		TEST(what_is_not_known_has_no_value),
		TEST(what_was_not_counted_together_makes_no_ratio),
		TEST(wrong_formulas_are_told_with_their_place),
		TEST(there_is_a_limit_to_everything),
		TEST(a_set_is_its_columns),
		TEST(an_event_gets_a_column_once),
		TEST(an_event_may_be_called_as_a_column_is),
		TEST(names_are_well_formed),
		TEST(the_words_of_columns_are_a_choice),
		TEST(a_column_to_sort_by_is_shown),
		TEST(a_column_without_a_value_says_why),
		TEST(a_name_without_a_value_is_told_by_who_knows),
		TEST(reasons_of_intervals_before_are_not_kept),
		TEST(rows_are_sorted_and_the_unknown_are_last),
		TEST(values_as_people_read_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
