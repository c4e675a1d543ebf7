// SPDX-License-Identifier: BSD-2-Clause
#include "print/stat_json.h"

#include <errno.h>
#include <json-c/json.h>
#include <math.h>

#include "base/buf.h"
#include "model/counts.h"
#include "model/metric.h"
#include "print/jsonput.h"
#include "print/stat.h"
#include "print/writer.h"

static int put_value(struct json_object *o, const char *key, const struct counts *c,
		     const struct count *values, size_t event)
{
	if (!count__has_value(&values[event]))
		return json__put_null(o, key);
	if (c->events[event].scale != 1 || metric__runs(c, values, event))
		return json__put_double(o, key, metric__number(c, values, event), -1);
	return json__put_u64(o, key, values[event].value);
}

static int put_metric(struct json_object *o, const char *key, const struct metric *m)
{
	struct json_object *metric = json_object_new_object();
	int err = json__put(o, key, metric);

	if (!err)
		err = json__put_double(metric, "value", m->value, m->decimals);
	return err ? err : json__put_string(metric, "text", m->text);
}

static struct json_object *new_runs(const struct counts_runs *r, double scale)
{
	const double spread = r->n < 2 ? NAN : scale;
	struct json_object *runs = json_object_new_object();
	int err = runs ? json__put_u64(runs, "n", r->n) : -ENOMEM;

	if (!err)
		err = json__put_double(runs, "mean", r->n ? r->mean * scale : NAN, -1);
	if (!err)
		err = json__put_double(runs, "stddev", counts_runs__stddev(r) * spread, -1);
	if (!err)
		err = json__put_double(runs, "ci95", counts_runs__ci95(r) * spread, -1);
	if (!err)
		return runs;
	json_object_put(runs);
	return NULL;
}

static int put_counts(struct json_object *o, const struct counts *c, size_t event)
{
	const struct count *v = &c->totals[event];
	int err = put_value(o, "value", c, c->totals, event);

	if (!err && count__has_value(v))
		err = json__put_u64(o, "raw", v->raw);
	else if (!err)
		err = json__put_null(o, "raw");
	if (!err)
		err = json__put_u64(o, "enabled_ns", v->enabled_ns);
	if (!err)
		err = json__put_u64(o, "running_ns", v->running_ns);
	return err;
}

static int put_extras(struct json_object *o, const struct counts *c, size_t event)
{
	const struct counts_event *e = &c->events[event];
	const char *why = counts__why(c, event);
	struct metric m;
	int err;

	if (e->group == COUNTS_NO_GROUP)
		err = json__put_null(o, "group");
	else
		err = json__put(o, "group", json_object_new_int(e->group));
	if (!err && metric__of(c, c->totals, event, &m))
		err = put_metric(o, "metric", &m);
	else if (!err)
		err = json__put_null(o, "metric");
	if (!err && metric__second(c, c->totals, event, &m))
		err = put_metric(o, "metric2", &m);
	if (!err && c->runs[c->nr_events].n)
		err = json__put(o, "runs", new_runs(&c->runs[event], e->scale));
	if (!err && why)
		err = json__put_string(o, "why", why);
	return err;
}

static int write_event(struct writer *w, const struct counts *c, size_t event, struct buf *name)
{
	const struct counts_event *e = &c->events[event];
	struct json_object *o = json_object_new_object();
	int err = o ? stat__unique_name(c, event, name) : -ENOMEM;

	if (!err)
		err = json__put_string(o, "event", name->data);
	if (!err)
		err = json__put_string(o, "unit", e->unit ? e->unit : "");
	if (!err)
		err = json__put_string(o, "state", count_state__name(c->totals[event].state));
	if (!err)
		err = put_counts(o, c, event);
	if (!err)
		err = put_extras(o, c, event);
	return json__write(w, o, err);
}

static int put_key(struct json_object *o, const struct counts *c, const struct counts_key *k)
{
	struct stat_key_part parts[STAT_KEY_PARTS];
	size_t nr = stat__key_parts(c, k, parts);
	struct json_object *key = json_object_new_object();
	int err = json__put(o, "key", key);

	for (size_t i = 0; i < nr && !err; i++) {
		if (parts[i].text)
			err = json__put_string(key, parts[i].name, parts[i].text);
		else
			err = json__put_u64(key, parts[i].name, parts[i].number);
	}
	return err;
}

static int write_row(struct writer *w, const struct counts *c, const struct counts_row *row,
		     struct buf *name)
{
	struct json_object *o = json_object_new_object(), *values = json_object_new_object();
	int err = o ? put_key(o, c, &row->key) : -ENOMEM;

	if (!err)
		err = json__put(o, "values", values);
	else
		json_object_put(values);
	for (size_t i = 0; i < c->nr_events && !err; i++) {
		err = stat__unique_name(c, i, name);
		if (!err)
			err = put_value(values, name->data, c, row->values, i);
	}
	return json__write(w, o, err);
}

static void write_u64(struct writer *w, const char *key, uint64_t n)
{
	writer__printf(w, ",\"%s\":", key);
	writer__u64(w, n);
}

static int write_head(struct writer *w, const struct counts *c)
{
	const struct counts_runs *elapsed = &c->runs[c->nr_events];
	struct json_object *o;
	int err;

	writer__printf(w, "{\"schema\":%d,\"command\":\"stat\",\"version\":", JSON_SCHEMA);
	err = json__write_string(w, PMUTRACE_VERSION);
	write_u64(w, "duration_ns", c->duration_ns);
	if (c->at_ns)
		write_u64(w, "time_ns", c->at_ns);
	if (c->missed_ns)
		write_u64(w, "missed_ns", c->missed_ns);
	if (c->user_ns || c->system_ns) {
		write_u64(w, "user_ns", c->user_ns);
		write_u64(w, "system_ns", c->system_ns);
	}
	if (!elapsed->n || err)
		return err;
	o = new_runs(elapsed, 1);
	writer__puts(w, ",\"runs\":");
	return json__write(w, o, o ? 0 : -ENOMEM);
}

/* The rows are written one by one, as in print/json.c. */
int out__stat_json(FILE *f, const struct counts *c)
{
	const char *newline = c->at_ns ? "" : "\n";
	struct writer w = { .f = f };
	struct buf name = {};
	int err = write_head(&w, c), end;

	writer__printf(&w, ",%s\"events\":[", newline);
	for (size_t i = 0; i < c->nr_events && !err; i++) {
		writer__printf(&w, "%s%s", i ? "," : "", newline);
		err = write_event(&w, c, i, &name);
	}
	writer__printf(&w, "],%s\"rows\":[", newline);
	for (size_t i = 0; i < c->nr_rows && c->by != COUNTS_BY_NOTHING && !err; i++) {
		writer__printf(&w, "%s%s", i ? "," : "", newline);
		err = write_row(&w, c, &c->rows[i], &name);
	}
	writer__puts(&w, "]}\n");
	end = writer__end(&w);
	buf__free(&name);
	return err ? err : end;
}
