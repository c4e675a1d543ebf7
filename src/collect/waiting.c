// SPDX-License-Identifier: BSD-2-Clause
/* A table of stacks that wait, each until it has both its names and its count. */
#include "collect/waiting.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

struct place {
	struct sample_key key;
	uint64_t hash, first_ns, put_ns;
	uint32_t check, cpu;
	bool named, counted;
	uint32_t handle; /* once it is named */
	struct waiting_count count;
	struct profile_value *values; /* behind the frames */
	size_t bytes;
	uint64_t frames[];
};

struct waiting {
	size_t nr_values;
	struct place **places; /* NULL: free */
	size_t nr, cap;
	uint32_t *spare; /* ids of free places */
	size_t nr_spare, cap_spare;
	size_t nr_unnamed, bytes;
	size_t next; /* place to be tried */
};

struct waiting *waiting__new(size_t nr_values)
{
	struct waiting *w = calloc(1, sizeof(*w));

	if (w)
		w->nr_values = nr_values;
	return w;
}

void waiting__free(struct waiting *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->nr; i++)
		free(w->places[i]);
	free(w->places);
	free(w->spare);
	free(w);
}

/* `spare` grows along with `places`, so that free_place() cannot fail. */
static int new_place(struct waiting *w, uint32_t *id)
{
	int err;

	if (w->nr_spare) {
		*id = w->spare[--w->nr_spare];
		return 0;
	}
	err = array__grow(&w->places, &w->cap, w->nr + 1);
	if (!err)
		err = array__grow(&w->spare, &w->cap_spare, w->nr + 1);
	if (err)
		return err;
	w->places[w->nr] = NULL;
	*id = w->nr++;
	return 0;
}

static void free_place(struct waiting *w, uint32_t id)
{
	w->bytes -= w->places[id]->bytes;
	free(w->places[id]);
	w->places[id] = NULL;
	w->spare[w->nr_spare++] = id;
}

int waiting__put(struct waiting *w, const struct sample_stack *s, uint32_t *id)
{
	const size_t nr_kernel = s->key->stack.nr_kernel, nr_user = s->key->stack.nr_user;
	const size_t bytes = sizeof(struct place) + (nr_kernel + nr_user) * sizeof(uint64_t) +
			     w->nr_values * sizeof(struct profile_value);
	struct place *p = calloc(1, bytes);
	int err = p ? new_place(w, id) : -ENOMEM;

	if (err) {
		free(p);
		return err;
	}
	p->key = *s->key;
	p->hash = s->hash;
	p->check = s->check;
	p->cpu = s->cpu;
	p->first_ns = s->first_ns;
	p->put_ns = clock__now_ns();
	p->bytes = bytes;
	if (nr_kernel)
		memcpy(p->frames, s->kernel, nr_kernel * sizeof(*p->frames));
	if (nr_user)
		memcpy(p->frames + nr_kernel, s->user, nr_user * sizeof(*p->frames));
	p->values = (struct profile_value *)(p->frames + nr_kernel + nr_user);
	w->places[*id] = p;
	w->bytes += bytes;
	w->nr_unnamed++;
	return 0;
}

int waiting__count(struct waiting *w, uint32_t id, const struct waiting_count *count,
		   const struct waiting_fns *fns)
{
	struct place *p = w->places[id];
	int err;

	if (p->named) {
		err = fns->add(fns->arg, p->handle, count);
		free_place(w, id);
		return err;
	}
	p->counted = true;
	p->count = *count;
	if (!count->values)
		return 0;
	memcpy(p->values, count->values, w->nr_values * sizeof(*p->values));
	p->count.values = p->values;
	return 0;
}

static int name_place(struct waiting *w, uint32_t id, uint64_t hurry_ns,
		      const struct waiting_fns *fns)
{
	struct place *p = w->places[id];
	const struct sample_stack s = {
		.key = &p->key,
		.kernel = p->frames,
		.user = p->frames + p->key.stack.nr_kernel,
		.cpu = p->cpu,
		.check = p->check,
		.hash = p->hash,
		.first_ns = p->first_ns,
	};
	int err = fns->name(fns->arg, &s, p->put_ns < hurry_ns, &p->handle);

	if (err)
		return err == -EAGAIN ? 0 : err;
	p->named = true;
	w->nr_unnamed--;
	if (!p->counted)
		return 0;
	err = fns->add(fns->arg, p->handle, &p->count);
	free_place(w, id);
	return err;
}

int waiting__name(struct waiting *w, uint64_t budget_ns, uint64_t hurry_ns,
		  const struct waiting_fns *fns)
{
	enum { LOOK_AT_CLOCK = 16 };
	const uint64_t start_ns = clock__now_ns();

	for (size_t i = 0; w->nr_unnamed && i < w->nr; i++) {
		uint32_t id = w->next++ % w->nr;
		int err = 0;

		if (w->places[id] && !w->places[id]->named)
			err = name_place(w, id, hurry_ns, fns);
		if (err)
			return err;
		if (!(i % LOOK_AT_CLOCK) && clock__now_ns() - start_ns > budget_ns)
			return 1;
	}
	return 0;
}

size_t waiting__nr(const struct waiting *w)
{
	return w->nr_unnamed;
}

size_t waiting__bytes(const struct waiting *w)
{
	return w->bytes;
}

uint64_t waiting__since_ns(const struct waiting *w)
{
	uint64_t since = UINT64_MAX;

	for (size_t i = 0; w->nr_unnamed && i < w->nr; i++)
		if (w->places[i] && !w->places[i]->named && w->places[i]->first_ns < since)
			since = w->places[i]->first_ns;
	return since;
}
