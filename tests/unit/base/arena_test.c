// SPDX-License-Identifier: BSD-2-Clause
/* Pieces of an arena do not overlap, keep what is written, and take about what they need. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/arena.h"
#include "any_number.h"

enum { PIECES = 3000 };

/* Mostly small ones, some that are larger than a chunk, and none at all. */
static size_t size_of_next(void)
{
	const uint64_t r = any_number();

	return r % 50 ? r >> 32 & 0x7ff : r % 500 ? r >> 32 & 0xffff : r >> 32 & 0x3fffff;
}

static void each_piece_is_its_own(void **state)
{
	static unsigned char *at[PIECES];
	static size_t sizes[PIECES];
	struct arena a = {};

	(void)state;
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < PIECES; i++) {
			sizes[i] = size_of_next();
			at[i] = arena__alloc(&a, sizes[i]);
			assert_non_null(at[i]);
			assert_int_equal((uintptr_t)at[i] % _Alignof(max_align_t), 0);
			memset(at[i], (int)i, sizes[i]);
		}
		for (size_t i = 0; i < PIECES; i++)
			for (size_t n = 0; n < sizes[i]; n++)
				assert_int_equal(at[i][n], i & 0xff);
		arena__free(&a);
		assert_int_equal(a.bytes, 0);
	}
}

static void it_takes_about_what_is_needed(void **state)
{
	struct arena a = {};
	size_t sum = 0;

	(void)state;
	assert_non_null(arena__alloc(&a, 100));
	assert_true(a.bytes <= 16 << 10);
	for (sum = 100; sum < 64 << 20; sum += 1000)
		assert_non_null(arena__alloc(&a, 1000));
	assert_true(a.bytes >= sum && a.bytes < sum + sum / 10);
	/* A large one leaves the room of a chunk that has just been begun to those after it. */
	do {
		sum = a.bytes;
		assert_non_null(arena__alloc(&a, 1000));
	} while (a.bytes == sum);
	assert_non_null(arena__alloc(&a, 8 << 20));
	sum = a.bytes;
	assert_non_null(arena__alloc(&a, 1000));
	assert_int_equal(a.bytes, sum);
	arena__free(&a);
}

static void what_is_not_there_is_not_given(void **state)
{
	struct arena a = {};

	(void)state;
	assert_null(arena__alloc(&a, SIZE_MAX));
	assert_null(arena__alloc(&a, SIZE_MAX / 2 + 1));
	assert_int_equal(a.bytes, 0);
	arena__free(&a);
}

static void a_copy_is_the_same(void **state)
{
	struct arena a = {};
	const char text[] = "abc";
	char *copy = arena__copy(&a, text, sizeof(text));

	(void)state;
	assert_string_equal(copy, text);
	assert_ptr_not_equal(copy, text);
	assert_non_null(arena__copy(&a, NULL, 0));
	arena__free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_piece_is_its_own),
		cmocka_unit_test(it_takes_about_what_is_needed),
		cmocka_unit_test(what_is_not_there_is_not_given),
		cmocka_unit_test(a_copy_is_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
