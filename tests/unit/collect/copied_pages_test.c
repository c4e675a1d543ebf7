// SPDX-License-Identifier: BSD-2-Clause
/* Pages of copied stacks: the same one is kept once, another one is never taken for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "collect/copied_pages.h"

enum { PAGE = UNWIND_COPY_PAGE_BYTES };

static const uint64_t AT = 0x7fff00000000;

static const struct copied_page *keep(struct copied_pages *p, uint32_t tgid, uint64_t address,
				      const uint8_t *bytes)
{
	const struct copied_page *page = copied_pages__keep(p, tgid, address, 0, bytes, PAGE);

	assert_non_null(page);
	assert_memory_equal(page->bytes, bytes, PAGE);
	return page;
}

static void the_same_is_kept_once(void **state)
{
	static uint8_t bytes[PAGE], other[PAGE];
	struct copied_pages p = {};
	const struct copied_page *all[5];

	(void)state;
	memset(bytes, 'a', sizeof(bytes));
	memcpy(other, bytes, sizeof(other));
	other[PAGE - 1] = 'b';
	all[0] = keep(&p, 7, AT, bytes);
	all[1] = keep(&p, 7, AT, bytes);
	assert_ptr_equal(all[1], all[0]);
	assert_int_equal(p.nr, 1);
	all[2] = keep(&p, 7, AT, other);
	all[3] = keep(&p, 8, AT, bytes);
	all[4] = keep(&p, 7, AT + PAGE, bytes);
	assert_int_equal(p.nr, 4);
	copied_pages__give_back(&p, all[0]);
	assert_int_equal(p.nr, 4); /* it has another user */
	assert_memory_equal(all[1]->bytes, bytes, PAGE);
	for (size_t i = 1; i < 5; i++)
		copied_pages__give_back(&p, all[i]);
	assert_int_equal(p.nr, 0);
	copied_pages__end(&p);
}

/* Thousands, given back in another order than they came in. */
static void all_come_back(void **state)
{
	enum { NR = 20000 };
	const struct copied_page **all = calloc(NR, sizeof(const struct copied_page *));
	static uint8_t bytes[PAGE];
	struct copied_pages p = {};

	(void)state;
	assert_non_null(all);
	for (uint32_t i = 0; i < NR; i++) {
		memcpy(bytes, &i, sizeof(i));
		all[i] = keep(&p, i % 3, AT + (uint64_t)(i / 6) * PAGE, bytes);
	}
	assert_int_equal(p.nr, NR);
	for (uint32_t i = 0; i < NR; i++) {
		const uint32_t n = i * 7919 % NR;
		uint32_t is;

		memcpy(&is, all[n]->bytes, sizeof(is));
		assert_int_equal(is, n);
		copied_pages__give_back(&p, all[n]);
	}
	assert_int_equal(p.nr, 0);
	copied_pages__end(&p);
	free(all);
}

/* The first page of a copy: what is below the copy is not known, and is nothing of another one. */
static void a_part_of_a_page(void **state)
{
	static const uint8_t bytes[3] = { 1, 2, 3 };
	struct copied_pages p = {};
	const struct copied_page *page = copied_pages__keep(&p, 7, AT, PAGE - 3, bytes, 3);

	(void)state;
	assert_non_null(page);
	for (size_t i = 0; i < PAGE; i++)
		assert_int_equal(page->bytes[i], i < PAGE - 3 ? 0 : i - (PAGE - 3) + 1);
	copied_pages__give_back(&p, page);
	assert_int_equal(p.nr, 0);
	copied_pages__end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_is_kept_once),
		cmocka_unit_test(all_come_back),
		cmocka_unit_test(a_part_of_a_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
