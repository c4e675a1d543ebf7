// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/members.h"

static const uint64_t SECOND = 1000000000;

/* Whose time in the next interval is so much; id 0 ends the list. */
struct used {
	uint64_t id, time;
	bool exited;
};

static struct used used(uint64_t id, uint64_t time)
{
	return (struct used){ .id = id, .time = time };
}

static struct used ended(uint64_t id, uint64_t time)
{
	return (struct used){ .id = id, .time = time, .exited = true };
}

static void add(struct members *m, const struct used *used, uint64_t now_s, uint64_t interval_s)
{
	struct live_row items[16] = {};
	struct live_rows rows = { .items = items };

	for (; used->id; used++)
		items[rows.nr++] = (struct live_row){ .id = used->id,
						      .values = { used->time, 1 },
						      .exited = used->exited };
	assert_int_equal(members__add(m, &rows, now_s * SECOND, interval_s * SECOND), 0);
}

static uint64_t time_of(const struct members *m, uint64_t id)
{
	const size_t i = members__find(m, id);

	return i == MEMBERS_NOBODY ? 0 : m->items[i].values[LIVE_TIME];
}

static uint64_t since_of(const struct members *m, uint64_t id)
{
	const size_t i = members__find(m, id);

	return i == MEMBERS_NOBODY ? 0 : m->items[i].since_ns;
}

static bool is_member(const struct members *m, uint64_t id)
{
	return members__find(m, id) != MEMBERS_NOBODY;
}

/* Of the first interval those that use most, in whichever order they come. */
static void the_largest_are_members(void **state)
{
	struct members m = { .max = 2, .nr_values = 2 };

	add(&m, (struct used[]){ used(1, 10), used(2, 30), used(3, 20), used(4, 5), {} }, 1, 1);
	assert_int_equal(m.nr, 2);
	assert_int_equal(time_of(&m, 2), 30);
	assert_int_equal(time_of(&m, 3), 20);
	assert_int_equal(m.others[LIVE_TIME], 15);
	assert_int_equal(m.others[LIVE_SWITCHES], 2);
	assert_int_equal(m.nr_others, 2);
	add(&m, (struct used[]){ used(3, 1), used(1, 7), {} }, 2, 1);
	assert_int_equal(time_of(&m, 3), 21);
	assert_int_equal(m.others[LIVE_TIME], 22);
	assert_int_equal(m.nr_others, 1);
	members__free(&m);
}

/* Not at once, and not by a little more; what it had used stays with the others. */
static void one_that_uses_much_more_takes_a_place(void **state)
{
	struct members m = { .max = 2, .nr_values = 2 };
	const struct used before[] = { used(1, SECOND / 10), used(2, SECOND / 2), {} };
	const struct used more[] = {
		used(1, SECOND / 10), used(2, SECOND / 2), used(3, SECOND), {}
	};
	const struct used little[] = {
		used(1, SECOND / 10), used(2, SECOND / 2), used(3, SECOND / 6), {}
	};

	add(&m, before, 1, 1);
	add(&m, more, 2, 1);
	assert_false(is_member(&m, 3));
	for (uint64_t s = 3; s < 1 + MEMBERS_STAY_S; s++)
		add(&m, before, s, 1);
	add(&m, little, 1 + MEMBERS_STAY_S, 1);
	assert_false(is_member(&m, 3));
	assert_true(is_member(&m, 1));
	add(&m, more, 2 + MEMBERS_STAY_S, 1);
	assert_true(is_member(&m, 3) && is_member(&m, 2) && !is_member(&m, 1));
	assert_int_equal(time_of(&m, 3), SECOND);
	/* Of 3 what it had used before; of 1 what it has used in this interval. */
	assert_int_equal(m.others[LIVE_TIME], SECOND + SECOND / 6 + SECOND / 10);
	assert_int_equal(m.nr_replaced, 1);
	members__free(&m);
}

/* The place of one that has ended is free, but only when its last sums were read. */
static void who_has_ended_is_read_once_more(void **state)
{
	struct members m = { .max = 1, .nr_values = 2 };

	add(&m, (struct used[]){ used(1, 5), {} }, 1, 1);
	add(&m, (struct used[]){ ended(1, 3), used(2, 9), {} }, 2, 1);
	assert_int_equal(time_of(&m, 1), 8);
	assert_int_equal(m.others[LIVE_TIME], 9);
	add(&m, (struct used[]){ used(2, 9), {} }, 3, 1);
	assert_true(is_member(&m, 1));
	members__are_read(&m);
	add(&m, (struct used[]){ used(2, 9), {} }, 4, 1);
	assert_true(is_member(&m, 2) && !is_member(&m, 1));
	assert_int_equal(m.others[LIVE_TIME], 18);
	assert_int_equal(m.nr_replaced, 0);
	members__free(&m);
}

static void who_has_ended_leaves(void **state)
{
	struct members m = { .max = 9, .nr_values = 2 };

	add(&m, (struct used[]){ used(1, 5), used(2, 1), {} }, 1, 1);
	add(&m, (struct used[]){ ended(1, 3), {} }, 2, 1);
	members__are_read(&m);
	add(&m, (struct used[]){ used(2, 1), {} }, 2 + MEMBERS_LINGER_S, 1);
	assert_true(is_member(&m, 1));
	add(&m, (struct used[]){ used(2, 1), {} }, 3 + MEMBERS_LINGER_S, 1);
	assert_false(is_member(&m, 1));
	assert_int_equal(time_of(&m, 2), 3);
	assert_int_equal(m.others[LIVE_TIME], 0);
	members__free(&m);
}

/* Nobody asks: places are not kept for ever. */
static void who_is_not_read_leaves_late(void **state)
{
	struct members m = { .max = 1, .nr_values = 2 };

	add(&m, (struct used[]){ used(1, 5), {} }, 1, 1);
	add(&m, (struct used[]){ ended(1, 3), {} }, 2, 1);
	add(&m, (struct used[]){ used(2, 1), {} }, 2 + MEMBERS_STAY_S, 1);
	assert_true(is_member(&m, 1));
	add(&m, (struct used[]){ used(2, 1), {} }, 3 + MEMBERS_STAY_S, 1);
	assert_true(is_member(&m, 2) && !is_member(&m, 1));
	members__free(&m);
}

/* Processes of some milliseconds would be as many series as there are of them. */
static void who_begins_and_ends_is_none(void **state)
{
	struct members m = { .max = 9, .nr_values = 2 };

	add(&m, (struct used[]){ ended(1, 5), used(2, 1), {} }, 1, 1);
	assert_int_equal(m.nr, 1);
	assert_int_equal(m.others[LIVE_TIME], 5);
	members__free(&m);
}

/* A number that is given again is another process. */
static void a_number_begins_again(void **state)
{
	struct members m = { .max = 9, .nr_values = 2 };
	size_t i = 0;

	add(&m, (struct used[]){ used(7, 5), {} }, 1, 1);
	assert_int_equal(members__name(&m, &i, "old", ""), 0);
	add(&m, (struct used[]){ ended(7, 3), {} }, 2, 1);
	add(&m, (struct used[]){ used(7, 2), {} }, 3, 1);
	assert_int_equal(time_of(&m, 7), 2);
	assert_null(m.items[0].name);
	assert_int_equal(m.items[0].ended_ns, 0);
	members__free(&m);
}

/* A service that is started again: another cgroup of its path. Two series of a name are refused. */
static void one_name_is_one_member(void **state)
{
	struct members m = { .max = 9, .nr_values = 2, .names_differ = true };
	size_t i;

	add(&m, (struct used[]){ used(1, 5), used(2, 4), {} }, 1, 1);
	i = members__find(&m, 1);
	assert_int_equal(members__name(&m, &i, "/web", "c"), 0);
	i = members__find(&m, 2);
	assert_int_equal(members__name(&m, &i, "/web", "d"), 0);
	assert_int_equal(m.nr, 2);
	members__end(&m, members__find(&m, 1), 2 * SECOND);
	add(&m, (struct used[]){ used(3, 6), used(2, 1), {} }, 3, 1);
	i = members__find(&m, 3);
	assert_int_equal(members__name(&m, &i, "/web", "c"), 0);
	assert_int_equal(i, members__find(&m, 3));
	assert_int_equal(m.nr, 2);
	assert_false(is_member(&m, 1));
	assert_int_equal(time_of(&m, 3), 11);
	assert_int_equal(m.items[i].values[LIVE_SWITCHES], 2);
	assert_int_equal(m.items[i].ended_ns, 0);
	assert_int_equal(time_of(&m, 2), 5);
	members__free(&m);
}

/* The one that is taken up lies behind the one that takes it. */
static void the_last_one_is_joined(void **state)
{
	struct members m = { .max = 9, .nr_values = 2, .names_differ = true };
	size_t i;

	add(&m, (struct used[]){ used(1, 5), used(2, 4), {} }, 1, 1);
	i = members__find(&m, 2);
	assert_int_equal(members__name(&m, &i, "/web", ""), 0);
	i = members__find(&m, 1);
	assert_int_equal(members__name(&m, &i, "/web", ""), 0);
	assert_int_equal(m.nr, 1);
	assert_int_equal(i, 0);
	assert_int_equal(time_of(&m, 1), 9);
	assert_string_equal(m.items[0].name, "/web");
	members__free(&m);
}

/* Whatever comes, goes or begins again: each value is in one sum, and none goes back. */
static void nothing_is_lost_and_nothing_goes_back(void **state)
{
	struct members m = { .max = 4, .nr_values = 2 };
	uint64_t given = 0, gone = 0;
	uint64_t others = 0;

	srand(7);
	for (uint64_t s = 1; s < 4000; s++) {
		struct used all[17] = {};
		uint64_t left = 0;
		uint64_t before[32], since[32];
		size_t nr = 0;

		for (uint64_t id = 1; id < 32 && nr < 16; id++)
			if (rand() % 3 == 0) {
				all[nr] = used(id, rand() % SECOND);
				all[nr].exited = rand() % 40 == 0;
				given += all[nr++].time;
			}
		for (uint64_t id = 1; id < 32; id++) {
			before[id] = time_of(&m, id);
			since[id] = since_of(&m, id);
		}
		add(&m, all, s, 1);
		if (rand() % 2)
			members__are_read(&m);
		assert_true(m.nr <= 4);
		assert_true(m.others[LIVE_TIME] >= others);
		others = m.others[LIVE_TIME];
		for (uint64_t id = 1; id < 32; id++) {
			const uint64_t now = time_of(&m, id);

			if (since_of(&m, id) == since[id])
				assert_true(now >= before[id]);
			else
				gone += before[id];
			left += now;
		}
		assert_int_equal(left + others + gone, given);
	}
	assert_true(m.nr_replaced > 0);
	members__free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_largest_are_members),
		cmocka_unit_test(one_that_uses_much_more_takes_a_place),
		cmocka_unit_test(who_has_ended_is_read_once_more),
		cmocka_unit_test(who_has_ended_leaves),
		cmocka_unit_test(who_is_not_read_leaves_late),
		cmocka_unit_test(who_begins_and_ends_is_none),
		cmocka_unit_test(a_number_begins_again),
		cmocka_unit_test(one_name_is_one_member),
		cmocka_unit_test(the_last_one_is_joined),
		cmocka_unit_test(nothing_is_lost_and_nothing_goes_back),
	};

	return cmocka_run_group_tests_name("members", tests, NULL, NULL);
}
