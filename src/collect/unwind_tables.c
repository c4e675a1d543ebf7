// SPDX-License-Identifier: BSD-2-Clause
/* Tables by place; equal ones are one, and the one that was left first gives way. */
#include "collect/unwind_tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void unwind_tables__init(struct unwind_tables *t, struct unwind_maps *maps)
{
	*t = (struct unwind_tables){ .maps = maps };
}

void unwind_tables__end(struct unwind_tables *t)
{
	for (size_t i = 0; i < t->nr; i++)
		free(t->all[i].where.pieces);
	free(t->all);
	*t = (struct unwind_tables){};
}

static struct shared_table *find(const struct unwind_tables *t, const struct table_ref *ref)
{
	struct shared_table *s = ref->life && ref->place < t->nr ? &t->all[ref->place] : NULL;

	return s && s->life == ref->life ? s : NULL;
}

const struct shared_table *unwind_tables__get(const struct unwind_tables *t,
					      const struct table_ref *ref)
{
	return find(t, ref);
}

void unwind_tables__use(struct unwind_tables *t, const struct table_ref *ref)
{
	struct shared_table *s = find(t, ref);

	if (s)
		s->nr_users++;
}

void unwind_tables__leave(struct unwind_tables *t, const struct table_ref *ref)
{
	struct shared_table *s = find(t, ref);

	if (s && !--s->nr_users)
		s->left_at = ++t->nr_left;
}

static bool is_same(const struct unwind_tables *t, const struct shared_table *s,
		    const struct unwind_table *table)
{
	return s->life && s->base == table->base && s->where.nr_rows == table->nr_rows &&
	       s->nr_segments == table->nr_segments &&
	       !memcmp(s->segments, table->segments,
		       table->nr_segments * sizeof(*table->segments)) &&
	       unwind_maps__has(t->maps, &s->where, table->rows, table->pages, table->nr_pages);
}

/* The one that was left first of those that are out of use; NULL: there is none. */
static struct shared_table *oldest(const struct unwind_tables *t)
{
	struct shared_table *found = NULL;

	for (size_t i = 0; i < t->nr; i++) {
		struct shared_table *s = &t->all[i];

		if (s->life && !s->nr_users && (!found || s->left_at < found->left_at))
			found = s;
	}
	return found;
}

static int evict(struct unwind_tables *t, struct shared_table *s)
{
	int err = unwind_maps__remove(t->maps, &s->where);

	s->life = 0;
	t->nr_evicted++;
	return err;
}

/* What is free; @all: or out of use. */
static void sum_room(const struct unwind_tables *t, bool all, uint64_t *rows, uint64_t *pages)
{
	unwind_maps__free(t->maps, rows, pages);
	for (size_t i = 0; i < t->nr && all; i++) {
		if (!t->all[i].life || t->all[i].nr_users)
			continue;
		*rows += t->all[i].where.nr_rows;
		*pages += t->all[i].where.pages.nr;
	}
}

static bool fits(const struct unwind_tables *t, uint64_t nr_rows, uint64_t nr_pages, bool all)
{
	uint64_t rows, pages;

	sum_room(t, all, &rows, &pages);
	return rows >= nr_rows && pages >= nr_pages;
}

uint64_t unwind_tables__room(const struct unwind_tables *t)
{
	uint64_t rows, pages;

	sum_room(t, true, &rows, &pages);
	return rows;
}

bool unwind_tables__has_room(const struct unwind_tables *t, uint32_t nr_rows, uint32_t nr_pages)
{
	return fits(t, nr_rows, nr_pages, true);
}

/*
 * A page is not cut in two: when holes are small, more gives way than would be enough by its size.
 */
static int add(struct unwind_tables *t, const struct unwind_table *table, struct unwind_file *out)
{
	struct shared_table *s;
	int err = -ENOSPC;

	if (!fits(t, table->nr_rows, table->nr_pages, true))
		return -ENOSPC;
	for (;;) {
		if (fits(t, table->nr_rows, table->nr_pages, false))
			err = unwind_maps__add(t->maps, table->rows, table->pages, table->nr_pages,
					       out);
		s = err == -ENOSPC ? oldest(t) : NULL;
		if (!s)
			return err;
		err = evict(t, s);
		if (err)
			return err;
		err = -ENOSPC;
	}
}

static int new_place(struct unwind_tables *t, uint32_t *place)
{
	int err;

	for (*place = 0; *place < t->nr; ++*place)
		if (!t->all[*place].life)
			return 0;
	err = array__grow(&t->all, &t->cap, t->nr + 1);
	if (!err)
		t->all[t->nr++] = (struct shared_table){};
	return err;
}

int unwind_tables__put(struct unwind_tables *t, const struct unwind_table *table, uint32_t nr_users,
		       struct table_ref *out)
{
	struct unwind_file where;
	struct shared_table *s;
	int err;

	for (size_t i = 0; i < t->nr; i++) {
		s = &t->all[i];
		if (!is_same(t, s, table))
			continue;
		s->nr_users += nr_users;
		t->nr_shared++;
		*out = (struct table_ref){ i, s->life };
		return 0;
	}
	err = add(t, table, &where);
	if (!err)
		err = new_place(t, &out->place);
	if (err)
		return err;
	s = &t->all[out->place];
	*s = (struct shared_table){
		.life = ++t->nr_lives,
		.where = where,
		.nr_segments = table->nr_segments,
		.base = table->base,
		.nr_users = nr_users,
		.left_at = nr_users ? 0 : ++t->nr_left,
	};
	memcpy(s->segments, table->segments, sizeof(s->segments));
	out->life = s->life;
	return 0;
}
