// SPDX-License-Identifier: BSD-2-Clause
/* Counts of events as a JSON document. */
#include "print/stat_json.h"

#include <math.h>

#include "base/buf.h"
#include "model/counts.h"
#include "model/metric.h"
#include "print/json.h"
#include "print/stat.h"

static void put_value(struct json *j, const char *key, const struct counts *c,
		      const struct event_count *values, size_t event)
{
	if (!event_count__has_value(&values[event]))
		json__null(j, key);
	else if (c->events[event].scale != 1 || metric__runs(c, values, event))
		json__double(j, key, metric__number(c, values, event), -1);
	else
		json__u64(j, key, values[event].value);
}

static void put_metric(struct json *j, const char *key, const struct metric *m)
{
	json__open(j, key);
	json__double(j, "value", m->value, m->decimals);
	json__string(j, "text", m->text);
	json__close(j);
}

static void put_runs(struct json *j, const struct counts_runs *r, double scale)
{
	const double spread = r->n < 2 ? NAN : scale;

	json__open(j, "runs");
	json__u64(j, "n", r->n);
	json__double(j, "mean", r->n ? r->mean * scale : NAN, -1);
	json__double(j, "stddev", counts_runs__stddev(r) * spread, -1);
	json__double(j, "ci95", counts_runs__ci95(r) * spread, -1);
	json__close(j);
}

static void put_counts(struct json *j, const struct counts *c, size_t event)
{
	const struct event_count *v = &c->totals[event];

	put_value(j, "value", c, c->totals, event);
	if (event_count__has_value(v))
		json__u64(j, "raw", v->raw);
	else
		json__null(j, "raw");
	json__u64(j, "enabled_ns", v->enabled_ns);
	json__u64(j, "running_ns", v->running_ns);
}

static void put_extras(struct json *j, const struct counts *c, size_t event)
{
	const struct counts_event *e = &c->events[event];
	const char *why = counts__why(c, event);
	struct metric m;

	if (e->group == COUNTS_NO_GROUP)
		json__null(j, "group");
	else
		json__u64(j, "group", e->group);
	if (metric__of(c, c->totals, event, &m))
		put_metric(j, "metric", &m);
	else
		json__null(j, "metric");
	if (metric__second(c, c->totals, event, &m))
		put_metric(j, "metric2", &m);
	if (c->runs[c->nr_events].n)
		put_runs(j, &c->runs[event], e->scale);
	if (why)
		json__string(j, "why", why);
}

static void put_event(struct json *j, const struct counts *c, size_t event, struct buf *name)
{
	const struct counts_event *e = &c->events[event];

	json__fail(j, stat__unique_name(c, event, name));
	json__line(j);
	json__open(j, NULL);
	json__string(j, "event", name->data);
	json__string(j, "unit", e->unit ? e->unit : "");
	json__string(j, "state", count_state__name(c->totals[event].state));
	put_counts(j, c, event);
	put_extras(j, c, event);
	json__close(j);
}

static void put_key(struct json *j, const struct counts *c, const struct counts_key *k)
{
	struct stat_key_part parts[STAT_KEY_PARTS];
	size_t nr = stat__key_parts(c, k, parts);

	json__open(j, "key");
	for (size_t i = 0; i < nr; i++) {
		if (parts[i].text)
			json__string(j, parts[i].name, parts[i].text);
		else
			json__u64(j, parts[i].name, parts[i].number);
	}
	json__close(j);
}

static void put_row(struct json *j, const struct counts *c, const struct counts_row *row,
		    struct buf *name)
{
	json__line(j);
	json__open(j, NULL);
	put_key(j, c, &row->key);
	json__open(j, "values");
	for (size_t i = 0; i < c->nr_events && !j->w.err; i++) {
		json__fail(j, stat__unique_name(c, i, name));
		put_value(j, name->data, c, row->values, i);
	}
	json__close(j);
	json__close(j);
}

static void put_head(struct json *j, const struct counts *c)
{
	const struct counts_runs *elapsed = &c->runs[c->nr_events];

	json__u64(j, "duration_ns", c->duration_ns);
	if (c->at_ns)
		json__u64(j, "time_ns", c->at_ns);
	if (c->missed_ns)
		json__u64(j, "missed_ns", c->missed_ns);
	if (c->user_ns || c->system_ns) {
		json__u64(j, "user_ns", c->user_ns);
		json__u64(j, "system_ns", c->system_ns);
	}
	if (elapsed->n)
		put_runs(j, elapsed, 1);
}

int print__stat_json(FILE *f, const struct counts *c)
{
	struct buf name = {};
	struct json j;

	json__begin(&j, f, "stat", !c->at_ns);
	put_head(&j, c);
	json__line(&j);
	json__open_array(&j, "events");
	for (size_t i = 0; i < c->nr_events && !j.w.err; i++)
		put_event(&j, c, i, &name);
	json__close_array(&j);
	json__line(&j);
	json__open_array(&j, "rows");
	for (size_t i = 0; i < c->nr_rows && c->by != COUNTS_BY_NOTHING && !j.w.err; i++)
		put_row(&j, c, &c->rows[i], &name);
	json__close_array(&j);
	buf__free(&name);
	return json__end(&j);
}
