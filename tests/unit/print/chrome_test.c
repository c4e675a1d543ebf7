// SPDX-License-Identifier: BSD-2-Clause
#include "profiles.h"

#include <errno.h>

#include "json_path.h"
#include "print/chrome.h"

static const struct chrome_opts samples = { .command = "report" };
static const struct chrome_opts weights = { .command = "profile", .weights = true };

static struct json_object *written(const struct profile *p, const struct chrome_opts *o)
{
	char *text = WRITTEN(print__chrome(f, p, o));
	struct json_object *doc = parse(text);

	free(text);
	return doc;
}

static const char *key_of(struct json_object *args)
{
	json_object_object_foreach(args, key, value)
	{
		(void)value;
		return key;
	}
	return "";
}

/* "pid@ts NAME KEY=VALUE|" for each counter. */
static void assert_counters(struct json_object *doc, const char *expected)
{
	struct capture *c = capture_open();
	char *text;

	for (size_t i = 0; i < length(doc, "traceEvents"); i++) {
		struct json_object *e = json_object_array_get_idx(at(doc, "traceEvents"), i);
		const char *key = key_of(at(e, "args"));

		if (strcmp(string(e, "ph"), "C"))
			continue;
		assert_int_equal(number(e, "pid"), number(e, "tid"));
		fprintf(c->f, "%s@%s %s %s=%s|", string(e, "pid"), string(e, "ts"),
			string(e, "name"), key, string(at(e, "args"), key));
	}
	text = capture_close(c);
	assert_string_equal(text, expected);
	free(text);
}

static struct json_object *node_of(struct json_object *nodes, int64_t id)
{
	for (size_t i = 0; i < json_object_array_length(nodes); i++)
		if (json_object_get_int64(at(json_object_array_get_idx(nodes, i), "id")) == id)
			return json_object_array_get_idx(nodes, i);
	fail_msg("no node %d", (int)id);
	return NULL;
}

static void put_stack(FILE *f, struct json_object *nodes, int64_t id)
{
	struct json_object *n = node_of(nodes, id), *parent = at(n, "parent");

	/* The root is of no frame; it is in the first of the thread's chunks. */
	if (json_object_get_int64(parent) != 1) {
		put_stack(f, nodes, json_object_get_int64(parent));
		fputc(';', f);
	}
	fputs(string(n, "callFrame.functionName"), f);
}

/* "pid/tid: ts=STACK|ts=STACK|" and a line end for each chunk; all times are since the begin. */
static void assert_samples(struct json_object *doc, const char *expected)
{
	struct capture *c = capture_open();
	char *text;

	for (size_t i = 0; i < length(doc, "traceEvents"); i++) {
		struct json_object *e = json_object_array_get_idx(at(doc, "traceEvents"), i);
		struct json_object *data;
		uint64_t us = 0;

		if (strcmp(string(e, "name"), "ProfileChunk"))
			continue;
		fprintf(c->f, "%s/%s: ", string(e, "pid"), string(e, "tid"));
		data = at(e, "args.data");
		for (size_t k = 0; k < length(data, "timeDeltas"); k++) {
			us += json_object_get_uint64(
				json_object_array_get_idx(at(data, "timeDeltas"), k));
			fprintf(c->f, "%d=", (int)us);
			put_stack(c->f, at(data, "cpuProfile.nodes"),
				  json_object_get_int64(json_object_array_get_idx(
					  at(data, "cpuProfile.samples"), k)));
			fputc('|', c->f);
		}
		fputc('\n', c->f);
	}
	text = capture_close(c);
	assert_string_equal(text, expected);
	free(text);
}

static uint32_t timed_profile(struct profile **out)
{
	struct profile *p = new_profile();
	const struct profile_event clock = { .name = "cpu-clock", .unit = "ns", .hz = 99 };
	uint32_t id;

	assert_int_equal(profile__event(p, &clock, &id), 0);
	*out = p;
	return id;
}

static void add_ns(struct profile *p, uint32_t event, uint32_t pid, uint32_t stack, uint64_t n)
{
	const struct row_key key = { .event = event, .pid = pid, .stack = stack };

	/* Of 10 ms each. */
	assert_int_equal(profile__add(p, &key, n, n * 10000000, NULL), 0);
	p->losses.seen += n;
	p->losses.kept += n;
}

/* Windows of 100, 300 and 100 ms: in the second one only 9 runs, in the third nothing does. */
static struct profile *windowed_profile(void)
{
	struct profile *p;
	uint32_t clock = timed_profile(&p), f, g;

	f = add_stack(p, "csh", "uf", NULL);
	g = add_stack(p, "csh", "uf", "ug", NULL);
	add_ns(p, clock, 1, g, 1);
	add_ns(p, clock, 1, f, 1);
	add_ns(p, clock, 9, f, 5);
	assert_int_equal(profile__close_window(p, 100000000), 0);
	add_ns(p, clock, 9, g, 15);
	assert_int_equal(profile__close_window(p, 400000000), 0);
	assert_int_equal(profile__close_window(p, 500000000), 0);
	return p;
}

/* 20 ms in 100 ms are a fifth of a CPU, 150 ms in 300 half a one. */
static void counters_are_rates_by_window_and_process(void **state)
{
	struct profile *p = windowed_profile();
	struct json_object *o = written(p, &weights);

	assert_counters(o, "1@0 cpu-clock CPUs=0.200000|1@100000 cpu-clock CPUs=0.000000|"
			   "9@0 cpu-clock CPUs=0.500000|9@100000 cpu-clock CPUs=0.500000|"
			   "9@400000 cpu-clock CPUs=0.000000|"
			   "4194304@0 cpu-clock CPUs=0.700000|"
			   "4194304@100000 cpu-clock CPUs=0.500000|"
			   "4194304@400000 cpu-clock CPUs=0.000000|");
	json_object_put(o);
	o = written(p, &samples);
	assert_counters(o, "1@0 cpu-clock samples per second=20.000000|"
			   "1@100000 cpu-clock samples per second=0.000000|"
			   "9@0 cpu-clock samples per second=50.000000|"
			   "9@100000 cpu-clock samples per second=50.000000|"
			   "9@400000 cpu-clock samples per second=0.000000|"
			   "4194304@0 cpu-clock samples per second=70.000000|"
			   "4194304@100000 cpu-clock samples per second=50.000000|"
			   "4194304@400000 cpu-clock samples per second=0.000000|");
	json_object_put(o);
	profile__free(p);
}

/* The middles of its parts of the window; callers stand before what they call. */
static void samples_are_spread_over_their_window(void **state)
{
	struct profile *p = windowed_profile();
	struct json_object *o = written(p, &weights);

	assert_samples(o, "9/9: 10000=sh;f|30000=sh;f|50000=sh;f|70000=sh;f|90000=sh;f|"
			  "110000=sh;f;g|130000=sh;f;g|150000=sh;f;g|170000=sh;f;g|190000=sh;f;g|"
			  "210000=sh;f;g|230000=sh;f;g|250000=sh;f;g|270000=sh;f;g|290000=sh;f;g|"
			  "310000=sh;f;g|330000=sh;f;g|350000=sh;f;g|370000=sh;f;g|390000=sh;f;g|\n"
			  "1/1: 25000=sh;f|75000=sh;f;g|\n");
	assert_int_equal(number(o, "otherData.samplesEach"), 1);
	assert_string_equal(string(o, "otherData.product"),
			    "pmutrace profile: cpu-clock (22 samples, nothing lost)");
	assert_string_equal(string(o, "otherData.times"),
			    "those of a window are spread evenly over it");
	json_object_put(o);
	profile__free(p);
}

/* On a counter for half of the first window, for all of the second. */
static void a_multiplexed_event_is_scaled_by_window(void **state)
{
	struct profile *p = new_profile();
	struct json_object *o;

	add_event(p, "cycles");
	add_row(p, 0, 1, add_stack(p, "csh", NULL), 4);
	p->events[0].enabled_ns = 10;
	p->events[0].running_ns = 5;
	assert_int_equal(profile__close_window(p, 1000000000), 0);
	add_row(p, 0, 1, add_stack(p, "csh", NULL), 4);
	p->events[0].enabled_ns = 20;
	p->events[0].running_ns = 15;
	assert_int_equal(profile__close_window(p, 2000000000), 0);
	o = written(p, &weights);
	assert_counters(o,
			"1@0 cycles per second=8000.000000|1@1000000 cycles per second=4000.000000|"
			"1@2000000 cycles per second=0.000000|"
			"4194304@0 cycles per second=8000.000000|"
			"4194304@1000000 cycles per second=4000.000000|"
			"4194304@2000000 cycles per second=0.000000|");
	json_object_put(o);
	profile__free(p);
}

/* small_profile(): 2 s, 10 cycles and 5 faults. Counters are of all events, stacks of one. */
static void without_windows_the_run_is_one(void **state)
{
	const struct chrome_opts faults = { .command = "report", .event = 1 };
	struct profile *p = small_profile();
	struct json_object *o = written(p, &faults);

	assert_counters(o, "1@0 cycles samples per second=4.000000|"
			   "1@2000000 cycles samples per second=0.000000|"
			   "2@0 cycles samples per second=1.000000|"
			   "2@2000000 cycles samples per second=0.000000|"
			   "4194304@0 cycles samples per second=5.000000|"
			   "4194304@2000000 cycles samples per second=0.000000|"
			   "1@0 faults samples per second=2.000000|"
			   "1@2000000 faults samples per second=0.000000|"
			   "9@0 faults samples per second=0.500000|"
			   "9@2000000 faults samples per second=0.000000|"
			   "4194304@0 faults samples per second=2.500000|"
			   "4194304@2000000 faults samples per second=0.000000|");
	assert_samples(o, "1/1: 250000=sh;main;sys_read_[k]|750000=sh;main;sys_read_[k]|"
			  "1250000=sh;main;sys_read_[k]|1750000=sh;main;sys_read_[k]|\n"
			  "9/9: 1000000=node;run_[j]|\n");
	json_object_put(o);
	profile__free(p);
}

/* Nothing is known per second, but stacks have an order. */
static void without_a_length_there_are_no_counters(void **state)
{
	const struct chrome_opts faults = { .command = "report", .event = 1 };
	struct profile *p = small_profile();
	struct json_object *o;

	p->duration_ns = 0;
	o = written(p, &faults);
	assert_counters(o, "");
	assert_samples(o, "1/1: 500=sh;main;sys_read_[k]|1500=sh;main;sys_read_[k]|"
			  "2500=sh;main;sys_read_[k]|3500=sh;main;sys_read_[k]|\n"
			  "9/9: 2000=node;run_[j]|\n");
	json_object_put(o);
	profile__free(p);
}

static size_t nr_of(struct json_object *doc, const char *name)
{
	size_t n = 0;

	for (size_t i = 0; i < length(doc, "traceEvents"); i++)
		n += !strcmp(string(json_object_array_get_idx(at(doc, "traceEvents"), i), "name"),
			     name);
	return n;
}

static void commands_have_numbers_where_no_ids_are_known(void **state)
{
	struct profile *p = small_profile();
	struct json_object *o;

	p->by = BY_COMM | BY_KSTACK | BY_USTACK;
	o = written(p, &(struct chrome_opts){ .command = "report", .event = 1 });
	/* sh is the first of the frames, node the sixth. */
	assert_string_equal(p->frames[0].kind == FRAME_COMM ? profile__name(p, 0) : "", "sh");
	assert_int_equal(nr_of(o, "process_name"), 3);
	assert_string_equal(string(o, "traceEvents.1.args.name"), "sh");
	assert_int_equal(number(o, "traceEvents.1.pid"), 1);
	json_object_put(o);
	profile__free(p);
}

/* Every second one of 1.5 million; what is left of a stack counts for the next. */
static void of_very_many_samples_one_stands_for_several(void **state)
{
	struct profile *p = new_profile();
	uint64_t drawn[3] = {}, nr = 0;
	struct json_object *o;

	add_event(p, "cycles");
	add_row(p, 0, 1, add_stack(p, "csh", "ua", NULL), 3);
	add_row(p, 0, 1, add_stack(p, "csh", "ub", NULL), 1499996);
	add_row(p, 0, 1, add_stack(p, "csh", "uc", NULL), 1);
	o = written(p, &samples);
	assert_int_equal(number(o, "otherData.samplesEach"), 2);
	for (size_t i = 0; i < length(o, "traceEvents"); i++) {
		struct json_object *e = json_object_array_get_idx(at(o, "traceEvents"), i), *list;

		if (strcmp(string(e, "name"), "ProfileChunk"))
			continue;
		list = at(e, "args.data.cpuProfile.samples");
		for (size_t k = 0; k < json_object_array_length(list); k++, nr++)
			drawn[json_object_get_int(json_object_array_get_idx(list, k)) - 3]++;
	}
	assert_int_equal(nr, 750000);
	assert_int_equal(drawn[0], 1);
	assert_int_equal(drawn[1], 749998);
	assert_int_equal(drawn[2], 1);
	json_object_put(o);
	profile__free(p);
}

static void losses_are_told_by_window(void **state)
{
	struct profile *p = new_profile();
	const struct loss full = { .name = "full", .text = "table full", .n = 7 };
	struct json_object *o;

	add_event(p, "cycles");
	assert_int_equal(profile__close_window(p, 1000000), 0);
	losses__add(&p->losses, &full);
	p->losses.seen += 7;
	assert_int_equal(profile__close_window(p, 2000000), 0);
	assert_int_equal(profile__close_window(p, 3000000), 0);
	o = written(p, &samples);
	assert_counters(o, "4194304@1000 lost samples in the window=7|"
			   "4194304@2000 lost samples in the window=0|");
	assert_string_equal(string(o, "otherData.losses"), "7 of 7 samples lost: 7 table full");
	json_object_put(o);
	profile__free(p);
}

static void hostile_names_are_read_as_they_were(void **state)
{
	struct profile *p = hostile_profile();
	struct json_object *o;

	p->duration_ns = 0;
	o = written(p, &samples);
#define READ "a;b\"c'd<e>f&g\\h\n\033[31m\xef\xbf\xbd]]>"
	assert_samples(o, "1/1: 500=" READ ";" READ ";" READ "_[k]|1500=" READ ";" READ ";" READ
			  "_[k]|2500=[unknown];[unknown]|\n");
	json_object_put(o);
	profile__free(p);
}

static void no_samples_are_no_stacks(void **state)
{
	struct profile *p = new_profile();
	struct json_object *o;

	add_event(p, "cycles");
	o = written(p, &weights);
	assert_samples(o, "");
	assert_int_equal(length(o, "traceEvents"), 1);
	json_object_put(o);
	assert_int_equal(print__chrome(stdout, p, &(struct chrome_opts){ .event = 1 }), -EINVAL);
	profile__free(p);
}

static void a_full_disk_is_an_error(void **state)
{
	struct profile *p = small_profile();
	FILE *f = full_disk();

	assert_int_equal(print__chrome(f, p, &samples), -ENOSPC);
	fclose(f);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_are_rates_by_window_and_process),
		cmocka_unit_test(samples_are_spread_over_their_window),
		cmocka_unit_test(a_multiplexed_event_is_scaled_by_window),
		cmocka_unit_test(without_windows_the_run_is_one),
		cmocka_unit_test(without_a_length_there_are_no_counters),
		cmocka_unit_test(commands_have_numbers_where_no_ids_are_known),
		cmocka_unit_test(of_very_many_samples_one_stands_for_several),
		cmocka_unit_test(losses_are_told_by_window),
		cmocka_unit_test(hostile_names_are_read_as_they_were),
		cmocka_unit_test(no_samples_are_no_stacks),
		cmocka_unit_test(a_full_disk_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
