// SPDX-License-Identifier: BSD-2-Clause
#include "print/jsontext.h"

#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "print/jsonput.h"

int json__put_text(struct json_object *o, const char *key, const char *s)
{
	struct buf valid = {};
	int err;

	if (!s)
		return json__put_null(o, key);
	err = utf8__put_valid(&valid, s, strlen(s));
	if (!err)
		err = json__put_string(o, key, valid.len ? valid.data : "");
	buf__free(&valid);
	return err;
}
