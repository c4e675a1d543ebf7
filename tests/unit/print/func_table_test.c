// SPDX-License-Identifier: BSD-2-Clause
#include "hits.h"

#include "base/readable.h"
#include "print/csv.h"
#include "print/func_table.h"
#include "print/profile_json.h"

enum { VALUES = 10 };

/* Calls of one row: the sums, least and most of each metric. */
static void add_calls(struct profile *p, const char *function, uint32_t stack, uint64_t n,
		      const struct profile_value *values)
{
	uint64_t words[] = { text_word(p, function) };
	struct row_key key = { .stack = stack };

	if (p->nr_fields)
		assert_int_equal(tuples__add(&p->tuples, words, &key.fields), 0);
	assert_int_equal(profile__add(p, &key, n, n, values), 0);
	p->losses.seen += n;
	p->losses.kept += n;
}

static struct profile *new_calls(unsigned by)
{
	struct profile *p = new_hits(by, "libc:*");

	if (!by)
		add_field(p, "func", FIELD_TEXT);
	p->names_event = true;
	add_metric(p, "time", "ns", false);
	add_metric(p, "self", "ns", false);
	add_metric(p, "on-cpu", "ns", false);
	add_metric(p, "off-cpu", "ns", false);
	return p;
}

static void add_event_metrics(struct profile *p, const char *event, const char *self)
{
	add_metric(p, event, "", false);
	add_metric(p, self, "", false);
}

/*
 * malloc: 4 calls, 2 ms in all, 1 ms the longest; 1000 cycles and 2500 instructions in all, 5
 * misses. free: 8 calls in 1 ms, 400 instructions that no cycle was counted for.
 */
static struct profile *allocations(void)
{
	static const struct profile_value malloc_values[VALUES] = {
		{ 2000000, 200000, 1000000 },
		{ 1000000, 1, 1 },
		{ 800000, 1, 1 },
		{ 1200000, 1, 1 },
		{ 1000, 100, 700 },
		{ 800, 1, 1 },
		{ 2500, 200, 900 },
		{ 2000, 1, 1 },
		{ 5, 0, 5 },
		{ 5, 0, 5 },
	};
	static const struct profile_value free_values[VALUES] = {
		{ 1000000, 100000, 150000 },
		{ 1000000, 1, 1 },
		{ 1000000, 1, 1 },
		{ 0, 0, 0 },
		{ 0, 0, 0 },
		{ 0, 0, 0 },
		{ 400, 50, 50 },
		{ 400, 50, 50 },
		{ 0, 0, 0 },
		{ 0, 0, 0 },
	};
	struct profile *p = new_calls(0);

	add_event_metrics(p, "cycles", "cycles:self");
	add_event_metrics(p, "instructions", "instructions:self");
	add_event_metrics(p, "cache-misses", "cache-misses:self");
	add_calls(p, "free", 0, 8, free_values);
	add_calls(p, "malloc", 0, 4, malloc_values);
	return p;
}

static void shows(struct profile *p, struct func_table_opts o, const char *expected)
{
	char *text = WRITTEN(print__func_table(f, p, &o));

	assert_string_equal(text, expected);
	free(text);
	profile__free(p);
}

/*
 * 2500 / 1000 instructions a cycle; 5 misses of 2500 are 2 of 1000. Means: 2 ms / 4, .. Of malloc's
 * 2 ms another measured call has 1 ms: 3 ms are the sum of both, of which 1 ms is in it twice.
 */
static void most_time_comes_first(void **state)
{
	shows(allocations(), (struct func_table_opts){},
	      "libc:*: 12 calls, 5.00 s\n"
	      "\n"
	      "               ----- time ------  --- mean of a call ---  cycles     instructions"
	      "  cache-misses\n"
	      "FUNC    CALLS  SUM   MEAN    MAX   SELF  ON-CPU  OFF-CPU  SUM  MEAN     SUM  MEAN"
	      "     SUM  MEAN   IPC  MPKI\n"
	      "malloc      4  2ms  500us    1ms  250us   200us    300us   1k   250    2.5k   625"
	      "       5  1.25  2.50  2.00\n"
	      "free        8  1ms  125us  150us  125us   125us      0ns    0     0     400    50"
	      "       0     0     -  0.00\n"
	      "time is inclusive: measured calls in each other make it 3ms in sum, 2ms without "
	      "them (SELF)\n"
	      "\n"
	      "calls: 12 seen, 12 kept, nothing lost\n");
}

static void three_events_fit_into_120_columns(void **state)
{
	struct profile *p = allocations();
	char *text;

	add_calls(p, "a_function_with_a_long_name_in_its_key", 0, 123456,
		  (struct profile_value[VALUES]){ { 123456789012, 1, 999999999 },
						  { 123456789012, 1, 1 },
						  { 123456789012, 1, 1 },
						  { 123456789, 1, 1 },
						  { 123456789012, 1, 1 },
						  { 1, 1, 1 },
						  { 123456789012, 1, 1 },
						  { 1, 1, 1 },
						  { 123456789, 1, 1 },
						  { 1, 1, 1 } });
	text = WRITTEN(print__func_table(f, p, &(struct func_table_opts){ .width = 120 }));
	for (const char *s = text; *s; s += strcspn(s, "\n") + 1)
		assert_true(strcspn(s, "\n") <= 120 + strlen("…"));
	assert_non_null(strstr(text, "\na_func"));
	free(text);
	profile__free(p);
}

static void the_least_and_a_note_are_shown_where_wanted(void **state)
{
	static const struct profile_value values[] = {
		{ 3000, 500, 2500 }, { 3000, 500, 2500 }, { 3000, 1, 1 }, { 0, 0, 0 }
	};
	struct profile *p = new_calls(0);

	add_calls(p, "f", 0, 2, values);
	shows(p, (struct func_table_opts){ .least = true, .note = "net: less 1us" },
	      "libc:*: 2 calls, 5.00 s\n"
	      "net: less 1us\n"
	      "\n"
	      "             --------- time ---------  --- mean of a call ---\n"
	      "FUNC  CALLS  SUM   MEAN    MIN    MAX   SELF  ON-CPU  OFF-CPU\n"
	      "f         2  3us  1.5us  500ns  2.5us  1.5us   1.5us      0ns\n"
	      "\n"
	      "calls: 2 seen, 2 kept, nothing lost\n");
}

/* Only the time is known of what a field matches; modes that differ have no quotient. */
static void what_is_not_measured_has_no_column(void **state)
{
	static const struct profile_value value = { 3000, 1, 2000 };
	struct profile *p = new_hits(0, "a -> b");

	add_metric(p, "time", "ns", false);
	add_calls(p, "", 0, 2, &value);
	shows(p, (struct func_table_opts){},
	      "a -> b: 2 calls, 5.00 s\n"
	      "\n"
	      "       ---- time -----\n"
	      "CALLS  SUM   MEAN  MAX\n"
	      "    2  3us  1.5us  2us\n"
	      "\n"
	      "calls: 2 seen, 2 kept, nothing lost\n");
	p = new_calls(0);
	add_event_metrics(p, "cycles:u", "cycles:u:self");
	add_event_metrics(p, "instructions:k", "instructions:k:self");
	add_calls(p, "f", 0, 1, (struct profile_value[VALUES]){});
	char *text = WRITTEN(print__func_table(f, p, &(struct func_table_opts){}));

	assert_null(strstr(text, "IPC"));
	free(text);
	profile__free(p);
}

static void nothing_is_a_headline(void **state)
{
	shows(new_calls(0), (struct func_table_opts){},
	      "libc:*: 0 calls, 5.00 s\n\ncalls: 0 seen, 0 kept, nothing lost\n");
}

/* Who called is the innermost frame; the rest of the stack is no key then. */
static void the_caller_is_a_part_of_the_key(void **state)
{
	static const struct profile_value values[4] = { { 1000, 500, 500 } };
	struct profile *p = new_calls(BY_CALLER);
	char *text;

	add_calls(p, "", add_stack(p, "csh", "umain", NULL), 2, values);
	add_calls(p, "", add_stack(p, "csh", NULL), 1, (struct profile_value[4]){ { 10, 10, 10 } });
	text = WRITTEN(print__func_table(f, p, &(struct func_table_opts){}));
	assert_non_null(strstr(text, "\nCALLER  CALLS  "));
	assert_non_null(strstr(text, "\nmain        2   1us  500ns  500ns"));
	assert_non_null(strstr(text, "\n-           1  10ns   10ns   10ns"));
	free(text);
	text = WRITTEN(print__csv(f, p, &(struct csv_opts){}));
	assert_non_null(strstr(text, "caller,libc:*,time_sum,"));
	assert_non_null(strstr(text, "\nmain,2,1000,500.000,500,500,"));
	free(text);
	text = WRITTEN(print__json(f, p, &(struct json_opts){ .command = "func" }));
	assert_non_null(strstr(text, "{\"key\":{\"caller\":\"main\"},\"values\":{\"libc:*\":2},"
				     "\"metrics\":{\"time\":{\"sum\":1000,\"avg\":500.000,"
				     "\"min\":500,\"max\":500}"));
	free(text);
	profile__free(p);
}

/* 300 us and 100 cycles a call: 4 * 300 us of malloc's 2 ms, more than free had. */
static void what_probes_cost_is_taken_off(void **state)
{
	const uint64_t each[VALUES] = { 300000, 0, 0, 0, 100 };
	struct profile *p = allocations();
	char *text;

	profile__subtract(p, each);
	/* Rows are in order of appearance: free's come first. */
	assert_int_equal(p->values[0].sum, 0);
	assert_int_equal(p->values[0].max, 0);
	assert_int_equal(p->values[VALUES].sum, 800000);
	assert_int_equal(p->values[VALUES].min, 0);
	assert_int_equal(p->values[VALUES].max, 700000);
	assert_int_equal(p->values[VALUES + 1].sum, 1000000);
	assert_int_equal(p->values[VALUES + 4].sum, 600);
	text = WRITTEN(print__json(f, p, &(struct json_opts){ .command = "func", .net = each }));
	assert_non_null(strstr(text, ",\"net\":{\"time\":300000,\"self\":0,\"on-cpu\":0,"
				     "\"off-cpu\":0,\"cycles\":100,"));
	free(text);
	profile__free(p);
}

static void numbers_have_three_digits(void **state)
{
	static const struct {
		double n;
		const char *time, *number;
	} cases[] = {
		{ 0, "0ns", "0" },
		{ 0.25, "0.25ns", "0.25" },
		{ 812.4, "812ns", "812" },
		{ 999.4, "999ns", "999" },
		{ 999.6, "1us", "1k" },
		{ 1000, "1us", "1k" },
		{ 1214, "1.21us", "1.21k" },
		{ 12300, "12.3us", "12.3k" },
		{ 99960, "100us", "100k" },
		{ 123456, "123us", "123k" },
		{ 999700, "1ms", "1M" },
		{ 1500000000, "1.5s", "1.5G" },
		{ 4e12, "4000s", "4000G" },
		{ 18446744073709551615.0, "18446744074s", "18446744074G" },
	};
	char text[READABLE_CHARS];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		readable__time(cases[i].n, text);
		assert_string_equal(text, cases[i].time);
		readable__number(cases[i].n, text);
		assert_string_equal(text, cases[i].number);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(most_time_comes_first),
		cmocka_unit_test(three_events_fit_into_120_columns),
		cmocka_unit_test(the_least_and_a_note_are_shown_where_wanted),
		cmocka_unit_test(what_is_not_measured_has_no_column),
		cmocka_unit_test(nothing_is_a_headline),
		cmocka_unit_test(the_caller_is_a_part_of_the_key),
		cmocka_unit_test(what_probes_cost_is_taken_off),
		cmocka_unit_test(numbers_have_three_digits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
