// SPDX-License-Identifier: BSD-2-Clause
/* Tells whose threads are, and writes what their processes have counted in each window. */
#include "print/firefox_processes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/profile.h"
#include "print/by_thread.h"
#include "print/firefox_tables.h"
#include "print/json.h"
#include "print/process_counts.h"

/* What a counter is of. */
struct counter {
	const struct process_count *items;
	size_t nr;
	uint32_t event;
	bool weights;
	double ms; /* of one, if it is time; else 1 */
};

/* Names of colors that it has, by event. */
static const char *const colors[] = { "blue", "orange", "green", "purple", "red", "teal" };

static bool by_id(const struct profile *p)
{
	return p->by & (BY_PID | BY_TID);
}

/* The first thread of each process, from @begin on. */
static int find_processes(struct firefox_processes *x, size_t begin)
{
	int err = 0;

	for (size_t i = begin; i < x->threads->nr && !err; i++) {
		const uint32_t process = by_thread__process(x->p, &x->threads->threads[i]);
		uint32_t known;

		if (!idmap__get(&x->first, process, &known))
			err = idmap__set(&x->first, process, i);
	}
	return err;
}

/* A thread of another event stands for its process, if that has no other one; without stacks. */
static int add_processes(struct firefox_processes *x, const struct by_thread *others)
{
	struct by_thread *t = x->threads;
	int err = 0;

	for (size_t i = 0; i < others->nr && !err; i++) {
		struct thread_samples new = others->threads[i];
		uint32_t known;

		if (idmap__get(&x->first, by_thread__process(x->p, &new), &known))
			continue;
		new.tid = new.pid;
		new.samples = new.weight = 0;
		new.first = new.nr = 0;
		err = array__grow(&t->threads, &t->cap, t->nr + 1);
		if (err)
			break;
		t->threads[t->nr++] = new;
		err = find_processes(x, t->nr - 1);
	}
	return err;
}

static int count(struct firefox_processes *x, uint32_t event)
{
	struct by_thread threads;
	int err = by_thread__group(&threads, x->p, event, true);

	if (!err)
		err = process_counts__gather(&x->counts[event], x->p, &threads);
	if (!err)
		err = add_processes(x, &threads);
	by_thread__free(&threads);
	return err;
}

int firefox_processes__gather(struct firefox_processes *x, const struct profile *p, uint32_t event,
			      struct by_thread *threads, bool counters)
{
	int err;

	x->p = p;
	x->threads = threads;
	err = find_processes(x, 0);
	if (err || !counters)
		return err;
	x->counts = calloc(p->nr_events + 1, sizeof(*x->counts));
	if (!x->counts)
		return -ENOMEM;
	err = process_counts__gather(&x->counts[event], p, threads);
	for (uint32_t i = 0; i < p->nr_events && !err; i++)
		if (i != event)
			err = count(x, i);
	return err;
}

/* Ids of a process are strings there; that of a command is its name. */
static void put_pid(struct firefox_processes *x, struct json *j, size_t thread)
{
	const struct thread_samples *t = &x->threads->threads[thread];

	if (!by_id(x->p)) {
		json__string(j, "pid", by_thread__name(x->p, t));
		return;
	}
	buf__clear(&x->text);
	json__fail(j, buf__printf(&x->text, "%" PRIu32, t->pid));
	json__string(j, "pid", x->text.data);
}

void firefox_processes__put(struct firefox_processes *x, struct json *j, size_t thread)
{
	const struct thread_samples *t = &x->threads->threads[thread];
	uint32_t first = thread;

	idmap__get(&x->first, by_thread__process(x->p, t), &first);
	put_pid(x, j, thread);
	if (by_id(x->p))
		json__u64(j, "tid", t->tid);
	else
		json__string(j, "tid", by_thread__name(x->p, t));
	json__string(j, "processName", by_thread__name(x->p, &x->threads->threads[first]));
	json__bool(j, "isMainThread", t->pid == t->tid);
}

static double value_of(const struct profile *p, const struct counter *c, size_t i)
{
	const struct process_count *a = &c->items[i];

	if (!c->weights)
		return (double)a->samples;
	return (double)a->weight * c->ms * process_counts__scale(p, c->event, a->window);
}

static uint64_t begin_of(const struct profile *p, uint32_t window)
{
	return p->windows.items[window].begin_ns;
}

/* Whether nothing is between a window that has some and the one that had some before it. */
static bool goes_on(const struct counter *c, size_t i)
{
	return i && c->items[i - 1].window + 1 == c->items[i].window;
}

static size_t nr_values(const struct counter *c, const struct profile *p)
{
	size_t nr = c->items[c->nr - 1].window + 1 < p->windows.nr;

	for (size_t i = 0; i < c->nr; i++)
		nr += 1 + !goes_on(c, i);
	return nr;
}

/* Where it begins anew there was nothing up to there; in the end there is nothing, if it has ended
 * before. */
static void put_values(struct json *j, const struct profile *p, const struct counter *c)
{
	const uint64_t end = p->windows.items[p->windows.nr - 1].end_ns;
	const bool ends = c->items[c->nr - 1].window + 1 < p->windows.nr;

	columns__open(j, "samples", nr_values(c, p));
	json__open_array(j, "time");
	for (size_t i = 0; i < c->nr; i++) {
		const uint32_t window = c->items[i].window;

		if (!goes_on(c, i))
			json__double(j, NULL, (double)begin_of(p, window) / 1e6, 6);
		json__double(j, NULL, (double)p->windows.items[window].end_ns / 1e6, 6);
	}
	if (ends)
		json__double(j, NULL, (double)end / 1e6, 6);
	json__close_array(j);
	json__open_array(j, "count");
	for (size_t i = 0; i < c->nr; i++) {
		if (!goes_on(c, i))
			json__u64(j, NULL, 0);
		json__double(j, NULL, value_of(p, c, i), -1);
	}
	if (ends)
		json__u64(j, NULL, 0);
	json__close_array(j);
	json__close(j);
}

static void put_row(struct json *j, const char *source, const char *label)
{
	json__open(j, NULL);
	json__string(j, "type", "value");
	json__string(j, "source", source);
	json__open(j, "format");
	json__string(j, "unit", "number");
	json__close(j);
	json__string(j, "label", label);
	if (!strcmp(source, "selection-total"))
		json__bool(j, "requiresPreviewSelection", true);
	json__close(j);
}

static const char *unit_of(const struct profile *p, const struct counter *c)
{
	if (!c->weights)
		return "samples";
	return strcmp(p->events[c->event].unit, "ns") ? "" : "ms";
}

static void put_display(struct json *j, const struct profile *p, const struct counter *c)
{
	json__open(j, "display");
	json__string(j, "graphType", "line-rate");
	json__string(j, "unit", unit_of(p, c));
	json__string(j, "color", colors[c->event % ARRAY_SIZE(colors)]);
	json__null(j, "markerSchemaLocation");
	json__u64(j, "sortWeight", c->event);
	json__string(j, "label", p->events[c->event].name);
	json__open_array(j, "tooltipRows");
	put_row(j, "count", "in this window");
	put_row(j, "committed-range-total", "in the visible range");
	put_row(j, "selection-total", "in the selection");
	json__close_array(j);
	json__close(j);
}

static void put_description(struct firefox_processes *x, struct json *j, const struct counter *c)
{
	const struct profile_event *e = &x->p->events[c->event];
	const bool scaled = c->weights && e->running_ns && e->running_ns < e->enabled_ns;

	buf__clear(&x->text);
	json__fail(j, buf__printf(&x->text, "%s: %s%s", e->name,
				  c->weights ? "what its samples stand for" : "its samples",
				  scaled ? ", scaled: it was on a counter part of the time" : ""));
	json__string(j, "description", x->text.data);
}

static void put_counter(struct firefox_processes *x, struct json *j, const struct counter *c)
{
	uint32_t thread = 0;

	idmap__get(&x->first, c->items[0].process, &thread);
	json__line(j);
	json__open(j, NULL);
	json__string(j, "name", x->p->events[c->event].name);
	json__string(j, "category", "pmutrace");
	put_description(x, j, c);
	put_pid(x, j, thread);
	json__u64(j, "mainThreadIndex", thread);
	put_values(j, x->p, c);
	put_display(j, x->p, c);
	json__close(j);
}

void firefox_processes__put_counters(struct firefox_processes *x, struct json *j, bool weights)
{
	const struct profile *p = x->p;

	json__line(j);
	json__open_array(j, "counters");
	for (uint32_t e = 0; x->counts && e < p->nr_events; e++) {
		const struct process_counts *all = &x->counts[e];
		struct counter c = { .event = e,
				     .weights = weights && p->events[e].weight,
				     .ms = 1 };

		if (!strcmp(p->events[e].unit, "ns"))
			c.ms = 1e-6;
		for (size_t i = 0; i < all->nr; i += c.nr) {
			c.items = all->items + i;
			for (c.nr = 1; i + c.nr < all->nr; c.nr++)
				if (c.items[c.nr].process != c.items[0].process)
					break;
			put_counter(x, j, &c);
		}
	}
	json__close_array(j);
}

void firefox_processes__free(struct firefox_processes *x)
{
	for (uint32_t i = 0; x->counts && i < x->p->nr_events; i++)
		process_counts__free(&x->counts[i]);
	free(x->counts);
	idmap__free(&x->first);
	buf__free(&x->text);
	*x = (struct firefox_processes){};
}
