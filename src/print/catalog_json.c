// SPDX-License-Identifier: BSD-2-Clause
#include "print/catalog_json.h"

#include <errno.h>
#include <json-c/json.h>

#include "print/jsonput.h"
#include "print/jsontext.h"
#include "print/writer.h"

static int put_key(struct json_object *o, const struct catalog_entry *e)
{
	struct json_object *key = json_object_new_object();
	int err = json__put(o, "key", key);

	if (!err)
		err = json__put_text(key, "name", e->name);
	return err ? err : json__put_string(key, "kind", catalog_kind__name(e->kind));
}

static struct json_object *new_field(const struct catalog_field *f)
{
	struct json_object *o = json_object_new_object();
	int err = o ? json__put_text(o, "name", f->name) : -ENOMEM;

	if (!err)
		err = json__put_text(o, "type", f->type);
	if (!err)
		err = json__put_u64(o, "offset", f->offset);
	if (!err)
		err = json__put_u64(o, "size", f->size);
	if (!err)
		err = json__put(o, "signed", json_object_new_boolean(f->is_signed));
	if (!err)
		err = json__put(o, "common", json_object_new_boolean(f->common));
	if (!err)
		return o;
	json_object_put(o);
	return NULL;
}

static int put_fields(struct json_object *o, const struct catalog *c, const struct catalog_entry *e)
{
	struct json_object *fields = json_object_new_array(), *field;
	int err = json__put(o, "fields", fields);

	for (size_t i = 0; i < e->nr_fields && !err; i++) {
		field = new_field(&c->fields[e->first_field + i]);
		if (!field || json_object_array_add(fields, field)) {
			json_object_put(field);
			err = -ENOMEM;
		}
	}
	return err;
}

static int write_row(struct writer *w, const struct catalog *c, const struct catalog_entry *e,
		     bool fields)
{
	struct json_object *o = json_object_new_object();
	int err = o ? put_key(o, e) : -ENOMEM;

	if (!err)
		err = json__put_text(o, "alias", e->alias);
	if (!err)
		err = json__put_text(o, "group", e->group);
	if (!err)
		err = json__put_text(o, "text", e->text);
	if (!err)
		err = json__put_text(o, "encoding", e->encoding);
	if (!err)
		err = json__put_text(o, "unit", e->unit);
	if (!err)
		err = json__put_text(o, "state", catalog_state__name(e->state));
	if (!err && fields && e->kind == CATALOG_TRACEPOINT)
		err = put_fields(o, c, e);
	return json__write(w, o, err);
}

int out__catalog_json(FILE *f, const struct catalog *c, bool fields)
{
	struct writer w = { .f = f };
	const char *sep = "";
	int err, end;

	writer__printf(&w, "{\"schema\":%d,\"command\":\"list\",\"version\":", JSON_SCHEMA);
	err = json__write_string(&w, PMUTRACE_VERSION);
	writer__puts(&w, ",\n\"rows\":[");
	for (size_t i = 0; i < c->nr && !err; i++) {
		writer__puts(&w, i ? ",\n" : "\n");
		err = write_row(&w, c, &c->items[i], fields);
	}
	writer__puts(&w, "],\n\"omitted\":{");
	for (unsigned i = 0; i < CATALOG_NR; i++) {
		if (!c->nr_omitted[i])
			continue;
		writer__printf(&w, "%s\"%s\":%zu", sep, catalog_kind__name(i), c->nr_omitted[i]);
		sep = ",";
	}
	writer__puts(&w, "}}\n");
	end = writer__end(&w);
	return err ? err : end;
}
