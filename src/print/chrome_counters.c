// SPDX-License-Identifier: BSD-2-Clause
/* Writes how much of each event there was in each window, by process and in all. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/idmap.h"
#include "model/profile.h"
#include "print/chrome_events.h"

/* Of an event, in one window. */
struct amount {
	uint32_t pid, window;
	uint64_t samples, weight;
};

struct chrome_counters {
	struct chrome *c;
	struct idmap named; /* processes */
	struct amount *items;
	size_t nr, cap;
	const struct profile_event *event;
	uint32_t event_id;
};

static int compare(const void *a, const void *b)
{
	const struct amount *x = a, *y = b;

	if (x->pid != y->pid)
		return (x->pid > y->pid) - (x->pid < y->pid);
	return (x->window > y->window) - (x->window < y->window);
}

static int add(struct chrome_counters *k, uint32_t pid, const struct thread_window *w)
{
	int err = array__grow(&k->items, &k->cap, k->nr + 1);

	if (!err)
		k->items[k->nr++] = (struct amount){ pid, w->window, w->samples, w->weight };
	return err;
}

/* One entry for each process and window. */
static void join(struct chrome_counters *k)
{
	size_t nr = 0;

	if (k->nr)
		qsort(k->items, k->nr, sizeof(*k->items), compare);
	for (size_t i = 0; i < k->nr; i++) {
		const struct amount item = k->items[i];

		if (nr && !compare(&k->items[nr - 1], &item)) {
			k->items[nr - 1].samples += item.samples;
			k->items[nr - 1].weight += item.weight;
		} else {
			k->items[nr++] = item;
		}
	}
	k->nr = nr;
}

static int name_process(struct chrome_counters *k, uint32_t pid, const char *name)
{
	struct chrome *c = k->c;
	uint32_t known;

	if (idmap__get(&k->named, pid, &known))
		return 0;
	chrome__begin(c, &(struct chrome_event){ 'M', "process_name", pid, pid, 0, NULL });
	json__string(&c->j, "name", name);
	chrome__end(c);
	return idmap__set(&k->named, pid, 0);
}

static int gather(struct chrome_counters *k, const struct by_thread *threads)
{
	struct chrome *c = k->c;
	int err = 0;

	k->nr = 0;
	for (size_t i = 0; i < threads->nr && !err; i++) {
		const struct thread_samples *t = &threads->threads[i];
		const uint32_t pid = chrome__pid(c, t);
		struct thread_window w = {};

		err = name_process(k, pid, by_thread__name(c->p, t));
		while (!err && by_thread__next(threads, t, &w)) {
			err = add(k, pid, &w);
			if (!err)
				err = add(k, CHROME_ALL, &w);
		}
	}
	join(k);
	return err;
}

static uint64_t length_ns(const struct profile *p, uint32_t window)
{
	const struct window *w = &p->windows.items[window];

	return p->windows.nr ? w->end_ns - w->begin_ns : p->duration_ns;
}

static uint64_t begin_us(const struct profile *p, uint32_t window)
{
	return p->windows.nr ? p->windows.items[window].begin_ns / 1000 : 0;
}

static uint64_t end_us(const struct profile *p, uint32_t window)
{
	return (p->windows.nr ? p->windows.items[window].end_ns : p->duration_ns) / 1000;
}

/* How much more there was than what was counted while the event was on a counter. */
static double scale(const struct chrome_counters *k, uint32_t window)
{
	const struct profile *p = k->c->p;
	uint64_t enabled = k->event->enabled_ns, running = k->event->running_ns;

	if (p->windows.nr) {
		const struct window_times *t =
			&p->windows.times[window * p->nr_events + k->event_id];

		enabled = t->enabled_ns;
		running = t->running_ns;
	}
	return running && running < enabled ? (double)enabled / (double)running : 1;
}

static bool has_weights(const struct chrome_counters *k)
{
	return k->c->o->weights && k->event->weight;
}

static void put_value(struct chrome_counters *k, uint32_t pid, uint64_t us, double value)
{
	const bool weights = has_weights(k);
	const char *unit = "samples per second";

	if (weights)
		unit = strcmp(k->event->unit, "ns") ? "per second" : "CPUs";
	else if (k->c->o->noun)
		unit = "per second";
	chrome__begin(k->c, &(struct chrome_event){ 'C', k->event->name, pid, pid, us, NULL });
	json__double(&k->c->j, unit, value, 6);
	chrome__end(k->c);
}

static void put_amount(struct chrome_counters *k, const struct amount *a)
{
	const double length = (double)length_ns(k->c->p, a->window);
	double value = (double)(has_weights(k) ? a->weight : a->samples) / length;

	value *= has_weights(k) ? scale(k, a->window) : 1;
	if (!has_weights(k) || strcmp(k->event->unit, "ns"))
		value *= 1e9;
	put_value(k, a->pid, begin_us(k->c->p, a->window), value);
}

/* Where there is nothing in the window behind, and at the end, it is 0 from there on. */
static void put_amounts(struct chrome_counters *k)
{
	const struct profile *p = k->c->p;

	for (size_t i = 0; i < k->nr; i++) {
		const struct amount *a = &k->items[i], *next = i + 1 < k->nr ? a + 1 : NULL;

		if (!length_ns(p, a->window))
			continue;
		put_amount(k, a);
		if (!next || next->pid != a->pid || next->window != a->window + 1)
			put_value(k, a->pid, end_us(p, a->window), 0);
	}
}

static int put_event(struct chrome_counters *k)
{
	struct by_thread threads;
	int err = by_thread__group(&threads, k->c->p, k->event_id, true);

	if (!err)
		err = gather(k, &threads);
	if (!err)
		put_amounts(k);
	by_thread__free(&threads);
	return err;
}

/* Of all events together: nobody knows whose samples they would have been. */
static void put_losses(struct chrome *c)
{
	const struct windows *w = &c->p->windows;
	uint64_t before = 0;

	for (size_t i = 0; i < w->nr; i++) {
		const uint64_t lost = losses__sum(&w->items[i].losses);

		if (lost == before)
			continue;
		chrome__begin(c, &(struct chrome_event){ 'C', "lost", CHROME_ALL, CHROME_ALL,
							 begin_us(c->p, i), NULL });
		json__u64(&c->j, "samples in the window", lost);
		chrome__end(c);
		before = lost;
	}
}

int chrome__put_counters(struct chrome *c)
{
	struct chrome_counters k = { .c = c };
	int err = name_process(&k, CHROME_ALL, "all processes");

	for (uint32_t i = 0; i < c->p->nr_events && !err; i++) {
		k.event_id = i;
		k.event = &c->p->events[i];
		err = put_event(&k);
	}
	put_losses(c);
	idmap__free(&k.named);
	free(k.items);
	return err;
}
