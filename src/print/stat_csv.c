// SPDX-License-Identifier: BSD-2-Clause
/* Writes a counting run as pmutrace's own CSV (--csv). */
#include "print/stat_csv.h"

#include <inttypes.h>

#include "base/buf.h"
#include "model/counts.h"
#include "model/metric.h"
#include "print/csvfield.h"
#include "print/stat.h"

static const char *const columns[] = { "event",	      "unit",	    "state",	   "value",
				       "raw",	      "enabled_ns", "running_ns",  "metric",
				       "metric_unit", "metric2",    "metric2_unit" };
static const char *const run_columns[] = { "runs", "stddev", "ci95" };

/* A line that is being written. */
struct stat_csv {
	struct writer w;
	const struct counts *c;
	struct buf text; /* scratch */
	bool first;	 /* no field yet */
	bool has_runs;	 /* -r, and the totals are what is shown */
};

static void put_header(struct stat_csv *t)
{
	struct stat_key_part parts[STAT_KEY_PARTS];
	const struct counts_key none = {};
	size_t nr = stat__key_parts(t->c, &none, parts), i;

	t->first = true;
	if (t->c->at_ns)
		csv_field__put(&t->w, &t->first, "time_ns");
	for (i = 0; i < nr; i++)
		csv_field__put(&t->w, &t->first, parts[i].name);
	for (i = 0; i < ARRAY_SIZE(columns); i++)
		csv_field__put(&t->w, &t->first, columns[i]);
	for (i = 0; t->has_runs && i < ARRAY_SIZE(run_columns); i++)
		csv_field__put(&t->w, &t->first, run_columns[i]);
	writer__putc(&t->w, '\n');
}

static int put_key(struct stat_csv *t, const struct counts_key *key)
{
	struct stat_key_part parts[STAT_KEY_PARTS];
	size_t nr = stat__key_parts(t->c, key, parts);
	int err = 0;

	t->first = true;
	if (t->c->at_ns)
		csv_field__number(&t->w, &t->first, t->c->at_ns);
	for (size_t i = 0; i < nr && !err; i++) {
		if (parts[i].text)
			err = csv_field__name(&t->w, &t->first, parts[i].text, &t->text);
		else
			csv_field__number(&t->w, &t->first, parts[i].number);
	}
	return err;
}

static void put_unknown(struct stat_csv *t, size_t fields)
{
	while (fields--)
		csv_field__put(&t->w, &t->first, "-");
}

/* @decimals below 0: as many digits as are needed. */
static int put_double(struct stat_csv *t, double x, int decimals)
{
	int err;

	buf__clear(&t->text);
	if (decimals < 0)
		err = buf__printf(&t->text, "%.15g", x);
	else
		err = buf__printf(&t->text, "%.*f", decimals, x);
	if (!err)
		csv_field__put(&t->w, &t->first, t->text.data);
	return err;
}

static int put_value(struct stat_csv *t, const struct event_count *values, size_t event)
{
	const struct event_count *v = &values[event];
	int err = 0;

	if (!event_count__has_value(v)) {
		put_unknown(t, 2);
		return 0;
	}
	if (t->c->events[event].scale == 1 && !metric__runs(t->c, values, event))
		csv_field__number(&t->w, &t->first, v->value);
	else
		err = put_double(t, metric__number(t->c, values, event), -1);
	csv_field__number(&t->w, &t->first, v->raw);
	return err;
}

static int put_metric(struct stat_csv *t, bool there, const struct metric *m)
{
	int err;

	if (!there) {
		put_unknown(t, 2);
		return 0;
	}
	err = put_double(t, m->value, m->decimals);
	csv_field__put(&t->w, &t->first, m->text);
	return err;
}

static int put_runs(struct stat_csv *t, const struct counts_runs *r, double scale)
{
	int err;

	csv_field__number(&t->w, &t->first, r->n);
	if (r->n < 2) {
		put_unknown(t, 2);
		return 0;
	}
	err = put_double(t, counts_runs__stddev(r) * scale, -1);
	return err ? err : put_double(t, counts_runs__ci95(r) * scale, -1);
}

static int put_event(struct stat_csv *t, size_t line, size_t event)
{
	const struct counts *c = t->c;
	const struct event_count *values = stat__values(c, line), *v = &values[event];
	const struct counts_event *e = &c->events[event];
	struct buf name = {};
	struct metric m;
	int err = put_key(t, stat__key(c, line));

	if (!err)
		err = stat__unique_name(c, event, &name);
	if (!err)
		err = csv_field__name(&t->w, &t->first, name.data, &t->text);
	if (!err)
		err = csv_field__name(&t->w, &t->first, e->unit ? e->unit : "", &t->text);
	buf__free(&name);
	if (err)
		return err;
	csv_field__put(&t->w, &t->first, count_state__name(v->state));
	err = put_value(t, values, event);
	csv_field__number(&t->w, &t->first, v->enabled_ns);
	csv_field__number(&t->w, &t->first, v->running_ns);
	if (!err)
		err = put_metric(t, metric__of(c, values, event, &m), &m);
	if (!err)
		err = put_metric(t, metric__second(c, values, event, &m), &m);
	if (!err && t->has_runs)
		err = put_runs(t, &c->runs[event], e->scale);
	writer__putc(&t->w, '\n');
	return err;
}

int print__stat_csv(FILE *f, const struct counts *c, bool header)
{
	struct stat_csv t = { .w = { .f = f }, .c = c };
	int err = 0, end;

	t.has_runs = c->by == COUNTS_BY_NOTHING && c->runs[c->nr_events].n;
	if (header)
		put_header(&t);
	for (size_t line = 0; line < stat__nr_lines(c); line++)
		for (size_t i = 0; i < c->nr_events && !err; i++)
			err = put_event(&t, line, i);
	end = writer__end(&t.w);
	buf__free(&t.text);
	return err ? err : end;
}
