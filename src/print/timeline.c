// SPDX-License-Identifier: BSD-2-Clause
/* Places the stacks that a thread has in a window one behind the other, over all of it. */
#include "print/timeline.h"

#include <stdlib.h>

#include "model/windows.h"
#include "print/by_thread.h"

static int put(struct timeline *t, const struct timeline_item *item)
{
	int err = array__grow(&t->items, &t->cap, t->nr + 1);

	if (!err)
		t->items[t->nr++] = *item;
	return err;
}

static int place_window(struct timeline *t, const struct window *w, const struct by_thread *threads,
			const struct thread_window *of)
{
	const uint64_t length = w->end_ns - w->begin_ns;
	uint64_t before = 0;
	int err = 0;

	for (size_t i = of->first; i < of->first + of->nr && !err; i++) {
		const struct thread_stack *s = &threads->stacks[i];
		const struct timeline_item item = {
			.node = s->node,
			.begin_ns = w->begin_ns +
				    (uint64_t)((unsigned __int128)length * before / of->samples),
			.samples = s->samples,
			.weight = s->weight,
		};

		err = put(t, &item);
		before += s->samples;
	}
	return err;
}

int timeline__place(struct timeline *t, const struct windows *w, const struct by_thread *threads,
		    const struct thread_samples *thread)
{
	struct thread_window of = {}, next;
	bool more = by_thread__next(threads, thread, &of);
	int err = 0;

	t->nr = 0;
	while (more && !err) {
		err = place_window(t, &w->items[of.window], threads, &of);
		next = of;
		more = by_thread__next(threads, thread, &next);
		if (!err && (!more || next.window != of.window + 1))
			err = put(t, &(struct timeline_item){ .begin_ns =
								      w->items[of.window].end_ns });
		of = next;
	}
	return err;
}

void timeline__free(struct timeline *t)
{
	free(t->items);
	*t = (struct timeline){};
}
