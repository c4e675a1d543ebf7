// SPDX-License-Identifier: BSD-2-Clause
/* Tracepoints, and the fields of their records. */
#include <errno.h>
#include <string.h>

#include "catalog/catalog_fill.h"
#include "event/tracefs.h"
#include "event/tracepoint.h"

/* "char[16]", "char[] at run time": the type as the kernel's own text has it, array and all. */
static int put_type(struct buf *type, const struct tracepoint_field *f)
{
	int err = buf__printf(type, "%s%s",
			      f->is_relative  ? "__rel_loc "
			      : f->is_dynamic ? "__data_loc "
					      : "",
			      f->type);

	return err || !f->is_array ? err : buf__puts(type, "[]");
}

static int add_fields(struct catalog *c, const struct tracepoint_format *format)
{
	struct buf type = {};
	int err = 0;

	for (size_t i = 0; i < format->nr && !err; i++) {
		const struct tracepoint_field *f = &format->fields[i];
		struct catalog_field field = {
			.name = f->name,
			.offset = f->offset,
			.size = f->size,
			.is_signed = f->is_signed,
			.common = f->common,
		};

		buf__clear(&type);
		err = put_type(&type, f);
		field.type = type.data;
		if (!err)
			err = catalog__add_field(c, &field);
	}
	buf__free(&type);
	return err;
}

static int add(struct catalog *c, const char *tracefs, const struct tracepoint_name *t, bool fields,
	       struct buf *name)
{
	struct catalog_entry e = { .kind = CATALOG_TRACEPOINT, .group = t->category };
	struct tracepoint_format format;
	size_t before = c->nr;
	struct buf why = {};
	int err;

	buf__clear(name);
	err = buf__printf(name, "%s:%s", t->category, t->name);
	e.name = name->data;
	if (!err)
		err = catalog__add(c, &e);
	if (err || !fields || c->nr == before)
		return err;
	/* One that went away meanwhile, or that makes no sense, stays without fields. */
	err = tracepoint__format(tracefs, t->category, t->name, &format, &why);
	buf__free(&why);
	if (err)
		return err == -ENOMEM ? err : 0;
	err = add_fields(c, &format);
	tracepoint_format__free(&format);
	return err;
}

int catalog_fill__tracepoints(struct catalog *c, const char *root, bool fields, struct buf *why)
{
	struct tracepoint_name *names = NULL;
	struct buf tracefs = {}, name = {};
	size_t nr = 0;
	int err = tracefs__find(root, &tracefs, why);

	if (!err) {
		err = tracepoints__list(tracefs.data, NULL, &names, &nr);
		if (err && err != -ENOMEM &&
		    buf__printf(why, "cannot read %s/events: %s", tracefs.data, strerror(-err)))
			err = -ENOMEM;
	}
	for (size_t i = 0; i < nr && !err; i++)
		err = add(c, tracefs.data, &names[i], fields, &name);
	tracepoint_names__free(names, nr);
	buf__free(&tracefs);
	buf__free(&name);
	return err;
}
