// SPDX-License-Identifier: BSD-2-Clause
/* Stacks that wait for names: none is lost, none counted twice, whichever comes first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "collect/waiting.h"

enum { STACKS = 1000 };

/* Names of the stacks below `known` are there; what was added is summed by handle. */
struct fixture {
	uint64_t known;
	bool slow;
	uint64_t samples[2 * STACKS], nr_hurried;
	int64_t min;
	struct waiting *waiting;
	struct waiting_fns fns;
};

/* The handle of a stack is its first address, HURRIED behind it without names. */
static int name(void *arg, const struct sample_stack *s, bool hurry, uint32_t *handle)
{
	struct fixture *f = arg;
	uint64_t n = s->user[0], slow_until = clock__now_ns() + 1000000;

	while (f->slow && clock__now_ns() < slow_until)
		;
	assert_int_equal(s->key->stack.nr_user, 2);
	assert_int_equal(s->kernel[0], n + 1);
	assert_int_equal(s->user[1], n + 2);
	assert_int_equal(s->hash, n + 3);
	assert_int_equal(s->first_ns, n + 4);
	assert_int_equal(s->key->tgid, 77);
	if (n >= f->known && !hurry)
		return -EAGAIN;
	*handle = n >= f->known ? n + STACKS : n;
	return 0;
}

static int add(void *arg, uint32_t handle, const struct waiting_count *count)
{
	struct fixture *f = arg;

	f->samples[handle] += count->samples;
	assert_int_equal(count->weight, count->samples * 3);
	assert_int_equal(count->key.event, 5);
	assert_int_equal(count->values[1].min, -4);
	f->min = count->values[0].min;
	return 0;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->waiting = waiting__new(2);
	f->fns = (struct waiting_fns){ name, add, f };
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	waiting__free(f->waiting);
	free(f);
	return 0;
}

static uint32_t put(struct fixture *f, uint64_t n)
{
	uint64_t kernel[] = { n + 1 }, user[] = { n, n + 2 };
	struct sample_key key = { .tgid = 77, .stack = { .nr_kernel = 1, .nr_user = 2 } };
	const struct sample_stack s = {
		.key = &key,
		.kernel = kernel,
		.user = user,
		.hash = n + 3,
		.first_ns = n + 4,
	};
	uint32_t id;

	assert_int_equal(waiting__put(f->waiting, &s, &id), 0);
	return id;
}

static void count(struct fixture *f, uint32_t id, uint64_t samples)
{
	struct profile_value values[] = { { samples, 9, 10 }, { 1, -4, 2 } };
	const struct waiting_count c = {
		.key = { .event = 5 }, .samples = samples, .weight = 3 * samples, .values = values
	};

	assert_int_equal(waiting__count(f->waiting, id, &c, &f->fns), 0);
	memset(values, 0xff, sizeof(values)); /* it was copied */
}

static int name_some(struct fixture *f, uint64_t known, uint64_t hurry_ns)
{
	f->known = known;
	return waiting__name(f->waiting, UINT64_MAX, hurry_ns, &f->fns);
}

static void its_count_may_come_before_its_names(void **state)
{
	struct fixture *f = *state;

	count(f, put(f, 1), 10);
	assert_int_equal(name_some(f, 0, 0), 0);
	assert_int_equal(f->samples[1], 0);
	assert_int_equal(waiting__nr(f->waiting), 1);
	assert_int_equal(name_some(f, STACKS, 0), 0);
	assert_int_equal(f->samples[1], 10);
	assert_int_equal(f->min, 9);
	assert_int_equal(waiting__nr(f->waiting), 0);
	assert_int_equal(waiting__bytes(f->waiting), 0);
}

static void or_behind_them(void **state)
{
	struct fixture *f = *state;
	uint32_t id = put(f, 2);

	assert_int_equal(name_some(f, STACKS, 0), 0);
	assert_int_equal(waiting__nr(f->waiting), 0);
	assert_true(waiting__bytes(f->waiting) > 0);
	count(f, id, 10);
	assert_int_equal(f->samples[2], 10);
	assert_int_equal(waiting__bytes(f->waiting), 0);
}

/* Every third one is known at first, counts come in the middle; places are used again. */
static void nothing_is_lost(void **state)
{
	struct fixture *f = *state;
	uint32_t ids[STACKS];

	for (unsigned round = 0; round < 3; round++) {
		for (uint64_t i = 0; i < STACKS; i++)
			ids[i] = put(f, i);
		assert_int_equal(waiting__since_ns(f->waiting), 4);
		assert_int_equal(name_some(f, STACKS / 3, 0), 0);
		for (uint64_t i = 0; i < STACKS; i += 2)
			count(f, ids[i], i + 1);
		assert_int_equal(waiting__since_ns(f->waiting), STACKS / 3 + 4);
		assert_int_equal(name_some(f, STACKS / 2, 0), 0);
		for (uint64_t i = 1; i < STACKS; i += 2)
			count(f, ids[i], i + 1);
		assert_int_equal(name_some(f, STACKS, 0), 0);
		assert_int_equal(waiting__nr(f->waiting), 0);
		assert_int_equal(waiting__bytes(f->waiting), 0);
		assert_int_equal(waiting__since_ns(f->waiting), UINT64_MAX);
		for (uint64_t i = 0; i < STACKS; i++)
			assert_int_equal(f->samples[i], (round + 1) * (i + 1));
	}
}

static void what_must_not_wait_is_named_in_a_hurry(void **state)
{
	struct fixture *f = *state;
	uint64_t between;

	count(f, put(f, 8), 1);
	between = clock__now_ns() + 1;
	while (clock__now_ns() <= between)
		;
	count(f, put(f, 9), 2);
	assert_int_equal(name_some(f, 9, between), 0);
	assert_int_equal(f->samples[8], 1);
	assert_int_equal(name_some(f, 0, between), 0);
	assert_int_equal(f->samples[9 + STACKS], 0);
	assert_int_equal(name_some(f, 0, UINT64_MAX), 0);
	assert_int_equal(f->samples[9 + STACKS], 2);
	assert_int_equal(waiting__nr(f->waiting), 0);
}

/* Each takes a millisecond: those that were not tried come first the next time. */
static void it_keeps_to_its_time(void **state)
{
	struct fixture *f = *state;
	unsigned nr_calls = 1;
	int err;

	for (uint64_t i = 0; i < 100; i++)
		count(f, put(f, i), 1);
	f->slow = true;
	f->known = STACKS;
	while ((err = waiting__name(f->waiting, 5000000, 0, &f->fns)) == 1)
		nr_calls++;
	assert_int_equal(err, 0);
	assert_true(nr_calls >= 3 && nr_calls <= 100);
	for (uint64_t i = 0; i < 100; i++)
		assert_int_equal(f->samples[i], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(its_count_may_come_before_its_names, setup,
						teardown),
		cmocka_unit_test_setup_teardown(or_behind_them, setup, teardown),
		cmocka_unit_test_setup_teardown(nothing_is_lost, setup, teardown),
		cmocka_unit_test_setup_teardown(what_must_not_wait_is_named_in_a_hurry, setup,
						teardown),
		cmocka_unit_test_setup_teardown(it_keeps_to_its_time, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
