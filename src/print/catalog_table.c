// SPDX-License-Identifier: BSD-2-Clause
/* Writes a catalog as text: by kind under headlines, or one line per name with its kind. */
#include "print/catalog_table.h"

#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "print/escape.h"
#include "print/writer.h"

#define BOLD  "\033[1m"
#define FAINT "\033[2m"
#define PLAIN "\033[0m"

enum { NAME_MIN = 24, NAME_MAX_WIDTH = 60, FIELD_WIDTH = 24 };

struct table {
	struct writer w;
	const struct catalog *c;
	const struct catalog_table_opts *o;
	size_t name_width;
	struct buf text;
};

static void color(struct table *t, const char *attribute)
{
	if (t->o->color)
		writer__puts(&t->w, attribute);
}

/* Names come from files of others: what could drive a terminal is replaced. */
static int put_text(struct table *t, const char *s)
{
	int err;

	buf__clear(&t->text);
	err = t->o->headlines ? escape__plain(&t->text, s) : escape__controls(&t->text, s);
	if (!err && t->text.len)
		writer__put(&t->w, t->text.data, t->text.len);
	return err;
}

/* *pad: blanks up to the next column, left to that column, so that no line ends in blanks. */
static int put_name(struct table *t, const char *name, size_t width, size_t *pad)
{
	int err = put_text(t, name);
	size_t used;

	utf8__fit(t->text.len ? t->text.data : "", t->text.len, SIZE_MAX, &used);
	*pad = (used < width ? width - used : 0) + 2;
	return err;
}

static int put_column(struct table *t, const char *s, size_t width, size_t *pad)
{
	for (; *pad; --*pad)
		writer__putc(&t->w, ' ');
	return put_name(t, s, width, pad);
}

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

static int put_entry(struct table *t, const struct catalog_entry *e)
{
	const char *state = catalog_state__name(e->state);
	bool faint = e->state == CATALOG_NOT_SUPPORTED || e->state == CATALOG_NO_PERMISSION;
	struct buf rest = {};
	size_t pad;
	int err;

	if (t->o->headlines)
		writer__puts(&t->w, "  ");
	if (faint)
		color(t, FAINT);
	err = put_name(t, e->name, t->name_width, &pad);
	if (!err && !t->o->headlines) {
		err = put_column(t, catalog_kind__name(e->kind), 10, &pad);
		if (!err)
			err = put_rest(&rest, e, false);
		if (!err && (state || rest.len))
			err = put_column(t, state ? state : "-", 13, &pad);
	} else if (!err) {
		err = put_rest(&rest, e, true);
	}
	if (!err && rest.len)
		err = put_column(t, rest.data, 0, &pad);
	if (faint)
		color(t, PLAIN);
	writer__putc(&t->w, '\n');
	buf__free(&rest);
	return err;
}

static int put_field(struct table *t, const struct catalog_entry *e, const struct catalog_field *f)
{
	char place[64];
	size_t pad = 4;
	int err;

	snprintf(place, sizeof(place), "offset %-4u size %-4u", f->offset, f->size);
	if (t->o->headlines)
		err = 0;
	else
		err = put_name(t, e->name, t->name_width, &pad);
	if (!err)
		err = put_column(t, f->name, FIELD_WIDTH, &pad);
	if (!err)
		err = put_column(t, place, 0, &pad);
	if (!err)
		err = put_column(t, f->type, 0, &pad);
	writer__putc(&t->w, '\n');
	return err;
}

static int put_fields(struct table *t, const struct catalog_entry *e)
{
	const struct catalog_field *f = t->c->fields + e->first_field;
	int err = 0;

	if (t->o->headlines || !e->nr_fields)
		err = put_entry(t, e);
	for (size_t i = 0; i < e->nr_fields && !err; i++)
		err = put_field(t, e, &f[i]);
	return err;
}

/* "Hardware events (10, of which 0 open here)" */
static void put_headline(struct table *t, size_t first)
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
	size_t nr = 0, open = 0, tried = 0;

	for (size_t i = first; i < t->c->nr && t->c->items[i].kind == e->kind; i++, nr++) {
		open += t->c->items[i].state == CATALOG_OPENS;
		tried += t->c->items[i].state != CATALOG_UNKNOWN;
	}
	writer__puts(&t->w, first ? "\n" : "");
	color(t, BOLD);
	writer__puts(&t->w, titles[e->kind]);
	color(t, PLAIN);
	writer__printf(&t->w, " (%zu", nr);
	if (tried && open < tried)
		writer__printf(&t->w, ", of which %zu open%s here", open, open == 1 ? "s" : "");
	writer__puts(&t->w, ")\n");
}

/* Of the name column, for the kind that begins at @first; longer names shift their own line. */
static size_t name_width(const struct catalog *c, size_t first)
{
	size_t width = NAME_MIN;

	for (size_t i = first; i < c->nr && c->items[i].kind == c->items[first].kind; i++) {
		size_t len = strlen(c->items[i].name);

		if (len > width && len <= NAME_MAX_WIDTH)
			width = len;
	}
	return width;
}

int print__catalog_table(FILE *f, const struct catalog *c, const struct catalog_table_opts *o)
{
	struct table t = { .w = { .f = f }, .c = c, .o = o };
	int err = 0, end;

	for (size_t i = 0; i < c->nr && !err; i++) {
		const struct catalog_entry *e = &c->items[i];
		bool first = !i || e[-1].kind != e->kind;

		if (first)
			t.name_width = name_width(c, i);
		if (first && o->headlines)
			put_headline(&t, i);
		err = o->fields ? put_fields(&t, e) : put_entry(&t, e);
	}
	end = writer__end(&t.w);
	buf__free(&t.text);
	return err ? err : end;
}
