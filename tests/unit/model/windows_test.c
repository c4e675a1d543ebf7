// SPDX-License-Identifier: BSD-2-Clause
#include "profiles.h"

#include "model/profile.h"

static void add(struct profile *p, uint32_t node, uint64_t samples)
{
	const struct row_key key = { .stack = node };

	assert_int_equal(profile__add(p, &key, samples, samples * 10, NULL), 0);
	p->losses.kept += samples;
	p->losses.seen += samples;
}

static struct profile *one_event(void)
{
	struct profile *p = profile__new();

	assert_non_null(p);
	add_event(p, "cycles");
	return p;
}

static void close_at(struct profile *p, uint64_t ns)
{
	assert_int_equal(profile__close_window(p, ns), 0);
}

static void has_entry(const struct profile *p, size_t i, uint32_t row, uint64_t samples)
{
	assert_true(i < p->windows.nr_entries);
	assert_int_equal(p->windows.entries[i].row, row);
	assert_int_equal(p->windows.entries[i].samples, samples);
	assert_int_equal(p->windows.entries[i].weight, samples * 10);
}

/* Two rows, three windows; in the second one nothing happens. */
static struct profile *three_windows(void)
{
	struct profile *p = one_event();
	uint32_t a = add_stack(p, "csh", "ua", NULL), b = add_stack(p, "csh", "ub", NULL);

	add(p, a, 3);
	p->events[0].enabled_ns = 100;
	p->own_ns = 7;
	close_at(p, 1000);
	close_at(p, 2000);
	add(p, a, 1);
	add(p, b, 5);
	p->events[0].enabled_ns = 250;
	p->own_ns = 9;
	close_at(p, 3500);
	return p;
}

static void a_window_has_what_came_since_the_one_before(void **state)
{
	struct profile *p = three_windows();
	const struct windows *w = &p->windows;

	assert_int_equal(w->nr, 3);
	assert_int_equal(w->nr_entries, 3);
	has_entry(p, 0, 0, 3);
	has_entry(p, 1, 0, 1);
	has_entry(p, 2, 1, 5);
	assert_int_equal(windows__first(w, 0), 0);
	assert_int_equal(w->items[0].end_entries, 1);
	assert_int_equal(w->items[1].end_entries, 1);
	assert_int_equal(windows__first(w, 2), 1);
	assert_int_equal(w->items[2].end_entries, 3);
	profile__free(p);
}

static void windows_follow_one_another(void **state)
{
	struct profile *p = three_windows();
	const struct window *w = p->windows.items;

	assert_int_equal(w[0].begin_ns, 0);
	assert_int_equal(w[0].end_ns, 1000);
	assert_int_equal(w[1].begin_ns, 1000);
	assert_int_equal(w[2].begin_ns, 2000);
	assert_int_equal(w[2].end_ns, 3500);
	profile__free(p);
}

static void times_and_losses_are_those_of_the_window(void **state)
{
	struct profile *p = one_event();
	const struct loss full = { "full", "no room", NULL, false, 2 };
	const struct windows *w = &p->windows;

	add(p, add_stack(p, "csh", "ua", NULL), 3);
	losses__add(&p->losses, &full);
	p->losses.seen += 2;
	p->events[0].enabled_ns = 100;
	p->events[0].passed_over = 4;
	p->own_ns = 7;
	close_at(p, 10);
	add(p, add_stack(p, "csh", "ua", NULL), 1);
	p->events[0].enabled_ns = 250;
	p->own_ns = 9;
	close_at(p, 20);

	assert_int_equal(w->times[0].enabled_ns, 100);
	assert_int_equal(w->times[0].passed_over, 4);
	assert_int_equal(w->times[1].enabled_ns, 150);
	assert_int_equal(w->times[1].passed_over, 0);
	assert_int_equal(w->items[0].own_ns, 7);
	assert_int_equal(w->items[1].own_ns, 2);
	assert_int_equal(w->items[0].losses.kept, 3);
	assert_int_equal(w->items[0].losses.nr, 1);
	assert_int_equal(w->items[0].losses.by[0].n, 2);
	assert_int_equal(w->items[1].losses.kept, 1);
	assert_int_equal(w->items[1].losses.nr, 0);
	assert_int_equal(w->items[1].losses.seen, 1);
	profile__free(p);
}

static const char *settled(void *arg, uint32_t late)
{
	return "one";
}

static uint32_t late_stack(struct profile *p, uint32_t comm, uint32_t late)
{
	struct frame f = { .kind = FRAME_JIT, .late = late };
	uint32_t frame, node;

	assert_int_equal(profile__string(p, "0x1", 3, &f.name), 0);
	assert_int_equal(profile__frame(p, &f, &frame), 0);
	assert_int_equal(profile__child(p, comm, frame, &node), 0);
	return node;
}

/* Rows 0 and 1 become one, row 2 becomes row 1; and windows go on. */
static void late_names_join_rows_in_windows_too(void **state)
{
	struct profile *p = one_event();
	uint32_t sh = add_stack(p, "csh", NULL), other;

	add(p, late_stack(p, sh, 1), 1);
	add(p, late_stack(p, sh, 2), 2);
	other = add_stack(p, "csh", "ub", NULL);
	add(p, other, 4);
	close_at(p, 10);
	assert_int_equal(profile__grow_late(p, 0, 2, 16, 160), 0);
	assert_int_equal(profile__settle(p, settled, NULL), 0);
	assert_int_equal(p->nr_rows, 2);
	add(p, p->rows[1].key.stack, 8);
	close_at(p, 20);
	assert_int_equal(windows__settle(&p->windows), 0);
	assert_int_equal(p->windows.nr_entries, 5);
	has_entry(p, 0, 0, 1);
	has_entry(p, 1, 0, 2);
	has_entry(p, 2, 1, 4);
	has_entry(p, 3, 1, 16);
	has_entry(p, 4, 1, 8);
	profile__free(p);
}

static bool wants_second(void *arg, const struct profile *p, const struct row *row)
{
	return row == &p->rows[1] || row->samples == 5;
}

static void a_selection_has_windows_of_its_rows(void **state)
{
	struct profile *p = three_windows(), *some = profile__like(p);

	assert_non_null(some);
	assert_int_equal(profile__merge_some(some, p, wants_second, NULL), 0);
	assert_int_equal(some->windows.nr, 3);
	assert_int_equal(some->windows.nr_entries, 1);
	has_entry(some, 0, 0, 5);
	assert_int_equal(some->windows.items[1].end_entries, 0);
	assert_int_equal(some->windows.items[2].end_entries, 1);
	assert_int_equal(some->windows.times[2].enabled_ns, 150);
	profile__free(p);
	profile__free(some);
}

static void runs_added_up_have_no_windows(void **state)
{
	struct profile *p = three_windows(), *q = three_windows(), *sum = profile__like(p);

	assert_non_null(sum);
	assert_int_equal(profile__merge(sum, p), 0);
	assert_int_equal(sum->windows.nr, 3);
	assert_int_equal(profile__merge(sum, q), 0);
	assert_int_equal(sum->windows.nr, 0);
	profile__free(p);
	profile__free(q);
	profile__free(sum);
}

/* Of three windows one sample of each row comes late, into the first and the second one. */
static void what_is_late_is_put_where_it_was_sampled(void **state)
{
	struct profile *p = three_windows();
	const struct windows *w = &p->windows;
	uint32_t window;

	assert_true(windows__at(w, 999, &window));
	assert_int_equal(window, 0);
	assert_true(windows__at(w, 1000, &window));
	assert_int_equal(window, 1);
	assert_int_equal(profile__grow_late(p, window, 1, 2, 20), 0);
	assert_int_equal(profile__grow_late(p, 0, 1, 4, 40), 0);
	p->losses.kept += 6;
	p->losses.seen += 6;
	assert_true(windows__at(w, 3499, &window));
	assert_int_equal(window, 2);
	assert_false(windows__at(w, 3500, &window));
	add(p, p->rows[0].key.stack, 1);
	close_at(p, 4000);
	assert_int_equal(windows__settle(&p->windows), 0);

	assert_int_equal(w->nr_entries, 6);
	has_entry(p, 0, 0, 3);
	has_entry(p, 1, 1, 4);
	has_entry(p, 2, 1, 2);
	has_entry(p, 3, 0, 1);
	has_entry(p, 4, 1, 5);
	has_entry(p, 5, 0, 1);
	assert_int_equal(w->items[0].end_entries, 2);
	assert_int_equal(w->items[1].end_entries, 3);
	assert_int_equal(w->items[2].end_entries, 5);
	assert_int_equal(w->items[0].losses.kept, 7);
	assert_int_equal(w->items[1].losses.kept, 2);
	assert_int_equal(w->items[3].losses.kept, 1);
	assert_int_equal(p->rows[1].samples, 11);
	assert_int_equal(p->events[0].samples, 16);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_window_has_what_came_since_the_one_before),
		cmocka_unit_test(windows_follow_one_another),
		cmocka_unit_test(times_and_losses_are_those_of_the_window),
		cmocka_unit_test(late_names_join_rows_in_windows_too),
		cmocka_unit_test(a_selection_has_windows_of_its_rows),
		cmocka_unit_test(runs_added_up_have_no_windows),
		cmocka_unit_test(what_is_late_is_put_where_it_was_sampled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
