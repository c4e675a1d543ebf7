// SPDX-License-Identifier: BSD-2-Clause
/* The columns of a table of calls: time, self, on and off the CPU, events, IPC, MPKI. */
#include "print/func_table.h"

#include <inttypes.h>
#include <string.h>

#include "base/readable.h"
#include "print/cell.h"
#include "print/count_page.h"

/* The metrics of calls. */
enum { TIME, SELF, ON_CPU, OFF_CPU, FIRST_EVENT, EVENT_METRICS = 2 };

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

/* Bits of enum measure: those of a metric that have a column. */
static unsigned measures_of(const struct count_page *c, size_t metric)
{
	if (metric == TIME)
		return MEASURE_SUM | MEASURE_AVG | MEASURE_MAX | (c->o->shown & MEASURE_MIN);
	if (metric < FIRST_EVENT)
		return MEASURE_AVG;
	/* An event's own, without that of calls within, is in JSON and CSV only. */
	return (metric - FIRST_EVENT) % EVENT_METRICS ? 0 : MEASURE_SUM | MEASURE_AVG;
}

static const char *group_of(const struct profile *p, size_t metric)
{
	static const char time[] = "time", mean[] = "mean of a call";

	if (metric == TIME)
		return time;
	return metric < FIRST_EVENT ? mean : p->metrics[metric].name;
}

/* Metrics under the group "mean of a call" have their own names as headings. */
static const char *heading_of(const struct profile *p, size_t metric, enum measure what)
{
	if (metric >= SELF && metric < FIRST_EVENT)
		return p->metrics[metric].name;
	return what == MEASURE_AVG ? "mean" : measure__name(what);
}

static int add_values(struct count_page *c, struct text_grid *g, size_t metric)
{
	const unsigned shown = measures_of(c, metric);
	const struct text_grid_column x = {
		.is_number = true,
		.group = group_of(c->p, metric),
	};
	int err = 0;

	for (unsigned what = 1; what < MEASURE_END && !err; what <<= 1) {
		if (!(shown & what))
			continue;
		buf__clear(&c->text);
		err = count_page__upper(&c->text, heading_of(c->p, metric, what));
		if (!err)
			text_grid__column(g, &x, c->text.data);
	}
	return err;
}

static bool names_events(const struct profile *p)
{
	return p->nr_events > 1 && !p->names_event;
}

static int add_columns(struct count_page *c, struct text_grid *g)
{
	const struct text_grid_column number = { .is_number = true };
	const struct profile *p = c->p;
	int err, of, per;

	if (names_events(p))
		text_grid__column(g, &(struct text_grid_column){ .pads_to = CELL_PADDED }, "PROBE");
	err = count_page__add_parts(c, g);
	text_grid__column(g, &number, "CALLS");
	for (size_t i = 0; i < p->nr_metrics && !err; i++)
		err = add_values(c, g, i);
	for (size_t i = 0; i < ARRAY_SIZE(ratios) && !err; i++)
		if (find_ratio(p, &ratios[i], &of, &per))
			text_grid__column(g, &number, ratios[i].heading);
	return err;
}

static void add_value(struct text_grid *g, const struct measured *m, enum measure what)
{
	const double n = what == MEASURE_AVG   ? measured__avg(m)
			 : what == MEASURE_MIN ? (double)(uint64_t)m->value.min
			 : what == MEASURE_MAX ? (double)(uint64_t)m->value.max
					       : (double)m->value.sum;
	char text[READABLE_CHARS];

	if (strcmp(m->metric->unit, "ns"))
		readable__number(n, text);
	else
		readable__time(n, text);
	text_grid__cell(g, text);
}

static void add_ratio(struct count_page *c, struct text_grid *g, const struct ratio *r,
		      const struct line *l)
{
	uint64_t n, d;
	int of, per;

	if (!find_ratio(c->p, r, &of, &per))
		return;
	n = rows__measured(&c->rows, c->p, l, of).value.sum;
	d = rows__measured(&c->rows, c->p, l, per).value.sum;
	/* Code that ran has cycles and instructions: without them nothing was counted. */
	if (!d || (!n && r->factor == 1))
		text_grid__cell(g, "-");
	else
		text_grid__printf(g, "%.2f", (double)n * r->factor / (double)d);
}

static void add_cells(struct count_page *c, struct text_grid *g, const struct line *l)
{
	if (names_events(c->p))
		text_grid__cell(g, count_page__event(c, l));
	count_page__add_key(c, g, l);
	text_grid__printf(g, "%" PRIu64, l->samples);
	for (size_t i = 0; i < c->p->nr_metrics; i++) {
		const struct measured m = rows__measured(&c->rows, c->p, l, i);

		for (unsigned what = 1; what < MEASURE_END; what <<= 1)
			if (measures_of(c, i) & what)
				add_value(g, &m, what);
	}
	for (size_t i = 0; i < ARRAY_SIZE(ratios); i++)
		add_ratio(c, g, &ratios[i], l);
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
		.add_columns = add_columns,
		.add_cells = add_cells,
		.put_below = put_nested,
		.by_first = true,
	};

	return count_table__write(&c);
}
