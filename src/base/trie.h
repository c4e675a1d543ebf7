/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base/trie.h - finds the child of a node by its key: nodes are numbers, the root is 0.
 *
 * The nodes are the owner's. Each that is added has the next number, so that the memory of a
 * branch that grows lies together. The first TRIE_LISTED children of a node are a list, all behind
 * them are in a hash table: most nodes of stacks have one child, and a few have thousands.
 *
 * Zero-initialise it; trie__free() gives the memory back. No choice of keys makes it slow.
 */
#ifndef PMUTRACE_BASE_TRIE_H
#define PMUTRACE_BASE_TRIE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/idmap.h"

enum { TRIE_LISTED = 4 };

struct trie_link;

struct trie {
	struct trie_link *links; /* of each node */
	size_t nr, cap;
	struct idmap others; /* parent << 32 | key -> node */
};

/* True if @parent has a child of this key; *node is written only then. */
bool trie__get(const struct trie *t, uint32_t parent, uint32_t key, uint32_t *node);

/*
 * Adds a child that @parent, which is the root or was added, does not have. Its number is 1 the
 * first time, and then one more each time. 0 or -ENOMEM.
 */
int trie__add(struct trie *t, uint32_t parent, uint32_t key) must_check;

/* Leaves the root alone. */
void trie__clear(struct trie *t);

/* As many nodes as there are can be added after a clear, whatever their parents. 0 or -ENOMEM. */
int trie__reserve(struct trie *t) must_check;

/* Bytes that it takes at most while it grows to @nr nodes. */
size_t trie__bytes(const struct trie *t, size_t nr);
void trie__free(struct trie *t);

#endif
