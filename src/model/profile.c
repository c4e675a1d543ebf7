// SPDX-License-Identifier: BSD-2-Clause
#include "model/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/idmap.h"
#include "base/strtab.h"
#include "base/utf8.h"

struct profile_index {
	struct idmap frames;   /* kind, module, name -> chain of frames */
	struct idmap children; /* parent node << 32 | frame -> node; exact */
	struct idmap rows;     /* hash of the key -> chain of rows */
	uint32_t *next_frame;  /* the next frame of the same hash, NONE ends */
	size_t cap_next_frame;
	uint32_t *next_row;
	size_t cap_next_row;
	struct buf scratch;
};

enum { NONE = UINT32_MAX };

struct profile *profile__new(void)
{
	struct profile *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->strings = strtab__new();
	p->index = calloc(1, sizeof(*p->index));
	if (!p->strings || !p->index || array__grow(&p->nodes, &p->cap_nodes, 1)) {
		profile__free(p);
		return NULL;
	}
	p->nodes[p->nr_nodes++] = (struct stack_node){ .frame = NONE };
	return p;
}

void profile__free(struct profile *p)
{
	if (!p)
		return;
	if (p->index) {
		idmap__free(&p->index->frames);
		idmap__free(&p->index->children);
		idmap__free(&p->index->rows);
		free(p->index->next_frame);
		free(p->index->next_row);
		buf__free(&p->index->scratch);
		free(p->index);
	}
	strtab__free(p->strings);
	free(p->frames);
	free(p->nodes);
	free(p->rows);
	free(p->events);
	free(p);
}

int profile__string(struct profile *p, const char *s, size_t len, uint32_t *id)
{
	struct buf *scratch = &p->index->scratch;
	const char *end = memchr(s, '\0', len);
	int err;

	if (end)
		len = end - s;
	buf__clear(scratch);
	err = utf8__put_valid(scratch, s, len);
	if (err)
		return err;
	return strtab__add(p->strings, scratch->data, scratch->len, id);
}

int profile__frame(struct profile *p, const struct frame *f, uint32_t *id)
{
	uint64_t h = hash_u64(((uint64_t)f->module << 32 | f->name) ^ (uint64_t)f->kind << 61);
	struct profile_index *x = p->index;
	uint32_t first = NONE, i;
	int err;

	if (idmap__get(&x->frames, h, &first)) {
		for (i = first; i != NONE; i = x->next_frame[i]) {
			const struct frame *o = &p->frames[i];

			if (o->name == f->name && o->module == f->module && o->kind == f->kind) {
				*id = i;
				return 0;
			}
		}
	}
	err = array__grow(&p->frames, &p->cap_frames, p->nr_frames + 1);
	if (!err)
		err = array__grow(&x->next_frame, &x->cap_next_frame, p->nr_frames + 1);
	if (!err)
		err = idmap__set(&x->frames, h, p->nr_frames);
	if (err)
		return err;
	p->frames[p->nr_frames] = *f;
	x->next_frame[p->nr_frames] = first;
	*id = p->nr_frames++;
	return 0;
}

int profile__child(struct profile *p, uint32_t parent, uint32_t frame, uint32_t *node)
{
	uint64_t key = (uint64_t)parent << 32 | frame;
	int err;

	if (idmap__get(&p->index->children, key, node))
		return 0;
	err = array__grow(&p->nodes, &p->cap_nodes, p->nr_nodes + 1);
	if (!err)
		err = idmap__set(&p->index->children, key, p->nr_nodes);
	if (err)
		return err;
	p->nodes[p->nr_nodes] = (struct stack_node){ .parent = parent, .frame = frame };
	*node = p->nr_nodes++;
	return 0;
}

int profile__event(struct profile *p, const struct profile_event *ev, uint32_t *id)
{
	uint32_t name, unit;
	int err;

	err = profile__string(p, ev->name, strlen(ev->name), &name);
	if (!err)
		err = profile__string(p, ev->unit, strlen(ev->unit), &unit);
	if (!err)
		err = array__grow(&p->events, &p->cap_events, p->nr_events + 1);
	if (err)
		return err;
	p->events[p->nr_events] = *ev;
	p->events[p->nr_events].name = strtab__get(p->strings, name);
	p->events[p->nr_events].unit = strtab__get(p->strings, unit);
	*id = p->nr_events++;
	return 0;
}

static uint64_t hash_key(const struct row_key *k)
{
	uint64_t h = hash_u64((uint64_t)k->stack << 32 | k->pid);

	h = hash_u64(h ^ ((uint64_t)k->tid << 32 | k->cpu));
	return hash_u64(h ^ ((uint64_t)k->cgroup << 32 | k->event));
}

static int add_to_row(struct profile *p, const struct row_key *key, uint64_t samples,
		      uint64_t weight)
{
	struct profile_index *x = p->index;
	uint64_t h = hash_key(key);
	uint32_t first = NONE, i;
	int err;

	if (idmap__get(&x->rows, h, &first)) {
		for (i = first; i != NONE; i = x->next_row[i]) {
			if (memcmp(&p->rows[i].key, key, sizeof(*key)))
				continue;
			p->rows[i].samples += samples;
			p->rows[i].weight += weight;
			return 0;
		}
	}
	err = array__grow(&p->rows, &p->cap_rows, p->nr_rows + 1);
	if (!err)
		err = array__grow(&x->next_row, &x->cap_next_row, p->nr_rows + 1);
	if (!err)
		err = idmap__set(&x->rows, h, p->nr_rows);
	if (err)
		return err;
	p->rows[p->nr_rows] = (struct row){ .key = *key, .samples = samples, .weight = weight };
	x->next_row[p->nr_rows++] = first;
	return 0;
}

int profile__add(struct profile *p, const struct row_key *key, uint64_t samples, uint64_t weight)
{
	p->events[key->event].samples += samples;
	p->events[key->event].weight += weight;
	return add_to_row(p, key, samples, weight);
}

/* Both arrays are built anew in place: none of them grows, so what is written was read before. */
int profile__replace_frames(struct profile *p, const uint32_t *frames, uint32_t **moved)
{
	size_t nr_nodes = p->nr_nodes, nr_rows = p->nr_rows;
	uint32_t *to = calloc(nr_nodes, sizeof(*to));
	int err = 0;

	*moved = to;
	if (!to)
		return -ENOMEM;
	idmap__clear(&p->index->children);
	p->nr_nodes = 1;
	for (size_t i = 1; i < nr_nodes && !err; i++) {
		struct stack_node n = p->nodes[i];

		err = profile__child(p, to[n.parent], frames[n.frame], &to[i]);
	}
	idmap__clear(&p->index->rows);
	p->nr_rows = 0;
	for (size_t i = 0; i < nr_rows && !err; i++) {
		struct row row = p->rows[i];

		row.key.stack = to[row.key.stack];
		err = add_to_row(p, &row.key, row.samples, row.weight);
	}
	return err;
}

const char *profile__name(const struct profile *p, uint32_t frame)
{
	return strtab__get(p->strings, p->frames[frame].name);
}

size_t profile__stack(const struct profile *p, uint32_t node, uint32_t *frames, size_t max)
{
	size_t depth = 0, i;
	uint32_t n;

	for (n = node; n; n = p->nodes[n].parent)
		depth++;
	for (i = depth, n = node; n; n = p->nodes[n].parent)
		if (--i < max)
			frames[i] = p->nodes[n].frame;
	return depth;
}
