// SPDX-License-Identifier: BSD-2-Clause
#include "profiles.h"

#include "base/idmap.h"
#include "collide.h"

static void an_empty_map_knows_nothing(void **state)
{
	struct idmap m = {};
	uint32_t id = 77;

	assert_false(idmap__get(&m, 0, &id));
	assert_int_equal(id, 77);
	idmap__clear(&m);
	idmap__free(&m);
}

static void any_key_is_allowed(void **state)
{
	const uint64_t keys[] = { 0, 1, UINT64_MAX, 1ull << 63, 0xffffffffull };
	struct idmap m = {};
	uint32_t id, i;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		assert_int_equal(idmap__set(&m, keys[i], i + 10), 0);
	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		assert_true(idmap__get(&m, keys[i], &id));
		assert_int_equal(id, i + 10);
	}
	assert_false(idmap__get(&m, 2, &id));
	idmap__free(&m);
}

static void setting_again_replaces(void **state)
{
	struct idmap m = {};
	uint32_t id;

	assert_int_equal(idmap__set(&m, 5, 1), 0);
	assert_int_equal(idmap__set(&m, 5, 2), 0);
	assert_int_equal(m.nr, 1);
	assert_true(idmap__get(&m, 5, &id));
	assert_int_equal(id, 2);
	idmap__free(&m);
}

static void growing_keeps_every_key(void **state)
{
	struct idmap m = {};
	uint32_t id, i;

	for (i = 0; i < 100000; i++)
		assert_int_equal(idmap__set(&m, (uint64_t)i << 32, i), 0);
	assert_int_equal(m.nr, 100000);
	for (i = 0; i < 100000; i++) {
		assert_true(idmap__get(&m, (uint64_t)i << 32, &id));
		assert_int_equal(id, i);
	}
	assert_false(idmap__get(&m, 1, &id));
	idmap__free(&m);
}

static void clearing_forgets_all(void **state)
{
	struct idmap m = {};
	uint32_t id;

	assert_int_equal(idmap__set(&m, 1, 1), 0);
	idmap__clear(&m);
	assert_int_equal(m.nr, 0);
	assert_false(idmap__get(&m, 1, &id));
	assert_int_equal(idmap__set(&m, 1, 3), 0);
	assert_true(idmap__get(&m, 1, &id));
	assert_int_equal(id, 3);
	idmap__free(&m);
}

/* Hashes that are equal but for their upper half, or but for their lower one. */
static void keys_that_were_chosen_do_not_share_a_slot(void **state)
{
	for (unsigned shift = 0; shift <= 32; shift += 32) {
		unsigned from = cpu_ms();
		struct idmap m = {};
		uint32_t id;

		for (uint64_t i = 0; i < MANY_KEYS; i++)
			assert_int_equal(idmap__set(&m, unhash_u64(i << shift), i), 0);
		assert_true(idmap__get(&m, unhash_u64(7ull << shift), &id));
		assert_int_equal(id, 7);
		assert_true(cpu_ms() - from < QUICK_MS);
		idmap__free(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_map_knows_nothing),
		cmocka_unit_test(any_key_is_allowed),
		cmocka_unit_test(setting_again_replaces),
		cmocka_unit_test(growing_keeps_every_key),
		cmocka_unit_test(clearing_forgets_all),
		cmocka_unit_test(keys_that_were_chosen_do_not_share_a_slot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
