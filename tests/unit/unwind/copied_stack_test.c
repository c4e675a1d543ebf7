// SPDX-License-Identifier: BSD-2-Clause
/* Addresses of a copied stack: which are there, and in which of its pages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "unwind/copied_stack.h"

enum { PAGE = UNWIND_COPY_PAGE_BYTES };

static void pages_of_addresses(void **state)
{
	static const struct {
		uint64_t from, bytes;
		size_t pages;
	} cases[] = {
		{ 0x7fff00000000, 0, 0 },	 { 0x7fff00000008, 0, 0 },
		{ 0x7fff00000000, 1, 1 },	 { 0x7fff00000000, PAGE, 1 },
		{ 0x7fff00000000, PAGE + 1, 2 }, { 0x7fff00000ff8, 8, 1 },
		{ 0x7fff00000ff8, 9, 2 },	 { 0x7fff00000ff8, 8 + PAGE, 2 },
		{ 0x7fff00000ff8, 9 + PAGE, 3 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(copied_stack__pages(cases[i].from, cases[i].bytes),
				 cases[i].pages);
}

/* Each byte of three pages is its own. */
static uint8_t byte_at(uint64_t at)
{
	return (at * 2654435761u) >> 13;
}

static void what_was_copied_can_be_read(void **state)
{
	const uint64_t from = 0x7fff00000ff0, bytes = 16 + PAGE + 5;
	static uint8_t pages[3][PAGE];
	const uint8_t *all[3] = { pages[0], pages[1], pages[2] };
	const struct copied_stack c = { NULL, from, bytes, all };
	uint8_t read[2 * PAGE];

	(void)state;
	for (uint64_t at = from; at < from + bytes; at++)
		pages[at / PAGE - from / PAGE][at % PAGE] = byte_at(at);
	for (size_t len = 1; len < 40; len++) {
		for (uint64_t at = from; at + len <= from + bytes; at++) {
			assert_int_equal(copied_stack__read(&c, read, len, at), 0);
			for (size_t i = 0; i < len; i++)
				assert_int_equal(read[i], byte_at(at + i));
		}
		assert_int_equal(copied_stack__read(&c, read, len, from - 1), -1);
		assert_int_equal(copied_stack__read(&c, read, len, from + bytes - len + 1), -1);
		assert_int_equal(copied_stack__read(&c, read, len, UINT64_MAX), -1);
	}
	assert_int_equal(copied_stack__read(&c, read, bytes, from), 0);
	for (size_t i = 0; i < bytes; i++)
		assert_int_equal(read[i], byte_at(from + i));
	assert_int_equal(copied_stack__read(&c, read, bytes + 1, from), -1);
	assert_int_equal(copied_stack__read(&c, read, SIZE_MAX, from + 8), -1);
	all[1] = NULL; /* nobody has ever touched it */
	assert_int_equal(copied_stack__read(&c, read, 16, from), 0);
	assert_int_equal(copied_stack__read(&c, read, 17, from), -1);
	assert_int_equal(copied_stack__read(&c, read, 8, from + 16), -1);
	assert_int_equal(copied_stack__read(&c, read, 5, from + 16 + PAGE), 0);
	assert_int_equal(copied_stack__read(&c, read, 6, from + 15 + PAGE), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_of_addresses),
		cmocka_unit_test(what_was_copied_can_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
