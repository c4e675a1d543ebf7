// SPDX-License-Identifier: BSD-2-Clause
/* Writes a counting run as perf's separated values: its fields in its order. */
#include "print/stat_separated.h"

#include <inttypes.h>

#include "base/buf.h"
#include "model/counts.h"
#include "model/metric.h"
#include "print/escape.h"
#include "print/stat.h"
#include "print/writer.h"

struct separated {
	struct buf line;
	const struct counts *c;
	const struct stat_separated_opts *opts;
};

/* Ends a field; @err: of writing it, is returned unless 0. */
static int put_separator(struct separated *t, int err)
{
	return err ? err : buf__puts(&t->line, t->opts->separator);
}

static int put_name(struct separated *t, const char *s)
{
	return escape__controls(&t->line, s ? s : "");
}

static int put_key(struct separated *t, const struct counts_key *k)
{
	int err;

	switch (t->c->by) {
	case COUNTS_BY_CPU:
		return put_separator(t, buf__printf(&t->line, "CPU%" PRIu32, k->cpu));
	case COUNTS_BY_CORE:
	case COUNTS_BY_SOCKET:
		err = buf__printf(&t->line, "S%" PRIu32, k->socket);
		if (!err && t->c->by == COUNTS_BY_CORE)
			err = buf__printf(&t->line, "-D0-C%" PRIu32, k->core);
		err = put_separator(t, err);
		if (!err)
			err = buf__printf(&t->line, "%" PRIu32, k->nr_cpus);
		return put_separator(t, err);
	case COUNTS_BY_THREAD:
	case COUNTS_BY_PROCESS:
		err = put_name(t, k->comm);
		if (!err)
			err = buf__printf(&t->line, "-%" PRIu32,
					  t->c->by == COUNTS_BY_THREAD ? k->tid : k->pid);
		return put_separator(t, err);
	default:
		return 0;
	}
}

/* The fields before the value. */
static int put_place(struct separated *t, const struct counts_key *k)
{
	int err = 0;

	if (t->c->at_ns)
		err = put_separator(t, buf__printf(&t->line, "%" PRIu64 ".%09" PRIu64,
						   t->c->at_ns / 1000000000,
						   t->c->at_ns % 1000000000));
	return err ? err : put_key(t, k);
}

static int put_metric(struct separated *t, bool there, const struct metric *m)
{
	int err;

	if (!there)
		return put_separator(t, 0);
	err = put_separator(t, buf__printf(&t->line, "%.*f", m->decimals, m->value));
	return err ? err : buf__puts(&t->line, m->text);
}

/* A line of separators alone, as many as the one before had fields, then the metric. */
static int put_second_metric(struct separated *t, const struct metric *m, bool has_noise)
{
	const enum counts_by by = t->c->by;
	unsigned fields = 5; /* value, unit, event, time and share of running */
	int err = buf__puts(&t->line, "\n");

	fields += t->c->at_ns > 0;
	fields += by != COUNTS_BY_NOTHING;
	fields += t->opts->cgroups && by != COUNTS_BY_CGROUP;
	fields += by == COUNTS_BY_CORE || by == COUNTS_BY_SOCKET;
	fields += has_noise;
	while (fields-- && !err)
		err = put_separator(t, 0);
	return err ? err : put_metric(t, true, m);
}

/* 0 of 0 ns is 100 %, as in perf: what is below was multiplexed. */
static double running_percent(const struct event_count *c)
{
	return c->running_ns == c->enabled_ns ? 100 : 100 * metric__share(c);
}

static int put_event(struct separated *t, size_t row, size_t event)
{
	const struct counts *c = t->c;
	const struct event_count *values = stat__values(c, row), *v = &values[event];
	const struct counts_runs *runs = metric__runs(c, values, event);
	bool has_noise = c->by == COUNTS_BY_NOTHING && c->runs[c->nr_events].n > 1;
	const struct counts_key *key = stat__key(c, row);
	const char *cgroup = c->by == COUNTS_BY_CGROUP ? key->cgroup : t->opts->cgroups;
	struct metric m;
	int err = put_place(t, key);

	if (!err)
		err = put_separator(t, stat__put_value(&t->line, c, values, event, false));
	if (!err)
		err = put_separator(t, put_name(t, stat__unit(c, event)));
	if (!err)
		err = put_separator(t, put_name(t, c->events[event].name));
	if (!err && cgroup)
		err = put_separator(t, put_name(t, cgroup));
	if (!err && has_noise && runs && runs->n > 1 && event_count__has_value(v))
		err = buf__printf(&t->line, "%.2f%%", stat__noise(runs));
	if (!err && has_noise)
		err = put_separator(t, 0);
	if (!err)
		err = put_separator(t, buf__printf(&t->line, "%" PRIu64, v->running_ns));
	if (!err)
		err = put_separator(t, buf__printf(&t->line, "%.2f", running_percent(v)));
	if (!err)
		err = put_metric(t, metric__of(c, values, event, &m), &m);
	if (!err && metric__second(c, values, event, &m))
		err = put_second_metric(t, &m, has_noise);
	return err ? err : buf__puts(&t->line, "\n");
}

int print__stat_separated(FILE *f, const struct counts *c, const struct stat_separated_opts *opts)
{
	struct separated t = { .c = c, .opts = opts };
	struct writer w = { .f = f };
	int err = 0, end;

	for (size_t row = 0; row < stat__nr_lines(c); row++) {
		for (size_t i = 0; i < c->nr_events && !err; i++) {
			buf__clear(&t.line);
			err = put_event(&t, row, i);
			if (!err)
				writer__put(&w, t.line.data, t.line.len);
		}
	}
	end = writer__end(&w);
	buf__free(&t.line);
	return err ? err : end;
}
