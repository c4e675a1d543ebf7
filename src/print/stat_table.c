// SPDX-License-Identifier: BSD-2-Clause
/* Writes the table of a counting run: headline, rows, times, why values are missing. */
#include "print/stat_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "model/counts.h"
#include "print/stat.h"
#include "print/stat_row.h"
#include "print/writer.h"

static bool has_reason(const struct counts *c, size_t event, const char *why)
{
	const char *own = counts__why(c, event);

	return own && !strcmp(own, why);
}

/* One sentence for all events that have it: "LLC-loads, LLC-stores: why". */
static int put_reasons(struct stat_table *t, const char *mark)
{
	const struct counts *c = t->c;
	int err = 0;

	for (size_t i = 0; i < c->nr_events && !err; i++) {
		const char *why = counts__why(c, i);
		bool said = false;

		if (!why)
			continue;
		for (size_t j = 0; j < i && !said; j++)
			said = has_reason(c, j, why);
		if (said)
			continue;
		err = buf__puts(&t->line, mark);
		for (size_t j = i; j < c->nr_events && !err; j++) {
			if (!has_reason(c, j, why))
				continue;
			err = buf__puts(&t->line, j == i ? "" : ", ");
			if (!err)
				err = stat_row__put_name(t, c->events[j].name, 0, false);
		}
		if (!err)
			err = buf__puts(&t->line, ": ");
		if (!err)
			err = stat_row__put_name(t, why, 0, false);
		stat_row__end_line(t);
	}
	return err;
}

static int put_interval_heading(struct stat_table *t)
{
	int err = put_reasons(t, "# ");

	if (!err)
		err = buf__printf(&t->line, "#           time %s%*s %-*s ",
				  stat_row__key_heading(t->c->by), VALUE_WIDTH, "counts",
				  (int)t->unit_width, "unit");
	if (!err)
		err = stat_row__put_name(t, "events", t->event_width, false);
	if (!err && t->c->by == COUNTS_BY_CGROUP)
		err = buf__puts(&t->line, " cgroup");
	stat_row__end_line(t);
	return err;
}

static int put_headline(struct stat_table *t)
{
	unsigned runs = t->c->runs[t->c->nr_events].n;
	int err;

	stat_row__end_line(t);
	err = buf__puts(&t->line, " Performance counter stats");
	if (!err && *t->c->target) {
		err = buf__puts(&t->line, " for ");
		if (!err)
			err = stat_row__put_name(t, t->c->target, 0, false);
	}
	if (!err && runs)
		err = buf__printf(&t->line, " (%u run%s)", runs, runs == 1 ? "" : "s");
	if (!err)
		err = buf__puts(&t->line, ":");
	stat_row__end_line(t);
	stat_row__end_line(t);
	return err;
}

/* As many decimals as show three digits of the deviation. */
static int decimals_for(double deviation)
{
	int n = deviation > 0 ? 2 - (int)floor(log10(deviation)) : 9;

	return n < 0 ? 0 : n > 9 ? 9 : n;
}

static void put_seconds(struct stat_table *t, uint64_t ns, const char *what)
{
	writer__printf(&t->w, " %7" PRIu64 ".%09" PRIu64 " seconds %s\n", ns / 1000000000,
		       ns % 1000000000, what);
}

static void put_times(struct stat_table *t)
{
	const struct counts *c = t->c;
	const struct counts_runs *r = &c->runs[c->nr_events];
	double error;
	int decimals;

	writer__putc(&t->w, '\n');
	if (r->n > 1) {
		error = counts_runs__stddev(r) / sqrt(r->n);
		decimals = decimals_for(error);
		writer__printf(&t->w, " %17.*f +- %.*f seconds time elapsed  ( +-%6.2f%% )\n",
			       decimals, r->mean, decimals, error, stat__noise(r));
	} else {
		put_seconds(t, c->duration_ns, "time elapsed");
	}
	if (c->missed_ns)
		put_seconds(t, c->missed_ns, "not counted, on CPUs that came online");
	if (c->user_ns || c->system_ns) {
		writer__putc(&t->w, '\n');
		put_seconds(t, c->user_ns, "user");
		put_seconds(t, c->system_ns, "sys");
	}
	writer__putc(&t->w, '\n');
}

static size_t at_most(size_t n, size_t max)
{
	return n < max ? n : max;
}

static void choose_widths(struct stat_table *t)
{
	const struct counts *c = t->c;
	size_t used;

	t->unit_width = UNIT_WIDTH;
	t->event_width = c->by == COUNTS_BY_CGROUP ? EVENT_WIDTH_CGROUP : EVENT_WIDTH;
	for (size_t i = 0; i < c->nr_events; i++) {
		used = stat_row__cells(stat__unit(c, i));
		t->unit_width = used > t->unit_width ? used : t->unit_width;
		used = at_most(stat_row__cells(c->events[i].name), EVENT_MAX);
		t->event_width = used > t->event_width ? used : t->event_width;
	}
	for (size_t i = 0; i < c->nr_rows && c->by == COUNTS_BY_CGROUP; i++) {
		used = at_most(stat_row__cells(c->rows[i].key.cgroup ? c->rows[i].key.cgroup : ""),
			       CGROUP_MAX);
		t->cgroup_width = used > t->cgroup_width ? used : t->cgroup_width;
	}
}

int print__stat_table(FILE *f, const struct counts *c, bool first)
{
	struct stat_table t = { .w = { .f = f }, .c = c };
	bool interval = c->at_ns > 0;
	int err = 0, end;

	choose_widths(&t);
	if (!interval)
		err = put_headline(&t);
	else if (first)
		err = put_interval_heading(&t);
	for (size_t row = 0; row < stat__nr_lines(c); row++)
		for (size_t i = 0; i < c->nr_events && !err; i++)
			err = stat_row__put(&t, row, i);
	if (!err && !interval) {
		put_times(&t);
		err = put_reasons(&t, "");
	}
	end = writer__end(&t.w);
	buf__free(&t.line);
	buf__free(&t.text);
	return err ? err : end;
}
