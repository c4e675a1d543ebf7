// SPDX-License-Identifier: BSD-2-Clause
/* Writes how much of each event there was in each window, by process and in all. */
#include <errno.h>
#include <string.h>

#include "base/idmap.h"
#include "model/profile.h"
#include "print/chrome_events.h"
#include "print/process_counts.h"

struct chrome_counters {
	struct chrome *c;
	struct idmap named; /* processes */
	struct process_counts counts;
	const struct profile_event *event;
	uint32_t event_id;
};

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

static int name_processes(struct chrome_counters *k, const struct by_thread *threads)
{
	const struct profile *p = k->c->p;
	int err = 0;

	for (size_t i = 0; i < threads->nr && !err; i++) {
		const struct thread_samples *t = &threads->threads[i];

		err = name_process(k, by_thread__process(p, t), by_thread__name(p, t));
	}
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

static void put_count(struct chrome_counters *k, const struct process_count *a)
{
	const struct profile *p = k->c->p;
	double value = (double)(has_weights(k) ? a->weight : a->samples);

	value /= (double)length_ns(p, a->window);
	if (has_weights(k))
		value *= process_counts__scale(p, k->event_id, a->window);
	if (!has_weights(k) || strcmp(k->event->unit, "ns"))
		value *= 1e9;
	put_value(k, a->process, begin_us(p, a->window), value);
}

/* Where there is nothing in the window behind, and at the end, it is 0 from there on. */
static void put_counts(struct chrome_counters *k)
{
	const struct process_counts *c = &k->counts;
	const struct profile *p = k->c->p;

	for (size_t i = 0; i < c->nr; i++) {
		const struct process_count *a = &c->items[i], *next = i + 1 < c->nr ? a + 1 : NULL;

		if (!length_ns(p, a->window))
			continue;
		put_count(k, a);
		if (!next || next->process != a->process || next->window != a->window + 1)
			put_value(k, a->process, end_us(p, a->window), 0);
	}
}

static int put_event(struct chrome_counters *k)
{
	struct by_thread threads;
	int err = by_thread__group(&threads, k->c->p, k->event_id, true);

	if (!err)
		err = name_processes(k, &threads);
	if (!err)
		err = process_counts__gather(&k->counts, k->c->p, &threads);
	if (!err)
		err = process_counts__add_all(&k->counts, CHROME_ALL);
	if (!err)
		put_counts(k);
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
	process_counts__free(&k.counts);
	return err;
}
