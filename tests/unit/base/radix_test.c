// SPDX-License-Identifier: BSD-2-Clause
/* Items sorted by a number, against comparisons: few and many, close together and far apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/radix.h"
#include "any_number.h"

struct item {
	uint64_t number;
	uint32_t place; /* where it was */
	uint8_t more[12];
};

static int compare(const void *a, const void *b)
{
	const struct item *left = a, *right = b;

	if (left->number != right->number)
		return left->number < right->number ? -1 : 1;
	return left->place < right->place ? -1 : 1;
}

static void check(struct item *items, size_t nr)
{
	struct item *spare = malloc((nr + 1) * sizeof(*spare)), *found;
	struct item *wanted = malloc((nr + 1) * sizeof(*wanted));

	for (size_t i = 0; i < nr; i++) {
		items[i].place = i;
		memset(items[i].more, (int)i, sizeof(items[i].more));
	}
	if (nr)
		memcpy(wanted, items, nr * sizeof(*items));
	qsort(wanted, nr, sizeof(*wanted), compare);
	found = radix__sort(items, spare, nr, sizeof(*items));
	assert_true(found == items || found == spare);
	for (size_t i = 0; i < nr; i++)
		assert_memory_equal(&found[i], &wanted[i], sizeof(*found));
	free(spare);
	free(wanted);
}

/* @mask: the bits in which they differ. */
static void check_many(size_t nr, uint64_t mask, uint64_t least)
{
	struct item *items = calloc(nr + 1, sizeof(*items));

	for (size_t i = 0; i < nr; i++)
		items[i].number = least + (any_number() & mask);
	check(items, nr);
	free(items);
}

static void as_comparisons_would(void **state)
{
	static const size_t sizes[] = {
		0,  1,	 2,   3,    RADIX_FEW - 1,  RADIX_FEW,	RADIX_FEW + 1,
		99, 256, 257, 1000, RADIX_MANY - 1, RADIX_MANY, 5000
	};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		check_many(sizes[i], 0, 7);
		check_many(sizes[i], 0x3f, 0x400000);
		check_many(sizes[i], 0xff, 0xffffff80);
		check_many(sizes[i], 0x7ff, 0x555555554000);
		check_many(sizes[i], 0xfffff, 0xffffffff81000000);
		check_many(sizes[i], UINT64_MAX, 0);
	}
}

/* In order, in the other order, and with the smallest and the largest number that there are. */
static void whatever_their_order(void **state)
{
	enum { NR = 300 };
	struct item items[NR];

	(void)state;
	for (size_t i = 0; i < NR; i++)
		items[i].number = i / 2;
	check(items, NR);
	for (size_t i = 0; i < NR; i++)
		items[i].number = NR - i / 2;
	check(items, NR);
	for (size_t i = 0; i < NR; i++)
		items[i].number = i % 3 ? i % 2 ? UINT64_MAX : 0 : 1ull << i % 64;
	check(items, NR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_comparisons_would),
		cmocka_unit_test(whatever_their_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
