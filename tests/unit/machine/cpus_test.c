// SPDX-License-Identifier: BSD-2-Clause
#include "tracefs_fixture.h"

#include <errno.h>

#include "machine/cpus.h"

/* A machine with room for eight CPUs, of which five are there. */
static void make_machine(struct fixture *f)
{
	fixture__open(f);
	fixture__put(f, "sys/devices/system/cpu/possible", "0-7\n");
	fixture__put(f, "sys/devices/system/cpu/online", "0-3,6\n");
}

static void check_list(const char *text, const uint32_t *expected, size_t expected_nr)
{
	uint32_t *cpus, bad;
	struct fixture f;
	size_t nr;

	make_machine(&f);
	assert_int_equal(cpus__parse(f.dir, text, &cpus, &nr, &bad), 0);
	assert_int_equal(nr, expected_nr);
	assert_memory_equal(cpus, expected, nr * sizeof(*cpus));
	free(cpus);
	fixture__close(&f);
}

static void check_refused(const char *text, int expected, uint32_t expected_bad)
{
	uint32_t *cpus, bad;
	struct fixture f;
	size_t nr;

	make_machine(&f);
	assert_int_equal(cpus__parse(f.dir, text, &cpus, &nr, &bad), expected);
	assert_null(cpus);
	assert_int_equal(nr, 0);
	assert_int_equal(bad, expected_bad);
	fixture__close(&f);
}

static void lists_are_of_cpus_that_are_online(void **state)
{
	check_list("0-3,6", (uint32_t[]){ 0, 1, 2, 3, 6 }, 5);
	check_list("6,0-3:2,0", (uint32_t[]){ 0, 2, 6 }, 3);
	check_list("3", (uint32_t[]){ 3 }, 1);
}

static void others_are_refused_by_number(void **state)
{
	check_refused("0,4", -ENODEV, 4);
	check_refused("6-7", -ENODEV, 7);
	check_refused("0,8", -ERANGE, 7);
	/* Without a list of four thousand millions. */
	check_refused("0-4294967295", -ERANGE, 7);
	check_refused("", -EINVAL, 0);
	check_refused("3-", -EINVAL, 0);
	check_refused("3-1", -EINVAL, 0);
}

static void check_tickless(const char *text, const uint32_t *expected, size_t nr_expected)
{
	struct fixture f;
	uint32_t *cpus;
	size_t nr;

	make_machine(&f);
	if (text)
		fixture__put(&f, "sys/devices/system/cpu/nohz_full", text);
	assert_int_equal(cpus__tickless(f.dir, &cpus, &nr), 0);
	assert_int_equal(nr, nr_expected);
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(cpus[i], expected[i]);
	free(cpus);
	fixture__close(&f);
}

/* drivers/base/cpu.c: print_cpus_nohz_full() */
static void cpus_without_a_tick_are_listed_by_the_kernel(void **state)
{
	check_tickless("1,3-4\n", (uint32_t[]){ 1, 3, 4 }, 3);
	check_tickless(NULL, NULL, 0);
	check_tickless("\n", NULL, 0);
	check_tickless("  (null)\n", NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_of_cpus_that_are_online),
		cmocka_unit_test(others_are_refused_by_number),
		cmocka_unit_test(cpus_without_a_tick_are_listed_by_the_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
