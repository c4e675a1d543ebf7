// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "serve/exposition.h"

static void put_families(struct exposition *x)
{
	exposition__family(x, "node_perf_a_total", METRIC_COUNTER, "What \\ a\nis");
	exposition__label_u32(x, "cpu", 12);
	exposition__label(x, "name", "q\"uo\\te\nx");
	exposition__u64(x, UINT64_MAX);
	exposition__family(x, "node_perf_sched_switch", METRIC_COUNTER, "Hits");
	exposition__u64(x, 0);
	exposition__family(x, "load", METRIC_GAUGE, "Now");
	exposition__double(x, 0.25);
	assert_int_equal(exposition__end(x), 0);
}

static void text_is_of_version_0_0_4(void **state)
{
	struct buf b = {};
	struct exposition x = { .out = &b };

	put_families(&x);
	assert_string_equal(b.data, "# HELP node_perf_a_total What \\\\ a\\nis\n"
				    "# TYPE node_perf_a_total counter\n"
				    "node_perf_a_total{cpu=\"12\",name=\"q\\\"uo\\\\te\\nx\"} "
				    "18446744073709551615\n"
				    "# HELP node_perf_sched_switch Hits\n"
				    "# TYPE node_perf_sched_switch counter\n"
				    "node_perf_sched_switch 0\n"
				    "# HELP load Now\n# TYPE load gauge\nload 0.25\n");
	buf__free(&b);
}

/* A counter's family is called without _total, and one that has none is no counter. */
static void open_metrics_is_of_version_1_0(void **state)
{
	struct buf b = {};
	struct exposition x = { .out = &b, .open_metrics = true };

	put_families(&x);
	assert_string_equal(b.data, "# HELP node_perf_a What \\\\ a\\nis\n"
				    "# TYPE node_perf_a counter\n"
				    "node_perf_a_total{cpu=\"12\",name=\"q\\\"uo\\\\te\\nx\"} "
				    "18446744073709551615\n"
				    "# HELP node_perf_sched_switch Hits\n"
				    "# TYPE node_perf_sched_switch unknown\n"
				    "node_perf_sched_switch 0\n"
				    "# HELP load Now\n# TYPE load gauge\nload 0.25\n# EOF\n");
	buf__free(&b);
}

static void what_is_no_number_has_a_name(void **state)
{
	struct buf b = {};
	struct exposition x = { .out = &b, .family = "v" };

	exposition__double(&x, NAN);
	exposition__double(&x, INFINITY);
	exposition__double(&x, -INFINITY);
	exposition__double(&x, 1e15);
	assert_string_equal(b.data, "v NaN\nv +Inf\nv -Inf\nv 1e+15\n");
	buf__free(&b);
}

static void labels_are_utf_8(void **state)
{
	struct buf b = {};
	struct exposition x = { .out = &b, .family = "v" };

	exposition__label(&x, "name", "a\xff\xc3\xa4");
	exposition__u64(&x, 1);
	exposition__label(&x, "name", "");
	exposition__u64(&x, 2);
	assert_string_equal(b.data, "v{name=\"a\xef\xbf\xbd\xc3\xa4\"} 1\nv{name=\"\"} 2\n");
	buf__free(&b);
}

static const struct exposition_exemplar hit = {
	.labels = { { "pid", "42" }, { "comm", "a \"b\"" } },
	.nr_labels = 2,
	.value = 0.0015,
	.time_ns = 1700000000007999999,
};

/* A bucket and a total with one, then each kind of sample that can have none. */
static void put_exemplars(struct exposition *x)
{
	exposition__family(x, "d_seconds", METRIC_HISTOGRAM, "D");
	exposition__suffix(x, "_bucket");
	exposition__exemplar(x, &hit);
	exposition__label(x, "le", "0.002");
	exposition__u64(x, 3);
	exposition__suffix(x, "_bucket");
	exposition__label(x, "le", "+Inf");
	exposition__u64(x, 4);
	exposition__suffix(x, "_sum");
	exposition__exemplar(x, &hit);
	exposition__double(x, 0.5);
	exposition__family(x, "e_total", METRIC_COUNTER, "E");
	exposition__exemplar(x, &(struct exposition_exemplar){ .value = 1, .time_ns = 1000000 });
	exposition__u64(x, 7);
	exposition__u64(x, 8);
	exposition__family(x, "f", METRIC_COUNTER, "F");
	exposition__exemplar(x, &hit);
	exposition__u64(x, 9);
	exposition__family(x, "g", METRIC_GAUGE, "G");
	exposition__exemplar(x, &hit);
	exposition__u64(x, 10);
}

static void buckets_and_totals_have_exemplars(void **state)
{
	struct buf b = {};
	struct exposition x = { .out = &b, .open_metrics = true };

	put_exemplars(&x);
	assert_string_equal(b.data, "# HELP d_seconds D\n# TYPE d_seconds histogram\n"
				    "d_seconds_bucket{le=\"0.002\"} 3 # {pid=\"42\","
				    "comm=\"a \\\"b\\\"\"} 0.0015 1700000000.007\n"
				    "d_seconds_bucket{le=\"+Inf\"} 4\nd_seconds_sum 0.5\n"
				    "# HELP e E\n# TYPE e counter\n"
				    "e_total 7 # {} 1 0.001\ne_total 8\n"
				    "# HELP f F\n# TYPE f unknown\nf 9\n"
				    "# HELP g G\n# TYPE g gauge\ng 10\n");
	buf__free(&b);
}

static void text_has_no_exemplars(void **state)
{
	struct buf b = {};
	struct exposition x = { .out = &b };

	put_exemplars(&x);
	assert_null(strstr(b.data, " # "));
	assert_non_null(strstr(b.data, "\nd_seconds_bucket{le=\"0.002\"} 3\nd_seconds_bucket"));
	buf__free(&b);
}

/* 128 characters, which are not bytes; what is no UTF-8 is one for each byte. */
static void exemplars_have_short_labels(void **state)
{
	char value[4 * EXPOSITION_EXEMPLAR_CHARS] = "";
	struct buf b = {};
	struct exposition x = { .out = &b, .open_metrics = true };
	const struct exposition_exemplar e = { .labels = { { "key", value } },
					       .nr_labels = 1,
					       .value = 1 };

	exposition__family(&x, "e_total", METRIC_COUNTER, "E");
	for (size_t i = 0; i < 60; i++)
		strcat(value, "\xc3\xa4\xff"); /* two characters */
	strcat(value, "12345");
	exposition__exemplar(&x, &e);
	exposition__u64(&x, 1);
	assert_non_null(strstr(b.data, "\ne_total 1 # {key=\"\xc3\xa4\xef\xbf\xbd\xc3"));
	strcat(value, "6");
	exposition__exemplar(&x, &e);
	exposition__u64(&x, 2);
	assert_non_null(strstr(b.data, "\ne_total 2\n"));
	buf__free(&b);
}

static void names_are_made_some(void **state)
{
	struct buf b = {};

	assert_int_equal(exposition__name(&b, "9sched:sched-switch_A9\xff"), 0);
	assert_string_equal(b.data, "_sched_sched_switch_A9_");
	buf__free(&b);
}

static void the_format_is_what_is_asked_for(void **state)
{
	assert_false(exposition__wants_open_metrics(NULL));
	assert_false(exposition__wants_open_metrics(""));
	assert_false(exposition__wants_open_metrics("*/*"));
	assert_false(exposition__wants_open_metrics("text/plain"));
	assert_true(exposition__wants_open_metrics("application/openmetrics-text"));
	/* Of Prometheus 2.42. */
	assert_true(exposition__wants_open_metrics(
		"application/openmetrics-text;version=1.0.0,"
		"application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,"
		"*/*;q=0.1"));
	assert_false(exposition__wants_open_metrics(
		"text/plain;q=0.9, application/openmetrics-text; q=0.5"));
	assert_false(exposition__wants_open_metrics("application/openmetrics-text;q=0"));
	assert_false(exposition__wants_open_metrics("application/openmetrics-text;q="));
	assert_false(exposition__wants_open_metrics(",,;,;q=1"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_of_version_0_0_4),
		cmocka_unit_test(open_metrics_is_of_version_1_0),
		cmocka_unit_test(what_is_no_number_has_a_name),
		cmocka_unit_test(labels_are_utf_8),
		cmocka_unit_test(buckets_and_totals_have_exemplars),
		cmocka_unit_test(text_has_no_exemplars),
		cmocka_unit_test(exemplars_have_short_labels),
		cmocka_unit_test(names_are_made_some),
		cmocka_unit_test(the_format_is_what_is_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
