// SPDX-License-Identifier: BSD-2-Clause
/* Held against mincore(2): which pages of a mapping have memory. */
#include "profiles.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/pages.h"

enum { NR_PAGES = 8 };

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static char *map_pages(void)
{
	char *at = mmap(NULL, NR_PAGES * page_bytes(), PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(at, MAP_FAILED);
	return at;
}

static bool is_there(char *page)
{
	unsigned char there = 0;

	assert_int_equal(mincore(page, page_bytes(), &there), 0);
	return there & 1;
}

/* Before Linux 5.14 the kernel knows no such advice. */
static bool can_populate(void)
{
	char *at = map_pages();
	bool can;

	pages__populate(at, page_bytes());
	can = is_there(at);
	munmap(at, NR_PAGES * page_bytes());
	return can;
}

static void whole_pages_are_there(void **state)
{
	char *at = map_pages();

	if (!can_populate())
		skip();
	errno = ENOENT;
	pages__populate(at + 1, 4 * page_bytes());
	assert_int_equal(errno, ENOENT);
	assert_false(is_there(at));
	for (size_t i = 1; i < 4; i++)
		assert_true(is_there(at + i * page_bytes()));
	for (size_t i = 4; i < NR_PAGES; i++)
		assert_false(is_there(at + i * page_bytes()));
	munmap(at, NR_PAGES * page_bytes());
}

static void a_part_of_a_page_is_left_alone(void **state)
{
	char *at = map_pages();

	pages__populate(at + 1, page_bytes() - 1);
	pages__populate(at + page_bytes() + 1, 0);
	for (size_t i = 0; i < NR_PAGES; i++)
		assert_false(is_there(at + i * page_bytes()));
	munmap(at, NR_PAGES * page_bytes());
}

static void memory_that_is_not_there_does_no_harm(void **state)
{
	char *at = map_pages();

	munmap(at, NR_PAGES * page_bytes());
	errno = ENOENT;
	pages__populate(at, NR_PAGES * page_bytes());
	assert_int_equal(errno, ENOENT);
}

static void a_grown_array_keeps_what_it_has(void **state)
{
	uint64_t *all = NULL;
	size_t cap = 0;

	for (uint64_t i = 0; i < 200000; i++) {
		assert_int_equal(pages__grow(&all, &cap, i + 1), 0);
		all[i] = i * i;
	}
	for (uint64_t i = 0; i < 200000; i++)
		assert_true(all[i] == i * i);
	assert_int_equal(cap, array__capacity(0, 200000));
	assert_int_equal(pages__grow(&all, &cap, SIZE_MAX / 4), -EOVERFLOW);
	assert_int_equal(all[7], 49);
	free(all);
}

/* Small, of whole pages, and of large ones: all of it can be written, and is freed as any other. */
static void memory_of_any_size(void **state)
{
	static const size_t sizes[] = { 1, 1000, 300 << 10, (2 << 20) - 1, 2 << 20, (5 << 20) + 7 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		uint8_t *at = pages__alloc(sizes[i]);

		assert_non_null(at);
		memset(at, 1, sizes[i]);
		at = realloc(at, sizes[i] + 5000); /* as an array does that grows */
		assert_non_null(at);
		assert_int_equal(at[sizes[i] - 1], 1);
		free(at);
	}
}

static void a_large_page_has_its_own_address(void **state)
{
	uint8_t *a = pages__map_large(), *b = pages__map_large();

	(void)state;
	assert_non_null(a);
	assert_non_null(b);
	assert_int_equal((uintptr_t)a % PAGES_LARGE, 0);
	assert_int_equal((uintptr_t)b % PAGES_LARGE, 0);
	memset(a, 1, PAGES_LARGE);
	memset(b, 2, PAGES_LARGE);
	assert_int_equal(a[PAGES_LARGE - 1], 1);
	pages__unmap_large(a);
	assert_int_equal(b[PAGES_LARGE - 1], 2);
	pages__unmap_large(b);
	pages__unmap_large(NULL);
}

static void what_is_reserved_need_not_grow(void **state)
{
	uint64_t *all = NULL, *first;
	size_t cap = 0;

	(void)state;
	assert_int_equal(pages__reserve(&all, &cap, 0), 0);
	assert_null(all);
	assert_int_equal(pages__reserve(&all, &cap, SIZE_MAX / 4), -ENOMEM);
	assert_int_equal(cap, 0);
	assert_int_equal(pages__reserve(&all, &cap, 300000), 0);
	first = all;
	assert_int_equal(pages__grow(&all, &cap, 300000), 0);
	assert_ptr_equal(all, first);
	assert_int_equal(cap, 300000);
	assert_int_equal(pages__reserve(&all, &cap, 400000), 0); /* it has items, perhaps */
	assert_ptr_equal(all, first);
	free(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_pages_are_there),
		cmocka_unit_test(a_part_of_a_page_is_left_alone),
		cmocka_unit_test(memory_that_is_not_there_does_no_harm),
		cmocka_unit_test(a_grown_array_keeps_what_it_has),
		cmocka_unit_test(memory_of_any_size),
		cmocka_unit_test(a_large_page_has_its_own_address),
		cmocka_unit_test(what_is_reserved_need_not_grow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
