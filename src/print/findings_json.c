// SPDX-License-Identifier: BSD-2-Clause
#include "print/findings_json.h"

#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "base/buf.h"
#include "print/jsonput.h"
#include "print/jsontext.h"
#include "print/writer.h"

static int put_key(struct json_object *o, const struct finding *x)
{
	struct json_object *key = json_object_new_object();
	int err = json__put(o, "key", key);

	if (!err)
		err = json__put_text(key, "name", x->name);
	if (!err)
		err = json__put_text(key, "area", x->area);
	if (!err && x->subject)
		err = json__put_text(key, "subject", x->subject);
	return err;
}

static int write_row(struct writer *w, const struct finding *x)
{
	struct json_object *o = json_object_new_object();
	int err = o ? put_key(o, x) : -ENOMEM;

	if (!err)
		err = json__put_text(o, "state", finding_state__name(x->state));
	if (!err)
		err = json__put_text(o, "found", x->found);
	if (!err)
		err = json__put_text(o, "cost", x->cost);
	if (!err)
		err = json__put_text(o, "fix", x->fix);
	return json__write(w, o, err);
}

int out__findings_json(FILE *f, const struct findings *found, const char *command)
{
	struct writer w = { .f = f };
	int err, end;

	writer__printf(&w, "{\"schema\":%d,\"command\":", JSON_SCHEMA);
	err = json__write_string(&w, command);
	writer__puts(&w, ",\"version\":");
	if (!err)
		err = json__write_string(&w, PMUTRACE_VERSION);
	writer__puts(&w, ",\n\"rows\":[");
	for (size_t i = 0; i < found->nr && !err; i++) {
		writer__puts(&w, i ? ",\n" : "\n");
		err = write_row(&w, &found->items[i]);
	}
	writer__printf(&w, "],\n\"ready\":%s}\n", found->ready ? "true" : "false");
	end = writer__end(&w);
	return err ? err : end;
}
