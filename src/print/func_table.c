// SPDX-License-Identifier: BSD-2-Clause
/* The columns of a table of calls: time, self, on and off the CPU, events, IPC, MPKI. */
#include "print/func_table.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/readable.h"
#include "print/count_page.h"
#include "print/escape.h"

/* The metrics of calls. */
enum { TIME, SELF, ON_CPU, OFF_CPU, FIRST_EVENT, EVENT_METRICS = 2 };

enum {
	COLUMN_PART,
	COLUMN_WORD, /* the event, as it was asked for */
	COLUMN_CALLS,
	COLUMN_VALUE, /* `what` of a metric */
	COLUMN_RATIO, /* `id` of the ratios */
};

/* Quotients of two events (times factor), shown where both are measured. */
static const struct ratio {
	const char *heading;
	const char *of[3], *per[3]; /* names that they may have */
	unsigned factor;
} ratios[] = {
	{ "IPC", { "instructions" }, { "cycles", "cpu-cycles" }, 1 },
	{ "MPKI", { "cache-misses", "LLC-load-misses", "LLC-misses" }, { "instructions" }, 1000 },
};

/* The metric of an event of that name, "cycles" or "cycles:u"; *modifiers: ":u". -1: none. */
static int find_event(const struct profile *p, const char *const *names, const char **modifiers)
{
	for (size_t i = FIRST_EVENT; i < p->nr_metrics; i += EVENT_METRICS)
		for (size_t n = 0; n < 3 && names[n]; n++) {
			size_t len = strlen(names[n]);

			*modifiers = p->metrics[i].name + len;
			if (!strncmp(p->metrics[i].name, names[n], len) && strchr(":", **modifiers))
				return i;
		}
	return -1;
}

/* Only what was counted in the same modes can be compared. */
static bool find_ratio(const struct profile *p, const struct ratio *r, int *of, int *per)
{
	const char *a, *b;

	*of = find_event(p, r->of, &a);
	*per = find_event(p, r->per, &b);
	return *of >= 0 && *per >= 0 && !strcmp(a, b);
}

static int add_values(struct grid *g, size_t metric, const char *group, unsigned what)
{
	int err = 0;

	for (unsigned bit = 1; bit < MEASURE_END && !err; bit <<= 1)
		if (what & bit)
			err = grid__add(g, (struct column){ .kind = COLUMN_VALUE,
							    .id = metric,
							    .what = bit,
							    .group = group });
	return err;
}

static int choose_key(struct grid *g, const struct count_page *c)
{
	int err = 0;

	if (c->p->nr_events > 1 && !c->p->names_event)
		err = grid__add(g, (struct column){ .kind = COLUMN_WORD, .is_text = true });
	for (size_t i = 0; i < c->nr_parts && !err; i++)
		err = grid__add(g, (struct column){ .kind = COLUMN_PART,
						    .id = i,
						    .is_text = !c->parts[i].is_number });
	return err ? err : grid__add(g, (struct column){ .kind = COLUMN_CALLS });
}

static int choose_columns(struct grid *g, const struct count_page *c)
{
	static const char time[] = "time", mean[] = "mean of a call";
	const struct profile *p = c->p;
	int err = choose_key(g, c), of, per;

	if (!err)
		err = add_values(g, TIME, time,
				 MEASURE_SUM | MEASURE_AVG | MEASURE_MAX |
					 (c->o->shown & MEASURE_MIN));
	for (size_t i = SELF; i < FIRST_EVENT && i < p->nr_metrics && !err; i++)
		err = add_values(g, i, mean, MEASURE_AVG);
	for (size_t i = FIRST_EVENT; i < p->nr_metrics && !err; i += EVENT_METRICS)
		err = add_values(g, i, p->metrics[i].name, MEASURE_SUM | MEASURE_AVG);
	for (size_t i = 0; i < ARRAY_SIZE(ratios) && !err; i++)
		if (find_ratio(p, &ratios[i], &of, &per))
			err = grid__add(g, (struct column){ .kind = COLUMN_RATIO, .id = i });
	return err;
}

/* Into c->text. */
static int make_heading(struct count_page *c, const struct column *x)
{
	buf__clear(&c->text);
	switch (x->kind) {
	case COLUMN_PART:
		return count_page__upper(&c->text, c->parts[x->id].name);
	case COLUMN_WORD:
		return buf__puts(&c->text, "PROBE");
	case COLUMN_CALLS:
		return buf__puts(&c->text, "CALLS");
	case COLUMN_RATIO:
		return buf__puts(&c->text, ratios[x->id].heading);
	}
	/* SELF to OFF_CPU stand under the group "mean of a call": their names are the headings. */
	if (x->id >= SELF && x->id < FIRST_EVENT)
		return count_page__upper(&c->text, c->p->metrics[x->id].name);
	return count_page__upper(&c->text,
				 x->what == MEASURE_AVG ? "mean" : measure__name(x->what));
}

static int put_value(struct count_page *c, const struct column *x, const struct line *l)
{
	const struct measured m = rows__measured(&c->rows, c->p, l, x->id);
	const double n = x->what == MEASURE_AVG	  ? measured__avg(&m)
			 : x->what == MEASURE_MIN ? (double)(uint64_t)m.value.min
			 : x->what == MEASURE_MAX ? (double)(uint64_t)m.value.max
						  : (double)m.value.sum;
	char text[READABLE_CHARS];

	if (strcmp(m.metric->unit, "ns"))
		readable__number(n, text);
	else
		readable__time(n, text);
	return buf__puts(&c->text, text);
}

static int put_ratio(struct count_page *c, const struct column *x, const struct line *l)
{
	const struct ratio *r = &ratios[x->id];
	uint64_t n, d;
	int of, per;

	find_ratio(c->p, r, &of, &per);
	n = rows__measured(&c->rows, c->p, l, of).value.sum;
	d = rows__measured(&c->rows, c->p, l, per).value.sum;
	/* Code that ran has cycles and instructions: without them nothing was counted. */
	if (!d || (!n && r->factor == 1))
		return buf__puts(&c->text, "-");
	return buf__printf(&c->text, "%.2f", (double)n * r->factor / (double)d);
}

/* Into c->text. */
static int make_cell(struct count_page *c, const struct column *x, const struct line *l)
{
	if (x->kind == COLUMN_PART)
		return count_page__part(c, l, &c->parts[x->id]);
	buf__clear(&c->text);
	switch (x->kind) {
	case COLUMN_WORD:
		return escape__plain(&c->text,
				     c->p->events[rows__row(&c->rows, c->p, l, 0)->key.event].name);
	case COLUMN_CALLS:
		return buf__printf(&c->text, "%" PRIu64, l->samples);
	case COLUMN_VALUE:
		return put_value(c, x, l);
	case COLUMN_RATIO:
		return put_ratio(c, x, l);
	}
	return -EINVAL;
}

/*
 * Time is inclusive: where measured functions call each other, the inner calls count twice, and the
 * sum may be more than the run took. Says so.
 */
static void put_nested(struct count_page *c)
{
	const struct profile *p = c->p;
	char all[READABLE_CHARS], own[READABLE_CHARS];
	uint64_t time = 0, self = 0;

	for (size_t i = 0; i < p->nr_rows && p->nr_metrics > SELF; i++) {
		time += p->values[i * p->nr_metrics + TIME].sum;
		self += p->values[i * p->nr_metrics + SELF].sum;
	}
	if (time <= self)
		return;
	readable__time(time, all);
	readable__time(self, own);
	writer__printf(&c->w,
		       "time is inclusive: measured calls in each other make it %s in sum, %s "
		       "without them (SELF)\n",
		       all, own);
}

static int put_columns(struct count_page *c)
{
	struct grid g = { .heading = make_heading, .cell = make_cell };
	int err = choose_columns(&g, c);

	if (!err)
		err = grid__put(&g, c);
	if (!err)
		put_nested(c);
	grid__free(&g);
	return err;
}

int print__func_table(FILE *f, const struct profile *p, const struct func_table_opts *o)
{
	/* A line with a histogram shows no further measures. */
	const struct count_table_opts page = {
		.rows = o->rows,
		.width = o->width,
		.color = o->color,
		.shown = o->least && rows__bucket_field(p) < 0 ? MEASURE_MIN : 0,
	};
	struct count_page c = {
		.w = { .f = f },
		.p = p,
		.o = &page,
		.noun = "call",
		.note = o->note,
		.put_columns = put_columns,
		.by_first = true,
	};

	return count_page__write(&c);
}
