/* SPDX-License-Identifier: BSD-2-Clause */
/* JSON that was written, read by another library, for tests; behind what includes cmocka.h. */
#ifndef TESTS_UNIT_JSON_PATH_H
#define TESTS_UNIT_JSON_PATH_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

/* A path of keys and indexes, "rows.0.key.comm". Keys here have no dots. */
static inline struct json_object *at(struct json_object *o, const char *path)
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

static inline uint64_t number(struct json_object *o, const char *path)
{
	o = at(o, path);
	assert_true(json_object_is_type(o, json_type_int));
	return json_object_get_uint64(o);
}

static inline size_t length(struct json_object *o, const char *path)
{
	o = at(o, path);
	assert_true(json_object_is_type(o, json_type_array));
	return json_object_array_length(o);
}

static inline const char *string(struct json_object *o, const char *path)
{
	return json_object_get_string(at(o, path));
}

/* Parsed strictly, the whole text and nothing but one object. */
static inline struct json_object *parse(const char *text)
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

#endif
