// SPDX-License-Identifier: BSD-2-Clause
#include "print/top_json.h"

#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "model/loss.h"
#include "print/jsonput.h"
#include "print/jsontext.h"
#include "print/writer.h"

/* As stat has it: in the event's unit; raw is what was counted. */
static int put_value(struct json_object *o, const struct live_event *e, const struct count *c)
{
	if (!count__has_value(c))
		return json__put_null(o, "value");
	if (live_event__scale(e) != 1)
		return json__put_double(o, "value", c->value * e->scale, -1);
	return json__put_u64(o, "value", c->value);
}

static int write_event(struct writer *w, const struct top_page *p, size_t i)
{
	const struct live_event *e = &live__interval(p->live)->events[i];
	const struct count c = top_page__total(p, i);
	struct json_object *o = json_object_new_object();
	int err = o ? json__put_text(o, "event", e->name) : -ENOMEM;

	if (!err)
		err = json__put_text(o, "unit", e->unit ? e->unit : "");
	if (!err)
		err = json__put_string(o, "state", count_state__name(c.state));
	if (!err)
		err = put_value(o, e, &c);
	if (!err)
		err = count__has_value(&c) ? json__put_u64(o, "raw", c.raw)
					   : json__put_null(o, "raw");
	if (!err)
		err = json__put_u64(o, "enabled_ns", c.enabled_ns);
	if (!err)
		err = json__put_u64(o, "running_ns", c.running_ns);
	if (!err && e->group < 0)
		err = json__put_null(o, "group");
	else if (!err)
		err = json__put_u64(o, "group", e->group);
	if (!err && e->why)
		err = json__put_text(o, "why", e->why);
	return json__write(w, o, err);
}

static int write_events(struct writer *w, const struct top_page *p)
{
	int err = 0;

	writer__puts(w, ",\"events\":[");
	for (size_t i = 0; i < live__interval(p->live)->nr_events && !err; i++) {
		writer__puts(w, i ? "," : "");
		err = write_event(w, p, i);
	}
	writer__puts(w, "]");
	return err;
}

static int write_column(struct writer *w, const struct top_page *p, const struct column *c)
{
	struct json_object *o = json_object_new_object();
	int err = o ? json__put_text(o, "name", c->name) : -ENOMEM;

	if (!err)
		err = json__put_text(o, "formula", c->formula);
	if (!err)
		err = json__put_double(o, "share", column__share(c, live__interval(p->live)), -1);
	if (!err && c->why)
		err = json__put_text(o, "why", c->why);
	return json__write(w, o, err);
}

static int write_columns(struct writer *w, const struct top_page *p)
{
	int err = 0;

	writer__puts(w, ",\"columns\":[");
	for (size_t i = 0; i < p->columns->nr && !err; i++) {
		writer__puts(w, i ? "," : "");
		err = write_column(w, p, &p->columns->items[i]);
	}
	writer__puts(w, "]");
	return err;
}

static int put_key(struct json_object *o, const struct top_page *p, const struct live_row *row)
{
	struct json_object *key = json_object_new_object();
	struct top_key_part parts[TOP_KEY_PARTS];
	size_t nr = top_page__key(p, row, parts);
	int err = json__put(o, "key", key);

	for (size_t i = 0; i < nr && !err; i++)
		err = parts[i].is_number ? json__put_u64(key, parts[i].name, parts[i].number)
					 : json__put_text(key, parts[i].name, parts[i].text);
	return err;
}

static int put_values(struct json_object *o, const struct top_page *p, const struct live_row *row)
{
	struct json_object *values = json_object_new_object();
	int err = json__put(o, "values", values);

	for (size_t i = 0; i < p->columns->nr && !err; i++) {
		const struct column *c = &p->columns->items[i];

		err = json__put_double(values, c->name,
				       column__value(c, live__interval(p->live), row), -1);
	}
	return err;
}

static int put_user(struct json_object *o, const struct top_page *p, const struct process *one)
{
	const char *user = processes__user(p->processes, one->uid);
	int err = json__put_u64(o, "uid", one->uid);

	return err ? err : json__put_text(o, "user", user);
}

/* Beside the key: what else tells people who it is. */
static int put_process(struct json_object *o, const struct top_page *p, const struct live_row *row)
{
	const struct process *one = top_page__process(p, row);
	bool is_known = one && one->uid != PROCESS_NO_USER;
	int err = json__put_text(o, "command", is_known ? one->command : NULL);

	if (!err)
		err = one ? json__put_u64(o, "parent", one->parent) : json__put_null(o, "parent");
	if (!err && is_known)
		err = put_user(o, p, one);
	if (!err && !is_known)
		err = json__put_null(o, "uid");
	if (!err && !is_known)
		err = json__put_null(o, "user");
	return err ? err : json__put_text(o, "cgroup", top_page__cgroup(p, row->cgroup));
}

static int write_rows(struct writer *w, const struct top_page *p)
{
	int err = 0;

	writer__puts(w, ",\"rows\":[");
	for (size_t i = 0; i < top_page__nr_rows(p) && !err; i++) {
		const struct live_row *row = &p->rows->items[i];
		struct json_object *o = json_object_new_object();

		writer__puts(w, i ? "," : "");
		err = o ? put_key(o, p, row) : -ENOMEM;
		if (!err)
			err = put_values(o, p, row);
		if (!err && (p->by == LIVE_PROCESSES || p->by == LIVE_THREADS))
			err = put_process(o, p, row);
		if (!err)
			err = json__put(o, "exited", json_object_new_boolean(row->exited));
		err = json__write(w, o, err);
	}
	writer__puts(w, "]");
	return err;
}

static int write_losses(struct writer *w, const struct live_about *a)
{
	struct json_object *o = json_object_new_object();
	int err = o ? 0 : -ENOMEM;

	for (unsigned i = 0; i < a->losses.nr && !err; i++)
		err = json__put_u64(o, a->losses.by[i].name, a->losses.by[i].n);
	writer__puts(w, ",\"seen\":");
	writer__u64(w, a->seen);
	writer__puts(w, ",\"kept\":");
	writer__u64(w, a->kept);
	writer__puts(w, ",\"losses\":");
	err = json__write(w, o, err);
	writer__puts(w, ",\"untold\":");
	writer__u64(w, a->untold);
	return err;
}

static int write_head(struct writer *w, const struct top_page *p)
{
	const struct live_about *a = live__interval(p->live);
	const struct {
		const char *key;
		uint64_t n;
	} numbers[] = { { "duration_ns", a->interval_ns },
			{ "at_ns", a->at_ns },
			{ "cpus", a->nr_cpus },
			{ "own_bpf_ns", a->own_bpf_ns },
			{ "own_user_ns", a->own_user_ns } };
	int err;

	writer__printf(w, "{\"schema\":%d,\"command\":\"top\",\"version\":", JSON_SCHEMA);
	err = json__write_string(w, PMUTRACE_VERSION);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		writer__printf(w, ",\"%s\":", numbers[i].key);
		writer__u64(w, numbers[i].n);
	}
	writer__printf(w, ",\"by\":\"%s\",\"host\":", live_by__name(p->by));
	if (!err)
		err = json__write_string(w, a->host);
	writer__puts(w, ",\"kernel\":");
	return err ? err : json__write_string(w, a->kernel);
}

int out__top_json(FILE *f, const struct top_page *p)
{
	struct writer w = { .f = f };
	int err = write_head(&w, p), end;

	if (!err)
		err = write_events(&w, p);
	if (!err)
		err = write_columns(&w, p);
	if (!err)
		err = write_rows(&w, p);
	if (!err)
		err = write_losses(&w, live__interval(p->live));
	writer__puts(&w, "}\n");
	end = writer__end(&w);
	return err ? err : end;
}
