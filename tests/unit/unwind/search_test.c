// SPDX-License-Identifier: BSD-2-Clause
/* The rule at an address of a page, as programs and user space search it: against a plain scan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Nothing is unwound here. */
#define UNWIND_WORD(frame, out, at)	    (-1)
#define UNWIND_READ(frame, to, len, at)	    (-1)
#define UNWIND_REGISTER(frame, word, value) (-1)
#include "unwind_step.h"

enum { FIRST = 5, ROOM = UNWIND_PAGE_ROWS + 2 * FIRST };

/* What is beside the page's rows is not looked at: it would be taken for the answer. */
static uint32_t rows[ROOM];

static uint32_t scan(uint32_t nr, uint32_t offset)
{
	uint32_t rule = 0;

	for (uint32_t i = FIRST; i < FIRST + nr; i++)
		if (UNWIND_ROW_OFFSET(rows[i]) <= offset)
			rule = UNWIND_ROW_RULE(rows[i]);
	return rule;
}

/* @nr rows with rules 1, 2, .., so many bytes apart, the first one at byte @from. */
static void make_rows(uint32_t nr, uint32_t from, uint32_t apart)
{
	for (uint32_t i = 0; i < ROOM; i++)
		rows[i] = UNWIND_ROW(99999, 0);
	for (uint32_t i = 0; i < nr; i++)
		rows[FIRST + i] = UNWIND_ROW(i + 1, from + i * apart);
}

static void check_page(uint32_t nr)
{
	for (uint32_t offset = 0; offset < UNWIND_PAGE_BYTES; offset++)
		assert_int_equal(unwind_search(rows, UINT32_MAX, FIRST, nr, offset),
				 scan(nr, offset));
}

static void any_number_of_rows(void **state)
{
	(void)state;
	for (uint32_t nr = 0; nr < 70; nr++) {
		make_rows(nr, 0, UNWIND_PAGE_BYTES / (nr + 1));
		check_page(nr);
		make_rows(nr, 0, 1);
		check_page(nr);
	}
}

static void a_row_for_every_byte(void **state)
{
	(void)state;
	make_rows(UNWIND_PAGE_ROWS, 0, 1);
	for (uint32_t offset = 0; offset < UNWIND_PAGE_BYTES; offset++)
		assert_int_equal(unwind_search(rows, UINT32_MAX, FIRST, UNWIND_PAGE_ROWS, offset),
				 offset + 1);
}

/* As no table has it: the first row repeats the rule in force where the page begins. */
static void before_the_first_row_is_none(void **state)
{
	(void)state;
	make_rows(9, 100, 7);
	check_page(9);
	assert_int_equal(unwind_search(rows, UINT32_MAX, FIRST, 9, 99), 0);
	assert_int_equal(unwind_search(rows, UINT32_MAX, FIRST, 9, 100), 1);
}

/* The page's rows begin in one chunk and end in the next, or end with the first one. */
static void rows_may_go_on_in_the_next_chunk(void **state)
{
	static const uint32_t heres[] = { 1, 2, 3, 36, 68, 69 };
	enum { NR = 70, APART = UNWIND_PAGE_BYTES / NR };
	static struct unwind_chunk chunk, next;

	(void)state;
	make_rows(NR, 0, APART);
	for (size_t i = 0; i < sizeof(heres) / sizeof(*heres); i++) {
		const uint32_t here = heres[i], first = UNWIND_CHUNK_ROWS - here;

		memset(&chunk, 0xff, sizeof(chunk));
		memset(&next, 0xff, sizeof(next));
		memcpy(&chunk.rows[first], &rows[FIRST], here * sizeof(*rows));
		memcpy(next.rows, &rows[FIRST + here], (NR - here) * sizeof(*rows));
		assert_int_equal(unwind_rows_left(3 * UNWIND_CHUNK_ROWS + first), here);
		for (uint32_t offset = 0; offset < UNWIND_PAGE_BYTES; offset++) {
			assert_int_equal(unwind_search_chunks(&chunk, &next,
							      3 * UNWIND_CHUNK_ROWS + first, NR,
							      offset),
					 scan(NR, offset));
			assert_int_equal(unwind_search_chunks(&chunk, NULL, first, here, offset),
					 scan(here, offset));
		}
	}
	assert_int_equal(unwind_rows_left(0), UNWIND_CHUNK_ROWS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_number_of_rows),
		cmocka_unit_test(a_row_for_every_byte),
		cmocka_unit_test(before_the_first_row_is_none),
		cmocka_unit_test(rows_may_go_on_in_the_next_chunk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
