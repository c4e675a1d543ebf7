// SPDX-License-Identifier: BSD-2-Clause
/* Copies of stacks, as programs leave them in their rings: each is one row, sooner or later. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "collect/unwind_copies.h"
#include "sym/mapped.h"

enum {
	PAGE = UNWIND_COPY_PAGE_BYTES,
	PLACES = 2,
	COPIES = 3, /* of a place */
	PAGES = 8,
	CODE = 0x400000,
	FRAMES_MAX = 500,
	ROWS_MAX = 64,
};

static const uint64_t STACK = 0x7fff00000ff0;
static const uint64_t NOW = 1000000000000;
static const uint64_t SECOND = 1000000000;

/* A function has 16 bytes of stack, the return address above the others; nobody calls main(). */
static const struct unwind_rule rules[] = {
	{ .cfa = UNWIND_CFA_NONE },
	{ .cfa = UNWIND_CFA_SP, .cfa_off = 16, .ra = UNWIND_SAVED_AT_CFA, .ra_off = -8 },
	{ .cfa = UNWIND_CFA_STOP },
};
enum { FUNCTION = CODE + 0x10, MAIN = CODE + 0x810, FRAME_WORDS = 2 };

struct fixture {
	struct unwind_maps maps;
	struct mapped_files *files;
	struct procs *procs;
	struct unwind_copies copies;
	struct rows_reader reader;
	bool is_complete; /* tables are there */
	struct unwind_mapping mapping;
	uint32_t nr_asked;
	uint32_t written[PLACES], pages[PLACES]; /* what programs count */
	size_t nr_rows, nr_frames[ROWS_MAX];
	uint64_t weights[ROWS_MAX], last[ROWS_MAX];
	uint16_t flaws[ROWS_MAX];
};

static int space_of(void *arg, const struct proc *proc, struct copied_space *out)
{
	struct fixture *f = arg;

	assert_non_null(proc);
	f->nr_asked++;
	*out = (struct copied_space){ &f->mapping, 1, f->is_complete };
	return 0;
}

static int take_stack(void *arg, const struct sample_stack *s, uint32_t *handle)
{
	struct fixture *f = arg;

	assert_in_range(f->nr_rows, 0, ROWS_MAX - 1);
	f->nr_frames[f->nr_rows] = s->key->stack.nr_user;
	f->last[f->nr_rows] = s->user[s->key->stack.nr_user - 1];
	f->flaws[f->nr_rows] = s->key->stack.flaws;
	*handle = f->nr_rows++;
	return 0;
}

static int take_count(void *arg, const struct sample_stack *s, uint32_t handle, uint64_t samples,
		      uint64_t weight, const struct table_value *values)
{
	struct fixture *f = arg;

	assert_int_equal(samples, 1);
	f->weights[handle] = weight;
	return 0;
}

static struct unwind_map memory(uint32_t nr, size_t bytes)
{
	return (struct unwind_map){ calloc(nr, bytes), nr * bytes, nr };
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	uint32_t *rows;
	uint64_t *pages;

	f->maps.rows = memory(1, sizeof(struct unwind_chunk));
	f->maps.pages = memory(1, sizeof(uint64_t));
	f->maps.rules = memory(ARRAY_SIZE(rules), sizeof(struct unwind_rule));
	f->maps.copies = memory(PLACES * COPIES, sizeof(struct unwind_copy));
	f->maps.stacks = memory(PLACES * PAGES, sizeof(struct unwind_copied_page));
	f->maps.taken = memory(PLACES, sizeof(uint64_t));
	f->maps.code_mask = UINT64_MAX;
	memcpy(f->maps.rules.at, rules, sizeof(rules));
	rows = f->maps.rows.at;
	rows[0] = UNWIND_ROW(1, 0);
	rows[1] = UNWIND_ROW(2, 0x800);
	pages = f->maps.pages.at;
	pages[0] = UNWIND_PAGE(0, 2);
	f->mapping = (struct unwind_mapping){
		.start = CODE, .end = CODE + 0x1000, .bias = CODE, .nr_pages = 1
	};
	f->files = mapped_files__new("/nonexistent");
	f->procs = procs__new("/nonexistent", f->files);
	f->reader = (struct rows_reader){ NULL, take_stack, take_count, f };
	f->is_complete = true;
	*state = f;
	return unwind_copies__init(&f->copies, &(struct unwind_copies){ .maps = &f->maps,
									.procs = f->procs,
									.max_frames = FRAMES_MAX,
									.space = space_of,
									.arg = f });
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	unwind_copies__end(&f->copies);
	assert_int_equal(f->copies.pages.nr, 0);
	procs__free(f->procs);
	mapped_files__free(f->files);
	free(f->maps.rows.at);
	free(f->maps.pages.at);
	free(f->maps.rules.at);
	free(f->maps.copies.at);
	free(f->maps.stacks.at);
	free(f->maps.taken.at);
	free(f);
	return 0;
}

/* As programs do it: @frames of them, and an eighth word of the key's to know it by. */
static void write_copy(struct fixture *f, uint32_t place, size_t frames, uint64_t first_ns,
		       uint64_t weight)
{
	struct unwind_copy *c = f->maps.copies.at;
	struct unwind_copied_page *ring = f->maps.stacks.at;
	const uint64_t *taken = f->maps.taken.at;
	const size_t nr_words = frames * FRAME_WORDS;
	uint64_t *words = calloc(nr_words, sizeof(*words));
	struct sample_key key = { .tgid = 77 };
	const uint64_t end = STACK + nr_words * sizeof(*words);
	uint64_t at = STACK;

	c += place * COPIES + f->written[place]++ % COPIES;
	ring += (size_t)place * PAGES;
	assert_int_equal(c->state, UNWIND_COPY_FREE);
	for (size_t i = 1; i < nr_words; i += FRAME_WORDS)
		words[i] = i + FRAME_WORDS < nr_words ? FUNCTION : MAIN;
	c->first_page = f->pages[place];
	while (at < end) {
		struct unwind_copied_page *page = &ring[f->pages[place] % PAGES];
		const size_t room = PAGE - at % PAGE, left = end - at;

		assert_true(f->pages[place]++ - taken[place] < PAGES);
		page->from = at;
		memset(page->bytes, 0x55, PAGE);
		memcpy(page->bytes, (char *)words + (at - STACK), left < room ? left : room);
		at += room;
	}
	c->from = STACK;
	c->nr_pages = f->pages[place] - c->first_page;
	c->first_ns = first_ns;
	c->period = weight;
	c->regs[UNWIND_REG_IP] = FUNCTION;
	c->regs[UNWIND_REG_SP] = STACK;
	c->nr_words = SAMPLE_KEY_WORDS;
	memcpy(c->words, &key, sizeof(key));
	c->state = UNWIND_COPY_TO_UNWIND;
	free(words);
}

static bool take(struct fixture *f, uint64_t now_ns, bool last)
{
	bool waits = false;

	assert_int_equal(unwind_copies__take(&f->copies, now_ns, last, &f->reader, &waits), 0);
	return waits;
}

/* All is room again for programs. */
static void is_fetched(const struct fixture *f)
{
	const struct unwind_copy *copies = f->maps.copies.at;
	const uint64_t *taken = f->maps.taken.at;

	for (size_t i = 0; i < PLACES * COPIES; i++)
		assert_int_equal(copies[i].state, UNWIND_COPY_FREE);
	for (size_t i = 0; i < PLACES; i++)
		assert_int_equal(taken[i], f->pages[i]);
}

/* Stacks of one to three pages go around the rings of two places. */
static void each_is_a_row(void **state)
{
	struct fixture *f = *state;
	size_t nr = 0;

	for (size_t round = 0; round < 10; round++) {
		for (uint32_t place = 0; place < PLACES; place++) {
			write_copy(f, place, 1, NOW, 1000 + nr++);
			write_copy(f, place, 300 + round + place, NOW, 1000 + nr++);
		}
		assert_false(take(f, NOW + SECOND, false));
		is_fetched(f);
		assert_int_equal(f->nr_rows, nr);
		for (size_t i = 0; i < 2 * PLACES; i++) {
			const size_t row = nr - 2 * PLACES + i;
			const size_t deep = 300 + round + i / 2;

			assert_int_equal(f->nr_frames[row], i % 2 ? deep + 1 : 2);
			assert_int_equal(f->last[row], MAIN);
			assert_int_equal(f->flaws[row], 0);
			assert_int_equal(f->weights[row], 1000 + row);
		}
	}
	assert_int_equal(f->maps.nr_taken, nr);
}

/* They wait elsewhere, and stay as they were copied, whatever comes after them. */
static void they_wait_for_tables(void **state)
{
	struct fixture *f = *state;

	f->is_complete = false;
	for (size_t i = 0; i < 20; i++) {
		write_copy(f, i % 2, 10 + i, NOW + i, i);
		assert_true(take(f, NOW + SECOND, false));
		is_fetched(f);
	}
	assert_int_equal(f->nr_rows, 0);
	assert_int_equal(unwind_copies__since_ns(&f->copies), NOW);
	/* Of one process: one of them is asked about at each poll. */
	assert_int_equal(f->nr_asked, 20);
	f->is_complete = true;
	assert_false(take(f, NOW + 2 * SECOND, false));
	assert_int_equal(f->nr_rows, 20);
	for (size_t i = 0; i < 20; i++) {
		assert_int_equal(f->nr_frames[i], 11 + i);
		assert_int_equal(f->last[i], MAIN);
		assert_int_equal(f->weights[i], i);
	}
	assert_int_equal(unwind_copies__since_ns(&f->copies), UINT64_MAX);
}

static void not_for_ever(void **state)
{
	struct fixture *f = *state;

	f->is_complete = false;
	write_copy(f, 0, 5, NOW, 1);
	assert_true(take(f, NOW + 3 * SECOND - 1, false));
	assert_int_equal(f->nr_rows, 0);
	assert_false(take(f, NOW + 3 * SECOND, false));
	assert_int_equal(f->nr_rows, 1);
	write_copy(f, 0, 5, NOW, 1);
	assert_true(take(f, NOW + 1, false)); /* what its process did may come yet */
	assert_int_equal(f->nr_rows, 1);
	assert_false(take(f, NOW + 1, true));
	assert_int_equal(f->nr_rows, 2);
}

/* Stacks that have nothing in common, of a process whose tables do not come: 64 MB of them. */
static void nor_without_end(void **state)
{
	struct fixture *f = *state;
	size_t nr = 0;

	f->is_complete = false;
	while (!f->nr_rows) {
		assert_in_range(nr, 0, (64 << 20) / PAGE);
		f->pages[0] = 0;
		write_copy(f, 0, 400, NOW, nr);
		for (size_t i = 0; i < PAGES; i++)
			memcpy(((struct unwind_copied_page *)f->maps.stacks.at)[i].bytes, &nr,
			       sizeof(nr));
		take(f, NOW + SECOND, false);
		*(uint64_t *)f->maps.taken.at = f->pages[0] = 0;
		nr++;
	}
	assert_in_range(nr * 3, (60 << 20) / PAGE, (64 << 20) / PAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_is_a_row, setup, teardown),
		cmocka_unit_test_setup_teardown(they_wait_for_tables, setup, teardown),
		cmocka_unit_test_setup_teardown(not_for_ever, setup, teardown),
		cmocka_unit_test_setup_teardown(nor_without_end, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
