// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "collide.h"
#include "model/tuples.h"

static void equal_words_have_one_id(void **state)
{
	struct tuples t = { .width = 2 };
	const uint64_t a[] = { 1, 2 }, b[] = { 2, 1 }, c[] = { 1, UINT64_MAX };
	uint32_t id;

	assert_int_equal(tuples__add(&t, a, &id), 0);
	assert_int_equal(id, 0);
	assert_int_equal(tuples__add(&t, b, &id), 0);
	assert_int_equal(id, 1);
	assert_int_equal(tuples__add(&t, c, &id), 0);
	assert_int_equal(id, 2);
	assert_int_equal(tuples__add(&t, b, &id), 0);
	assert_int_equal(id, 1);
	assert_int_equal(t.nr, 3);
	assert_memory_equal(tuples__get(&t, 1), b, sizeof(b));
	assert_memory_equal(tuples__get(&t, 2), c, sizeof(c));
	tuples__free(&t);
}

static void many_tuples_are_all_found_again(void **state)
{
	enum { NR = 20000 };
	struct tuples t = { .width = 3 };
	uint32_t id;

	for (uint64_t round = 0; round < 2; round++)
		for (uint64_t i = 0; i < NR; i++) {
			assert_int_equal(tuples__add(&t, (uint64_t[]){ i, i / 7, i << 40 }, &id),
					 0);
			assert_int_equal(id, i);
		}
	assert_int_equal(t.nr, NR);
	assert_int_equal(tuples__get(&t, 700)[1], 100);
	tuples__free(&t);
}

static void without_words_there_is_one_tuple(void **state)
{
	struct tuples t = {};
	uint32_t id = 7;

	assert_int_equal(tuples__add(&t, NULL, &id), 0);
	assert_int_equal(id, 0);
	assert_int_equal(tuples__add(&t, NULL, &id), 0);
	assert_int_equal(id, 0);
	assert_int_equal(t.nr, 1);
	tuples__free(&t);
}

/* The second word cancels the hash of the first. */
static void words_that_were_chosen_do_not_share_a_hash(void **state)
{
	struct tuples t = { .width = 2 };
	unsigned from = cpu_ms();
	uint32_t id;

	for (uint64_t i = 0; i < MANY_KEYS; i++) {
		assert_int_equal(tuples__add(&t, (uint64_t[]){ i, hash_u64(2 ^ i) }, &id), 0);
		assert_int_equal(id, i);
	}
	assert_true(cpu_ms() - from < QUICK_MS);
	tuples__free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_words_have_one_id),
		cmocka_unit_test(many_tuples_are_all_found_again),
		cmocka_unit_test(words_that_were_chosen_do_not_share_a_hash),
		cmocka_unit_test(without_words_there_is_one_tuple),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
