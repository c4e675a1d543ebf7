// SPDX-License-Identifier: BSD-2-Clause
/* Writes the table of a counting run: headline, rows, times, why values are missing. */
#include "print/stat_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "model/counts.h"
#include "model/metric.h"
#include "print/cell.h"
#include "print/escape.h"
#include "print/stat.h"
#include "print/writer.h"

/* perf's columns. */
enum stat_width {
	VALUE_WIDTH = 18,
	UNIT_WIDTH = 4, /* at least: "msec" */
	EVENT_WIDTH = 32,
	EVENT_WIDTH_CGROUP = 25, /* where a cgroup follows */
	EVENT_MAX = 60,		 /* a longer name moves only its own line */
	CGROUP_MAX = 40,
	COMM_WIDTH = 16,
	METRIC_WIDTH = 35, /* "#", number, text */
};

struct stat_table {
	struct writer w;
	const struct counts *c;
	struct buf line, text;
	size_t unit_width, event_width, cgroup_width;
};

static int put_blanks(struct buf *b, size_t n)
{
	int err = 0;

	while (n-- && !err)
		err = buf__puts(b, " ");
	return err;
}

static int put_name(struct stat_table *t, const char *s, size_t width, bool right)
{
	size_t pad;
	int err;

	buf__clear(&t->text);
	err = escape__plain(&t->text, s);
	if (err)
		return err;
	pad = cell__width(t->text.data);
	pad = pad < width ? width - pad : 0;
	if (right)
		err = put_blanks(&t->line, pad);
	if (!err)
		err = buf__puts(&t->line, t->text.data);
	if (!err && !right)
		err = put_blanks(&t->line, pad);
	return err;
}

static void end_line(struct stat_table *t)
{
	size_t len = t->line.len;

	while (len && t->line.data[len - 1] == ' ')
		len--;
	if (len)
		writer__put(&t->w, t->line.data, len);
	writer__putc(&t->w, '\n');
	buf__clear(&t->line);
}

static const char *key_heading(enum counts_by by)
{
	switch (by) {
	case COUNTS_BY_CPU:
		return "CPU        ";
	case COUNTS_BY_CORE:
		return "core            cpus ";
	case COUNTS_BY_SOCKET:
		return "socket cpus ";
	case COUNTS_BY_THREAD:
		return "            comm-tid      ";
	case COUNTS_BY_PROCESS:
		return "            comm-pid      ";
	default:
		return "";
	}
}

static int put_key(struct stat_table *t, const struct counts_key *k)
{
	struct buf id = {};
	bool thread = t->c->by == COUNTS_BY_THREAD;
	int err = 0;

	switch (t->c->by) {
	case COUNTS_BY_CPU:
		return buf__printf(&t->line, "CPU%-7" PRIu32 " ", k->cpu);
	case COUNTS_BY_CORE:
		err = buf__printf(&id, "S%" PRIu32 "-D0-C%" PRIu32, k->socket, k->core);
		if (!err)
			err = buf__printf(&t->line, "%-15s %4" PRIu32 " ", id.data, k->nr_cpus);
		break;
	case COUNTS_BY_SOCKET:
		return buf__printf(&t->line, "S%-5" PRIu32 " %4" PRIu32 " ", k->socket, k->nr_cpus);
	case COUNTS_BY_THREAD:
	case COUNTS_BY_PROCESS:
		err = put_name(t, k->comm ? k->comm : "", COMM_WIDTH, true);
		if (!err)
			err = buf__printf(&t->line, "-%-8" PRIu32 " ", thread ? k->tid : k->pid);
		break;
	default:
		break;
	}
	buf__free(&id);
	return err;
}

static int put_time(struct stat_table *t)
{
	const uint64_t ns = t->c->at_ns;

	if (!ns)
		return 0;
	return buf__printf(&t->line, "%6" PRIu64 ".%09" PRIu64 " ", ns / 1000000000,
			   ns % 1000000000);
}

static int put_metric(struct stat_table *t, const struct metric *m)
{
	size_t start = t->line.len, used;
	int err;

	if (m->percent || m->decimals < 3)
		err = buf__printf(&t->line, " # %7.2f%c %s", m->value, m->percent ? '%' : ' ',
				  m->text);
	else
		err = buf__printf(&t->line, " # %8.3f %s", m->value, m->text);
	used = t->line.len - start;
	return err || used >= METRIC_WIDTH ? err : put_blanks(&t->line, METRIC_WIDTH - used);
}

/* Key, value, unit, name: all that stands before the metric. */
static int put_count(struct stat_table *t, size_t row, size_t event)
{
	const struct counts *c = t->c;
	const struct counts_key *key = stat__key(c, row);
	struct buf value = {};
	int err = put_time(t);

	if (!err)
		err = put_key(t, key);
	if (!err)
		err = stat__put_value(&value, c, stat__values(c, row), event, true);
	if (!err)
		err = buf__printf(&t->line, "%*s ", VALUE_WIDTH, value.data);
	if (!err)
		err = put_name(t, stat__unit(c, event), t->unit_width, false);
	if (!err)
		err = buf__puts(&t->line, " ");
	if (!err)
		err = put_name(t, c->events[event].name, t->event_width, false);
	if (!err && c->by == COUNTS_BY_CGROUP)
		err = buf__puts(&t->line, " ");
	if (!err && c->by == COUNTS_BY_CGROUP)
		err = put_name(t, key->cgroup ? key->cgroup : "", t->cgroup_width, false);
	buf__free(&value);
	return err;
}

static int put_row(struct stat_table *t, size_t row, size_t event)
{
	const struct event_count *values = stat__values(t->c, row), *v = &values[event];
	const struct counts_runs *runs = metric__runs(t->c, values, event);
	bool has_value = event_count__has_value(v);
	struct metric m;
	size_t indent;
	int err = put_count(t, row, event);

	indent = t->line.len ? cell__width(t->line.data) : 0;
	if (!err && metric__of(t->c, values, event, &m))
		err = put_metric(t, &m);
	else if (!err)
		err = put_blanks(&t->line, METRIC_WIDTH);
	if (!err && has_value && runs && runs->n > 1)
		err = buf__printf(&t->line, "  ( +-%6.2f%% )", stat__noise(runs));
	if (!err && v->state == COUNT_MULTIPLEXED)
		err = buf__printf(&t->line, "  (%.2f%%)", 100 * metric__share(v));
	end_line(t);
	if (err || !metric__second(t->c, values, event, &m))
		return err;
	err = put_blanks(&t->line, indent);
	if (!err)
		err = put_metric(t, &m);
	end_line(t);
	return err;
}

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
				err = put_name(t, c->events[j].name, 0, false);
		}
		if (!err)
			err = buf__puts(&t->line, ": ");
		if (!err)
			err = put_name(t, why, 0, false);
		end_line(t);
	}
	return err;
}

static int put_interval_heading(struct stat_table *t)
{
	int err = put_reasons(t, "# ");

	if (!err)
		err = buf__printf(&t->line, "#           time %s%*s %-*s ", key_heading(t->c->by),
				  VALUE_WIDTH, "counts", (int)t->unit_width, "unit");
	if (!err)
		err = put_name(t, "events", t->event_width, false);
	if (!err && t->c->by == COUNTS_BY_CGROUP)
		err = buf__puts(&t->line, " cgroup");
	end_line(t);
	return err;
}

static int put_headline(struct stat_table *t)
{
	unsigned runs = t->c->runs[t->c->nr_events].n;
	int err;

	end_line(t);
	err = buf__puts(&t->line, " Performance counter stats");
	if (!err && *t->c->target) {
		err = buf__puts(&t->line, " for ");
		if (!err)
			err = put_name(t, t->c->target, 0, false);
	}
	if (!err && runs)
		err = buf__printf(&t->line, " (%u run%s)", runs, runs == 1 ? "" : "s");
	if (!err)
		err = buf__puts(&t->line, ":");
	end_line(t);
	end_line(t);
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
		used = cell__width(stat__unit(c, i));
		t->unit_width = used > t->unit_width ? used : t->unit_width;
		used = at_most(cell__width(c->events[i].name), EVENT_MAX);
		t->event_width = used > t->event_width ? used : t->event_width;
	}
	for (size_t i = 0; i < c->nr_rows && c->by == COUNTS_BY_CGROUP; i++) {
		used = at_most(cell__width(c->rows[i].key.cgroup ? c->rows[i].key.cgroup : ""),
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
			err = put_row(&t, row, i);
	if (!err && !interval) {
		put_times(&t);
		err = put_reasons(&t, "");
	}
	end = writer__end(&t.w);
	buf__free(&t.line);
	buf__free(&t.text);
	return err ? err : end;
}
