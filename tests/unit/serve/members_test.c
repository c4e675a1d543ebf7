// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/live.h"
#include "serve/members.h"

static const uint64_t SECOND = 1000000000;

/* Whose time in the next interval is so much; without a name the list ends. */
struct used {
	const char *name;
	uint64_t time;
	bool has_ended;
};

static struct used used(const char *name, uint64_t time)
{
	return (struct used){ .name = name, .time = time };
}

static struct used ended(const char *name, uint64_t time)
{
	return (struct used){ .name = name, .time = time, .has_ended = true };
}

static void add(struct members *m, const struct used *used, uint64_t now_s, uint64_t interval_s)
{
	struct metric_use uses[40] = {};
	uint64_t values[40][2];
	size_t nr = 0;

	for (; used->name; used++, nr++) {
		values[nr][0] = used->time;
		values[nr][1] = 1;
		uses[nr] = (struct metric_use){ .name = *used->name ? used->name : NULL,
						.detail = "",
						.has_ended = used->has_ended,
						.values = values[nr] };
	}
	assert_int_equal(members__add(m, uses, nr, now_s * SECOND, interval_s * SECOND), 0);
}

static const struct metric_member *member(const struct members *m, const char *name)
{
	const size_t i = members__find(m, name, 0);

	return i == MEMBERS_NOBODY ? NULL : &m->items[i];
}

static uint64_t time_of(const struct members *m, const char *name)
{
	const struct metric_member *x = member(m, name);

	return x ? x->values[LIVE_TIME] : 0;
}

/* Of the first interval those that use most, in whichever order they come. */
static void the_largest_are_members(void **state)
{
	struct members m = { .max = 2, .nr_values = 2 };

	add(&m, (struct used[]){ used("a", 10), used("b", 30), used("c", 20), used("d", 5), {} }, 1,
	    1);
	assert_int_equal(m.nr, 2);
	assert_int_equal(time_of(&m, "b"), 30);
	assert_int_equal(time_of(&m, "c"), 20);
	assert_int_equal(m.others[LIVE_TIME], 15);
	assert_int_equal(m.others[LIVE_SWITCHES], 2);
	assert_int_equal(m.nr_others, 2);
	add(&m, (struct used[]){ used("c", 1), used("a", 7), {} }, 2, 1);
	assert_int_equal(time_of(&m, "c"), 21);
	assert_int_equal(m.others[LIVE_TIME], 22);
	assert_int_equal(m.nr_others, 1);
	members__free(&m);
}

/* Processes of one name are many, and so is what ends them. */
static void a_number_tells_names_apart(void **state)
{
	struct members m = { .max = 9, .nr_values = 2 };
	const uint64_t one[2] = { 1, 1 }, two[2] = { 2, 1 };
	struct metric_use uses[] = {
		{ .name = "sh", .detail = "", .number = 7, .values = one },
		{ .name = "sh", .detail = "", .number = 8, .values = two },
		{ .name = "ls", .detail = "", .number = 8, .values = two },
	};

	assert_int_equal(members__add(&m, uses, 3, SECOND, SECOND), 0);
	assert_int_equal(m.nr, 3);
	assert_int_equal(m.items[members__find(&m, "sh", 7)].values[0], 1);
	assert_int_equal(m.items[members__find(&m, "sh", 8)].values[0], 2);
	assert_int_equal(members__find(&m, "ls", 7), MEMBERS_NOBODY);
	members__free(&m);
}

/* Not at once, not by a little more, not for a moment; what it had used stays with the others. */
static void one_that_uses_much_more_takes_a_place(void **state)
{
	struct members m = { .max = 2, .nr_values = 2 };
	const struct used before[] = { used("a", SECOND / 10), used("b", SECOND / 2), {} };
	const struct used more[] = {
		used("a", SECOND / 10), used("b", SECOND / 2), used("c", SECOND), {}
	};
	const struct used little[] = {
		used("a", SECOND / 10), used("b", SECOND / 2), used("c", SECOND / 6), {}
	};
	uint64_t s, others;

	add(&m, before, 1, 1);
	for (s = 2; s < 2 * MEMBERS_STAY_S; s++) {
		add(&m, little, s, 1);
		members__are_read(&m, s * SECOND);
	}
	assert_null(member(&m, "c"));
	others = m.others[LIVE_TIME];
	assert_int_equal(m.nr_replaced, 0);
	/* A second of the ten is not twice as much. */
	add(&m, more, s++, 1);
	members__are_read(&m, s * SECOND);
	for (uint64_t end = s + 2 * MEMBERS_DECIDE_S; s < end; s++) {
		add(&m, before, s, 1);
		members__are_read(&m, s * SECOND);
	}
	assert_null(member(&m, "c"));
	others += SECOND;
	for (uint64_t end = s + 2 * MEMBERS_DECIDE_S; s < end && !member(&m, "c"); s++) {
		assert_int_equal(m.others[LIVE_TIME], others);
		add(&m, more, s, 1);
		members__are_read(&m, s * SECOND);
		others += SECOND;
	}
	assert_non_null(member(&m, "c"));
	assert_non_null(member(&m, "b"));
	assert_null(member(&m, "a"));
	assert_int_equal(time_of(&m, "c"), SECOND);
	/* Of c what it had used before; of a what it has used in this interval. */
	assert_int_equal(m.others[LIVE_TIME], others - SECOND + SECOND / 10);
	assert_int_equal(m.nr_replaced, 1);
	members__free(&m);
}

/* However busy the next one is. */
static void who_has_just_come_stays(void **state)
{
	struct members m = { .max = 1, .nr_values = 2 };
	uint64_t s = 2;

	add(&m, (struct used[]){ used("a", 1), {} }, 1, 1);
	for (; s <= MEMBERS_STAY_S; s++) {
		members__are_read(&m, s * SECOND);
		add(&m, (struct used[]){ used("a", 1), used("b", SECOND), {} }, s, 1);
		assert_non_null(member(&m, "a"));
	}
	for (uint64_t end = s + MEMBERS_DECIDE_S; s <= end; s++) {
		members__are_read(&m, s * SECOND);
		add(&m, (struct used[]){ used("a", 1), used("b", SECOND), {} }, s, 1);
	}
	assert_non_null(member(&m, "b"));
	members__free(&m);
}

/* A second of each ten is as much as a tenth of each, whenever it is decided. */
static void a_moment_is_not_a_mean(void **state)
{
	struct members m = { .max = 1, .nr_values = 2 };

	add(&m, (struct used[]){ used("a", SECOND / 8), {} }, 1, 1);
	for (uint64_t s = 2; s < MEMBERS_STAY_S + 95; s++) {
		const bool is_busy = s > MEMBERS_STAY_S && (s / 10) % 10 == s % 10;

		members__are_read(&m, s * SECOND);
		add(&m,
		    (struct used[]){ used("a", SECOND / 8), used("b", is_busy ? SECOND : 1), {} },
		    s, 1);
		assert_non_null(member(&m, "a"));
	}
	members__free(&m);
}

/* Nobody loses its place with sums that nobody has read. */
static void who_is_not_read_stays(void **state)
{
	struct members m = { .max = 1, .nr_values = 2 };
	uint64_t s = MEMBERS_STAY_S + 1;

	add(&m, (struct used[]){ used("a", 1), {} }, s, 1);
	members__are_read(&m, s * SECOND);
	for (s++; s <= 2 * MEMBERS_STAY_S; s++)
		add(&m, (struct used[]){ used("a", 1), used("b", SECOND), {} }, s, 1);
	assert_non_null(member(&m, "a"));
	/* By nobody at all. */
	for (uint64_t end = s + MEMBERS_DECIDE_S; s <= end; s++)
		add(&m, (struct used[]){ used("a", 1), used("b", SECOND), {} }, s, 1);
	assert_non_null(member(&m, "b"));
	members__free(&m);
}

/* The place of one that has ended is free when its last sums were there for a while. */
static void who_has_ended_is_read_once_more(void **state)
{
	struct members m = { .max = 1, .nr_values = 2 };
	uint64_t s;

	add(&m, (struct used[]){ used("a", 5), {} }, 1, 1);
	add(&m, (struct used[]){ ended("a", 3), used("b", 9), {} }, 2, 1);
	assert_int_equal(time_of(&m, "a"), 8);
	assert_int_equal(m.others[LIVE_TIME], 9);
	for (s = 3; s < 100; s++)
		add(&m, (struct used[]){ used("b", 1), {} }, s, 1);
	assert_non_null(member(&m, "a"));
	for (; s <= 100 + MEMBERS_LINGER_S; s++) {
		members__are_read(&m, s * SECOND);
		add(&m, (struct used[]){ used("b", 1), {} }, s, 1);
		assert_non_null(member(&m, "a"));
	}
	members__are_read(&m, s * SECOND);
	add(&m, (struct used[]){ used("b", 1), {} }, s + 1, 1);
	assert_non_null(member(&m, "b"));
	assert_null(member(&m, "a"));
	assert_int_equal(time_of(&m, "b"), 1);
	assert_int_equal(m.nr_replaced, 0);
	members__free(&m);
}

/* Nobody asks: places are not kept for ever. */
static void who_is_never_read_leaves_late(void **state)
{
	struct members m = { .max = 9, .nr_values = 2 };

	add(&m, (struct used[]){ used("a", 5), {} }, 1, 1);
	add(&m, (struct used[]){ ended("a", 3), {} }, 2, 1);
	add(&m, (struct used[]){ used("b", 1), {} }, 2 + MEMBERS_STAY_S, 1);
	assert_non_null(member(&m, "a"));
	add(&m, (struct used[]){ used("b", 1), {} }, 3 + MEMBERS_STAY_S, 1);
	assert_null(member(&m, "a"));
	members__free(&m);
}

/* Processes of some milliseconds would be as many series as there are of them. */
static void who_begins_and_ends_is_none(void **state)
{
	struct members m = { .max = 9, .nr_values = 2 };

	add(&m, (struct used[]){ ended("a", 5), used("b", 1), used("", 7), {} }, 1, 1);
	assert_int_equal(m.nr, 1);
	assert_int_equal(m.others[LIVE_TIME], 12);
	assert_int_equal(m.nr_others, 2);
	members__free(&m);
}

/* A service that is started again; in one interval it may be there twice. */
static void who_comes_again_goes_on(void **state)
{
	struct members m = { .max = 1, .nr_values = 2 };

	add(&m, (struct used[]){ used("/web", 5), {} }, 1, 1);
	members__end(&m, 0, 2 * SECOND);
	members__are_read(&m, 2 * SECOND);
	add(&m, (struct used[]){ used("/web", 2), used("/web", 1), used("/b", 9), {} },
	    3 + MEMBERS_LINGER_S, 1);
	assert_int_equal(m.nr, 1);
	assert_int_equal(time_of(&m, "/web"), 8);
	assert_int_equal(m.items[0].values[LIVE_SWITCHES], 3);
	assert_int_equal(m.items[0].ended_ns, 0);
	members__free(&m);
}

/* The name of its container was not known at first. */
static void details_are_as_of_now(void **state)
{
	struct members m = { .max = 9, .nr_values = 2 };
	const uint64_t values[2] = { 1, 1 };
	struct metric_use use = { .name = "/web", .detail = "", .values = values };

	assert_int_equal(members__add(&m, &use, 1, SECOND, SECOND), 0);
	use.detail = "docker:web";
	assert_int_equal(members__add(&m, &use, 1, 2 * SECOND, SECOND), 0);
	assert_int_equal(m.nr, 1);
	assert_string_equal(m.items[0].detail, "docker:web");
	assert_int_equal(m.items[0].values[0], 2);
	members__free(&m);
}

/* Whatever comes, goes or begins again: each value is in one sum, and none goes back. */
static void nothing_is_lost_and_nothing_goes_back(void **state)
{
	enum { NAMES = 32 };
	struct members m = { .max = 4, .nr_values = 2 };
	char names[NAMES][8];
	uint64_t given = 0, gone = 0, others = 0, read[NAMES] = {};

	srand(7);
	for (size_t i = 0; i < NAMES; i++)
		snprintf(names[i], sizeof(names[i]), "n%zu", i);
	for (uint64_t s = 1; s < 6000; s++) {
		struct used all[NAMES + 1] = {};
		uint64_t left = 0;
		size_t nr = 0;

		for (size_t i = 0; i < NAMES; i++)
			if (rand() % 3 == 0) {
				all[nr] = used(names[i], rand() % (SECOND * (1 + i % 7)));
				all[nr].has_ended = rand() % 40 == 0;
				given += all[nr++].time;
			}
		add(&m, all, s, 1);
		assert_true(m.nr <= 4);
		assert_true(m.others[LIVE_TIME] >= others);
		others = m.others[LIVE_TIME];
		/* One that is gone had been read: up to its last value. */
		for (size_t i = 0; i < NAMES; i++) {
			if (read[i] && time_of(&m, names[i]) < read[i]) {
				gone += read[i];
				read[i] = 0;
			}
			left += time_of(&m, names[i]);
		}
		assert_int_equal(left + others + gone, given);
		if (rand() % 2)
			continue;
		members__are_read(&m, s * SECOND);
		for (size_t i = 0; i < NAMES; i++)
			read[i] = time_of(&m, names[i]);
	}
	assert_true(m.nr_replaced > 0);
	members__free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_largest_are_members),
		cmocka_unit_test(a_number_tells_names_apart),
		cmocka_unit_test(one_that_uses_much_more_takes_a_place),
		cmocka_unit_test(who_has_just_come_stays),
		cmocka_unit_test(a_moment_is_not_a_mean),
		cmocka_unit_test(who_is_not_read_stays),
		cmocka_unit_test(who_has_ended_is_read_once_more),
		cmocka_unit_test(who_is_never_read_leaves_late),
		cmocka_unit_test(who_begins_and_ends_is_none),
		cmocka_unit_test(who_comes_again_goes_on),
		cmocka_unit_test(details_are_as_of_now),
		cmocka_unit_test(nothing_is_lost_and_nothing_goes_back),
	};

	return cmocka_run_group_tests_name("members", tests, NULL, NULL);
}
