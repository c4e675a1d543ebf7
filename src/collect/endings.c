// SPDX-License-Identifier: BSD-2-Clause
#include "collect/endings.h"

#include <stdlib.h>

static int find(struct endings *e, struct idmap *map, uint32_t number, struct ending **one)
{
	uint32_t at;
	int err;

	if (!idmap__get(map, number, &at)) {
		at = e->nr;
		err = array__grow(&e->items, &e->cap, e->nr + 1);
		if (!err)
			err = idmap__set(map, number, at);
		if (err)
			return err;
		e->items[e->nr++] = (struct ending){};
	}
	*one = &e->items[at];
	return 0;
}

static void note(struct ending *one, uint64_t alive_ns, uint64_t ended_ns)
{
	if (alive_ns > one->alive_ns)
		one->alive_ns = alive_ns;
	if (ended_ns > one->ended_ns)
		one->ended_ns = ended_ns;
}

int endings__add(struct endings *e, const struct live_task *t, const struct ending_piece *piece)
{
	struct ending *one;
	int err = 0;

	if (t->tid) {
		err = find(e, &e->threads, t->tid, &one);
		if (err)
			return err;
		note(one, piece->alive_ns, piece->ended_ns);
	}
	err = find(e, &e->processes, t->tgid, &one);
	if (err)
		return err;
	note(one, piece->alive_ns, 0);
	/* Of a thread that leaves others behind it is known that they lived. */
	if (piece->with_process)
		note(one, 0, piece->ended_ns);
	else
		note(one, piece->ended_ns, 0);
	return 0;
}

static bool has_ended(const struct endings *e, const struct idmap *map, uint32_t number)
{
	uint32_t at;

	return idmap__get(map, number, &at) && e->items[at].ended_ns > e->items[at].alive_ns;
}

unsigned endings__of(const struct endings *e, const struct live_task *t)
{
	unsigned ends = 0;

	if (!t->tgid)
		return 0;
	if (has_ended(e, &e->processes, t->tgid))
		ends |= LIVE_PROCESS_ENDED;
	if (t->tid ? has_ended(e, &e->threads, t->tid) : ends)
		ends |= LIVE_THREAD_ENDED;
	return ends;
}

void endings__clear(struct endings *e)
{
	e->nr = 0;
	idmap__clear(&e->threads);
	idmap__clear(&e->processes);
}

void endings__free(struct endings *e)
{
	idmap__free(&e->threads);
	idmap__free(&e->processes);
	free(e->items);
	*e = (struct endings){};
}
