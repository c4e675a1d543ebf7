// SPDX-License-Identifier: BSD-2-Clause
#include "print/jsonput.h"

#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "print/escape.h"

enum { PLAIN = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE };

int json__put(struct json_object *o, const char *key, struct json_object *value)
{
	if (value && !json_object_object_add(o, key, value))
		return 0;
	json_object_put(value);
	return -ENOMEM;
}

int json__put_null(struct json_object *o, const char *key)
{
	return json_object_object_add(o, key, NULL) ? -ENOMEM : 0;
}

int json__put_u64(struct json_object *o, const char *key, uint64_t n)
{
	return json__put(o, key, json_object_new_uint64(n));
}

int json__put_string(struct json_object *o, const char *key, const char *s)
{
	return json__put(o, key, json_object_new_string(s));
}

int json__put_double(struct json_object *o, const char *key, double x, int decimals)
{
	struct buf text = {};
	int err;

	if (!isfinite(x))
		return json__put_null(o, key);
	if (decimals < 0)
		err = buf__printf(&text, "%.15g", x);
	else
		err = buf__printf(&text, "%.*f", decimals, x);
	if (!err)
		err = json__put(o, key, json_object_new_double_s(x, text.data));
	buf__free(&text);
	return err;
}

int json__write(struct writer *w, struct json_object *o, int err)
{
	size_t len = 0;
	const char *s = err ? NULL : json_object_to_json_string_length(o, PLAIN, &len);

	if (s)
		escape__json_text(w, s, len);
	else if (!err)
		err = -ENOMEM;
	json_object_put(o);
	return err;
}

int json__write_string(struct writer *w, const char *s)
{
	struct buf valid = {};
	int err = utf8__put_valid(&valid, s, strlen(s));
	struct json_object *o = err ? NULL : json_object_new_string(valid.data ? valid.data : "");

	buf__free(&valid);
	return json__write(w, o, err || o ? err : -ENOMEM);
}
