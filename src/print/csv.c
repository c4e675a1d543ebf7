// SPDX-License-Identifier: BSD-2-Clause
/* Writes a profile's rows as CSV: keys, samples, metrics, ranges of a histogram. */
#include "print/csv.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "model/profile.h"
#include "print/csvfield.h"
#include "print/escape.h"
#include "print/rows.h"
#include "print/writer.h"

struct csv {
	struct writer w;
	const struct profile *p;
	const struct csv_opts *o;
	struct key_part *parts;
	size_t nr_parts;
	bool has_stack, has_bucket;
	struct row_stack stack;
	struct buf b;
	bool first; /* the next field is the first of its line */
};

/* "@before@name@after". */
static int put_heading(struct csv *c, const char *before, const char *name, const char *after)
{
	int err;

	buf__clear(&c->b);
	err = buf__puts(&c->b, before);
	if (!err)
		err = escape__controls(&c->b, name);
	if (!err)
		err = buf__puts(&c->b, after);
	if (!err)
		csv_field__put(&c->w, &c->first, c->b.data);
	return err;
}

static int put_bucket_headings(struct csv *c)
{
	int err = put_heading(c, "", c->p->buckets.metric, "_from");

	return err ? err : put_heading(c, "", c->p->buckets.metric, "_to");
}

static int put_metric_headings(struct csv *c, const struct profile_metric *m)
{
	int err = 0;

	for (unsigned what = 1; what < MEASURE_END && !err; what <<= 1) {
		char after[8];

		snprintf(after, sizeof(after), "_%s", measure__name(what));
		err = put_heading(c, "", m->name, after);
	}
	return err;
}

static int put_header(struct csv *c)
{
	const struct profile *p = c->p;
	int err = 0;

	c->first = true;
	if (c->o->at_ns)
		csv_field__put(&c->w, &c->first, "time_ns");
	for (size_t i = 0; i < c->nr_parts && !err; i++)
		err = put_heading(c, "", c->parts[i].name, "");
	if (!err && c->has_stack)
		csv_field__put(&c->w, &c->first, "stack");
	if (!err && c->has_bucket)
		err = put_bucket_headings(c);
	for (size_t i = 0; i < p->nr_events && !err; i++) {
		err = put_heading(c, "", p->events[i].name, "");
		if (!err && c->o->weights)
			err = put_heading(c, "weight ", p->events[i].name, "");
	}
	for (size_t i = 0; i < p->nr_metrics && !err; i++)
		err = put_metric_headings(c, &p->metrics[i]);
	writer__putc(&c->w, '\n');
	return err;
}

static int put_stack(struct csv *c, uint32_t node)
{
	int err = row_stack__get(&c->stack, c->p, node);

	buf__clear(&c->b);
	if (!err)
		err = buf__puts(&c->b, "");
	for (size_t i = 0; i < c->stack.nr && !err; i++) {
		if (i)
			err = buf__puts(&c->b, ";");
		if (!err)
			err = escape__folded(&c->b, profile__name(c->p, c->stack.frames[i]));
		if (!err && c->p->frames[c->stack.frames[i]].kind == FRAME_INLINED)
			err = buf__puts(&c->b, "_[i]");
	}
	if (!err)
		csv_field__put(&c->w, &c->first, c->b.data);
	return err;
}

static void put_end(struct csv *c, int64_t n, bool is_open)
{
	char digits[KEY_PART_DIGITS] = "";

	if (!is_open)
		field__digits(FIELD_SIGNED, n, digits);
	csv_field__put(&c->w, &c->first, digits);
}

static int put_key(struct csv *c, const struct row *row)
{
	char digits[KEY_PART_DIGITS];
	int err = 0;

	if (c->o->at_ns)
		csv_field__number(&c->w, &c->first, c->o->at_ns);
	for (size_t i = 0; i < c->nr_parts && !err; i++) {
		const char *text = key_part__text(&c->parts[i], c->p, &row->key, digits);

		err = csv_field__name(&c->w, &c->first, text, &c->b);
	}
	if (!err && c->has_stack)
		err = put_stack(c, row->key.stack);
	if (!err && c->has_bucket) {
		struct bucket b = buckets__range(&c->p->buckets, row__bucket(c->p, row));

		put_end(c, b.from, b.open_below);
		put_end(c, b.to, b.open_above);
	}
	return err;
}

static void put_samples(struct csv *c, const struct rows *r, const struct line *l)
{
	for (size_t event = 0, i = 0; event < c->p->nr_events; event++) {
		const struct row *row = i < l->nr ? rows__row(r, c->p, l, i) : NULL;

		if (row && row->key.event == event) {
			if (c->p->events[event].is_member)
				csv_field__put(&c->w, &c->first, "");
			else
				csv_field__number(&c->w, &c->first, row->samples);
			if (c->o->weights)
				csv_field__number(&c->w, &c->first, row->weight);
			i++;
		} else {
			csv_field__put(&c->w, &c->first, "");
			if (c->o->weights)
				csv_field__put(&c->w, &c->first, "");
		}
	}
}

static int put_line(struct csv *c, const struct rows *r, const struct line *l)
{
	int err;

	c->first = true;
	err = put_key(c, rows__row(r, c->p, l, 0));
	put_samples(c, r, l);
	for (size_t i = 0; i < c->p->nr_metrics; i++) {
		const struct measured m = rows__measured(r, c->p, l, i);

		for (unsigned what = 1; what < MEASURE_END; what <<= 1) {
			char digits[MEASURE_DIGITS];

			measured__text(&m, what, 3, digits);
			csv_field__put(&c->w, &c->first, digits);
		}
	}
	writer__putc(&c->w, '\n');
	return err;
}

/* A CSV line for each of rows' lines; with a histogram one for each row, which is a range. */
static int put_lines(struct csv *c)
{
	struct rows r;
	int err = rows__group(&r, c->p, rows__are_by_event(c->p));

	for (size_t i = 0; i < r.nr && !err; i++) {
		struct line l = r.lines[i];

		if (!c->has_bucket) {
			err = put_line(c, &r, &l);
			continue;
		}
		for (l.nr = 1; l.first < r.lines[i].first + r.lines[i].nr && !err; l.first++) {
			l.samples = rows__row(&r, c->p, &l, 0)->samples;
			err = put_line(c, &r, &l);
		}
	}
	rows__free(&r);
	return err;
}

int print__csv(FILE *f, const struct profile *p, const struct csv_opts *o)
{
	struct csv c = {
		.w = { .f = f },
		.p = p,
		.o = o,
		.has_stack = p->by & (BY_KSTACK | BY_USTACK),
		.has_bucket = rows__bucket_field(p) >= 0,
	};
	int err = key_parts__new(&c.parts, &c.nr_parts, p), end;

	if (!err && !o->no_header)
		err = put_header(&c);
	if (!err)
		err = put_lines(&c);
	end = writer__end(&c.w);
	buf__free(&c.b);
	row_stack__free(&c.stack);
	free(c.parts);
	return err ? err : end;
}
