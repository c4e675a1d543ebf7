// SPDX-License-Identifier: BSD-2-Clause
/* Links each node to its first child and to its next sibling; hashes the children of wide nodes. */
#include "base/trie.h"

#include <stdlib.h>

struct trie_link {
	uint32_t key;
	uint32_t first, next; /* child, sibling; 0: none */
};

static uint64_t hashed_key(uint32_t parent, uint32_t key)
{
	return (uint64_t)parent << 32 | key;
}

bool trie__get(const struct trie *t, uint32_t parent, uint32_t key, uint32_t *node)
{
	unsigned nr = 0;

	if (!t->nr)
		return false;
	for (uint32_t i = t->links[parent].first; i; i = t->links[i].next, nr++) {
		if (t->links[i].key != key)
			continue;
		*node = i;
		return true;
	}
	return nr == TRIE_LISTED && idmap__get(&t->others, hashed_key(parent, key), node);
}

static bool has_full_list(const struct trie *t, uint32_t parent)
{
	unsigned nr = 0;

	for (uint32_t i = t->links[parent].first; i; i = t->links[i].next)
		nr++;
	return nr == TRIE_LISTED;
}

static int add_root(struct trie *t)
{
	int err = t->nr ? 0 : array__grow(&t->links, &t->cap, 1);

	if (!err && !t->nr)
		t->links[t->nr++] = (struct trie_link){};
	return err;
}

int trie__add(struct trie *t, uint32_t parent, uint32_t key)
{
	struct trie_link link = { .key = key };
	int err = add_root(t);

	if (!err)
		err = array__grow(&t->links, &t->cap, t->nr + 1);
	if (err)
		return err;
	if (has_full_list(t, parent)) {
		err = idmap__set(&t->others, hashed_key(parent, key), t->nr);
		if (err)
			return err;
	} else {
		link.next = t->links[parent].first;
		t->links[parent].first = t->nr;
	}
	t->links[t->nr++] = link;
	return 0;
}

void trie__clear(struct trie *t)
{
	t->nr = 0;
	idmap__clear(&t->others);
}

int trie__reserve(struct trie *t)
{
	return idmap__reserve(&t->others, t->nr);
}

size_t trie__bytes(const struct trie *t, size_t nr)
{
	const size_t more = nr > t->nr ? nr - t->nr : 0;

	return array__capacity(t->cap, nr + 1) * sizeof(*t->links) +
	       (t->others.nr || more ? idmap__bytes(&t->others, t->others.nr + more) : 0);
}

void trie__free(struct trie *t)
{
	free(t->links);
	idmap__free(&t->others);
	*t = (struct trie){};
}
