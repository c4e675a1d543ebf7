// SPDX-License-Identifier: BSD-2-Clause
#include "stat_results.h"

#include <errno.h>
#include <json-c/json.h>

#include "print/stat_json.h"

/* Parsed strictly, the whole text and nothing but one object. */
static struct json_object *parse(const char *text)
{
	struct json_tokener *t = json_tokener_new();
	struct json_object *o;

	json_tokener_set_flags(t, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	o = json_tokener_parse_ex(t, text, strlen(text) + 1);
	assert_int_equal(json_tokener_get_error(t), json_tokener_success);
	assert_true(json_object_is_type(o, json_type_object));
	json_tokener_free(t);
	return o;
}

/* Finishes @c first. */
static struct json_object *written(struct counts *c)
{
	struct json_object *o;
	char *text;

	counts__finish(c);
	text = WRITTEN(print__stat_json(f, c));
	o = parse(text);
	free(text);
	return o;
}

static struct json_object *get(struct json_object *o, const char *key)
{
	struct json_object *value;

	if (!json_object_object_get_ex(o, key, &value))
		fail_msg("no key %s", key);
	return value;
}

static bool has(struct json_object *o, const char *key)
{
	return json_object_object_get_ex(o, key, NULL);
}

static struct json_object *event(struct json_object *o, size_t i)
{
	return json_object_array_get_idx(get(o, "events"), i);
}

static struct json_object *row(struct json_object *o, size_t i)
{
	return json_object_array_get_idx(get(o, "rows"), i);
}

static void check_text(struct json_object *o, const char *expected)
{
	const int flags = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE;

	assert_string_equal(json_object_to_json_string_ext(o, flags), expected);
}

static void has_the_envelope(void **state)
{
	static const char *const keys[] = { "schema",	   "command", "version",
					    "duration_ns", "events",  "rows" };
	struct counts *c = new_counts(COUNTS_BY_NOTHING);
	struct json_object *o;
	size_t i = 0;

	add_counter(c, "faults", ROLE_NONE, COUNTS_NO_GROUP);
	ADD_VALUES(c, of_cpu(0), counted(4));
	o = written(c);
	json_object_object_foreach(o, key, value)
	{
		(void)value;
		assert_true(i < ARRAY_SIZE(keys));
		assert_string_equal(key, keys[i++]);
	}
	assert_int_equal(i, ARRAY_SIZE(keys));
	assert_int_equal(json_object_get_int(get(o, "schema")), 1);
	assert_string_equal(json_object_get_string(get(o, "command")), "stat");
	assert_string_equal(json_object_get_string(get(o, "version")), PMUTRACE_VERSION);
	assert_int_equal(json_object_get_uint64(get(o, "duration_ns")), 2000000000);
	assert_int_equal(json_object_array_length(get(o, "rows")), 0);
	json_object_put(o);
	counts__free(c);
}

static void says_how_each_event_was_counted(void **state)
{
	struct counts *c = all_states();
	struct json_object *o;

	o = written(c);
	check_text(event(o, 0), "{\"event\":\"task-clock\",\"unit\":\"ns\",\"state\":\"counted\","
				"\"value\":500000000,\"raw\":500000000,\"enabled_ns\":1000000000,"
				"\"running_ns\":1000000000,\"group\":null,"
				"\"metric\":{\"value\":0.250,\"text\":\"CPUs utilized\"}}");
	check_text(event(o, 1), "{\"event\":\"cycles:u\",\"unit\":\"\",\"state\":\"multiplexed\","
				"\"value\":2000000000,\"raw\":1000000000,\"enabled_ns\":1000000000,"
				"\"running_ns\":500000000,\"group\":0,"
				"\"metric\":{\"value\":4.000,\"text\":\"GHz\"}}");
	check_text(get(event(o, 2), "metric"), "{\"value\":0.50,\"text\":\"insn per cycle\"}");
	assert_false(has(event(o, 2), "metric2"));
	check_text(get(event(o, 3), "metric"), "{\"value\":4.000,\"text\":\"M/sec\"}");
	check_text(get(event(o, 3), "metric2"), "{\"value\":2.00,\"text\":\"MPKI\"}");
	check_text(event(o, 4),
		   "{\"event\":\"LLC-loads\",\"unit\":\"\",\"state\":\"not-supported\","
		   "\"value\":null,\"raw\":null,\"enabled_ns\":0,\"running_ns\":0,\"group\":1,"
		   "\"metric\":null,\"why\":\"no such counter\"}");
	check_text(event(o, 5),
		   "{\"event\":\"bus-cycles\",\"unit\":\"\",\"state\":\"not-counted\","
		   "\"value\":null,\"raw\":null,\"enabled_ns\":1000000000,\"running_ns\":0,"
		   "\"group\":null,\"metric\":null}");
	assert_string_equal(json_object_get_string(get(event(o, 6), "state")), "no-permission");
	json_object_put(o);
	counts__free(c);
}

static void a_row_has_the_key_that_was_asked_for(void **state)
{
	static const char *const expected[] = {
		"{\"cpu\":7}",
		"{\"socket\":1,\"core\":3,\"cpus\":2}",
		"{\"socket\":1,\"cpus\":2}",
		"{\"comm\":\"a,b\",\"pid\":41,\"tid\":42}",
		"{\"comm\":\"sh\",\"pid\":41}",
		"{\"cgroup\":\"/web\"}",
	};

	for (size_t i = 0; i < ARRAY_SIZE(row_keys); i++) {
		struct counts *c = keyed(i);
		struct json_object *o = written(c);

		assert_int_equal(json_object_array_length(get(o, "rows")), 1);
		check_text(get(row(o, 0), "key"), expected[i]);
		check_text(get(row(o, 0), "values"), "{\"faults\":4}");
		assert_int_equal(json_object_object_length(row(o, 0)), 2);
		json_object_put(o);
		counts__free(c);
	}
}

static void a_value_that_is_not_there_is_null(void **state)
{
	struct counts *c = new_counts(COUNTS_BY_CPU);
	struct json_object *o;

	add_counter(c, "faults", ROLE_NONE, COUNTS_NO_GROUP);
	add_counter(c, "cycles", ROLE_CYCLES, COUNTS_NO_GROUP);
	ADD_VALUES(c, of_cpu(0), counted(0), absent(COUNT_NO_PERMISSION));
	ADD_VALUES(c, of_cpu(1), part(0, 0), counted(5));
	o = written(c);
	check_text(get(row(o, 0), "values"), "{\"faults\":0,\"cycles\":null}");
	check_text(get(row(o, 1), "values"), "{\"faults\":null,\"cycles\":5}");
	/* half of what was asked for was counted */
	assert_string_equal(json_object_get_string(get(event(o, 0), "state")), "multiplexed");
	json_object_put(o);
	counts__free(c);
}

static void events_asked_for_twice_have_two_names(void **state)
{
	struct counts *c = thrice();
	struct json_object *o = written(c);

	check_text(get(row(o, 0), "values"), "{\"faults\":1,\"faults#2\":2,\"faults#3\":3}");
	assert_string_equal(json_object_get_string(get(event(o, 2), "event")), "faults#3");
	json_object_put(o);
	counts__free(c);
}

static void an_interval_is_one_line(void **state)
{
	struct counts *c = new_counts(COUNTS_BY_CPU);
	struct json_object *o;
	char *text;

	add_counter(c, "faults", ROLE_NONE, COUNTS_NO_GROUP);
	add_counter(c, "cycles", ROLE_CYCLES, COUNTS_NO_GROUP);
	ADD_VALUES(c, of_cpu(0), counted(1), counted(2));
	ADD_VALUES(c, of_cpu(1), counted(1), counted(2));
	counts__finish(c);
	c->at_ns = 3000000000;
	text = WRITTEN(print__stat_json(f, c));
	assert_int_equal(count_of(text, "\n"), 1);
	assert_string_equal(text + strlen(text) - 2, "}\n");
	o = parse(text);
	assert_int_equal(json_object_get_uint64(get(o, "time_ns")), 3000000000);
	json_object_put(o);
	free(text);
	counts__free(c);
}

static void repetitions_are_summed_up(void **state)
{
	struct counts *c = repeated();
	struct json_object *o;

	c->user_ns = 5;
	o = written(c);
	assert_near(json_object_get_double(get(event(o, 0), "value")), 2.5, 0);
	assert_int_equal(json_object_get_uint64(get(event(o, 0), "raw")), 12);
	assert_int_equal(json_object_get_int(get(get(event(o, 0), "runs"), "n")), 2);
	assert_near(json_object_get_double(get(get(event(o, 0), "runs"), "mean")), 2.5, 0);
	assert_near(json_object_get_double(get(get(event(o, 0), "runs"), "stddev")), sqrt(0.5),
		    1e-12);
	assert_near(json_object_get_double(get(get(event(o, 0), "runs"), "ci95")), 6.353, 1e-5);
	check_text(get(event(o, 1), "runs"), "{\"n\":1,\"mean\":3,\"stddev\":null,\"ci95\":null}");
	check_text(get(event(o, 2), "runs"),
		   "{\"n\":0,\"mean\":null,\"stddev\":null,\"ci95\":null}");
	assert_null(get(event(o, 2), "value"));
	assert_near(json_object_get_double(get(get(o, "runs"), "mean")), 2, 0);
	assert_int_equal(json_object_get_uint64(get(o, "user_ns")), 5);
	assert_int_equal(json_object_get_uint64(get(o, "system_ns")), 0);
	json_object_put(o);
	counts__free(c);
}

static void numbers_keep_all_their_digits(void **state)
{
	struct counts *c = new_counts(COUNTS_BY_CPU);
	struct json_object *o;

	add_counter(c, "big", ROLE_NONE, COUNTS_NO_GROUP);
	add_counter(c, "energy", ROLE_NONE, COUNTS_NO_GROUP);
	c->events[1].scale = 0.25;
	ADD_VALUES(c, of_cpu(0), counted((1ull << 53) + 1), counted(3));
	o = written(c);
	check_text(get(row(o, 0), "values"), "{\"big\":9007199254740993,\"energy\":0.75}");
	assert_int_equal(json_object_get_uint64(get(event(o, 1), "raw")), 3);
	json_object_put(o);
	counts__free(c);
}

static void is_valid_whatever_the_names(void **state)
{
	struct counts *c = hostile_results();
	struct json_object *o = written(c);

	assert_string_equal(json_object_get_string(get(event(o, 0), "event")), HOSTILE_VALID);
	assert_string_equal(json_object_get_string(get(get(row(o, 0), "key"), "comm")),
			    HOSTILE_VALID);
	assert_int_equal(json_object_get_int(get(get(row(o, 0), "values"), HOSTILE_VALID)), 4);
	json_object_put(o);
	counts__free(c);
}

static void a_full_disk_is_an_error(void **state)
{
	struct counts *c = new_counts(COUNTS_BY_NOTHING);
	FILE *f = full_disk();

	assert_int_equal(print__stat_json(f, c), -ENOSPC);
	fclose(f);
	counts__free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_the_envelope),
		cmocka_unit_test(says_how_each_event_was_counted),
		cmocka_unit_test(a_row_has_the_key_that_was_asked_for),
		cmocka_unit_test(a_value_that_is_not_there_is_null),
		cmocka_unit_test(events_asked_for_twice_have_two_names),
		cmocka_unit_test(an_interval_is_one_line),
		cmocka_unit_test(repetitions_are_summed_up),
		cmocka_unit_test(numbers_keep_all_their_digits),
		cmocka_unit_test(is_valid_whatever_the_names),
		cmocka_unit_test(a_full_disk_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
