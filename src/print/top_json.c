// SPDX-License-Identifier: BSD-2-Clause
/* An interval of a live view as a JSON document. */
#include "print/top_json.h"

#include "model/loss.h"
#include "print/json.h"
#include "print/top_page.h"

/* As stat has it: in the event's unit; raw is what was counted. */
static void put_value(struct json *j, const struct live_event *e, const struct event_count *c)
{
	if (!event_count__has_value(c))
		json__null(j, "value");
	else if (live_event__scale(e) != 1)
		json__double(j, "value", c->value * e->scale, -1);
	else
		json__u64(j, "value", c->value);
}

static void put_event(struct json *j, const struct top_page *p, size_t i)
{
	const struct live_event *e = &live__interval(p->live)->events[i];
	const struct event_count c = top_page__total(p, i);

	json__open(j, NULL);
	json__string(j, "event", e->name);
	json__string(j, "unit", e->unit ? e->unit : "");
	json__string(j, "state", count_state__name(c.state));
	put_value(j, e, &c);
	if (event_count__has_value(&c)) {
		json__u64(j, "raw", c.raw);
		json__u64(j, "idle", top_page__idle(p, i));
	} else {
		json__null(j, "raw");
		json__null(j, "idle");
	}
	json__u64(j, "enabled_ns", c.enabled_ns);
	json__u64(j, "running_ns", c.running_ns);
	if (e->group < 0)
		json__null(j, "group");
	else
		json__u64(j, "group", e->group);
	if (e->why)
		json__string(j, "why", e->why);
	json__close(j);
}

static void put_column(struct json *j, const struct top_page *p, const struct column *c)
{
	json__open(j, NULL);
	json__string(j, "name", c->name);
	json__string(j, "formula", c->formula);
	json__double(j, "share", column__share(c, live__interval(p->live)), -1);
	if (c->why)
		json__string(j, "why", c->why);
	json__close(j);
}

static void put_key(struct json *j, const struct top_page *p, const struct live_row *row)
{
	struct top_key_part parts[TOP_KEY_PARTS];
	size_t nr = top_page__key(p, row, parts);

	json__open(j, "key");
	for (size_t i = 0; i < nr; i++) {
		if (parts[i].is_number)
			json__u64(j, parts[i].name, parts[i].number);
		else
			json__string(j, parts[i].name, parts[i].text);
	}
	json__close(j);
}

static void put_values(struct json *j, const struct top_page *p, const struct live_row *row)
{
	json__open(j, "values");
	for (size_t i = 0; i < p->columns->nr; i++) {
		const struct column *c = &p->columns->items[i];

		json__double(j, c->name, column__value(c, live__interval(p->live), row), -1);
	}
	json__close(j);
}

/* Beside the key: what else tells people who it is. */
static void put_process(struct json *j, const struct top_page *p, const struct live_row *row)
{
	const struct process *one = top_page__process(p, row);
	const bool is_known = one && one->uid != PROCESS_NO_USER;

	json__string(j, "command", is_known ? one->command : NULL);
	if (one)
		json__u64(j, "parent", one->parent);
	else
		json__null(j, "parent");
	if (is_known)
		json__u64(j, "uid", one->uid);
	else
		json__null(j, "uid");
	json__string(j, "user", is_known ? processes__user(p->processes, one->uid) : NULL);
	json__string(j, "cgroup", top_page__cgroup(p, row->cgroup));
}

static void put_row(struct json *j, const struct top_page *p, const struct live_row *row)
{
	json__open(j, NULL);
	put_key(j, p, row);
	put_values(j, p, row);
	if (p->by == LIVE_PROCESSES || p->by == LIVE_THREADS)
		put_process(j, p, row);
	json__bool(j, "exited", row->exited);
	json__close(j);
}

static void put_losses(struct json *j, const struct live_about *a)
{
	json__u64(j, "seen", a->seen);
	json__u64(j, "kept", a->kept);
	json__open(j, "losses");
	for (unsigned i = 0; i < a->losses.nr; i++)
		json__u64(j, a->losses.by[i].name, a->losses.by[i].n);
	json__close(j);
	json__u64(j, "untold", a->untold);
}

static void put_head(struct json *j, const struct top_page *p)
{
	const struct live_about *a = live__interval(p->live);

	json__u64(j, "duration_ns", a->interval_ns);
	json__u64(j, "at_ns", a->at_ns);
	json__u64(j, "cpus", a->nr_cpus);
	json__u64(j, "own_bpf_ns", a->own_bpf_ns);
	json__u64(j, "own_user_ns", a->own_user_ns);
	json__string(j, "by", live_by__name(p->by));
	json__string(j, "host", a->host);
	json__string(j, "kernel", a->kernel);
}

int print__top_json(FILE *f, const struct top_page *p)
{
	const struct live_about *a = live__interval(p->live);
	struct json j;

	json__begin(&j, f, "top", false);
	put_head(&j, p);
	json__open_array(&j, "events");
	for (size_t i = 0; i < a->nr_events; i++)
		put_event(&j, p, i);
	json__close_array(&j);
	json__open_array(&j, "columns");
	for (size_t i = 0; i < p->columns->nr; i++)
		put_column(&j, p, &p->columns->items[i]);
	json__close_array(&j);
	json__open_array(&j, "rows");
	for (size_t i = 0; i < top_page__nr_rows(p); i++)
		put_row(&j, p, &p->rows->items[i]);
	json__close_array(&j);
	put_losses(&j, a);
	return json__end(&j);
}
