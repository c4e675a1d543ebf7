// SPDX-License-Identifier: BSD-2-Clause
/* What can be measured here, as a JSON document. */
#include "print/catalog_json.h"

#include "print/json.h"

static void put_field(struct json *j, const struct catalog_field *f)
{
	json__open(j, NULL);
	json__string(j, "name", f->name);
	json__string(j, "type", f->type);
	json__u64(j, "offset", f->offset);
	json__u64(j, "size", f->size);
	json__bool(j, "signed", f->is_signed);
	json__bool(j, "common", f->common);
	json__close(j);
}

static void put_row(struct json *j, const struct catalog *c, const struct catalog_entry *e,
		    bool fields)
{
	json__line(j);
	json__open(j, NULL);
	json__open(j, "key");
	json__string(j, "name", e->name);
	json__string(j, "kind", catalog_kind__name(e->kind));
	json__close(j);
	json__string(j, "alias", e->alias);
	json__string(j, "group", e->group);
	json__string(j, "text", e->text);
	json__string(j, "encoding", e->encoding);
	json__string(j, "unit", e->unit);
	json__string(j, "state", catalog_state__name(e->state));
	if (fields && e->kind == CATALOG_TRACEPOINT) {
		json__open_array(j, "fields");
		for (size_t i = 0; i < e->nr_fields; i++)
			put_field(j, &c->fields[e->first_field + i]);
		json__close_array(j);
	}
	json__close(j);
}

int print__catalog_json(FILE *f, const struct catalog *c, bool fields)
{
	struct json j;

	json__begin(&j, f, "list", true);
	json__line(&j);
	json__open_array(&j, "rows");
	for (size_t i = 0; i < c->nr; i++)
		put_row(&j, c, &c->items[i], fields);
	json__close_array(&j);
	json__line(&j);
	json__open(&j, "omitted");
	for (unsigned i = 0; i < CATALOG_NR; i++)
		if (c->nr_omitted[i])
			json__u64(&j, catalog_kind__name(i), c->nr_omitted[i]);
	json__close(&j);
	return json__end(&j);
}
