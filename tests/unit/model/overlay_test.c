// SPDX-License-Identifier: BSD-2-Clause
#include "profiles.h"

#include <errno.h>

#include "model/overlay.h"
#include "model/profile.h"

/* Its second event is the one that counts; the first one is another program's. */
static struct profile *side(uint64_t leaf, uint64_t other, const char *last)
{
	struct profile *p = new_profile();

	add_event(p, "cycles");
	add_event(p, "faults");
	add_row(p, 0, 1, add_stack(p, "csh", "umain", NULL), 1000);
	add_row(p, 1, 1, add_stack(p, "csh", "umain", "uleaf", NULL), leaf);
	add_row(p, 1, 2, add_stack(p, "csh", "umain", "uleaf", NULL), other);
	add_row(p, 1, 1, add_stack(p, "csh", "umain", last, NULL), 7);
	return p;
}

static void lose(struct profile *p, const char *name, uint64_t n)
{
	struct loss loss = { .name = name, .text = name, .n = n };

	p->losses.seen += n;
	assert_int_equal(profile__keep_loss(p, &loss), 0);
	losses__add(&p->losses, &loss);
}

/* Of the row whose innermost frame is called so, whatever is above it. */
static const struct row *row_of(const struct profile *p, const char *name)
{
	const struct row *found = NULL;

	for (size_t i = 0; i < p->nr_rows; i++) {
		const struct stack_node *node = &p->nodes[p->rows[i].key.stack];

		if (!strcmp(strtab__get(p->strings, p->frames[node->frame].name), name)) {
			assert_null(found);
			found = &p->rows[i];
		}
	}
	assert_non_null(found);
	return found;
}

static void samples_of_both_sides(void **state)
{
	struct profile *a = side(10, 5, "uold"), *b = side(2, 1, "unew"), *p;
	const struct profile *const sides[2] = { a, b };
	const struct {
		const char *name;
		uint64_t both, of_b;
	} want[] = { { "leaf", 18, 3 }, { "old", 7, 0 }, { "new", 7, 7 } };

	assert_int_equal(overlay__new(&p, sides, (const uint32_t[2]){ 1, 1 }), 0);
	assert_int_equal(p->nr_events, 1);
	assert_string_equal(p->events[0].name, "faults");
	assert_int_equal(p->nr_rows, ARRAY_SIZE(want));
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		const struct row *row = row_of(p, want[i].name);

		assert_int_equal(row->samples, want[i].both);
		assert_int_equal(row->weight, want[i].of_b);
	}
	profile__free(p);
	profile__free(a);
	profile__free(b);
}

static void a_window_for_each_side(void **state)
{
	struct profile *a = side(10, 5, "uold"), *b = side(2, 1, "unew"), *p;
	const struct profile *const sides[2] = { a, b };
	uint64_t samples[2] = {}, of_b[2] = {};
	const struct windows *w;
	size_t entry = 0;

	lose(a, "stacks_full", 3);
	lose(b, "stacks_full", 4);
	lose(b, "rows_full", 20);
	assert_int_equal(overlay__new(&p, sides, (const uint32_t[2]){ 1, 1 }), 0);
	w = &p->windows;
	assert_int_equal(w->nr, 2);
	for (int i = 0; i < 2; i++)
		for (; entry < w->items[i].end_entries; entry++) {
			samples[i] += w->entries[entry].samples;
			of_b[i] += w->entries[entry].weight;
		}
	assert_int_equal(samples[0], 22);
	assert_int_equal(of_b[0], 0);
	assert_int_equal(samples[1], 10);
	assert_int_equal(of_b[1], 10);
	assert_int_equal(losses__sum(&w->items[0].losses), 3);
	assert_int_equal(losses__sum(&w->items[1].losses), 24);
	assert_int_equal(w->items[0].losses.seen, 1000 + 22 + 3);
	assert_int_equal(w->items[1].losses.seen, 1000 + 10 + 24);
	assert_int_equal(losses__sum(&p->losses), 27);
	profile__free(p);
	profile__free(a);
	profile__free(b);
}

static void an_event_that_is_not_there(void **state)
{
	struct profile *a = side(10, 5, "uold"), *b = side(2, 1, "unew"), *p;
	const struct profile *const sides[2] = { a, b };

	assert_int_equal(overlay__new(&p, sides, (const uint32_t[2]){ 1, 2 }), -EINVAL);
	assert_null(p);
	profile__free(a);
	profile__free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_of_both_sides),
		cmocka_unit_test(a_window_for_each_side),
		cmocka_unit_test(an_event_that_is_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
