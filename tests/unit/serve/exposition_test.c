// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

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
		cmocka_unit_test(names_are_made_some),
		cmocka_unit_test(the_format_is_what_is_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
