// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "probe/top_keys.h"

enum { VALUES = 2 + 6, MB = 1 << 20 };

static uint64_t keys_of(size_t cpus, size_t places, size_t tasks, uint64_t memory_mb)
{
	const struct top_machine m = { cpus, places, tasks, memory_mb * MB };

	return top_keys__default(&m, VALUES);
}

/* 16384 tasks, divided; but at least 512 and at most 2048 for a CPU. */
static void few_cpus_have_room_for_more_tasks_each(void **state)
{
	assert_int_equal(keys_of(1, 1, 100, 4096), 2048);
	assert_int_equal(keys_of(2, 2, 100, 4096), 2048);
	assert_int_equal(keys_of(16, 16, 100, 16384), 1024);
	assert_int_equal(keys_of(240, 240, 100, 262144), 512);
}

/* Twice as many as the tasks would be, were they spread. */
static void all_tasks_may_run_in_one_interval(void **state)
{
	assert_int_equal(keys_of(2, 2, 10000, 16384), 10000);
	assert_int_equal(keys_of(4, 4, 1000000, 65536), 16384);
	assert_int_equal(keys_of(4, 4, 0, 65536), 2048);
}

/*
 * 2048 keys: 8192 slots of 32 bytes, 8 values of 24 for each key, 2048 records of 2 + 6 words in
 * chunks of 64 KiB, all of it twice.
 */
static void bytes_are_those_of_the_maps(void **state)
{
	assert_int_equal(top_keys__bytes(2048, 1, VALUES),
			 2 * (8192 * 32 + 2048 * 8 * 24 + 2 * 65536));
	assert_int_equal(top_keys__bytes(2048, 240, VALUES),
			 240 * top_keys__bytes(2048, 1, VALUES));
	assert_int_equal(top_keys__bytes(1, 1, 0), 2 * (8 * 32 + 65536));
}

/* 4 CPUs are there, 240 may come: the tables are those of 240. */
static void cpus_that_may_come_do_not_take_the_memory(void **state)
{
	for (uint64_t mb = 2048; mb <= 262144; mb *= 2)
		for (size_t tasks = 100; tasks <= 100000; tasks *= 10) {
			uint64_t keys = keys_of(4, 240, tasks, mb);

			assert_true(keys >= 64);
			if (keys > 64)
				assert_true(top_keys__bytes(keys, 240, VALUES) <= mb * MB / 32);
		}
	/* 128 keys are 49 MB, 256 are 68, 512 are 105, 1024 are 180. */
	assert_int_equal(keys_of(4, 240, 100, 2048), 128);
	assert_int_equal(keys_of(4, 240, 100, 4096), 512);
	assert_int_equal(keys_of(4, 240, 100, 8192), 1024);
	assert_int_equal(keys_of(4, 240, 100, 65536), 2048);
}

static void without_a_size_of_memory_there_is_no_bound(void **state)
{
	assert_int_equal(keys_of(4, 240, 100, 0), 2048);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_cpus_have_room_for_more_tasks_each),
		cmocka_unit_test(all_tasks_may_run_in_one_interval),
		cmocka_unit_test(bytes_are_those_of_the_maps),
		cmocka_unit_test(cpus_that_may_come_do_not_take_the_memory),
		cmocka_unit_test(without_a_size_of_memory_there_is_no_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
