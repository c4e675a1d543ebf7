// SPDX-License-Identifier: BSD-2-Clause
#include "profiles.h"

#include <errno.h>
#include <json-c/json.h>

#include "out/json.h"

/* A path of keys and indexes, "rows.0.key.comm". Keys here have no dots. */
static struct json_object *at(struct json_object *o, const char *path)
{
	char *copy = strdup(path), *rest = copy, *key;

	while ((key = strsep(&rest, "."))) {
		if (json_object_is_type(o, json_type_array))
			o = json_object_array_get_idx(o, strtoul(key, NULL, 10));
		else if (!json_object_object_get_ex(o, key, &o))
			fail_msg("no %s in %s", key, path);
	}
	free(copy);
	return o;
}

static uint64_t number(struct json_object *o, const char *path)
{
	o = at(o, path);
	assert_true(json_object_is_type(o, json_type_int));
	return json_object_get_uint64(o);
}

static const char *string(struct json_object *o, const char *path)
{
	return json_object_get_string(at(o, path));
}

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

static struct json_object *written(const struct profile *p)
{
	char *text = WRITTEN(out__json(f, p, "profile"));
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
	assert_int_equal(profile__add(p, &key, 1, 1), 0);
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

static void is_valid_whatever_the_names(void **state)
{
	struct profile *p = hostile_profile();
	char *text = WRITTEN(out__json(f, p, HOSTILE));
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

static void a_full_disk_is_an_error(void **state)
{
	struct profile *p = small_profile();
	FILE *f = full_disk();

	assert_int_equal(out__json(f, p, "profile"), -ENOSPC);
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
		cmocka_unit_test(is_valid_whatever_the_names),
		cmocka_unit_test(an_event_asked_for_twice_keeps_its_samples),
		cmocka_unit_test(a_full_disk_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
