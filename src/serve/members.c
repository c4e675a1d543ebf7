// SPDX-License-Identifier: BSD-2-Clause
/* Who is a member is decided first, by use; then the interval is handed out. */
#include "serve/members.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

static const uint64_t STAY_NS = MEMBERS_STAY_S * 1000000000ull;
static const uint64_t LINGER_NS = MEMBERS_LINGER_S * 1000000000ull;
static const uint64_t DECIDE_NS = MEMBERS_DECIDE_S * 1000000000ull;
static const double MEAN_NS = 300e9; /* what was used before that counts for a third of it */
static const double MORE = 2;	     /* than a member uses, to take its place */

enum { WAITING_MAX = 16384 };

static void forget(struct metric_member *x)
{
	free(x->name);
	free(x->detail);
	free(x->values);
	exemplars__free(&x->exemplars);
}

void members__free(struct members *m)
{
	for (size_t i = 0; i < m->nr; i++)
		forget(&m->items[i]);
	free(m->items);
	free(m->others);
	exemplars__free(&m->other_exemplars);
	free(m->waited);
	idmap__free(&m->places);
	idmap__free(&m->waiting);
}

static uint64_t key_of(const char *name, uint64_t number)
{
	return hash_bytes(hash_seed() ^ hash_u64(number), name, strlen(name));
}

size_t members__find(const struct members *m, const char *name, uint64_t number)
{
	uint32_t i;

	/* Who has left is in the map as long as nobody looks for room in it. */
	if (!name || !idmap__get(&m->places, key_of(name, number), &i) || i >= m->nr ||
	    m->items[i].number != number || strcmp(m->items[i].name, name))
		return MEMBERS_NOBODY;
	return i;
}

static size_t find(const struct members *m, const struct metric_use *use)
{
	return members__find(m, use->name, use->number);
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
		err = idmap__set(&m->places, m->items[i].key, i);
	return err;
}

static int remove_at(struct members *m, size_t i)
{
	forget(&m->items[i]);
	m->nr--;
	if (i == m->nr)
		return 0;
	m->items[i] = m->items[m->nr];
	return idmap__set(&m->places, m->items[i].key, i);
}

/* A new one at @i, where nobody is. */
static int begin_at(struct members *m, size_t i, const struct metric_use *use, double rate,
		    uint64_t now_ns)
{
	struct metric_member x = { .name = strdup(use->name),
				   .detail = strdup(use->detail),
				   .values = calloc(m->nr_values, sizeof(*x.values)),
				   .number = use->number,
				   .key = key_of(use->name, use->number),
				   .since_ns = now_ns,
				   .used_ns = now_ns,
				   .use = rate };
	int err = x.name && x.detail && x.values ? idmap__set(&m->places, x.key, i) : -ENOMEM;

	if (err)
		forget(&x);
	else
		m->items[i] = x;
	return err;
}

static double rate_of(uint64_t used, uint64_t interval_ns)
{
	return interval_ns ? used / (double)interval_ns : 0;
}

static int join(struct members *m, const struct metric_use *use, double rate, uint64_t now_ns)
{
	int err = array__grow(&m->items, &m->cap, m->nr + 1);

	if (!err)
		err = begin_at(m, m->nr, use, rate, now_ns);
	if (!err)
		m->nr++;
	return err;
}

static int set_detail(struct metric_member *x, const char *detail)
{
	char *copy;

	if (!strcmp(x->detail, detail))
		return 0;
	copy = strdup(detail);
	if (!copy)
		return -ENOMEM;
	free(x->detail);
	x->detail = copy;
	return 0;
}

/* What members use in the mean; those that are there again. */
static int look_at_members(struct members *m, const struct metric_use *uses, size_t nr,
			   uint64_t now_ns, uint64_t interval_ns)
{
	const double keep = exp(-(double)interval_ns / MEAN_NS);
	int err = 0;

	for (size_t i = 0; i < m->nr; i++)
		m->items[i].use *= keep;
	for (size_t u = 0; u < nr && !err; u++) {
		const size_t i = find(m, &uses[u]);

		if (i == MEMBERS_NOBODY)
			continue;
		m->items[i].used_ns = now_ns;
		m->items[i].ended_ns = 0;
		m->items[i].use += (1 - keep) * rate_of(uses[u].values[0], interval_ns);
		err = set_detail(&m->items[i], uses[u].detail);
	}
	return err;
}

/* Sums that nobody has read may be lost; but not if nobody reads them at all. */
static bool may_change(const struct members *m, uint64_t now_ns)
{
	return m->is_read || now_ns > m->read_ns + STAY_NS;
}

static bool may_leave(const struct metric_member *x, uint64_t now_ns)
{
	return x->ended_ns &&
	       ((x->read_ns && now_ns > x->read_ns + LINGER_NS) || now_ns > x->ended_ns + STAY_NS);
}

static int let_go(struct members *m, uint64_t now_ns)
{
	int err = 0;

	for (size_t i = 0; i < m->nr && !err;)
		if (may_leave(&m->items[i], now_ns))
			err = remove_at(m, i);
		else
			i++;
	return err;
}

static bool can_join(const struct members *m, const struct metric_use *use)
{
	return use->name && !use->has_ended && find(m, use) == MEMBERS_NOBODY;
}

static int fill_room(struct members *m, const struct metric_use *uses, size_t nr, uint64_t now_ns,
		     uint64_t interval_ns)
{
	int err = 0;

	for (size_t u = 0; u < nr && m->nr < m->max && !err; u++)
		if (can_join(m, &uses[u]))
			err = join(m, &uses[u], rate_of(uses[u].values[0], interval_ns), now_ns);
	return err;
}

/* What one has used since it waits for a place, with what it uses now. */
static uint64_t waited(const struct members *m, const struct metric_use *use)
{
	const uint64_t now = use->values[0];
	uint32_t i;

	return idmap__get(&m->waiting, key_of(use->name, use->number), &i) ? now + m->waited[i]
									   : now;
}

static const struct metric_use *find_most(const struct members *m, const struct metric_use *uses,
					  size_t nr)
{
	const struct metric_use *most = NULL;

	for (size_t u = 0; u < nr; u++)
		if (can_join(m, &uses[u]) && (!most || waited(m, &uses[u]) > waited(m, most)))
			most = &uses[u];
	return most;
}

static size_t find_least(const struct members *m, uint64_t now_ns)
{
	size_t least = MEMBERS_NOBODY;

	for (size_t i = 0; i < m->nr; i++)
		if (now_ns >= m->items[i].since_ns + STAY_NS &&
		    (least == MEMBERS_NOBODY || m->items[i].use < m->items[least].use))
			least = i;
	return least;
}

/* Few at a time: what is seen once in a while is no reason to begin all series anew. */
static int replace(struct members *m, const struct metric_use *uses, size_t nr, uint64_t now_ns)
{
	int err = 0;

	for (size_t n = 0; n <= m->max / 10 && !err; n++) {
		const struct metric_use *most = find_most(m, uses, nr);
		const size_t least = find_least(m, now_ns);
		double rate;

		if (!most || least == MEMBERS_NOBODY)
			break;
		rate = rate_of(waited(m, most), now_ns - m->decided_ns);
		if (rate <= MORE * m->items[least].use)
			break;
		m->nr_replaced++;
		err = remove_at(m, least);
		if (!err)
			err = join(m, most, rate, now_ns);
	}
	return err;
}

/* Of those that have no place, how much they use until it is decided again. */
static int wait_on(struct members *m, const struct metric_use *uses, size_t nr)
{
	int err = 0;

	for (size_t u = 0; u < nr && !err; u++) {
		uint32_t i = m->nr_waiting;
		uint64_t key;

		if (!can_join(m, &uses[u]))
			continue;
		key = key_of(uses[u].name, uses[u].number);
		if (!idmap__get(&m->waiting, key, &i)) {
			if (i == WAITING_MAX)
				break;
			err = array__grow(&m->waited, &m->cap_waiting, i + 1);
			if (!err)
				err = idmap__set(&m->waiting, key, i);
			if (err)
				break;
			m->waited[m->nr_waiting++] = 0;
		}
		m->waited[i] += uses[u].values[0];
	}
	return err;
}

static int choose(struct members *m, const struct metric_use *uses, size_t nr, uint64_t now_ns,
		  uint64_t interval_ns)
{
	int err = may_change(m, now_ns) ? let_go(m, now_ns) : 0;

	if (!m->decided_ns)
		m->decided_ns = now_ns - interval_ns;
	if (!err)
		err = fill_room(m, uses, nr, now_ns, interval_ns);
	if (err || now_ns < m->decided_ns + DECIDE_NS || !may_change(m, now_ns))
		return err ? err : wait_on(m, uses, nr);
	err = replace(m, uses, nr, now_ns);
	m->decided_ns = now_ns;
	m->nr_waiting = 0;
	idmap__clear(&m->waiting);
	return err;
}

static void hand_out(struct members *m, const struct metric_use *uses, size_t nr, uint64_t now_ns)
{
	m->nr_others = 0;
	for (size_t u = 0; u < nr; u++) {
		const size_t i = find(m, &uses[u]);
		uint64_t *to = i == MEMBERS_NOBODY ? m->others : m->items[i].values;

		struct exemplars *shown =
			i == MEMBERS_NOBODY ? &m->other_exemplars : &m->items[i].exemplars;

		for (size_t v = 0; v < m->nr_values; v++)
			to[v] += uses[u].values[v];
		for (size_t e = 0; e < uses[u].nr_exemplars; e++)
			exemplars__take(shown, &uses[u].exemplars[e]);
		m->nr_others += i == MEMBERS_NOBODY;
		if (i != MEMBERS_NOBODY && uses[u].has_ended)
			members__end(m, i, now_ns);
	}
}

static int more_first(const void *a, const void *b)
{
	const struct metric_use *x = a, *y = b;
	const uint64_t one = x->values[0], other = y->values[0];

	return (one < other) - (one > other);
}

int members__add(struct members *m, struct metric_use *uses, size_t nr, uint64_t now_ns,
		 uint64_t interval_ns)
{
	int err;

	if (!m->others)
		m->others = calloc(m->nr_values, sizeof(*m->others));
	if (!m->others)
		return -ENOMEM;
	if (nr)
		qsort(uses, nr, sizeof(*uses), more_first);
	err = look_at_members(m, uses, nr, now_ns, interval_ns);
	if (!err)
		err = choose(m, uses, nr, now_ns, interval_ns);
	if (!err)
		err = clean_map(m);
	if (!err)
		hand_out(m, uses, nr, now_ns);
	m->is_read = false;
	return err;
}

void members__end(struct members *m, size_t i, uint64_t now_ns)
{
	m->items[i].ended_ns = now_ns;
	m->items[i].read_ns = 0;
}

void members__are_read(struct members *m, uint64_t now_ns)
{
	m->is_read = true;
	m->read_ns = now_ns;
	for (size_t i = 0; i < m->nr; i++)
		if (m->items[i].ended_ns && !m->items[i].read_ns)
			m->items[i].read_ns = now_ns;
}
