// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "serve/exposition.h"
#include "serve/probe_metrics_state.h"

/* Lines as `pmutrace count` and `func` write them with -I -f jsonl, and what is answered then. */
static const char count_head[] =
	"{\"schema\":1,\"command\":\"count\",\"duration_ns\":1000000000,\"events\":[],\"seen\":9,"
	"\"kept\":7,\"losses\":{\"table_full\":2},\"incomplete\":{},\"nr_rows\":2}";

/* A set of one line, which nobody starts. */
static struct probe_metrics *set_of(const struct probe_line *l)
{
	struct probe_metrics *m;

	assert_int_equal(probe_metrics__new(&m, NULL), 0);
	assert_int_equal(probe_metrics__set(m, l, 1, 1, 0), 0);
	return m;
}

static int take(struct probe_metrics *m, const char *line)
{
	static uint64_t now_ns = 1000000000;

	now_ns += 1000000000;
	return probe_metric__take_line(m->items[0], line, strlen(line), now_ns);
}

/* The value of a series, as text; "-": there is none. */
static const char *value_of(const struct probe_metrics *m, const char *series)
{
	static char value[64];
	struct buf out = {};
	struct exposition x = { .out = &out };
	const char *at;

	probe_metrics__put(m, &x);
	assert_int_equal(x.err, 0);
	strcpy(value, "-");
	for (at = out.data; at && (at = strstr(at, series)); at++)
		if ((at == out.data || at[-1] == '\n') && at[strlen(series)] == ' ') {
			at += strlen(series) + 1;
			snprintf(value, sizeof(value), "%.*s", (int)strcspn(at, "\n"), at);
			break;
		}
	buf__free(&out);
	return value;
}

#define assert_series(m, series, value) assert_string_equal(value_of(m, series), value)

static void hits_are_added_up_by_key(void **state)
{
	const struct probe_line line = { .name = "x", .text = "count a:b --by comm,pid" };
	struct probe_metrics *m = set_of(&line);

	assert_int_equal(take(m, count_head), 0);
	assert_int_equal(
		take(m, "{\"key\":{\"comm\":\"a \\\"b\\\"\",\"pid\":7},\"values\":{\"a:b\":5}}"),
		0);
	/* Nothing is answered of an interval before it is complete. */
	assert_series(m, "pmutrace_probe_seen_total{metric=\"x\"}", "9");
	assert_series(m, "pmutrace_probe_hits_total{metric=\"x\",comm=\"a \\\"b\\\"\",pid=\"7\"}",
		      "-");
	assert_int_equal(take(m, "{\"key\":{\"comm\":\"\",\"pid\":null},\"values\":{\"a:b\":2}}"),
			 0);
	assert_series(m, "pmutrace_probe_hits_total{metric=\"x\",comm=\"a \\\"b\\\"\",pid=\"7\"}",
		      "5");
	assert_series(m, "pmutrace_probe_hits_total{metric=\"x\",comm=\"\",pid=\"\"}", "2");
	assert_series(m, "pmutrace_probe_hits_total{metric=\"x\",comm=\"other\",pid=\"other\"}",
		      "0");
	assert_series(m, "pmutrace_probe_lost_total{metric=\"x\",reason=\"table_full\"}", "2");
	assert_int_equal(take(m, count_head), 0);
	assert_int_equal(
		take(m, "{\"key\":{\"comm\":\"a \\\"b\\\"\",\"pid\":7},\"values\":{\"a:b\":1}}"),
		0);
	assert_int_equal(take(m, "{\"key\":{\"comm\":\"a \\\"b\\\"\",\"pid\":8},\"values\":{"
				 "\"a:b\":3,\"a:c\":4}}"),
			 0);
	assert_series(m, "pmutrace_probe_hits_total{metric=\"x\",comm=\"a \\\"b\\\"\",pid=\"7\"}",
		      "6");
	assert_series(m, "pmutrace_probe_hits_total{metric=\"x\",comm=\"a \\\"b\\\"\",pid=\"8\"}",
		      "7");
	assert_series(m, "pmutrace_probe_seen_total{metric=\"x\"}", "18");
	assert_series(m, "pmutrace_probe_lost_total{metric=\"x\",reason=\"table_full\"}", "4");
	probe_metrics__free(m);
}

static void sums_may_be_negative(void **state)
{
	const struct probe_line line = { .name = "x", .text = "count a:b --sum ret" };
	struct probe_metrics *m = set_of(&line);

	assert_int_equal(take(m,
			      "{\"command\":\"count\",\"duration_ns\":1,\"units\":{\"ret\":\"\"},"
			      "\"seen\":null,\"losses\":{},\"nr_rows\":1}"),
			 0);
	assert_int_equal(take(m, "{\"key\":{\"probe\":\"p\"},\"values\":{\"a:b\":3},\"metrics\":"
				 "{\"ret\":{\"sum\":-12,\"avg\":-4.0,\"min\":-9,\"max\":1}}}"),
			 0);
	assert_series(m, "pmutrace_probe_value_sum{metric=\"x\",field=\"ret\",probe=\"p\"}", "-12");
	assert_series(m, "pmutrace_probe_value_count{metric=\"x\",field=\"ret\",probe=\"p\"}", "3");
	/* How many were seen is not known, which is not 0. */
	assert_series(m, "pmutrace_probe_seen_total{metric=\"x\"}", "-");
	probe_metrics__free(m);
}

static void times_are_seconds(void **state)
{
	const struct probe_line line = { .name = "f", .text = "func m", .hist = "time" };
	struct probe_metrics *m = set_of(&line);

	assert_int_equal(take(m,
			      "{\"command\":\"func\",\"duration_ns\":1,\"units\":{\"time\":\"ns\","
			      "\"self\":\"ns\",\"cycles\":\"\"},\"seen\":4,\"losses\":{},"
			      "\"nr_rows\":1}"),
			 0);
	assert_int_equal(
		take(m, "{\"key\":{\"func\":\"m\"},\"values\":{\"m\":4},\"metrics\":{"
			"\"time\":{\"sum\":3500},\"self\":{\"sum\":1500},\"cycles\":{\"sum\":77}},"
			"\"hist\":[{\"from\":256,\"to\":511,\"count\":1},"
			"{\"from\":1024,\"to\":2047,\"count\":3}]}"),
		0);
#define TIMES(rest) "pmutrace_probe_duration_seconds" rest
	assert_series(m, TIMES("_bucket{metric=\"f\",field=\"time\",func=\"m\",le=\"5.11e-07\"}"),
		      "1");
	assert_series(m, TIMES("_bucket{metric=\"f\",field=\"time\",func=\"m\",le=\"1.023e-06\"}"),
		      "1");
	assert_series(m, TIMES("_bucket{metric=\"f\",field=\"time\",func=\"m\",le=\"2.047e-06\"}"),
		      "4");
	assert_series(m, TIMES("_bucket{metric=\"f\",field=\"time\",func=\"m\",le=\"+Inf\"}"), "4");
	assert_series(m, TIMES("_sum{metric=\"f\",field=\"time\",func=\"m\"}"), "3.5e-06");
	assert_series(m, TIMES("_count{metric=\"f\",field=\"time\",func=\"m\"}"), "4");
	assert_series(m, "pmutrace_probe_seconds_total{metric=\"f\",part=\"self\",func=\"m\"}",
		      "1.5e-06");
	assert_series(m, "pmutrace_probe_seconds_total{metric=\"f\",part=\"time\",func=\"m\"}",
		      "-");
	assert_series(m, "pmutrace_probe_events_total{metric=\"f\",event=\"cycles\",func=\"m\"}",
		      "77");
	probe_metrics__free(m);
}

/* What is answered in OpenMetrics. */
static char *open_metrics_of(const struct probe_metrics *m)
{
	struct buf out = {};
	struct exposition x = { .out = &out, .open_metrics = true };

	probe_metrics__put(m, &x);
	assert_int_equal(x.err, 0);
	return out.data;
}

static void has_line(const struct probe_metrics *m, const char *line)
{
	char *text = open_metrics_of(m);

	if (!strstr(text, line))
		print_message("%s\nlacks: %s\n", text, line);
	assert_non_null(strstr(text, line));
	free(text);
}

/* Two of the line before: of @ago seconds before now, and a little later, in these buckets. */
static void take_calls(struct probe_metrics *m, uint64_t now_s, unsigned ago, unsigned pid)
{
	char row[1024];

	assert_int_equal(take(m, "{\"command\":\"func\",\"duration_ns\":1,\"units\":{"
				 "\"time\":\"ns\"},\"seen\":4,\"losses\":{},\"nr_rows\":1}"),
			 0);
	snprintf(row, sizeof(row),
		 "{\"key\":{\"pid\":%u},\"values\":{\"m\":4},\"metrics\":{"
		 "\"time\":{\"sum\":3500}},\"hist\":["
		 "{\"from\":256,\"to\":511,\"count\":1,\"exemplar\":{\"value\":500,"
		 "\"time_ns\":%llu000000000,\"pid\":%u,\"tid\":8,\"comm\":\"a\\\"b\"}},"
		 "{\"from\":512,\"to\":1023,\"count\":2},"
		 "{\"from\":1024,\"to\":2047,\"count\":1,\"exemplar\":{\"value\":1500,"
		 "\"time_ns\":%llu250000000,\"pid\":%u,\"tid\":9,\"comm\":\"c\"}}]}",
		 pid, (unsigned long long)now_s - ago, pid, (unsigned long long)now_s - ago, pid);
	assert_int_equal(take(m, row), 0);
}

/* Each in its bucket; of all hits, and of their time, the latest. What the key says is not said. */
static void buckets_have_exemplars(void **state)
{
	const struct probe_line line = { .name = "f", .text = "func m --by pid", .hist = "time" };
	struct probe_metrics *m = set_of(&line);
	const uint64_t now_s = clock__wall_ns() / 1000000000;
	char want[300];

	take_calls(m, now_s, 5, 7);
	snprintf(want, sizeof(want),
		 "_bucket{metric=\"f\",field=\"time\",pid=\"7\",le=\"5.11e-07\"} 1 "
		 "# {tid=\"8\",comm=\"a\\\"b\"} 5e-07 %llu.000\n",
		 (unsigned long long)now_s - 5);
	has_line(m, want);
	has_line(m, "_bucket{metric=\"f\",field=\"time\",pid=\"7\",le=\"1.023e-06\"} 3\n");
	snprintf(want, sizeof(want),
		 "_bucket{metric=\"f\",field=\"time\",pid=\"7\",le=\"2.047e-06\"} 4 "
		 "# {tid=\"9\",comm=\"c\"} 1.5e-06 %llu.250\n",
		 (unsigned long long)now_s - 5);
	has_line(m, want);
	has_line(m, "_bucket{metric=\"f\",field=\"time\",pid=\"7\",le=\"+Inf\"} 4\n");
	snprintf(want, sizeof(want),
		 "\npmutrace_probe_hits_total{metric=\"f\",pid=\"7\"} 4 "
		 "# {tid=\"9\",comm=\"c\"} 1 %llu.250\n",
		 (unsigned long long)now_s - 5);
	has_line(m, want);
	/* An earlier one changes nothing, a later one is told. */
	take_calls(m, now_s, 60, 7);
	has_line(m, "le=\"2.047e-06\"} 8 # {tid=\"9\",comm=\"c\"} 1.5e-06 ");
	snprintf(want, sizeof(want), " 1 %llu.250\n", (unsigned long long)now_s - 5);
	has_line(m, want);
	take_calls(m, now_s, 2, 7);
	snprintf(want, sizeof(want), " 1 %llu.250\n", (unsigned long long)now_s - 2);
	has_line(m, want);
	probe_metrics__free(m);
}

/* The bucket has its hits all the same. */
static void old_exemplars_are_not_told(void **state)
{
	const struct probe_line line = { .name = "f", .text = "func m --by pid", .hist = "time" };
	struct probe_metrics *m = set_of(&line);
	char *text;

	take_calls(m, clock__wall_ns() / 1000000000, EXEMPLAR_SHOWN_S + 1, 7);
	text = open_metrics_of(m);
	assert_non_null(strstr(text, "le=\"2.047e-06\"} 4\n"));
	assert_null(strstr(text, " # {"));
	free(text);
	probe_metrics__free(m);
}

/* Those of rows that have no series of their own are the others'; who it was is said, then. */
static void others_have_exemplars(void **state)
{
	const struct probe_line line = { .name = "f", .text = "func m --by pid", .hist = "time" };
	struct probe_metrics *m = set_of(&line);
	const uint64_t now_s = clock__wall_ns() / 1000000000;

	assert_int_equal(probe_metrics__set(m, &line, 1, 1, 1), 0);
	take_calls(m, now_s, 9, 7);
	take_calls(m, now_s, 5, 8);
	has_line(m, "pid=\"7\",le=\"2.047e-06\"} 4 # {tid=\"9\",comm=\"c\"} 1.5e-06 ");
	has_line(m, "pid=\"other\",le=\"2.047e-06\"} 4 "
		    "# {pid=\"8\",tid=\"9\",comm=\"c\"} 1.5e-06 ");
	probe_metrics__free(m);
}

/* Without a histogram: of hits, and of the time that calls take. */
static void totals_have_exemplars(void **state)
{
	const struct probe_line line = { .name = "f", .text = "func m" };
	struct probe_metrics *m = set_of(&line);
	char row[512];

	assert_int_equal(take(m, "{\"command\":\"func\",\"duration_ns\":1,\"units\":{"
				 "\"time\":\"ns\",\"self\":\"ns\"},\"seen\":4,\"losses\":{},"
				 "\"nr_rows\":1}"),
			 0);
	snprintf(row, sizeof(row),
		 "{\"key\":{\"func\":\"m\"},\"values\":{\"m\":4},\"metrics\":{"
		 "\"time\":{\"sum\":3500},\"self\":{\"sum\":1500}},\"exemplar\":{"
		 "\"value\":900,\"time_ns\":%llu,\"pid\":7,\"tid\":8,\"comm\":\"a\"}}",
		 (unsigned long long)clock__wall_ns());
	assert_int_equal(take(m, row), 0);
	has_line(m, "\npmutrace_probe_hits_total{metric=\"f\",func=\"m\"} 4 "
		    "# {pid=\"7\",tid=\"8\",comm=\"a\"} 1 ");
	has_line(m, "\npmutrace_probe_seconds_total{metric=\"f\",part=\"time\",func=\"m\"} "
		    "3.5e-06 # {pid=\"7\",tid=\"8\",comm=\"a\"} 9e-07 ");
	/* How much of that call was its own is not known. */
	has_line(m, "part=\"self\",func=\"m\"} 1.5e-06\n");
	probe_metrics__free(m);
}

/* Every bucket of a linear one, and of what is below and above. */
static void steps_have_bounds(void **state)
{
	const struct probe_line line = { .name = "h",
					 .text = "count a:b --hist v --lhist=-10,10,5",
					 .hist = "v",
					 .range = {
						 .linear = true, .lo = -10, .hi = 10, .step = 5 } };
	struct probe_metrics *m = set_of(&line);

	assert_int_equal(take(m, "{\"command\":\"count\",\"duration_ns\":1,\"units\":{\"v\":\"\"},"
				 "\"seen\":15,\"losses\":{},\"nr_rows\":1}"),
			 0);
	assert_int_equal(take(m, "{\"key\":{\"le\":\"k\"},\"values\":{\"a:b\":15},\"hist\":["
				 "{\"from\":null,\"to\":-11,\"count\":1},"
				 "{\"from\":-10,\"to\":-6,\"count\":2},"
				 "{\"from\":5,\"to\":9,\"count\":4},"
				 "{\"from\":10,\"to\":null,\"count\":8}]}"),
			 0);
#define STEPS(le)                                                                                  \
	"pmutrace_probe_distribution_bucket{metric=\"h\",field=\"v\",key_le=\"k\",le=\"" le "\"}"
	assert_series(m, STEPS("-11"), "1");
	assert_series(m, STEPS("-6"), "3");
	assert_series(m, STEPS("-1"), "3");
	assert_series(m, STEPS("4"), "3");
	assert_series(m, STEPS("9"), "7");
	assert_series(m, STEPS("+Inf"), "15");
	/* The sum of what probes have seen is not known. */
	assert_series(m, "pmutrace_probe_distribution_sum{metric=\"h\",field=\"v\",key_le=\"k\"}",
		      "-");
	probe_metrics__free(m);
}

static void powers_of_two_have_bounds(void **state)
{
	const struct probe_line line = { .name = "h", .text = "t", .hist = "v" };
	struct probe_metrics *m = set_of(&line);

	assert_int_equal(take(m, "{\"command\":\"count\",\"duration_ns\":1,\"units\":{\"v\":\"\"},"
				 "\"seen\":31,\"losses\":{},\"nr_rows\":1}"),
			 0);
	assert_int_equal(
		take(m, "{\"key\":{},\"values\":{\"a:b\":31},\"hist\":["
			"{\"from\":null,\"to\":-1,\"count\":1},{\"from\":0,\"to\":0,\"count\":2},"
			"{\"from\":1,\"to\":1,\"count\":4},{\"from\":2,\"to\":3,\"count\":8},"
			"{\"from\":4611686018427387904,\"to\":null,\"count\":16}]}"),
		0);
#define POWERS(le) "pmutrace_probe_distribution_bucket{metric=\"h\",field=\"v\",le=\"" le "\"}"
	assert_series(m, POWERS("-1"), "1");
	assert_series(m, POWERS("0"), "3");
	assert_series(m, POWERS("1"), "7");
	assert_series(m, POWERS("3"), "15");
	assert_series(m, POWERS("4611686018427387903"), "15");
	assert_series(m, POWERS("+Inf"), "31");
	probe_metrics__free(m);
}

static void refused(const char *first, const char *second, const char *because)
{
	const struct probe_line line = { .name = "x", .text = "t" };
	struct probe_metrics *m = set_of(&line);
	int err = take(m, first);

	if (!err && second)
		err = take(m, second);
	assert_int_equal(err, -EINVAL);
	assert_non_null(strstr(m->items[0]->said.data, because));
	probe_metrics__free(m);
}

static void what_is_no_row_is_refused(void **state)
{
	refused("", NULL, "no row");
	refused("{", NULL, "no row");
	refused("[1,2]", NULL, "no row");
	refused("{\"key\":3}", NULL, "no row");
	refused("{\"key\":{\"a\":1},\"values\":{}}", NULL, "a row without an interval");
	refused(count_head, count_head, "an interval has less rows than it said");
	refused(count_head, "{\"key\":{\"stack\":[\"a\",\"b\"]},\"values\":{\"a:b\":1}}",
		"stacks are no labels");
	refused(count_head, "{\"key\":{\"a.b\":1,\"a_b\":2},\"values\":{\"a:b\":1}}",
		"two keys are the same label");
}

/* No key may pass for a label of ours, nor end another one's value. */
static void labels_stay_apart(void **state)
{
	const struct probe_line line = { .name = "x", .text = "t" };
	struct probe_metrics *m = set_of(&line);

	assert_int_equal(take(m, count_head), 0);
	assert_int_equal(take(m, "{\"key\":{\"metric\":\"a\\u001fb\",\"args->q\":\"\\u001f\"},"
				 "\"values\":{\"a:b\":1}}"),
			 0);
	assert_int_equal(take(m, "{\"key\":{\"metric\":\"c\",\"args->q\":\"d\\ne\"},"
				 "\"values\":{\"a:b\":2}}"),
			 0);
	assert_series(m, "pmutrace_probe_hits_total{metric=\"x\",key_metric=\"a b\",args__q=\"\"}",
		      "1");
	assert_series(m, "pmutrace_probe_hits_total{metric=\"x\",key_metric=\"c\",args__q=\"d e\"}",
		      "2");
	probe_metrics__free(m);
}

/* A series that is there twice breaks a scrape. */
static void who_is_called_other_is_among_the_others(void **state)
{
	const struct probe_line line = { .name = "x", .text = "t" };
	struct probe_metrics *m = set_of(&line);

	assert_int_equal(take(m, count_head), 0);
	assert_int_equal(
		take(m, "{\"key\":{\"a\":\"other\",\"b\":\"other\"},\"values\":{\"x\":5}}"), 0);
	assert_int_equal(
		take(m, "{\"key\":{\"a\":\"other\",\"b\":\"others\"},\"values\":{\"x\":2}}"), 0);
	assert_series(m, "pmutrace_probe_hits_total{metric=\"x\",a=\"other\",b=\"other\"}", "5");
	assert_series(m, "pmutrace_probe_hits_total{metric=\"x\",a=\"other\",b=\"others\"}", "2");
	assert_int_equal(m->items[0]->members.nr, 1);
	probe_metrics__free(m);
}

static void the_same_line_goes_on(void **state)
{
	const struct probe_line lines[] = { { .name = "a", .text = "one" },
					    { .name = "b", .text = "two" },
					    { .name = "a", .text = "other" } };
	struct probe_metrics *m = set_of(&lines[0]);
	const struct probe_metric *first = m->items[0];

	assert_int_equal(take(m, count_head), 0);
	assert_int_equal(take(m, "{\"key\":{\"k\":1},\"values\":{\"a:b\":5}}"), 0);
	assert_int_equal(take(m, "{\"key\":{\"k\":2},\"values\":{\"a:b\":5}}"), 0);
	assert_int_equal(
		probe_metrics__set(m, (struct probe_line[]){ lines[1], lines[0] }, 2, 2, 0), 0);
	assert_ptr_equal(m->items[1], first);
	assert_int_equal(first->configuration, 2);
	assert_series(m, "pmutrace_probe_hits_total{metric=\"a\",k=\"2\"}", "5");
	assert_int_equal(probe_metrics__set(m, &lines[2], 1, 3, 0), 0);
	assert_series(m, "pmutrace_probe_hits_total{metric=\"a\",k=\"2\"}", "-");
	assert_series(m, "pmutrace_probe_up{metric=\"a\",reason=\"not started yet\"}", "0");
	assert_int_equal(probe_metrics__set(m, NULL, 0, 4, 0), 0);
	assert_series(m, "pmutrace_probe_up{metric=\"a\",reason=\"not started yet\"}", "-");
	probe_metrics__free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hits_are_added_up_by_key),
		cmocka_unit_test(sums_may_be_negative),
		cmocka_unit_test(times_are_seconds),
		cmocka_unit_test(buckets_have_exemplars),
		cmocka_unit_test(old_exemplars_are_not_told),
		cmocka_unit_test(others_have_exemplars),
		cmocka_unit_test(totals_have_exemplars),
		cmocka_unit_test(steps_have_bounds),
		cmocka_unit_test(powers_of_two_have_bounds),
		cmocka_unit_test(what_is_no_row_is_refused),
		cmocka_unit_test(labels_stay_apart),
		cmocka_unit_test(who_is_called_other_is_among_the_others),
		cmocka_unit_test(the_same_line_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
