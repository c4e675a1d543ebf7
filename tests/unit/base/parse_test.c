// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>

#include "base/parse.h"

static void numbers_are_whole_strings(void **state)
{
	uint64_t v = 7;

	assert_int_equal(parse__u64("42", 0, 100, &v), 0);
	assert_int_equal(v, 42);
	assert_int_equal(parse__u64("0x1F", 0, 100, &v), 0);
	assert_int_equal(v, 31);
	assert_int_equal(parse__u64("12abc", 0, UINT64_MAX, &v), -EINVAL);
	assert_int_equal(parse__u64("", 0, UINT64_MAX, &v), -EINVAL);
	assert_int_equal(parse__u64("-1", 0, UINT64_MAX, &v), -EINVAL);
	assert_int_equal(parse__u64(" 1", 0, UINT64_MAX, &v), -EINVAL);
	assert_int_equal(parse__u64("101", 0, 100, &v), -ERANGE);
	assert_int_equal(parse__u64("18446744073709551615", 0, UINT64_MAX, &v), 0);
	assert_true(v == UINT64_MAX);
	assert_int_equal(parse__u64("18446744073709551616", 0, UINT64_MAX, &v), -ERANGE);
}

static void counts_have_suffixes(void **state)
{
	uint64_t v;

	assert_int_equal(parse__count("100k", 1, UINT64_MAX, &v), 0);
	assert_int_equal(v, 100000);
	assert_int_equal(parse__count("2M", 1, UINT64_MAX, &v), 0);
	assert_int_equal(v, 2000000);
	assert_int_equal(parse__count("1e6", 1, UINT64_MAX, &v), 0);
	assert_int_equal(v, 1000000);
	assert_int_equal(parse__count("1e99", 1, UINT64_MAX, &v), -ERANGE);
	assert_int_equal(parse__count("0e99", 1, UINT64_MAX, &v), -ERANGE);
	assert_int_equal(parse__count("1kk", 1, UINT64_MAX, &v), -EINVAL);
	assert_int_equal(parse__count("k", 1, UINT64_MAX, &v), -EINVAL);
}

static void times_have_units(void **state)
{
	uint64_t ns;

	assert_int_equal(parse__time("5", 1000000000, &ns), 0);
	assert_int_equal(ns, 5000000000ull);
	assert_int_equal(parse__time("0.25", 1000000000, &ns), 0);
	assert_int_equal(ns, 250000000);
	assert_int_equal(parse__time("200ms", 1000000000, &ns), 0);
	assert_int_equal(ns, 200000000);
	assert_int_equal(parse__time("1.5m", 1000000000, &ns), 0);
	assert_int_equal(ns, 90000000000ull);
	assert_int_equal(parse__time("1.", 1000000000, &ns), -EINVAL);
	assert_int_equal(parse__time("1 s", 1000000000, &ns), -EINVAL);
	assert_int_equal(parse__time("99999999999h", 1000000000, &ns), -ERANGE);
}

static void assert_list(const char *text, const uint32_t *want, size_t nr_want)
{
	uint32_t *got;
	size_t nr;

	assert_int_equal(parse__list(text, 1000, &got, &nr), 0);
	assert_int_equal(nr, nr_want);
	assert_memory_equal(got, want, nr * sizeof(*got));
	free(got);
}

static void lists_are_sorted_and_distinct(void **state)
{
	uint32_t *got;
	size_t nr;

	assert_list("0,2-5", (uint32_t[]){ 0, 2, 3, 4, 5 }, 5);
	assert_list("0-15:5", (uint32_t[]){ 0, 5, 10, 15 }, 4);
	assert_list("9,1,9,1-2", (uint32_t[]){ 1, 2, 9 }, 3);
	assert_int_equal(parse__list("3-1", 1000, &got, &nr), -EINVAL);
	assert_int_equal(parse__list("1,,2", 1000, &got, &nr), -EINVAL);
	assert_int_equal(parse__list("1,", 1000, &got, &nr), -EINVAL);
	assert_int_equal(parse__list("0-8:0", 1000, &got, &nr), -EINVAL);
	assert_int_equal(parse__list("0-4000000000", 1000, &got, &nr), -ERANGE);
	assert_null(got);
}

static void the_nearest_word_is_suggested(void **state)
{
	static const char *const words[] = { "cycles", "instructions", "cache-misses" };

	assert_string_equal(nearest("cycels", words, 3, sizeof(*words)), "cycles");
	assert_string_equal(nearest("cache", words, 3, sizeof(*words)), "cache-misses");
	assert_string_equal(nearest("Instruction", words, 3, sizeof(*words)), "instructions");
	assert_null(nearest("zzzzzz", words, 3, sizeof(*words)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_whole_strings),
		cmocka_unit_test(counts_have_suffixes),
		cmocka_unit_test(times_have_units),
		cmocka_unit_test(lists_are_sorted_and_distinct),
		cmocka_unit_test(the_nearest_word_is_suggested),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
