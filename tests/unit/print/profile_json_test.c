// SPDX-License-Identifier: BSD-2-Clause
#include "hits.h"
#include "json_path.h"

#include <errno.h>

#include "print/profile_json.h"
#include "print/rows.h"

static const struct json_opts profile_opts = { .command = "profile", .weights = true };

static struct json_object *written(const struct profile *p)
{
	char *text = WRITTEN(print__json(f, p, &profile_opts));
	struct json_object *o = parse(text);

	free(text);
	return o;
}

static void has_the_envelope(void **state)
{
	static const char *const keys[] = { "schema", "command",   "version", "duration_ns",
					    "events", "rows",	   "seen",    "kept",
					    "losses", "incomplete" };
	struct profile *p = small_profile();
	struct json_object *o;
	size_t i = 0;

	losses__add(&p->losses, &(struct loss){ .name = "stacks_full", .text = "x", .n = 2 });
	losses__add(&p->losses, &(struct loss){ .name = "cut", .text = "x", .flaw = true, .n = 1 });
	p->losses.seen += 2;
	o = written(p);
	json_object_object_foreach(o, key, value)
	{
		(void)value;
		assert_true(i < ARRAY_SIZE(keys));
		assert_string_equal(key, keys[i++]);
	}
	assert_int_equal(i, ARRAY_SIZE(keys));
	assert_int_equal(number(o, "schema"), 1);
	assert_string_equal(string(o, "command"), "profile");
	assert_string_equal(string(o, "version"), PMUTRACE_VERSION);
	assert_int_equal(number(o, "duration_ns"), 2000000000);
	assert_int_equal(number(o, "seen"), 17);
	assert_int_equal(number(o, "kept"), 15);
	assert_int_equal(number(o, "losses.stacks_full"), 2);
	assert_int_equal(json_object_object_length(at(o, "losses")), 1);
	assert_int_equal(number(o, "incomplete.cut"), 1);
	json_object_put(o);
	profile__free(p);
}

static void a_row_has_a_value_for_each_event(void **state)
{
	struct profile *p = small_profile();
	struct json_object *o = written(p);

	/* Most samples first: sys_read has 2 cycles and 4 faults. */
	assert_int_equal(json_object_array_length(at(o, "rows")), 5);
	assert_int_equal(number(o, "rows.0.values.cycles"), 2);
	assert_int_equal(number(o, "rows.0.values.faults"), 4);
	assert_int_equal(number(o, "rows.0.weights.faults"), 4000);
	assert_string_equal(string(o, "rows.0.key.comm"), "sh");
	assert_int_equal(number(o, "rows.0.key.pid"), 1);
	assert_string_equal(string(o, "rows.0.key.stack"), "[ \"main\", \"sys_read\" ]");
	assert_int_equal(json_object_object_length(at(o, "rows.0.key")), 3);
	/* Absent is absent, not 0. */
	assert_int_equal(number(o, "rows.4.values.faults"), 1);
	assert_int_equal(json_object_object_length(at(o, "rows.4.values")), 1);
	json_object_put(o);
	profile__free(p);
}

static void the_key_has_only_what_was_kept(void **state)
{
	struct profile *p = new_profile();
	struct row_key key = { .pid = 1, .tid = 2, .cpu = 3 };
	struct json_object *o;

	add_event(p, "cycles");
	key.stack = add_stack(p, "csh", NULL);
	assert_int_equal(profile__string(p, "/web", 4, &key.cgroup), 0);
	assert_int_equal(profile__add(p, &key, 1, 1, NULL), 0);
	p->by = BY_TID | BY_CPU | BY_CGROUP;
	o = written(p);
	assert_string_equal(string(o, "rows.0.key"),
			    "{ \"tid\": 2, \"cpu\": 3, \"cgroup\": \"\\/web\" }");
	json_object_put(o);
	profile__free(p);
}

static void says_how_each_event_was_counted(void **state)
{
	struct profile *p = new_profile();
	struct json_object *o;

	for (int i = 0; i < 4; i++)
		add_event(p, "cycles");
	p->events[0].weight = 7;
	p->events[1] = (struct profile_event){ .name = "half",
					       .unit = "ns",
					       .weight = 25,
					       .enabled_ns = 4000000,
					       .running_ns = 1000000 };
	p->events[2] = (struct profile_event){ .name = "never", .unit = "", .enabled_ns = 5 };
	/* (2^53 + 1) * 3 / 1 needs more than a double */
	p->events[3] = (struct profile_event){ .name = "big",
					       .unit = "",
					       .weight = (1ull << 53) + 1,
					       .enabled_ns = 3000000000,
					       .running_ns = 1000000000 };
	o = written(p);
	assert_string_equal(string(o, "events.0.state"), "counted");
	assert_int_equal(number(o, "events.0.value"), 7);
	assert_string_equal(string(o, "events.1.state"), "multiplexed");
	assert_string_equal(string(o, "events.1.unit"), "ns");
	assert_int_equal(number(o, "events.1.value"), 100);
	assert_int_equal(number(o, "events.1.raw"), 25);
	assert_int_equal(number(o, "events.1.enabled_ns"), 4000000);
	assert_int_equal(number(o, "events.1.running_ns"), 1000000);
	assert_string_equal(string(o, "events.2.state"), "not-counted");
	assert_null(at(o, "events.2.value"));
	assert_int_equal(number(o, "events.3.value"), 27021597764222979ull);
	json_object_put(o);
	profile__free(p);
}

/* As files of other tools tell of them; the weight is that of all samples, or nobody knows it. */
static void times_that_nobody_told_are_null(void **state)
{
	const struct json_opts hits = { .command = "report" };
	struct profile *p = new_profile();
	struct json_object *o;
	char *text;

	add_event(p, "cpu-clock");
	p->events[0].hz = 0;
	p->events[0].unit = "ns";
	p->events[0].samples = 3;
	p->events[0].weight = 3000;
	o = written(p);
	assert_null(at(o, "events.0.enabled_ns"));
	assert_null(at(o, "events.0.running_ns"));
	assert_int_equal(number(o, "events.0.value"), 3000);
	assert_string_equal(string(o, "events.0.unit"), "ns");
	json_object_put(o);
	text = WRITTEN(print__json(f, p, &hits));
	o = parse(text);
	assert_int_equal(number(o, "events.0.value"), 3);
	assert_string_equal(string(o, "events.0.unit"), "");
	json_object_put(o);
	free(text);
	profile__free(p);
}

static void is_valid_whatever_the_names(void **state)
{
	struct profile *p = hostile_profile();
	char *text = WRITTEN(print__json(f, p, &(struct json_opts){ .command = HOSTILE }));
	struct json_object *o = parse(text);

#define VALID "a;b\"c'd<e>f&g\\h\n\033[31m\xef\xbf\xbd]]>"
	assert_string_equal(string(o, "command"), VALID);
	assert_string_equal(string(o, "events.0.event"), "cpu/event=0x3c,umask=0x0/" VALID);
	assert_string_equal(string(o, "rows.0.key.comm"), VALID);
	assert_string_equal(string(o, "rows.0.key.stack.1"), VALID);
	json_object_put(o);
	free(text);
	profile__free(p);
}

static void an_event_asked_for_twice_keeps_its_samples(void **state)
{
	struct profile *p = new_profile();
	struct json_object *o;
	uint32_t stack;

	add_event(p, "cycles");
	add_event(p, "cycles");
	stack = add_stack(p, "csh", "umain", NULL);
	add_row(p, 0, 1, stack, 2);
	add_row(p, 1, 1, stack, 3);
	o = written(p);
	assert_int_equal(number(o, "rows.0.values.cycles"), 5);
	json_object_put(o);
	profile__free(p);
}

/* What `profile` wrote before there was anything else to write, byte for byte. */
static void a_profile_is_written_as_ever(void **state)
{
	struct profile *p = new_profile();
	char *text;

	add_event(p, "cycles");
	add_row(p, 0, 1, add_stack(p, "csh", "umain", NULL), 2);
	text = WRITTEN(print__json(f, p, &profile_opts));
	assert_string_equal(
		text, "{\"schema\":1,\"command\":\"profile\",\"version\":\"" PMUTRACE_VERSION
		      "\",\"duration_ns\":2000000000,\n"
		      "\"events\":[\n"
		      "{\"event\":\"cycles\",\"unit\":\"\",\"state\":\"counted\",\"value\":2000,"
		      "\"raw\":2000,\"enabled_ns\":0,\"running_ns\":0}],\n"
		      "\"rows\":[\n"
		      "{\"key\":{\"comm\":\"sh\",\"pid\":1,\"stack\":[\"main\"]},"
		      "\"values\":{\"cycles\":2},\"weights\":{\"cycles\":2000}}],\n"
		      "\"seen\":2,\"kept\":2,\"losses\":{},\"incomplete\":{}}\n");
	free(text);
	profile__free(p);
}

/* A head, and a line for each row, byte for byte; the same twice in an interval, with its time. */
static void lines_are_a_head_and_rows(void **state)
{
	struct profile *p = small_profile();
	char *text = WRITTEN(print__json_lines(f, p, &profile_opts));

	assert_string_equal(
		text, "{\"schema\":1,\"command\":\"profile\",\"version\":\"" PMUTRACE_VERSION
		      "\",\"duration_ns\":2000000000,\"events\":["
		      "{\"event\":\"cycles\",\"unit\":\"\",\"state\":\"counted\",\"value\":10000,"
		      "\"raw\":10000,\"enabled_ns\":0,\"running_ns\":0},"
		      "{\"event\":\"faults\",\"unit\":\"\",\"state\":\"counted\",\"value\":5000,"
		      "\"raw\":5000,\"enabled_ns\":0,\"running_ns\":0}],"
		      "\"seen\":15,\"kept\":15,\"losses\":{},\"incomplete\":{},\"nr_rows\":5}\n"
		      "{\"key\":{\"comm\":\"sh\",\"pid\":1,\"stack\":[\"main\",\"sys_read\"]},"
		      "\"values\":{\"cycles\":2,\"faults\":4},"
		      "\"weights\":{\"cycles\":2000,\"faults\":4000}}\n"
		      "{\"key\":{\"comm\":\"sh\",\"pid\":1,\"stack\":[\"main\",\"work\"]},"
		      "\"values\":{\"cycles\":3},\"weights\":{\"cycles\":3000}}\n"
		      "{\"key\":{\"comm\":\"sh\",\"pid\":1,\"stack\":[\"main\",\"work\",\"work\","
		      "\"leaf\"]},"
		      "\"values\":{\"cycles\":3},\"weights\":{\"cycles\":3000}}\n"
		      "{\"key\":{\"comm\":\"sh\",\"pid\":2,\"stack\":[\"main\",\"work\",\"work\","
		      "\"leaf\"]},"
		      "\"values\":{\"cycles\":2},\"weights\":{\"cycles\":2000}}\n"
		      "{\"key\":{\"comm\":\"node\",\"pid\":9,\"stack\":[\"run\"]},"
		      "\"values\":{\"faults\":1},\"weights\":{\"faults\":1000}}\n");
	free(text);
	p->by = BY_COMM;
	text = WRITTEN(
		print__json_lines(f, p, &(struct json_opts){ .command = "count", .at_ns = 9 }));
	assert_non_null(strstr(text, "\"duration_ns\":2000000000,\"time_ns\":9,\"events\""));
	assert_non_null(strstr(text, "\n{\"time_ns\":9,\"key\":{\"comm\":\"node\"},"
				     "\"values\":{\"faults\":1}}\n"));
	assert_int_equal(count_of(text, "\"time_ns\":9"), count_of(text, "\n"));
	free(text);
	profile__free(p);
}

static void lines_on_a_full_disk_are_an_error(void **state)
{
	struct profile *p = small_profile();
	FILE *f = full_disk();

	assert_int_equal(print__json_lines(f, p, &profile_opts), -ENOSPC);
	fclose(f);
	profile__free(p);
}

/* The rows that the text has, from "rows" to "seen". */
static void has_rows(struct profile *p, const struct json_opts *opts, const char *expected)
{
	char *text = WRITTEN(print__json(f, p, opts)), *rows = strstr(text, "\"rows\":");

	json_object_put(parse(text));
	*strstr(text, "\"seen\"") = '\0';
	assert_string_equal(rows, expected);
	free(text);
	profile__free(p);
}

static void hits_have_fields_and_metrics(void **state)
{
	struct profile *p = new_hits(0, "kprobe:a");

	add_field(p, "sk", FIELD_HEX);
	add_field(p, "name", FIELD_TEXT);
	add_field(p, "n", FIELD_SIGNED);
	add_field(p, "u", FIELD_UNSIGNED);
	add_metric(p, "ret", "", true);
	add_event(p, "kprobe:b");
	/* -7 / 3 = -2.333 */
	add_hits(p, (struct hit){
			    .n = 3,
			    .words = { 0xffff888000000001, text_word(p, "x"), -1, UINT64_MAX },
			    .value = { -7, -4, -1 },
		    });
	add_hits(p, (struct hit){
			    .event = 1,
			    .n = 2,
			    .words = { 0xffff888000000001, text_word(p, "x"), -1, UINT64_MAX },
			    .value = { 6, 2, 4 },
		    });
	has_rows(p, &(struct json_opts){ .command = "count" },
		 "\"rows\":[\n"
		 "{\"key\":{\"sk\":\"0xffff888000000001\",\"name\":\"x\",\"n\":-1,"
		 "\"u\":18446744073709551615},\"values\":{\"kprobe:a\":3},"
		 "\"metrics\":{\"ret\":{\"sum\":-7,\"avg\":-2.333,\"min\":-4,\"max\":-1}}},\n"
		 "{\"key\":{\"sk\":\"0xffff888000000001\",\"name\":\"x\",\"n\":-1,"
		 "\"u\":18446744073709551615},\"values\":{\"kprobe:b\":2},"
		 "\"metrics\":{\"ret\":{\"sum\":6,\"avg\":3.000,\"min\":2,\"max\":4}}}],\n");
}

static void what_was_asked_for_twice_is_one_member(void **state)
{
	const struct profile_value values[] = { { 3, 1, 2 }, { 3, 1, 2 } };
	struct profile *p = new_hits(0, "kprobe:a");
	struct row_key key = {};

	add_field(p, "fd", FIELD_UNSIGNED);
	add_field(p, "fd", FIELD_UNSIGNED);
	add_metric(p, "ret", "", true);
	add_metric(p, "ret", "", true);
	assert_int_equal(tuples__add(&p->tuples, (uint64_t[]){ 7, 7 }, &key.fields), 0);
	assert_int_equal(profile__add(p, &key, 2, 2, values), 0);
	has_rows(p, &(struct json_opts){ .command = "count", .net = (uint64_t[]){ 5, 5 } },
		 "\"rows\":[\n{\"key\":{\"fd\":7},\"values\":{\"kprobe:a\":2},"
		 "\"metrics\":{\"ret\":{\"sum\":3,\"avg\":1.500,\"min\":1,\"max\":2}}}],\n");
}

/* Twice 2^63 are more than 64 bits have: what is not known is null, the ends are known. */
static void sums_that_do_not_fit_are_null(void **state)
{
	struct profile *p = new_hits(BY_PID, "kprobe:a");

	add_metric(p, "bytes", "", false);
	add_hits(p, (struct hit){ .pid = 1, .n = 2, .value = { 0, 5, INT64_MIN } });
	add_hits(p, (struct hit){ .pid = 2, .n = 1, .value = { INT64_MIN, INT64_MIN, INT64_MIN } });
	has_rows(p, &(struct json_opts){ .command = "count" },
		 "\"rows\":[\n"
		 "{\"key\":{\"pid\":1},\"values\":{\"kprobe:a\":2},\"metrics\":{\"bytes\":"
		 "{\"sum\":null,\"avg\":null,\"min\":5,\"max\":9223372036854775808}}},\n"
		 "{\"key\":{\"pid\":2},\"values\":{\"kprobe:a\":1},\"metrics\":{\"bytes\":"
		 "{\"sum\":9223372036854775808,\"avg\":9223372036854775808.000,"
		 "\"min\":9223372036854775808,\"max\":9223372036854775808}}}],\n");
}

static void buckets_of_a_key_are_one_row(void **state)
{
	has_rows(latencies("ns"), &(struct json_opts){ .command = "count" },
		 "\"rows\":[\n"
		 "{\"key\":{\"pid\":42,\"fd\":3,\"op\":\"r\"},\"values\":{\"kprobe:a\":1000},"
		 "\"hist\":[{\"from\":1,\"to\":1,\"count\":12},"
		 "{\"from\":4,\"to\":7,\"count\":988}]},\n"
		 "{\"key\":{\"pid\":7,\"fd\":4,\"op\":\"r\"},\"values\":{\"kprobe:a\":1},"
		 "\"hist\":[{\"from\":null,\"to\":-1,\"count\":1}]}],\n");
}

/* Of a row the latest that was told; of numbers below 0 with their sign. */
static void ranges_have_exemplars(void **state)
{
	struct profile *p = latencies("ns");
	struct profile_exemplar e = { 1700000000000000005, 1, 42, 43, 0 };

	assert_int_equal(profile__string(p, "a\"b", 3, &e.comm), 0);
	for (uint32_t i = 0; i < p->nr_rows; i++) {
		const int64_t bucket = row__bucket(p, &p->rows[i]);

		if (bucket > 1)
			continue;
		e.value = bucket < 0 ? (uint64_t)-5 : 1;
		assert_int_equal(profile__exemplify(p, i, &e), 0);
		e.time_ns--;
		e.value = 99;
		assert_int_equal(profile__exemplify(p, i, &e), 0);
		e.time_ns++;
	}
	assert_null(profile__exemplar(p, p->nr_rows));
#define EXEMPLAR(value)                                                                            \
	",\"exemplar\":{\"value\":" value ",\"time_ns\":1700000000000000005,"                      \
	"\"pid\":42,\"tid\":43,\"comm\":\"a\\\"b\"}"
	has_rows(p, &(struct json_opts){ .command = "count" },
		 "\"rows\":[\n"
		 "{\"key\":{\"pid\":42,\"fd\":3,\"op\":\"r\"},\"values\":{\"kprobe:a\":1000},"
		 "\"hist\":[{\"from\":1,\"to\":1,\"count\":12" EXEMPLAR(
			 "1") "},"
			      "{\"from\":4,\"to\":7,\"count\":988}]},\n"
			      "{\"key\":{\"pid\":7,\"fd\":4,\"op\":\"r\"},\"values\":{"
			      "\"kprobe:a\":1},"
			      "\"hist\":[{\"from\":null,\"to\":-1,\"count\":1" EXEMPLAR(
				      "-5") "}]}],\n");
}

static void rows_without_ranges_have_one_exemplar(void **state)
{
	struct profile *p = new_hits(BY_PID, "kprobe:a");
	const struct profile_exemplar e = { 5, 1, 1, 2, 0 };

	add_hits(p, (struct hit){ .pid = 1, .n = 2 });
	assert_int_equal(profile__exemplify(p, 0, &e), 0);
	has_rows(p, &(struct json_opts){ .command = "count" },
		 "\"rows\":[\n{\"key\":{\"pid\":1},\"values\":{\"kprobe:a\":2},\"exemplar\":{"
		 "\"value\":1,\"time_ns\":5,\"pid\":1,\"tid\":2,\"comm\":\"\"}}],\n");
}

static void an_interval_is_one_line(void **state)
{
	struct profile *first = latencies("ns"), *p = profile__like(first);
	char *text;

	profile__free(first);
	p->duration_ns = 5000000000;
	add_hits(p, (struct hit){ .pid = 1, .n = 2, .words = { 0, 63, 0 } });
	text = WRITTEN(print__json(f, p, &(struct json_opts){ .command = "count", .at_ns = 9 }));
	assert_string_equal(
		text, "{\"schema\":1,\"command\":\"count\",\"version\":\"" PMUTRACE_VERSION
		      "\",\"duration_ns\":5000000000,\"time_ns\":9,\"units\":{\"lat\":\"ns\"},"
		      "\"events\":[{\"event\":\"kprobe:a\",\"unit\":\"\",\"state\":\"counted\","
		      "\"value\":2,\"raw\":2,\"enabled_ns\":null,\"running_ns\":null}],"
		      "\"rows\":[{\"key\":{\"pid\":1,\"fd\":0,\"op\":\"\"},"
		      "\"values\":{\"kprobe:a\":2},"
		      "\"hist\":[{\"from\":4611686018427387904,\"to\":null,\"count\":2}]}],"
		      "\"seen\":2,\"kept\":2,\"losses\":{},\"incomplete\":{}}\n");
	free(text);
	profile__free(p);
}

/* The sum of all results is what was compared; without --verify-unwind nothing is said. */
static void tells_what_verification_found(void **state)
{
	static const struct {
		const char *path;
		uint64_t n;
	} want[] = {
		{ "verify_unwind.compared", 63 },
		{ "verify_unwind.same", 1 },
		{ "verify_unwind.uncopied", 2 },
		{ "verify_unwind.frame_pointer", 4 },
		{ "verify_unwind.gave_up", 8 },
		{ "verify_unwind.incomplete", 16 },
		{ "verify_unwind.different", 32 },
		{ "verify_unwind.skipped.no_copy", 64 },
		{ "verify_unwind.skipped.no_files", 65 },
		{ "verify_unwind.skipped.no_reader", 66 },
		{ "verify_unwind.kernel.same", 71 },
		{ "verify_unwind.kernel.different", 72 },
		{ "verify_unwind.kernel.not_followed", 73 },
	};
	struct profile *p = small_profile();
	struct json_object *o;

	p->check = (struct unwind_check){
		.wanted = true,
		.reference = "elfutils 0.1",
		.results = { 1, 2, 4, 8, 16, 32 },
		.skipped = { 64, 65, 66 },
	};
	o = written(p);
	assert_false(json_object_object_get_ex(at(o, "verify_unwind"), "kernel", NULL));
	json_object_put(o);
	p->check.kernel = (struct unwind_check_kernel){
		.is_known = true, .same = 71, .different = 72, .left = 73
	};
	o = written(p);
	assert_string_equal(string(o, "verify_unwind.reference"), "elfutils 0.1");
	for (size_t i = 0; i < ARRAY_SIZE(want); i++)
		assert_int_equal(number(o, want[i].path), want[i].n);
	json_object_put(o);
	p->check.wanted = false;
	o = written(p);
	assert_int_equal(json_object_object_length(at(o, "verify_unwind")), 1);
	assert_int_equal(number(o, "verify_unwind.kernel.same"), 71);
	json_object_put(o);
	profile__free(p);
}

static void a_full_disk_is_an_error(void **state)
{
	struct profile *p = small_profile();
	FILE *f = full_disk();

	assert_int_equal(print__json(f, p, &profile_opts), -ENOSPC);
	fclose(f);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_the_envelope),
		cmocka_unit_test(a_row_has_a_value_for_each_event),
		cmocka_unit_test(the_key_has_only_what_was_kept),
		cmocka_unit_test(says_how_each_event_was_counted),
		cmocka_unit_test(times_that_nobody_told_are_null),
		cmocka_unit_test(is_valid_whatever_the_names),
		cmocka_unit_test(an_event_asked_for_twice_keeps_its_samples),
		cmocka_unit_test(a_profile_is_written_as_ever),
		cmocka_unit_test(hits_have_fields_and_metrics),
		cmocka_unit_test(what_was_asked_for_twice_is_one_member),
		cmocka_unit_test(sums_that_do_not_fit_are_null),
		cmocka_unit_test(buckets_of_a_key_are_one_row),
		cmocka_unit_test(ranges_have_exemplars),
		cmocka_unit_test(rows_without_ranges_have_one_exemplar),
		cmocka_unit_test(an_interval_is_one_line),
		cmocka_unit_test(lines_are_a_head_and_rows),
		cmocka_unit_test(lines_on_a_full_disk_are_an_error),
		cmocka_unit_test(tells_what_verification_found),
		cmocka_unit_test(a_full_disk_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
