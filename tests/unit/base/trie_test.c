// SPDX-License-Identifier: BSD-2-Clause
#include "profiles.h"

#include <malloc.h>

#include "base/trie.h"

static void an_empty_one_knows_the_root_alone(void **state)
{
	struct trie t = {};
	uint32_t node = 77;

	assert_false(trie__get(&t, 0, 0, &node));
	assert_int_equal(node, 77);
	trie__clear(&t);
	trie__free(&t);
}

static void nodes_are_numbered_as_they_come(void **state)
{
	struct trie t = {};
	uint32_t node;

	assert_int_equal(trie__add(&t, 0, 7), 0); /* 1 */
	assert_int_equal(trie__add(&t, 1, 7), 0); /* 2 */
	assert_int_equal(trie__add(&t, 1, 0), 0); /* 3 */
	assert_int_equal(trie__add(&t, 0, 8), 0); /* 4 */
	assert_true(trie__get(&t, 0, 7, &node));
	assert_int_equal(node, 1);
	assert_true(trie__get(&t, 1, 7, &node));
	assert_int_equal(node, 2);
	assert_true(trie__get(&t, 1, 0, &node));
	assert_int_equal(node, 3);
	assert_true(trie__get(&t, 0, 8, &node));
	assert_int_equal(node, 4);
	assert_false(trie__get(&t, 2, 7, &node));
	assert_false(trie__get(&t, 0, 0, &node));
	trie__free(&t);
}

enum { PARENTS = 300, KEYS = 40 };

/* Every node below PARENTS has up to KEYS children: what was added is found, nothing else is. */
static void knows_what_was_added(struct trie *t, uint32_t known[PARENTS][KEYS], unsigned nr_adds)
{
	uint32_t node, nr = 0;

	memset(known, 0, sizeof(uint32_t[PARENTS][KEYS]));
	for (unsigned i = 0; i < nr_adds; i++) {
		uint32_t below = nr < PARENTS ? nr + 1 : PARENTS;
		uint32_t parent = rand() % below, key = rand() % KEYS;
		bool is_there = trie__get(t, parent, key, &node);

		assert_int_equal(is_there, known[parent][key] != 0);
		if (is_there) {
			assert_int_equal(node, known[parent][key]);
			continue;
		}
		assert_int_equal(trie__add(t, parent, key), 0);
		known[parent][key] = ++nr;
	}
	for (uint32_t parent = 0; parent < PARENTS; parent++)
		for (uint32_t key = 0; key < KEYS; key++) {
			assert_int_equal(trie__get(t, parent, key, &node), known[parent][key] != 0);
			if (known[parent][key])
				assert_int_equal(node, known[parent][key]);
		}
}

static void narrow_and_wide_nodes_alike(void **state)
{
	static uint32_t known[PARENTS][KEYS];
	struct trie t = {};

	srand(1);
	knows_what_was_added(&t, known, 1000); /* mostly lists */
	trie__clear(&t);
	knows_what_was_added(&t, known, 30000); /* mostly hashed */
	trie__clear(&t);
	knows_what_was_added(&t, known, 3000);
	trie__free(&t);
}

/* All below one node, whose children are hashed, and then as a chain, where none is. */
static void a_reserve_is_enough_for_any_shape(void **state)
{
	enum { NODES = 100000 };
	struct trie t = {};
	uint32_t node;
	size_t bytes;

	for (uint32_t i = 0; i < NODES; i++)
		assert_int_equal(trie__add(&t, i, i), 0);
	assert_int_equal(t.others.nr, 0);
	assert_int_equal(trie__reserve(&t), 0);
	bytes = t.others.mask;
	trie__clear(&t);
	for (uint32_t i = 0; i < NODES; i++)
		assert_int_equal(trie__add(&t, 0, i), 0);
	assert_int_equal(t.others.mask, bytes);
	assert_int_equal(t.others.nr, NODES - TRIE_LISTED);
	for (uint32_t i = 0; i < NODES; i++) {
		assert_true(trie__get(&t, 0, i, &node));
		assert_int_equal(node, i + 1);
	}
	trie__free(&t);
}

static size_t malloced(void)
{
	const struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

static void its_memory_is_what_the_allocator_says(void **state)
{
	enum { PAGES = 64 << 10 };

	for (unsigned wide = 0; wide < 2; wide++) {
		const size_t before = malloced();
		struct trie t = {};

		for (uint32_t i = 0; i < 200000; i++) {
			const size_t told = trie__bytes(&t, i + 2);

			assert_int_equal(trie__add(&t, wide ? 0 : i, i), 0);
			assert_true(malloced() - before <= told + PAGES);
		}
		trie__free(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_one_knows_the_root_alone),
		cmocka_unit_test(nodes_are_numbered_as_they_come),
		cmocka_unit_test(narrow_and_wide_nodes_alike),
		cmocka_unit_test(a_reserve_is_enough_for_any_shape),
		cmocka_unit_test(its_memory_is_what_the_allocator_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
