// SPDX-License-Identifier: BSD-2-Clause
/* Which tables are one, which give way, and that what programs may still read stays as it was. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "collect/unwind_tables.h"

enum { ROWS = 10, PAGES = 8 };

struct room {
	struct unwind_maps maps;
	struct unwind_tables tables;
	uint32_t rows[ROWS];
	uint64_t pages[PAGES];
	int nr_graces;
	uint32_t rows_at_grace[ROWS];
};

static struct room *room;

int __wrap_grace__wait(void);
int __wrap_grace__wait(void)
{
	room->nr_graces++;
	memcpy(room->rows_at_grace, room->rows, sizeof(room->rows));
	return 0;
}

static int set_up(void **state)
{
	room = calloc(1, sizeof(*room));
	room->maps.rows = (struct unwind_map){ room->rows, sizeof(room->rows), 1 };
	room->maps.pages = (struct unwind_map){ room->pages, sizeof(room->pages), PAGES };
	if (extents__init(&room->maps.free_rows, ROWS) ||
	    extents__init(&room->maps.free_pages, PAGES))
		return -1;
	unwind_tables__init(&room->tables, &room->maps);
	*state = room;
	return 0;
}

/* As if nothing had been put there yet. */
static void tear_down_tables(struct room *r)
{
	unwind_tables__end(&r->tables);
	unwind_tables__init(&r->tables, &r->maps);
	extents__end(&r->maps.free_rows);
	extents__end(&r->maps.free_pages);
	r->maps.nr_old_rows = 0;
	r->maps.nr_old_pages = 0;
}

static int tear_down(void **state)
{
	struct room *r = *state;

	tear_down_tables(r);
	free(r->maps.old_rows);
	free(r->maps.old_pages);
	free(r);
	return 0;
}

/* One page of @nr rows with rule @rule. */
static int put(struct room *r, uint32_t nr, uint32_t rule, uint32_t nr_users, struct table_ref *out)
{
	uint32_t rows[ROWS + 1], pages[] = { 0, nr };
	const struct unwind_table t = {
		.segments = { { 0x1000, 0x401000, 0x2000 } },
		.nr_segments = 1,
		.base = 0x400000,
		.rows = rows,
		.pages = pages,
		.nr_rows = nr,
		.nr_pages = 1,
	};

	for (uint32_t i = 0; i < nr; i++)
		rows[i] = UNWIND_ROW(rule, i);
	return unwind_tables__put(&r->tables, &t, nr_users, out);
}

static bool is_there(const struct room *r, const struct table_ref *ref)
{
	return unwind_tables__get(&r->tables, ref) != NULL;
}

/*
 * Two files with the same contents: a copy, or one that is known by its build-id and by its inode.
 */
static void the_same_contents_are_there_once(void **state)
{
	struct room *r = *state;
	struct table_ref a, b, c;

	assert_int_equal(put(r, 6, 1, 1, &a), 0);
	assert_int_equal(put(r, 6, 1, 1, &b), 0);
	assert_int_equal(a.place, b.place);
	assert_int_equal(a.life, b.life);
	assert_int_equal(r->tables.nr_shared, 1);
	assert_int_equal(r->maps.free_rows.nr_free, 4);

	/* In use by one file or the other: there is no room for a third. */
	unwind_tables__leave(&r->tables, &a);
	assert_int_equal(put(r, 6, 2, 1, &c), -ENOSPC);
	unwind_tables__leave(&r->tables, &b);
	assert_int_equal(put(r, 6, 2, 1, &c), 0);
	assert_false(is_there(r, &a));
}

/*
 * As large, at the same addresses, but with other rules; or with the same ones elsewhere in the
 * file.
 */
static void other_contents_are_another_table(void **state)
{
	struct room *r = *state;
	struct table_ref a, b, c;
	uint32_t rows[] = { UNWIND_ROW(1, 0), UNWIND_ROW(1, 1) }, pages[] = { 0, 2 };
	struct unwind_table t = {
		.segments = { { 0x1000, 0x401000, 0x2000 } },
		.nr_segments = 1,
		.base = 0x400000,
		.rows = rows,
		.pages = pages,
		.nr_rows = 2,
		.nr_pages = 1,
	};

	assert_int_equal(put(r, 2, 1, 1, &a), 0);
	assert_int_equal(put(r, 2, 2, 1, &b), 0);
	assert_int_not_equal(a.place, b.place);
	t.segments[0].offset = 0x2000;
	assert_int_equal(unwind_tables__put(&r->tables, &t, 1, &c), 0);
	assert_int_not_equal(c.place, a.place);
	t.segments[0].offset = 0x1000;
	t.base = 0x402000;
	assert_int_equal(unwind_tables__put(&r->tables, &t, 1, &c), 0);
	assert_int_not_equal(c.place, a.place);
	assert_int_equal(r->tables.nr_shared, 0);
	t.base = 0x400000;
	assert_int_equal(unwind_tables__put(&r->tables, &t, 1, &c), 0);
	assert_int_equal(c.place, a.place);
}

/* The one that was left first; no more of them than are needed; none that is in use. */
static void the_one_left_first_gives_way(void **state)
{
	struct room *r = *state;
	struct table_ref first, second, used, next;

	assert_int_equal(put(r, 3, 1, 1, &first), 0);
	assert_int_equal(put(r, 3, 2, 1, &second), 0);
	assert_int_equal(put(r, 4, 3, 1, &used), 0);
	unwind_tables__leave(&r->tables, &second);
	unwind_tables__leave(&r->tables, &first);
	unwind_tables__use(&r->tables, &second); /* used again: it was left last then */
	unwind_tables__leave(&r->tables, &second);
	assert_int_equal(put(r, 3, 4, 1, &next), 0);
	assert_false(is_there(r, &first));
	assert_true(is_there(r, &second));
	assert_true(is_there(r, &used));
	assert_int_equal(r->tables.nr_evicted, 1);
	assert_int_equal(put(r, 3, 5, 1, &next), 0);
	assert_false(is_there(r, &second));
	assert_int_equal(put(r, 3, 6, 1, &next), -ENOSPC);
	assert_true(is_there(r, &used));
}

/* What can have no room at all takes nothing from others. */
static void what_does_not_fit_leaves_the_others(void **state)
{
	struct room *r = *state;
	struct table_ref idle, used, large;

	assert_int_equal(put(r, 4, 2, 1, &used), 0);
	assert_int_equal(put(r, 4, 1, 0, &idle), 0);
	assert_false(unwind_tables__has_room(&r->tables, 7, 1));
	assert_int_equal(put(r, 7, 3, 1, &large), -ENOSPC);
	assert_true(is_there(r, &idle));
	assert_true(unwind_tables__has_room(&r->tables, 6, 1));
	assert_int_equal(put(r, 6, 3, 1, &large), 0);
	assert_false(is_there(r, &idle));
}

/*
 * Enough is free for a page, but in two pieces: what lies between them gives way, if it is out of
 * use.
 */
static void pieces_become_one(void **state)
{
	struct room *r = *state;
	struct table_ref a, b, c, large;

	assert_int_equal(put(r, 3, 1, 1, &a), 0);
	assert_int_equal(put(r, 4, 2, 1, &b), 0);
	assert_int_equal(put(r, 3, 3, 1, &c), 0);
	unwind_tables__leave(&r->tables, &a);
	unwind_tables__leave(&r->tables, &c);
	assert_int_equal(put(r, 6, 4, 1, &large), -ENOSPC);
	assert_true(is_there(r, &b));
	unwind_tables__leave(&r->tables, &b);
	assert_int_equal(put(r, 6, 4, 1, &large), 0);
	assert_false(is_there(r, &b));
}

/* Three pages of two rows each. */
struct three_pages {
	uint32_t rows[6], pages[4];
	struct unwind_table table;
};

static void make_three_pages(struct three_pages *t)
{
	*t = (struct three_pages){
		.pages = { 0, 2, 4, 6 },
		.table = { .segments = { { 0x1000, 0x401000, 0x6000 } },
			   .nr_segments = 1,
			   .base = 0x400000,
			   .rows = t->rows,
			   .pages = t->pages,
			   .nr_rows = 6,
			   .nr_pages = 3 },
	};
	for (uint32_t i = 0; i < 6; i++)
		t->rows[i] = UNWIND_ROW(9 + i / 2, i % 2);
}

/* They are where @ref says; a page's first row is given by @firsts. */
static void check_three_pages(const struct room *r, const struct table_ref *ref,
			      const struct three_pages *t, uint32_t *firsts)
{
	const struct shared_table *s = unwind_tables__get(&r->tables, ref);

	assert_int_equal(s->where.nr_rows, 6);
	for (uint32_t i = 0; i < 3; i++) {
		const uint64_t page = r->pages[s->where.pages.first + i];

		firsts[i] = UNWIND_PAGE_FIRST(page);
		assert_int_equal(UNWIND_PAGE_NR(page), 2);
		assert_int_equal(r->rows[firsts[i]], UNWIND_ROW(9 + i, 0));
		assert_int_equal(r->rows[firsts[i] + 1], UNWIND_ROW(9 + i, 1));
	}
	assert_true(unwind_maps__has(&r->maps, &s->where, t->rows, t->pages, 3));
}

/* A table of several pages takes the holes that there are: each page is in one of them. */
static void pages_may_lie_apart(void **state)
{
	struct room *r = *state;
	struct table_ref a, b, c, large;
	struct three_pages t;
	uint32_t firsts[3];

	make_three_pages(&t);
	assert_int_equal(put(r, 3, 1, 1, &a), 0);
	assert_int_equal(put(r, 2, 2, 1, &b), 0);
	assert_int_equal(put(r, 5, 3, 1, &c), 0);
	unwind_tables__leave(&r->tables, &a); /* holes of 3 and 5: pages of 2 do not fill them */
	unwind_tables__leave(&r->tables, &c);
	assert_int_equal(unwind_tables__put(&r->tables, &t.table, 1, &large), 0);
	assert_true(is_there(r, &b));
	check_three_pages(r, &large, &t, firsts);
	for (uint32_t i = 0; i < 3; i++)
		assert_true(firsts[i] + 2 <= 3 || firsts[i] >= 5); /* not where b's are */
	t.rows[5] = UNWIND_ROW(8, 1);
	assert_false(unwind_maps__has(&r->maps, &unwind_tables__get(&r->tables, &large)->where,
				      t.rows, t.pages, 3));

	/* All of it comes back. */
	unwind_tables__leave(&r->tables, &large);
	unwind_tables__leave(&r->tables, &b);
	assert_int_equal(put(r, 10, 4, 1, &a), 0);
}

/* A file whose code has @pages pages, all but the first and the last one with @rows rows. */
struct shape {
	uint32_t first, rows, last, pages;
};

static int put_shape(struct room *r, const struct shape *s, uint32_t rule, struct table_ref *out)
{
	const uint32_t nr = s->first + s->rows * (s->pages - 2) + s->last;
	uint32_t *rows = calloc(nr, sizeof(*rows)), *pages = calloc(s->pages + 1, sizeof(*pages));
	const struct unwind_table t = {
		.nr_segments = 1,
		.rows = rows,
		.pages = pages,
		.nr_rows = nr,
		.nr_pages = s->pages,
	};
	int err;

	for (uint32_t i = 1; i < s->pages; i++)
		pages[i] = s->first + s->rows * (i - 1);
	pages[s->pages] = nr;
	rows[0] = UNWIND_ROW(rule, 0);
	err = unwind_tables__put(&r->tables, &t, 1, out);
	free(rows);
	free(pages);
	return err;
}

/* Takes the @n-th of @nr things off their list, which has as many orders as @n may be. */
static uint32_t pick(uint32_t *list, uint32_t *nr, uint32_t *n)
{
	const uint32_t i = *n % *nr, found = list[i];

	*n /= *nr;
	memmove(&list[i], &list[i + 1], (--*nr - i) * sizeof(*list));
	return found;
}

/*
 * Pages whose rows fill more than half of one of programs' chunks do not keep others from finding
 * room, whichever table came first.
 */
static void what_fits_fits_in_any_order(void **state)
{
	enum { FILES = 5, ORDERS = 120, LARGE = 11 * UNWIND_CHUNK_ROWS, LARGE_PAGES = 256 };
	static const struct shape shapes[FILES] = {
		{ 3423, 8192, 4218, 4 }, { 2571, 6144, 3022, 5 }, { 265, 167, 100, 140 },
		{ 45, 110, 9, 20 },	 { 247, 239, 105, 10 },
	};
	static const struct shape next = { 2060, 4916, 2304, 6 };
	struct room *r = *state;
	uint32_t *rows = calloc(LARGE, sizeof(*rows));
	uint64_t *pages = calloc(LARGE_PAGES, sizeof(*pages));

	r->maps.rows = (struct unwind_map){ rows, LARGE * sizeof(*rows), 11 };
	r->maps.pages = (struct unwind_map){ pages, LARGE_PAGES * sizeof(*pages), LARGE_PAGES };
	for (uint32_t order = 0; order < ORDERS; order++) {
		uint32_t list[FILES] = { 0, 1, 2, 3, 4 }, nr = FILES, n = order;
		struct table_ref refs[FILES], another;

		tear_down_tables(r);
		assert_int_equal(extents__init(&r->maps.free_rows, LARGE), 0);
		assert_int_equal(extents__init(&r->maps.free_pages, LARGE_PAGES), 0);
		while (nr) {
			const uint32_t i = pick(list, &nr, &n);

			assert_int_equal(put_shape(r, &shapes[i], i + 1, &refs[i]), 0);
		}
		unwind_tables__leave(&r->tables, &refs[1]);
		assert_int_equal(put_shape(r, &next, FILES + 1, &another), 0);
	}
	free(rows);
	free(pages);
}

/* Rows that a program may be reading are written over after a grace period only. */
static void rows_are_used_again_after_a_grace_period(void **state)
{
	struct room *r = *state;
	uint32_t before[ROWS];
	struct table_ref a, b;

	assert_int_equal(put(r, 10, 1, 1, &a), 0);
	assert_int_equal(r->nr_graces, 0);
	unwind_tables__leave(&r->tables, &a);
	memcpy(before, r->rows, sizeof(before));
	assert_int_equal(put(r, 10, 2, 1, &b), 0);
	assert_int_equal(r->nr_graces, 1);
	assert_memory_equal(before, r->rows_at_grace, sizeof(before));
	assert_memory_not_equal(before, r->rows, sizeof(before));
}

/* Its place is another table's now: the file that had it learns that. */
static void a_place_that_is_used_again_is_not_the_old_table(void **state)
{
	struct room *r = *state;
	struct table_ref a, b;

	assert_int_equal(put(r, 8, 1, 0, &a), 0);
	assert_int_equal(put(r, 8, 2, 1, &b), 0);
	assert_int_equal(a.place, b.place);
	assert_null(unwind_tables__get(&r->tables, &a));
	unwind_tables__use(&r->tables, &a);
	unwind_tables__leave(&r->tables, &a);
	assert_int_equal(unwind_tables__get(&r->tables, &b)->nr_users, 1);
	assert_null(unwind_tables__get(&r->tables, &(struct table_ref){}));
}

/* Many small tables: pages are short before rows are. */
static void pages_may_be_short_too(void **state)
{
	struct room *r = *state;
	struct table_ref refs[PAGES + 1];

	for (uint32_t i = 0; i < PAGES; i++)
		assert_int_equal(put(r, 1, i + 1, i > 0, &refs[i]), 0);
	assert_int_equal(put(r, 1, PAGES + 1, 1, &refs[PAGES]), 0);
	assert_false(is_there(r, &refs[0]));
	assert_int_equal(put(r, 1, PAGES + 2, 1, &refs[0]), -ENOSPC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_same_contents_are_there_once, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(other_contents_are_another_table, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(the_one_left_first_gives_way, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_does_not_fit_leaves_the_others, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(pieces_become_one, set_up, tear_down),
		cmocka_unit_test_setup_teardown(pages_may_lie_apart, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_fits_fits_in_any_order, set_up, tear_down),
		cmocka_unit_test_setup_teardown(rows_are_used_again_after_a_grace_period, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_place_that_is_used_again_is_not_the_old_table,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(pages_may_be_short_too, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
