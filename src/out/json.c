// SPDX-License-Identifier: BSD-2-Clause
#include "out/json.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdbool.h>
#include <string.h>

#include "base/strtab.h"
#include "model/profile.h"
#include "out/jsonput.h"
#include "out/rows.h"
#include "out/writer.h"

/* Adds up where a key is there already: one event may be asked for twice. */
static int add_u64(struct json_object *o, const char *key, uint64_t n)
{
	struct json_object *old;

	if (json_object_object_get_ex(o, key, &old))
		n += json_object_get_uint64(old);
	return json__put_u64(o, key, n);
}

static const char *state_of(const struct profile_event *e)
{
	if (e->enabled_ns && !e->running_ns)
		return "not-counted";
	return e->running_ns < e->enabled_ns ? "multiplexed" : "counted";
}

/* raw * enabled / running, rounded to nearest; what does not fit becomes the largest. */
static uint64_t scaled(const struct profile_event *e)
{
	unsigned __int128 n = (unsigned __int128)e->weight * e->enabled_ns;

	if (!e->running_ns || e->running_ns >= e->enabled_ns)
		return e->weight;
	n = (n + e->running_ns / 2) / e->running_ns;
	return n > UINT64_MAX ? UINT64_MAX : (uint64_t)n;
}

static int write_event(struct writer *w, const struct profile_event *e)
{
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
		err = json__put_u64(o, "value", scaled(e));
	if (!err)
		err = json__put_u64(o, "raw", e->weight);
	if (!err)
		err = json__put_u64(o, "enabled_ns", e->enabled_ns);
	if (!err)
		err = json__put_u64(o, "running_ns", e->running_ns);
	return json__write(w, o, err);
}

static struct json_object *new_stack(const struct profile *p, const struct row_stack *s)
{
	struct json_object *list = json_object_new_array(), *name;

	for (size_t i = 0; list && i < s->nr; i++) {
		name = json_object_new_string(profile__name(p, s->frames[i]));
		if (name && !json_object_array_add(list, name))
			continue;
		json_object_put(name);
		json_object_put(list);
		return NULL;
	}
	return list;
}

static int put_key(struct json_object *o, const struct profile *p, const struct row_key *k,
		   const struct row_stack *s)
{
	struct json_object *key = json_object_new_object();
	int err = json__put(o, "key", key);

	if (!err && p->by & BY_COMM)
		err = json__put_string(key, "comm", s->comm);
	if (!err && p->by & BY_PID)
		err = json__put_u64(key, "pid", k->pid);
	if (!err && p->by & BY_TID)
		err = json__put_u64(key, "tid", k->tid);
	if (!err && p->by & BY_CPU)
		err = json__put_u64(key, "cpu", k->cpu);
	if (!err && p->by & BY_CGROUP)
		err = json__put_string(key, "cgroup", strtab__get(p->strings, k->cgroup));
	if (!err && p->by & (BY_KSTACK | BY_USTACK))
		err = json__put(key, "stack", new_stack(p, s));
	return err;
}

static int put_values(struct json_object *o, const struct profile *p, const uint32_t *rows,
		      size_t nr)
{
	struct json_object *values = json_object_new_object();
	struct json_object *weights = json_object_new_object();
	int err = json__put(o, "values", values), err_weights = json__put(o, "weights", weights);

	err = err ? err : err_weights;
	for (size_t i = 0; i < nr && !err; i++) {
		const struct row *r = &p->rows[rows[i]];
		const char *event = p->events[r->key.event].name;

		err = add_u64(values, event, r->samples);
		if (!err)
			err = add_u64(weights, event, r->weight);
	}
	return err;
}

static int write_rows(struct writer *w, const struct profile *p)
{
	struct row_stack stack = {};
	struct rows rows;
	int err = rows__group(&rows, p);

	for (size_t i = 0; i < rows.nr && !err; i++) {
		const struct line *l = &rows.lines[i];
		const uint32_t *of_line = &rows.order[l->first];
		const struct row_key *key = &p->rows[of_line[0]].key;
		struct json_object *o = json_object_new_object();

		err = o ? row_stack__get(&stack, p, key->stack) : -ENOMEM;
		if (!err)
			err = put_key(o, p, key, &stack);
		if (!err)
			err = put_values(o, p, of_line, l->nr);
		writer__puts(w, i ? ",\n" : "\n");
		err = json__write(w, o, err);
	}
	row_stack__free(&stack);
	rows__free(&rows);
	return err;
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

static int write_head(struct writer *w, const struct profile *p, const char *command)
{
	int err;

	writer__printf(w, "{\"schema\":%d,\"command\":", JSON_SCHEMA);
	err = json__write_string(w, command);
	writer__puts(w, ",\"version\":");
	if (!err)
		err = json__write_string(w, PMUTRACE_VERSION);
	writer__puts(w, ",\"duration_ns\":");
	writer__u64(w, p->duration_ns);
	writer__puts(w, ",\n\"events\":[");
	for (size_t i = 0; i < p->nr_events && !err; i++) {
		writer__puts(w, i ? ",\n" : "\n");
		err = write_event(w, &p->events[i]);
	}
	writer__puts(w, "],\n\"rows\":[");
	return err;
}

/* The rows are written one by one: a document of them all could take gigabytes. */
int out__json(FILE *f, const struct profile *p, const char *command)
{
	struct writer w = { .f = f };
	int err = write_head(&w, p, command), end;

	if (!err)
		err = write_rows(&w, p);
	writer__puts(&w, "],\n\"seen\":");
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
