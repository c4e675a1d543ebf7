// SPDX-License-Identifier: BSD-2-Clause
/* Hashes the way from the root to each node; finds a node again by these hashes. */
#include "model/treepath.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/strtab.h"

/* Without a seed: these are no places in a table, but names that are compared. */
static uint64_t hash_string(const struct profile *p, uint32_t id)
{
	return hash_bytes(0, strtab__get(p->strings, id), strtab__len(p->strings, id));
}

uint64_t treepath__frame_key(const struct profile *p, uint32_t frame)
{
	const struct frame *f = &p->frames[frame];

	return hash_u64(hash_string(p, f->name) + f->kind) ^ hash_string(p, f->module);
}

static uint64_t *frame_keys(const struct profile *p)
{
	uint64_t *by = malloc((p->nr_frames + 1) * sizeof(*by));

	for (size_t i = 0; by && i < p->nr_frames; i++)
		by[i] = treepath__frame_key(p, i);
	return by;
}

uint64_t *treepath__keys(const struct tree *t, const struct profile *p)
{
	uint64_t *keys = malloc(t->nr * sizeof(*keys)), *frames = frame_keys(p);

	if (keys && frames) {
		keys[0] = 0;
		for (size_t i = 1; i < t->nr; i++)
			keys[i] = hash_u64(keys[t->nodes[i].parent] + 1) ^
				  hash_u64(frames[t->nodes[i].frame]);
	} else {
		free(keys);
		keys = NULL;
	}
	free(frames);
	return keys;
}

int treepath__set(struct treepath *path, const struct tree *t, const uint64_t *keys, uint32_t node)
{
	size_t depth = t->nodes[node].depth;
	int err = array__grow(&path->keys, &path->cap, depth + 1);

	if (err)
		return err;
	path->nr = depth;
	for (; node; node = t->nodes[node].parent)
		path->keys[--depth] = keys[node];
	return 0;
}

uint32_t treepath__find(const struct treepath *path, const struct tree *t, const uint64_t *keys)
{
	uint32_t at = 0;

	for (size_t i = 0; i < path->nr; i++) {
		uint32_t n = at + 1;

		while (n < t->nodes[at].end && keys[n] != path->keys[i])
			n = t->nodes[n].end;
		if (n >= t->nodes[at].end)
			break;
		at = n;
	}
	return at;
}

void treepath__free(struct treepath *path)
{
	free(path->keys);
	*path = (struct treepath){};
}
