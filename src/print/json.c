// SPDX-License-Identifier: BSD-2-Clause
#include "print/json.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdbool.h>
#include <string.h>

#include "model/profile.h"
#include "print/json_rows.h"
#include "print/jsonput.h"
#include "print/rows.h"
#include "print/writer.h"

static const char *state_of(const struct profile_event *e)
{
	if (e->enabled_ns && !e->running_ns)
		return "not-counted";
	return e->running_ns < e->enabled_ns ? "multiplexed" : "counted";
}

/* raw * enabled / running, rounded to nearest; what does not fit becomes the largest. */
static uint64_t scaled(const struct profile_event *e, uint64_t raw)
{
	unsigned __int128 n = (unsigned __int128)raw * e->enabled_ns;

	if (!e->running_ns || e->running_ns >= e->enabled_ns)
		return raw;
	n = (n + e->running_ns / 2) / e->running_ns;
	return n > UINT64_MAX ? UINT64_MAX : (uint64_t)n;
}

static int write_event(struct writer *w, const struct profile_event *e, bool weights)
{
	const uint64_t raw = weights ? e->weight : e->samples;
	const bool is_probe = !weights && !e->hz && !e->period;
	struct json_object *o = json_object_new_object();
	int err;

	if (!o)
		return -ENOMEM;
	err = json__put_string(o, "event", e->name);
	if (!err)
		err = json__put_string(o, "unit", e->unit);
	if (!err)
		err = json__put_string(o, "state", state_of(e));
	if (!err && e->enabled_ns && !e->running_ns) /* unknown is null, never 0 */
		err = json__put_null(o, "value");
	else if (!err)
		err = json__put_u64(o, "value", scaled(e, raw));
	if (!err)
		err = json__put_u64(o, "raw", raw);
	/* A probe is not on a counter: it has no such times. */
	if (!err && is_probe)
		err = json__put_null(o, "enabled_ns");
	else if (!err)
		err = json__put_u64(o, "enabled_ns", e->enabled_ns);
	if (!err && is_probe)
		err = json__put_null(o, "running_ns");
	else if (!err)
		err = json__put_u64(o, "running_ns", e->running_ns);
	if (!err && e->passed_over)
		err = json__put_u64(o, "passed_over", e->passed_over);
	return json__write(w, o, err);
}

static int write_losses(struct writer *w, const struct losses *l, bool flaws)
{
	struct json_object *o = json_object_new_object();
	int err = o ? 0 : -ENOMEM;

	for (unsigned i = 0; i < l->nr && !err; i++)
		if (l->by[i].flaw == flaws)
			err = json__put_u64(o, l->by[i].name, l->by[i].n);
	return json__write(w, o, err);
}

static int write_events(struct writer *w, const struct profile *p, const struct json_opts *o)
{
	int err = 0;

	for (size_t i = 0; i < p->nr_events && !err; i++) {
		const struct profile_event *e = &p->events[i];

		json__break(w, o, i ? "," : "");
		err = write_event(w, e, o->weights);
	}
	return err;
}

/* Of what is measured beside the samples. */
static int write_units(struct writer *w, const struct profile *p)
{
	struct json_object *o = json_object_new_object();
	int err = o ? 0 : -ENOMEM;

	for (size_t i = 0; i < p->nr_metrics && !err; i++)
		err = json__put_string(o, p->metrics[i].name, p->metrics[i].unit);
	if (!err && rows__bucket_field(p) >= 0)
		err = json__put_string(o, p->buckets.metric, p->buckets.unit);
	return json__write(w, o, err);
}

static int write_net(struct writer *w, const struct profile *p, const uint64_t *net)
{
	struct json_object *o = json_object_new_object();
	int err = o ? 0 : -ENOMEM;

	for (size_t i = 0; i < p->nr_metrics && !err; i++)
		err = json__put_u64(o, p->metrics[i].name, net[i]);
	return json__write(w, o, err);
}

static int write_head(struct writer *w, const struct profile *p, const struct json_opts *o)
{
	int err;

	writer__printf(w, "{\"schema\":%d,\"command\":", JSON_SCHEMA);
	err = json__write_string(w, o->command);
	writer__puts(w, ",\"version\":");
	if (!err)
		err = json__write_string(w, PMUTRACE_VERSION);
	writer__puts(w, ",\"duration_ns\":");
	writer__u64(w, p->duration_ns);
	if (o->at_ns) {
		writer__puts(w, ",\"time_ns\":");
		writer__u64(w, o->at_ns);
	}
	if (rows__are_by_event(p)) {
		writer__puts(w, ",\"units\":");
		err = err ? err : write_units(w, p);
	}
	if (o->net) {
		writer__puts(w, ",\"net\":");
		err = err ? err : write_net(w, p, o->net);
	}
	return err;
}

void json__break(struct writer *w, const struct json_opts *o, const char *separator)
{
	writer__puts(w, separator);
	if (!o->at_ns)
		writer__putc(w, '\n');
}

int out__json(FILE *f, const struct profile *p, const struct json_opts *o)
{
	struct writer w = { .f = f };
	int err = write_head(&w, p, o), end;

	json__break(&w, o, ",");
	writer__puts(&w, "\"events\":[");
	if (!err)
		err = write_events(&w, p, o);
	json__break(&w, o, "],");
	writer__puts(&w, "\"rows\":[");
	if (!err)
		err = json__write_rows(&w, p, o);
	json__break(&w, o, "],");
	writer__puts(&w, "\"seen\":");
	writer__u64(&w, p->losses.seen);
	writer__puts(&w, ",\"kept\":");
	writer__u64(&w, p->losses.kept);
	writer__puts(&w, ",\"losses\":");
	if (!err)
		err = write_losses(&w, &p->losses, false);
	writer__puts(&w, ",\"incomplete\":");
	if (!err)
		err = write_losses(&w, &p->losses, true);
	writer__puts(&w, "}\n");
	end = writer__end(&w);
	return err ? err : end;
}
