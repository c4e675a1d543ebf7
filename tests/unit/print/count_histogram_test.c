// SPDX-License-Identifier: BSD-2-Clause
#include "hits.h"

#include "print/count_table.h"
#include "print/range.h"

static void shows(struct profile *p, struct count_table_opts o, const char *expected)
{
	char *text = WRITTEN(print__count_table(f, p, &o));

	assert_string_equal(text, expected);
	free(text);
	profile__free(p);
}

/* Bars of 40: 12 of 988 are 0.49 of a column, 988 are all. */
static void each_key_has_its_own(void **state)
{
	shows(latencies("bytes"), (struct count_table_opts){},
	      "kprobe:a: 1001 hits, 5.00 s\n"
	      "\n"
	      "pid=42 fd=3 op=r: 1000 hits\n"
	      "LAT (bytes)  COUNT  DISTRIBUTION\n"
	      "[1]             12  |                                        |\n"
	      "[2, 3]           0  |                                        |\n"
	      "[4, 7]         988  |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
	      "\n"
	      "pid=7 fd=4 op=r: 1 hit\n"
	      "LAT (bytes)  COUNT  DISTRIBUTION\n"
	      "< 0              1  |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
	      "\n"
	      "hits: 1001 seen, 1001 kept, nothing lost\n");
	shows(latencies("ns"), (struct count_table_opts){ .rows = 1, .width = 38 },
	      "kprobe:a: 1001 hits, 5.00 s\n"
	      "\n"
	      "pid=42 fd=3 op=r: 1000 hits\n"
	      "LAT         COUNT  DISTRIBUTION\n"
	      "[1ns, 2ns)     12  |                 |\n"
	      "[2ns, 4ns)      0  |                 |\n"
	      "[4ns, 8ns)    988  |@@@@@@@@@@@@@@@@@|\n"
	      "… and 1 more: 1 hit\n"
	      "\n"
	      "hits: 1001 seen, 1001 kept, nothing lost\n");
}

/* 0 to 1000 in steps of 10: buckets 0 to 99, 100 is what is above. */
static struct profile *linear(void)
{
	struct profile *p = new_hits(0, "kprobe:a");

	add_field(p, "n", FIELD_BUCKET);
	p->buckets = (struct buckets){ true, 0, 1000, 10, "n", "" };
	add_hits(p, (struct hit){ .n = 4, .words = { 0 } });
	add_hits(p, (struct hit){ .n = 2, .words = { 2 } });
	add_hits(p, (struct hit){ .n = 8, .words = { 100 } });
	return p;
}

/* By nothing there is no key to name; 97 empty ranges in a row are left out. */
static void a_long_gap_is_not_drawn(void **state)
{
	shows(linear(), (struct count_table_opts){},
	      "kprobe:a: 14 hits, 5.00 s\n"
	      "\n"
	      "N         COUNT  DISTRIBUTION\n"
	      "[0, 9]        4  |@@@@@@@@@@@@@@@@@@@@                    |\n"
	      "[10, 19]      0  |                                        |\n"
	      "[20, 29]      2  |@@@@@@@@@@                              |\n"
	      "…\n"
	      ">= 1000       8  |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
	      "\n"
	      "hits: 14 seen, 14 kept, nothing lost\n");
}

static void events_are_apart_and_measures_are_told(void **state)
{
	struct profile *p = new_hits(BY_COMM | BY_KSTACK, "kprobe:a");
	uint32_t stack = add_stack(p, "csh", "kread", NULL);

	add_event(p, "kprobe:b");
	add_field(p, "n", FIELD_BUCKET);
	add_metric(p, "n", "", true);
	p->buckets = (struct buckets){ .metric = "n", .unit = "" };
	add_hits(p, (struct hit){ 0, 0, stack, 2, { 1 }, { 2, 1, 1 } });
	add_hits(p, (struct hit){ 0, 0, stack, 1, { 2 }, { 3, 3, 3 } });
	add_hits(p, (struct hit){ 1, 0, stack, 1, { 1 }, { 1, 1, 1 } });
	shows(p, (struct count_table_opts){ .shown = MEASURE_SUM | MEASURE_AVG | MEASURE_MAX },
	      "kprobe:a: 3 hits, 5.00 s\n"
	      "kprobe:b: 1 hit, 5.00 s\n"
	      "\n"
	      "kprobe:a comm=sh: 3 hits, n: sum 5, avg 1.67, max 3\n"
	      "    read [k]\n"
	      "N       COUNT  DISTRIBUTION\n"
	      "[1]         2  |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
	      "[2, 3]      1  |@@@@@@@@@@@@@@@@@@@@                    |\n"
	      "\n"
	      "kprobe:b comm=sh: 1 hit, n: sum 1, avg 1.00, max 1\n"
	      "    read [k]\n"
	      "N    COUNT  DISTRIBUTION\n"
	      "[1]      1  |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
	      "\n"
	      "hits: 4 seen, 4 kept, nothing lost\n");
}

static void is_range(const struct buckets *b, int64_t n, const char *expected)
{
	char text[RANGE_CHARS];

	range__text(b, n, text);
	assert_string_equal(text, expected);
}

static void ranges_of_powers_of_two(void **state)
{
	const struct buckets plain = { .metric = "n", .unit = "" };
	const struct buckets times = { .metric = "n", .unit = "ns" };

	is_range(&plain, -1, "< 0");
	is_range(&plain, 0, "[0]");
	is_range(&plain, 1, "[1]");
	is_range(&plain, 9, "[256, 511]");
	is_range(&plain, 62, "[2305843009213693952, 4611686018427387903]");
	is_range(&plain, 63, ">= 4611686018427387904");
	is_range(&times, -1, "< 0ns");
	is_range(&times, 0, "[0ns, 1ns)");
	is_range(&times, 9, "[256ns, 512ns)");
	is_range(&times, 10, "[512ns, 1.02us)");
	is_range(&times, 14, "[8.19us, 16.4us)");
	is_range(&times, 20, "[524us, 1.05ms)");
	is_range(&times, 31, "[1.07s, 2.15s)");
	is_range(&times, 63, ">= 4611686018s");
}

static void ranges_of_equal_width(void **state)
{
	const struct buckets plain = { true, -10, 10, 5, "n", "" };
	const struct buckets times = { true, 0, 10000000, 500000, "n", "ns" };
	const struct buckets seconds = { true, 1000000000, 3000000000, 1000000000, "n", "ns" };

	is_range(&plain, -1, "< -10");
	is_range(&plain, 0, "[-10, -6]");
	is_range(&plain, 4, ">= 10");
	is_range(&times, -1, "< 0us");
	is_range(&times, 3, "[1500us, 2000us)");
	is_range(&times, 20, ">= 10000us");
	is_range(&seconds, 1, "[2s, 3s)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_key_has_its_own),
		cmocka_unit_test(a_long_gap_is_not_drawn),
		cmocka_unit_test(events_are_apart_and_measures_are_told),
		cmocka_unit_test(ranges_of_powers_of_two),
		cmocka_unit_test(ranges_of_equal_width),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
