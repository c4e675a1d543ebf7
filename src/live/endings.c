// SPDX-License-Identifier: BSD-2-Clause
/* Compares, for each id that ended, when it was last alive and when it last ended. */
#include "live/endings.h"

#include <stdlib.h>

int endings__add(struct endings *e, const struct ending_piece *piece)
{
	int err = array__grow(&e->pieces, &e->cap_pieces, e->nr_pieces + 1);

	if (!err)
		e->pieces[e->nr_pieces++] = *piece;
	return err;
}

static int add_number(struct endings *e, struct idmap *map, uint32_t number)
{
	uint32_t at;
	int err;

	if (idmap__get(map, number, &at))
		return 0;
	err = array__grow(&e->items, &e->cap, e->nr + 1);
	if (!err)
		err = idmap__set(map, number, e->nr);
	if (!err)
		e->items[e->nr++] = (struct ending){};
	return err;
}

/* Exits seen since the last interval, to tell a reused id from its predecessor. */
static int add_numbers(struct endings *e, const struct ending_piece *piece)
{
	int err = 0;

	if (!piece->ended_ns)
		return 0;
	if (piece->tid)
		err = add_number(e, &e->threads, piece->tid);
	if (!err && piece->with_process)
		err = add_number(e, &e->processes, piece->tgid);
	return err;
}

static void note(struct endings *e, const struct idmap *map, uint32_t number, uint64_t alive_ns,
		 uint64_t ended_ns)
{
	struct ending *one;
	uint32_t at;

	if (!idmap__get(map, number, &at))
		return;
	one = &e->items[at];
	if (alive_ns > one->alive_ns)
		one->alive_ns = alive_ns;
	if (ended_ns > one->ended_ns)
		one->ended_ns = ended_ns;
}

static void note_piece(struct endings *e, const struct ending_piece *p)
{
	if (p->tid)
		note(e, &e->threads, p->tid, p->alive_ns, p->ended_ns);
	note(e, &e->processes, p->tgid, p->alive_ns, 0);
	/* When a thread ends without its process, that is alive: other threads are left. */
	if (p->with_process)
		note(e, &e->processes, p->tgid, 0, p->ended_ns);
	else
		note(e, &e->processes, p->tgid, p->ended_ns, 0);
}

int endings__settle(struct endings *e)
{
	int err = 0;

	for (size_t i = 0; i < e->nr_pieces && !err; i++)
		err = add_numbers(e, &e->pieces[i]);
	for (size_t i = 0; i < e->nr_pieces && e->nr && !err; i++)
		note_piece(e, &e->pieces[i]);
	e->nr_pieces = 0;
	return err;
}

static bool has_ended(const struct endings *e, const struct idmap *map, uint32_t number)
{
	uint32_t at;

	return idmap__get(map, number, &at) && e->items[at].ended_ns > e->items[at].alive_ns;
}

unsigned endings__of(const struct endings *e, const struct live_task *t)
{
	unsigned ends = 0;

	if (!t->tgid || !e->nr)
		return 0;
	if (has_ended(e, &e->processes, t->tgid))
		ends |= LIVE_PROCESS_ENDED;
	if (t->tid ? has_ended(e, &e->threads, t->tid) : ends)
		ends |= LIVE_THREAD_ENDED;
	return ends;
}

void endings__clear(struct endings *e)
{
	e->nr_pieces = 0;
	if (e->nr) {
		idmap__clear(&e->threads);
		idmap__clear(&e->processes);
	}
	e->nr = 0;
}

void endings__free(struct endings *e)
{
	idmap__free(&e->threads);
	idmap__free(&e->processes);
	free(e->pieces);
	free(e->items);
	*e = (struct endings){};
}
