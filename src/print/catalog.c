// SPDX-License-Identifier: BSD-2-Clause
/* Writes a catalog as text, by kind under headlines or a line each, and as JSON. */
#include "print/catalog.h"

#include <string.h>

#include "base/buf.h"
#include "print/cell.h"
#include "print/escape.h"
#include "print/json.h"
#include "print/text_grid.h"
#include "print/writer.h"

enum { NAME_MIN = 24, NAME_MAX_WIDTH = 60, FIELD_WIDTH = 24 };

struct table {
	struct writer w;
	const struct catalog *c;
	const struct catalog_table_opts *o;
	struct text_grid entries, fields; /* of one kind */
};

/* The description or else the encoding, unit, alias, module of a kprobe; @state: if not open. */
static int put_rest(struct buf *b, const struct catalog_entry *e, bool state)
{
	const char *text = e->text ? e->text : e->encoding;
	int err = text ? buf__puts(b, text) : 0;

	if (!err && *e->unit)
		err = buf__printf(b, "%sin %s", b->len ? ", " : "", e->unit);
	if (!err && e->alias)
		err = buf__printf(b, "%s(also %s)", b->len ? " " : "", e->alias);
	if (!err && e->group && e->kind == CATALOG_KPROBE)
		err = buf__printf(b, "%s[%s]", b->len ? " " : "", e->group);
	if (err || !state || e->state == CATALOG_OPENS || e->state == CATALOG_UNKNOWN)
		return err;
	return buf__printf(b, "%s- %s here", b->len ? " " : "",
			   e->state == CATALOG_NO_PERMISSION ? "not permitted" : "not supported");
}

/* An entry that does not open here is faint. */
static void add_cell(struct table *t, const struct catalog_entry *e, const char *s)
{
	text_grid__cell(&t->entries, s);
	if (e->state == CATALOG_NOT_SUPPORTED || e->state == CATALOG_NO_PERMISSION)
		text_grid__color(&t->entries, CELL_DIM);
}

static int add_entry(struct table *t, const struct catalog_entry *e)
{
	const char *state = catalog_state__name(e->state);
	struct buf rest = {};
	int err = put_rest(&rest, e, t->o->headlines);

	add_cell(t, e, e->name);
	if (!t->o->headlines) {
		add_cell(t, e, catalog_kind__name(e->kind));
		add_cell(t, e, state ? state : rest.len ? "-" : "");
	}
	add_cell(t, e, rest.len ? rest.data : "");
	buf__free(&rest);
	return err;
}

static void add_field(struct table *t, const struct catalog_entry *e, const struct catalog_field *f)
{
	if (!t->o->headlines)
		text_grid__cell(&t->fields, e->name);
	text_grid__cell(&t->fields, f->name);
	text_grid__printf(&t->fields, "offset %-4u size %-4u", f->offset, f->size);
	text_grid__cell(&t->fields, f->type);
}

/* "Hardware events (10, of which 0 open here)" */
static void put_headline(struct table *t, size_t first, size_t end)
{
	static const char *const titles[CATALOG_NR] = {
		[CATALOG_HARDWARE] = "Hardware events",
		[CATALOG_SOFTWARE] = "Software events",
		[CATALOG_CACHE] = "Cache events",
		[CATALOG_PMU] = "Events of PMUs",
		[CATALOG_SYNTAX] = "Events to be written",
		[CATALOG_VENDOR] = "Events of the CPU's manual",
		[CATALOG_TRACEPOINT] = "Tracepoints",
		[CATALOG_KPROBE] = "Functions of the kernel",
		[CATALOG_UPROBE] = "Functions",
		[CATALOG_USDT] = "Static probes",
	};
	const struct catalog_entry *e = &t->c->items[first];
	size_t open = 0, tried = 0;

	for (size_t i = first; i < end; i++) {
		open += t->c->items[i].state == CATALOG_OPENS;
		tried += t->c->items[i].state != CATALOG_UNKNOWN;
	}
	writer__puts(&t->w, first ? "\n" : "");
	writer__puts(&t->w, t->o->color ? CELL_BOLD : "");
	writer__puts(&t->w, titles[e->kind]);
	writer__puts(&t->w, t->o->color ? CELL_PLAIN : "");
	writer__printf(&t->w, " (%zu", end - first);
	if (tried && open < tried)
		writer__printf(&t->w, ", of which %zu open%s here", open, open == 1 ? "s" : "");
	writer__puts(&t->w, ")\n");
}

/* Of the name column, for the kind that begins at @first; longer names shift their own line. */
static size_t name_width(const struct catalog *c, size_t first, size_t end)
{
	size_t width = NAME_MIN;

	for (size_t i = first; i < end; i++) {
		const size_t len = strlen(c->items[i].name);

		if (len > width && len <= NAME_MAX_WIDTH)
			width = len;
	}
	return width;
}

static void add_columns(struct table *t, size_t width)
{
	const struct text_grid_column name = { .at_least = width, .pads_to = width };
	const struct text_grid_column field = { .at_least = FIELD_WIDTH, .pads_to = FIELD_WIDTH };
	const struct text_grid_column plain = {}, kind = { .at_least = 10 },
				      state = { .at_least = 13 };

	text_grid__column(&t->entries, &name, "");
	if (!t->o->headlines) {
		text_grid__column(&t->entries, &kind, "");
		text_grid__column(&t->entries, &state, "");
		text_grid__column(&t->fields, &name, "");
	}
	text_grid__column(&t->entries, &plain, "");
	text_grid__column(&t->fields, &field, "");
	text_grid__column(&t->fields, &plain, "");
	text_grid__column(&t->fields, &plain, "");
}

/* Where an entry is a line of its own, not only the name in those of its fields. */
static bool has_line(const struct table *t, const struct catalog_entry *e)
{
	return !t->o->fields || t->o->headlines || !e->nr_fields;
}

static size_t nr_fields(const struct table *t, const struct catalog_entry *e)
{
	return t->o->fields ? e->nr_fields : 0;
}

static void put_lines(struct table *t, size_t first, size_t end)
{
	size_t entry = 0, field = 0;

	for (size_t i = first; i < end; i++) {
		const struct catalog_entry *e = &t->c->items[i];

		if (has_line(t, e))
			text_grid__put_line(&t->entries, &t->w, entry++);
		for (size_t n = 0; n < nr_fields(t, e); n++)
			text_grid__put_line(&t->fields, &t->w, field++);
	}
}

/* All entries of one kind. */
static int put_kind(struct table *t, size_t first, size_t end)
{
	int err = 0;

	text_grid__free(&t->entries);
	text_grid__free(&t->fields);
	add_columns(t, name_width(t->c, first, end));
	for (size_t i = first; i < end && !err; i++) {
		const struct catalog_entry *e = &t->c->items[i];

		if (has_line(t, e))
			err = add_entry(t, e);
		for (size_t n = 0; n < nr_fields(t, e); n++)
			add_field(t, e, &t->c->fields[e->first_field + n]);
	}
	if (!err)
		err = text_grid__lay_out(&t->entries);
	if (!err)
		err = text_grid__lay_out(&t->fields);
	if (err)
		return err;
	if (t->o->headlines)
		put_headline(t, first, end);
	put_lines(t, first, end);
	return 0;
}

int print__catalog_table(FILE *f, const struct catalog *c, const struct catalog_table_opts *o)
{
	const struct text_grid lines = {
		.color = o->color,
		.indent = o->headlines ? 2 : 0,
		.escape = o->headlines ? escape__plain : escape__controls,
	};
	struct table t = { .w = { .f = f }, .c = c, .o = o, .entries = lines, .fields = lines };
	int err = 0, end_err;

	t.fields.indent *= 2;
	for (size_t i = 0, end; i < c->nr && !err; i = end) {
		for (end = i + 1; end < c->nr && c->items[end].kind == c->items[i].kind;)
			end++;
		err = put_kind(&t, i, end);
	}
	end_err = writer__end(&t.w);
	text_grid__free(&t.entries);
	text_grid__free(&t.fields);
	return err ? err : end_err;
}

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
