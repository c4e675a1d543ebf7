// SPDX-License-Identifier: BSD-2-Clause
/* Who is a member is decided first, by use; then the interval is handed out. */
#include "serve/members.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t STAY_NS = MEMBERS_STAY_S * 1000000000ull;
static const uint64_t LINGER_NS = MEMBERS_LINGER_S * 1000000000ull;
static const double MEAN_NS = 300e9; /* what was used before that counts for a third of it */
static const double MORE = 2;	     /* than a member uses, to take its place */

static void forget_names(struct metric_member *x)
{
	free(x->name);
	free(x->detail);
	x->name = x->detail = NULL;
}

void members__free(struct members *m)
{
	for (size_t i = 0; i < m->nr; i++)
		forget_names(&m->items[i]);
	free(m->items);
	idmap__free(&m->places);
}

size_t members__find(const struct members *m, uint64_t id)
{
	uint32_t i;

	/* Who has left is in the map as long as nobody looks for room in it. */
	if (!idmap__get(&m->places, id, &i) || i >= m->nr || m->items[i].id != id)
		return MEMBERS_NOBODY;
	return i;
}

/* Those that have left leave the map, too, when they are as many as the others. */
static int clean_map(struct members *m)
{
	enum { SPARE = 64 };
	int err = 0;

	if (m->places.nr <= 2 * m->nr + SPARE)
		return 0;
	idmap__clear(&m->places);
	for (size_t i = 0; i < m->nr && !err; i++)
		err = idmap__set(&m->places, m->items[i].id, i);
	return err;
}

static int remove_at(struct members *m, size_t i)
{
	forget_names(&m->items[i]);
	m->nr--;
	if (i == m->nr)
		return 0;
	m->items[i] = m->items[m->nr];
	return idmap__set(&m->places, m->items[i].id, i);
}

static int begin_at(struct members *m, size_t i, const struct live_row *row, double use,
		    uint64_t now_ns)
{
	m->items[i] = (struct metric_member){ .id = row->id, .since_ns = now_ns, .use = use };
	return idmap__set(&m->places, row->id, i);
}

/* Its last sums were read; or nobody reads them. */
static bool may_leave(const struct metric_member *x, uint64_t now_ns)
{
	return x->ended_ns && (x->is_read || now_ns > x->ended_ns + STAY_NS);
}

/* Whose place can be taken by one that uses so much. */
static size_t find_place(const struct members *m, double use, uint64_t now_ns)
{
	size_t least = MEMBERS_NOBODY;

	for (size_t i = 0; i < m->nr; i++) {
		const struct metric_member *x = &m->items[i];

		if (may_leave(x, now_ns))
			return i;
		if (now_ns >= x->since_ns + STAY_NS &&
		    (least == MEMBERS_NOBODY || x->use < m->items[least].use))
			least = i;
	}
	return least != MEMBERS_NOBODY && use > MORE * m->items[least].use ? least : MEMBERS_NOBODY;
}

/* Of one that is none: it becomes one, if it can. */
static int apply(struct members *m, const struct live_row *row, double use, uint64_t now_ns,
		 bool *refused)
{
	size_t i;
	int err;

	*refused = false;
	if (m->nr < m->max) {
		err = array__grow(&m->items, &m->cap, m->nr + 1);
		return err ? err : begin_at(m, m->nr++, row, use, now_ns);
	}
	i = find_place(m, use, now_ns);
	*refused = i == MEMBERS_NOBODY;
	if (*refused)
		return 0;
	m->nr_replaced += !m->items[i].ended_ns;
	forget_names(&m->items[i]);
	return begin_at(m, i, row, use, now_ns);
}

/* A number that somebody else has now: a process that has ended, and one that began. */
static void begin_again(struct metric_member *x, uint64_t now_ns)
{
	forget_names(x);
	*x = (struct metric_member){ .id = x->id, .since_ns = now_ns };
}

static void take_mean(struct members *m, const struct live_rows *rows, uint64_t now_ns,
		      uint64_t interval_ns)
{
	const double keep = exp(-(double)interval_ns / MEAN_NS);

	for (size_t i = 0; i < m->nr; i++)
		m->items[i].use *= keep;
	for (size_t r = 0; r < rows->nr; r++) {
		const struct live_row *row = &rows->items[r];
		const size_t i = members__find(m, row->id);

		if (i == MEMBERS_NOBODY)
			continue;
		if (m->items[i].ended_ns)
			begin_again(&m->items[i], now_ns);
		m->items[i].used_ns = now_ns;
		if (interval_ns)
			m->items[i].use +=
				(1 - keep) * row->values[LIVE_TIME] / (double)interval_ns;
	}
}

/* Whose end was long ago. */
static int let_go(struct members *m, uint64_t now_ns)
{
	int err = 0;

	for (size_t i = 0; i < m->nr && !err;) {
		const struct metric_member *x = &m->items[i];

		if (may_leave(x, now_ns) && now_ns > x->ended_ns + LINGER_NS)
			err = remove_at(m, i);
		else
			i++;
	}
	return err;
}

/* The largest of those that are none, one after the other, until one is refused. */
static int choose(struct members *m, const struct live_rows *rows, uint64_t now_ns,
		  uint64_t interval_ns)
{
	bool refused = false;
	int err = 0;

	for (size_t r = 0; r < rows->nr && !err && !refused; r++) {
		const struct live_row *row = &rows->items[r];

		if (row->exited || members__find(m, row->id) != MEMBERS_NOBODY)
			continue;
		err = apply(m, row, interval_ns ? row->values[LIVE_TIME] / (double)interval_ns : 0,
			    now_ns, &refused);
	}
	return err;
}

static void hand_out(struct members *m, const struct live_rows *rows, uint64_t now_ns)
{
	m->nr_others = 0;
	for (size_t r = 0; r < rows->nr; r++) {
		const struct live_row *row = &rows->items[r];
		const size_t i = members__find(m, row->id);
		uint64_t *to = i == MEMBERS_NOBODY ? m->others : m->items[i].values;

		for (size_t v = 0; v < m->nr_values; v++)
			to[v] += row->values[v];
		m->nr_others += i == MEMBERS_NOBODY;
		if (i != MEMBERS_NOBODY && row->exited)
			members__end(m, i, now_ns);
	}
}

int members__add(struct members *m, struct live_rows *rows, uint64_t now_ns, uint64_t interval_ns)
{
	int err;

	live_rows__sort(rows, LIVE_TIME, false);
	take_mean(m, rows, now_ns, interval_ns);
	err = let_go(m, now_ns);
	if (!err)
		err = choose(m, rows, now_ns, interval_ns);
	if (!err)
		err = clean_map(m);
	if (!err)
		hand_out(m, rows, now_ns);
	return err;
}

static size_t find_name(const struct members *m, const char *name, const char *detail, size_t but)
{
	for (size_t i = 0; i < m->nr; i++)
		if (i != but && m->items[i].name && !strcmp(m->items[i].name, name) &&
		    !strcmp(m->items[i].detail, detail))
			return i;
	return MEMBERS_NOBODY;
}

/* The one of this name is here again: its sums go on. */
static int join(struct members *m, size_t old, size_t *i)
{
	struct metric_member *to = &m->items[old], *from = &m->items[*i];

	for (size_t v = 0; v < m->nr_values; v++)
		to->values[v] += from->values[v];
	to->id = from->id;
	to->used_ns = from->used_ns;
	to->use = from->use > to->use ? from->use : to->use;
	to->ended_ns = from->ended_ns;
	to->is_read = from->is_read;
	if (idmap__set(&m->places, to->id, old) || remove_at(m, *i))
		return -ENOMEM;
	/* The last one is where the other was. */
	*i = old == m->nr ? *i : old;
	return 0;
}

int members__name(struct members *m, size_t *i, const char *name, const char *detail)
{
	struct metric_member *x = &m->items[*i];
	size_t old;

	if (x->name && !strcmp(x->name, name) && !strcmp(x->detail, detail))
		return 0;
	old = m->names_differ ? find_name(m, name, detail, *i) : MEMBERS_NOBODY;
	if (old != MEMBERS_NOBODY)
		return join(m, old, i);
	forget_names(x);
	x->name = strdup(name);
	x->detail = strdup(detail);
	if (!x->name || !x->detail) {
		forget_names(x);
		return -ENOMEM;
	}
	return 0;
}

void members__end(struct members *m, size_t i, uint64_t now_ns)
{
	m->items[i].ended_ns = now_ns;
	m->items[i].is_read = false;
}

void members__are_read(struct members *m)
{
	for (size_t i = 0; i < m->nr; i++)
		m->items[i].is_read = m->items[i].ended_ns;
}
