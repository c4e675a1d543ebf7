// SPDX-License-Identifier: BSD-2-Clause
/* Sorts functions by address, and cuts their rows into pages. */
#include "unwind/described.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "base/radix.h"

enum { PADDING_BYTES = 15 }; /* between functions, at most */

/* As compilers write it; where a file has more the arrays grow. */
enum { BYTES_PER_ROW = 5, BYTES_PER_FUNCTION = 40 };

enum { FEW = 64 }; /* functions that are put among sorted ones */

void described__expect(struct described_code *c, size_t bytes)
{
	const size_t nr = bytes / BYTES_PER_ROW;

	if (!pages__reserve(&c->rows, &c->cap_rows, nr < c->max_rows ? nr : c->max_rows))
		(void)!pages__reserve(&c->functions, &c->cap_functions, bytes / BYTES_PER_FUNCTION);
}

static int compare(const void *a, const void *b)
{
	const struct described *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

int described__add_function(struct described_code *c, uint64_t start, uint64_t end)
{
	const size_t nr = c->nr_functions;
	int err = pages__grow(&c->functions, &c->cap_functions, nr + 1);
	struct described *f;

	if (err)
		return err;
	f = &c->functions[c->nr_functions++];
	*f = (struct described){ start, end, c->nr_rows, 0 };
	c->nr_sorted += c->nr_sorted == nr && (!nr || compare(f - 1, f) <= 0);
	return 0;
}

void described__begin_early(struct described_code *c)
{
	c->functions[c->nr_functions - 1].start--;
	/* The one before may begin where it does. */
	if (c->nr_sorted == c->nr_functions)
		c->nr_sorted--;
}

/* Those with the same start, by their ends. */
static void sort_equals(struct described *f, size_t nr)
{
	for (size_t i = 0, end; i < nr; i = end) {
		for (end = i + 1; end < nr && f[end].start == f[i].start; end++)
			;
		if (end - i > 1)
			qsort(&f[i], end - i, sizeof(*f), compare);
	}
}

static int sort_all(struct described_code *c)
{
	struct described *spare = pages__alloc(c->cap_functions * sizeof(*spare));
	struct described *sorted;

	if (!spare)
		return -ENOMEM;
	_Static_assert(!offsetof(struct described, start), "they are sorted by it");
	sorted = radix__sort(c->functions, spare, c->nr_functions, sizeof(*sorted));
	free(sorted == spare ? c->functions : spare);
	c->functions = sorted;
	sort_equals(sorted, c->nr_functions);
	return 0;
}

/* Function @nr, which @nr sorted ones are before. */
static void put_in_place(struct described *f, size_t nr)
{
	const struct described one = f[nr];
	size_t low = 0, high = nr;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (compare(&f[middle], &one) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	memmove(&f[low + 1], &f[low], (nr - low) * sizeof(*f));
	f[low] = one;
}

int described__sort(struct described_code *c)
{
	int err = 0;

	if (c->nr_functions - c->nr_sorted <= FEW) {
		for (size_t i = c->nr_sorted; i < c->nr_functions; i++)
			put_in_place(c->functions, i);
	} else {
		err = sort_all(c);
	}
	if (!err)
		c->nr_sorted = c->nr_functions;
	return err;
}

/* The table while it is written. */
struct table_writer {
	struct unwind_table *t;
	uint32_t nr_pages; /* begun so far */
	uint32_t rule;	   /* in force */
	size_t max_rows;
};

static void put_row(struct table_writer *w, uint32_t offset, uint32_t rule)
{
	w->t->rows[w->t->nr_rows++] = UNWIND_ROW(rule, offset);
	w->rule = rule;
}

/* Begins pages up to @page: with the rule in force, which a row at their first byte replaces. */
static void begin_pages(struct table_writer *w, uint32_t page)
{
	while (w->nr_pages <= page) {
		w->t->pages[w->nr_pages++] = w->t->nr_rows;
		put_row(w, 0, w->rule);
	}
}

static void put(struct table_writer *w, uint64_t addr, uint32_t rule)
{
	const uint64_t at = addr - w->t->base;
	const uint32_t offset = at & (UNWIND_PAGE_BYTES - 1);

	begin_pages(w, at >> UNWIND_PAGE_SHIFT);
	if (!offset)
		w->t->nr_rows--;
	else if (rule == w->rule)
		return;
	put_row(w, offset, rule);
}

/* A function that lies in one page, but for the page's first byte: most do. */
static void put_within(struct table_writer *w, const struct described_row *rows, uint32_t nr,
		       uint64_t at)
{
	const uint32_t offset = at & (UNWIND_PAGE_BYTES - 1);

	begin_pages(w, at >> UNWIND_PAGE_SHIFT);
	for (uint32_t i = 0; i < nr; i++)
		if (rows[i].rule != w->rule)
			put_row(w, offset + rows[i].at, rows[i].rule);
}

/* What lies before @end is another function's. */
static void put_function(struct table_writer *w, const struct described_code *c,
			 const struct described *f, uint64_t end)
{
	const struct described_row *rows = &c->rows[f->first];
	const uint64_t at = f->start - w->t->base;

	if (f->start >= end && at & (UNWIND_PAGE_BYTES - 1) &&
	    at >> UNWIND_PAGE_SHIFT == (f->end - 1 - w->t->base) >> UNWIND_PAGE_SHIFT) {
		put_within(w, rows, f->nr, at);
		return;
	}
	for (uint32_t i = 0; i < f->nr; i++)
		put(w, f->start + rows[i].at < end ? end : f->start + rows[i].at, rows[i].rule);
}

/* Room for all rows and pages; -E2BIG: the code is strewn over too many pages for what it is. */
static int size_table(const struct described_code *c, struct unwind_table *t)
{
	const struct described *all = c->functions;
	uint64_t end = 0, bytes = 0, nr_pages;
	size_t nr_rows;

	t->base = all[0].start & ~(uint64_t)(UNWIND_PAGE_BYTES - 1);
	for (size_t i = 0; i < c->nr_functions; i++) {
		if (all[i].end > end)
			end = all[i].end;
		bytes += all[i].end - all[i].start;
	}
	nr_pages = ((end - t->base) >> UNWIND_PAGE_SHIFT) + 1;
	if (nr_pages > DESCRIBED_PAGES + 16 * (bytes >> UNWIND_PAGE_SHIFT) ||
	    nr_pages > UINT32_MAX / 2)
		return -E2BIG;
	t->nr_pages = nr_pages;
	/* A gap behind each function, and the first row of each page. */
	nr_rows = c->nr_rows + c->nr_functions + nr_pages + 1;
	t->rows = pages__alloc(nr_rows * sizeof(*t->rows));
	t->pages = malloc((nr_pages + 1) * sizeof(*t->pages));
	return t->rows && t->pages ? 0 : -ENOMEM;
}

/* A byte before its code, which may be the end of the function before it. */
static bool begins_early(const struct unwind_rule *r)
{
	return r->cfa == UNWIND_CFA_SIGNAL ||
	       (r->cfa == UNWIND_CFA_STOP && r->reg == UNWIND_NAMED_BY_NEXT);
}

int described__write(const struct described_code *c, const struct unwind_rules *rules,
		     struct unwind_table *t)
{
	struct table_writer w = { .t = t };
	uint64_t end = c->functions[0].start;
	int err = size_table(c, t);

	if (err)
		return err;
	for (size_t i = 0; i < c->nr_functions; i++) {
		const struct described *f = &c->functions[i];
		const bool early = f->nr && begins_early(&rules->all[c->rows[f->first].rule]);

		if (f->start + early < end)
			continue;
		if (f->start > end + PADDING_BYTES)
			put(&w, end, 0);
		put_function(&w, c, f, end);
		end = f->end;
	}
	if (end - t->base < (uint64_t)t->nr_pages << UNWIND_PAGE_SHIFT)
		put(&w, end, 0);
	begin_pages(&w, t->nr_pages - 1);
	t->pages[t->nr_pages] = t->nr_rows;
	return t->nr_rows > c->max_rows ? -E2BIG : 0;
}

void described__free(struct described_code *c)
{
	free(c->functions);
	free(c->rows);
	*c = (struct described_code){};
}
