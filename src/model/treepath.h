/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model/treepath.h - places in a tree that outlive it: a node is found again in the tree of the
 * next interval, by the names on its way from the root.
 */
#ifndef PMUTRACE_MODEL_TREEPATH_H
#define PMUTRACE_MODEL_TREEPATH_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "model/profile.h"
#include "model/tree.h"

/* Of a frame: equal names, modules and kinds make equal keys, in every profile. 64 bits of hash. */
uint64_t treepath__frame_key(const struct profile *p, uint32_t frame);

/*
 * A key for each node, by index: equal names, modules and kinds from the root on make equal keys,
 * in every tree of every profile. 64 bits of hash: others are not expected to be equal. For
 * free(); NULL: no memory.
 */
uint64_t *treepath__keys(const struct tree *t, const struct profile *p);

/* Zero-initialised it is the root; treepath__free() gives the memory back. */
struct treepath {
	uint64_t *keys; /* of the nodes below the root down to the place */
	size_t nr, cap;
};

/* 0 or -ENOMEM; then it is what it was. */
int treepath__set(struct treepath *path, const struct tree *t, const uint64_t *keys,
		  uint32_t node) must_check;

/* Index of the node, or of the nearest of its callers that this tree has. */
uint32_t treepath__find(const struct treepath *path, const struct tree *t, const uint64_t *keys);
void treepath__free(struct treepath *path);

#endif
