// SPDX-License-Identifier: BSD-2-Clause
/* Adds up what the threads of a process have in each window. */
#include "print/process_counts.h"

#include <stdlib.h>

#include "model/profile.h"
#include "print/by_thread.h"

static int compare(const void *a, const void *b)
{
	const struct process_count *x = a, *y = b;

	if (x->process != y->process)
		return (x->process > y->process) - (x->process < y->process);
	return (x->window > y->window) - (x->window < y->window);
}

/* One entry for each process and window. */
static void join(struct process_counts *c)
{
	size_t nr = 0;

	if (c->nr)
		qsort(c->items, c->nr, sizeof(*c->items), compare);
	for (size_t i = 0; i < c->nr; i++) {
		const struct process_count item = c->items[i];

		if (nr && !compare(&c->items[nr - 1], &item)) {
			c->items[nr - 1].samples += item.samples;
			c->items[nr - 1].weight += item.weight;
		} else {
			c->items[nr++] = item;
		}
	}
	c->nr = nr;
}

static int add(struct process_counts *c, struct process_count item)
{
	int err = array__grow(&c->items, &c->cap, c->nr + 1);

	if (!err)
		c->items[c->nr++] = item;
	return err;
}

int process_counts__gather(struct process_counts *c, const struct profile *p,
			   const struct by_thread *threads)
{
	int err = 0;

	c->nr = 0;
	for (size_t i = 0; i < threads->nr && !err; i++) {
		const struct thread_samples *t = &threads->threads[i];
		const uint32_t process = by_thread__process(p, t);
		struct thread_window w = {};

		while (!err && by_thread__next(threads, t, &w))
			err = add(c,
				  (struct process_count){ process, w.window, w.samples, w.weight });
	}
	join(c);
	return err;
}

int process_counts__add_all(struct process_counts *c, uint32_t all)
{
	const size_t nr = c->nr;
	int err = 0;

	for (size_t i = 0; i < nr && !err; i++) {
		struct process_count item = c->items[i];

		item.process = all;
		err = add(c, item);
	}
	join(c);
	return err;
}

void process_counts__free(struct process_counts *c)
{
	free(c->items);
	*c = (struct process_counts){};
}

double process_counts__scale(const struct profile *p, uint32_t event, uint32_t window)
{
	uint64_t enabled = p->events[event].enabled_ns, running = p->events[event].running_ns;

	if (p->windows.nr) {
		const struct window_times *t = &p->windows.times[window * p->nr_events + event];

		enabled = t->enabled_ns;
		running = t->running_ns;
	}
	return running && running < enabled ? (double)enabled / (double)running : 1;
}
