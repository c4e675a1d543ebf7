// SPDX-License-Identifier: BSD-2-Clause
/* Finds rows by their keys, and adds samples to them. */
#include <errno.h>
#include <string.h>

#include "base/hash.h"
#include "model/profile_index.h"

static int64_t lesser(int64_t a, int64_t b, bool is_signed)
{
	return (is_signed ? a < b : (uint64_t)a < (uint64_t)b) ? a : b;
}

static int64_t greater(int64_t a, int64_t b, bool is_signed)
{
	return lesser(a, b, is_signed) == a ? b : a;
}

void profile_value__merge(struct profile_value *to, const struct profile_value *from,
			  bool is_signed)
{
	to->sum += from->sum;
	to->min = lesser(to->min, from->min, is_signed);
	to->max = greater(to->max, from->max, is_signed);
}

static void add_values(struct profile *p, size_t row, uint64_t samples,
		       const struct profile_value *values)
{
	struct profile_value *to;

	if (!samples || !values)
		return;
	to = &p->values[row * p->nr_metrics];
	for (size_t i = 0; i < p->nr_metrics; i++) {
		if (p->rows[row].samples)
			profile_value__merge(&to[i], &values[i], p->metrics[i].is_signed);
		else
			to[i] = values[i];
	}
}

static uint64_t hash_key(const struct profile *p, const struct row_key *k)
{
	uint64_t h = hash_u64(p->index->seed ^ ((uint64_t)k->stack << 32 | k->pid));

	h = hash_u64(h ^ ((uint64_t)k->tid << 32 | k->cpu)) ^ hash_u64(k->fields);
	return hash_u64(h ^ ((uint64_t)k->cgroup << 32 | k->event));
}

/* For one more. */
static int make_room(struct profile *p)
{
	const size_t values = (p->nr_rows + 1) * p->nr_metrics;
	int err = array__grow(&p->rows, &p->cap_rows, p->nr_rows + 1);

	return err || !p->nr_metrics ? err : array__grow(&p->values, &p->cap_values, values);
}

/* There is room for it. */
static void put_row(struct profile *p, const struct row_key *key)
{
	p->rows[p->nr_rows] = (struct row){ .key = *key };
	for (size_t i = 0; i < p->nr_metrics; i++)
		p->values[p->nr_rows * p->nr_metrics + i] = (struct profile_value){};
	p->nr_rows++;
}

/* The index has all rows before @row. @next: the first one with the same hash. */
static int index_row(struct profile *p, uint32_t row, uint64_t hash, uint32_t next)
{
	struct profile_index *x = p->index;
	int err = array__grow(&x->next_row, &x->cap_next_row, row + 1);

	if (!err)
		err = idmap__set(&x->rows, hash, row);
	if (err)
		return err;
	x->next_row[row] = next;
	x->nr_rows = row + 1;
	return 0;
}

static int new_row(struct profile *p, const struct row_key *key, uint32_t next)
{
	int err = make_room(p);

	if (!err)
		err = index_row(p, p->nr_rows, hash_key(p, key), next);
	if (!err)
		put_row(p, key);
	return err;
}

int profile_index__all_rows(struct profile *p)
{
	struct profile_index *x = p->index;
	int err = 0;

	for (uint32_t i = x->nr_rows; i < p->nr_rows && !err; i++) {
		const uint64_t hash = hash_key(p, &p->rows[i].key);
		uint32_t first = NONE;

		(void)idmap__get(&x->rows, hash, &first);
		err = index_row(p, i, hash, first);
	}
	return err;
}

int profile__append_row(struct profile *p, const struct row_key *key, uint32_t *row)
{
	int err = p->sealed == PROFILE_NOTHING ? -ENOSPC : make_room(p);

	if (err)
		return err;
	*row = p->nr_rows;
	put_row(p, key);
	return 0;
}

int profile__row(struct profile *p, const struct row_key *key, uint32_t *row)
{
	uint32_t first = NONE;
	int err = profile_index__all_rows(p);

	if (err)
		return err;
	if (idmap__get(&p->index->rows, hash_key(p, key), &first))
		for (*row = first; *row != NONE; *row = p->index->next_row[*row])
			if (!memcmp(&p->rows[*row].key, key, sizeof(*key)))
				return 0;
	if (p->sealed == PROFILE_NOTHING)
		return -ENOSPC;
	err = new_row(p, key, first);
	*row = p->nr_rows - 1;
	return err;
}

int profile_index__add(struct profile *p, const struct row *row, const struct profile_value *values,
		       uint32_t *id)
{
	int err = profile__row(p, &row->key, id);

	if (err)
		return err;
	add_values(p, *id, row->samples, values);
	p->rows[*id].samples += row->samples;
	p->rows[*id].weight += row->weight;
	return 0;
}

void profile__grow(struct profile *p, uint32_t row, uint64_t samples, uint64_t weight)
{
	struct profile_event *e = &p->events[p->rows[row].key.event];

	p->rows[row].samples += samples;
	p->rows[row].weight += weight;
	e->samples += samples;
	e->weight += weight;
}

int profile__add(struct profile *p, const struct row_key *key, uint64_t samples, uint64_t weight,
		 const struct profile_value *values)
{
	const struct row row = { *key, samples, weight };
	uint32_t id;
	int err = profile_index__add(p, &row, values, &id);

	if (err)
		return err;
	p->events[key->event].samples += samples;
	p->events[key->event].weight += weight;
	return 0;
}

void profile__begin_anew(struct profile *p)
{
	idmap__clear(&p->index->rows);
	p->index->nr_rows = 0;
	p->nr_rows = p->nr_exemplars = 0;
	for (size_t i = 0; i < p->nr_events; i++) {
		struct profile_event *e = &p->events[i];

		e->samples = e->weight = e->enabled_ns = e->running_ns = e->passed_over = 0;
	}
	p->duration_ns = p->own_ns = 0;
	p->losses = (struct losses){};
	p->check = (struct unwind_check){};
	windows__free(&p->windows);
}

static uint64_t less(uint64_t n, unsigned __int128 cost)
{
	return n > cost ? n - (uint64_t)cost : 0;
}

void profile__subtract(struct profile *p, const uint64_t *each)
{
	for (size_t i = 0; i < p->nr_rows; i++)
		for (size_t m = 0; m < p->nr_metrics; m++) {
			struct profile_value *v = &p->values[i * p->nr_metrics + m];

			v->sum = less(v->sum, (unsigned __int128)each[m] * p->rows[i].samples);
			v->min = less(v->min, each[m]);
			v->max = less(v->max, each[m]);
		}
}
