// SPDX-License-Identifier: BSD-2-Clause
/*
 * Where programs find the mappings of a process: read here as bpf/unwind.wire.h describes it, also
 * while it is written.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "object/unwind_procs.h"

enum { BUCKETS = 8 };

/* As a program finds it; NULL: it does not. */
static struct unwind_proc *found(struct unwind_bucket *at, uint32_t nr, uint32_t pid)
{
	struct unwind_bucket *b = &at[UNWIND_BUCKET_OF(pid, nr)];

	for (unsigned i = 0; i < UNWIND_BUCKET_PROCS; i++) {
		const uint32_t key = __atomic_load_n(&b->keys[i], __ATOMIC_ACQUIRE);

		if (UNWIND_KEY_PID(key) == pid)
			return &b->states[2 * i + UNWIND_KEY_STATE(key)];
	}
	return NULL;
}

/* What it has of a process's mappings; no other process may take them for its own. */
static void check_state(const struct unwind_proc *p, uint32_t pid, uint64_t life, uint32_t first,
			uint32_t nr)
{
	assert_non_null(p);
	assert_int_equal(p->life, life);
	assert_int_equal(p->first, first);
	assert_int_equal(p->nr, nr);
	assert_true(p->check == UNWIND_PROC_CHECK(pid, life, first, nr));
	assert_true(p->check != UNWIND_PROC_CHECK(pid + 1, life, first, nr));
}

/* The n-th process number that falls into the first one's bucket. */
static uint32_t neighbour(uint32_t n)
{
	uint32_t pid = 1;

	while (UNWIND_BUCKET_OF(pid, BUCKETS) != 0 || n--)
		pid++;
	return pid;
}

static void each_is_found(void **state)
{
	const uint32_t nr = unwind_procs__buckets(5000);
	struct unwind_bucket *at = calloc(nr, sizeof(*at));

	(void)state;
	/* As numbers are given where each process has 15 threads more. */
	for (uint32_t i = 0; i < 5000; i++)
		assert_int_equal(unwind_procs__put(at, nr, 16 * i + 7, i + 1, 3 * i, i), 0);
	for (uint32_t i = 0; i < 5000; i++)
		check_state(found(at, nr, 16 * i + 7), 16 * i + 7, i + 1, 3 * i, i);
	assert_null(found(at, nr, 8));
	for (uint32_t i = 0; i < 5000; i += 2)
		unwind_procs__forget(at, nr, 16 * i + 7);
	for (uint32_t i = 0; i < 5000; i++)
		assert_int_equal(found(at, nr, 16 * i + 7) != NULL, i % 2);
	free(at);
}

static void the_largest_number_has_a_place(void **state)
{
	const uint32_t largest = 4194304, nr = unwind_procs__buckets(1); /* PID_MAX_LIMIT */
	struct unwind_bucket at[1] = {};

	(void)state;
	assert_int_equal(nr, 1);
	assert_int_equal(unwind_procs__put(at, nr, largest, 1, 2, 3), 0);
	check_state(found(at, nr, largest), largest, 1, 2, 3);
	assert_int_equal(unwind_procs__buckets(0), 1);
	/* A state has a number that programs return as an int. */
	assert_in_range(unwind_procs__buckets(UINT64_MAX), 1 << 20,
			INT32_MAX / UNWIND_BUCKET_STATES);
}

/* A program that is held up in a state reads what was there, until it is written once more. */
static void former_state_stays(void **state)
{
	struct unwind_bucket at[BUCKETS] = {};
	struct unwind_proc *first, *second;

	(void)state;
	assert_int_equal(unwind_procs__put(at, BUCKETS, 100, 1, 10, 11), 0);
	first = found(at, BUCKETS, 100);
	first->mm = 0xabc; /* as a program does */
	assert_int_equal(unwind_procs__put(at, BUCKETS, 100, 2, 20, 21), 0);
	second = found(at, BUCKETS, 100);
	assert_ptr_not_equal(first, second);
	check_state(first, 100, 1, 10, 11);
	check_state(second, 100, 2, 20, 21);
	assert_int_equal(first->mm, 0xabc);
	assert_int_equal(second->mm, 0); /* of whoever comes first */

	/* Another process in its place does not write it either. */
	unwind_procs__forget(at, BUCKETS, 100);
	assert_null(found(at, BUCKETS, 100));
	check_state(second, 100, 2, 20, 21);
	for (uint32_t pid = 101;; pid++) {
		if (UNWIND_BUCKET_OF(pid, BUCKETS) != UNWIND_BUCKET_OF(100, BUCKETS))
			continue;
		assert_int_equal(unwind_procs__put(at, BUCKETS, pid, 3, 30, 31), 0);
		assert_ptr_equal(found(at, BUCKETS, pid), first);
		assert_int_equal(first->mm, 0);
		break;
	}
	check_state(second, 100, 2, 20, 21);
}

static void no_room(void **state)
{
	struct unwind_bucket at[BUCKETS] = {};

	(void)state;
	for (uint32_t n = 0; n < UNWIND_BUCKET_PROCS; n++)
		assert_int_equal(unwind_procs__put(at, BUCKETS, neighbour(n), n + 1, n, 1), 0);
	assert_int_equal(unwind_procs__put(at, BUCKETS, neighbour(UNWIND_BUCKET_PROCS), 99, 9, 9),
			 -E2BIG);
	assert_null(found(at, BUCKETS, neighbour(UNWIND_BUCKET_PROCS)));
	for (uint32_t n = 0; n < UNWIND_BUCKET_PROCS; n++)
		check_state(found(at, BUCKETS, neighbour(n)), neighbour(n), n + 1, n, 1);
	/* Those that are there change, and one that is forgotten makes room. */
	assert_int_equal(unwind_procs__put(at, BUCKETS, neighbour(3), 50, 51, 52), 0);
	check_state(found(at, BUCKETS, neighbour(3)), neighbour(3), 50, 51, 52);
	unwind_procs__forget(at, BUCKETS, neighbour(UNWIND_BUCKET_PROCS)); /* not there */
	unwind_procs__forget(at, BUCKETS, neighbour(7));
	assert_int_equal(unwind_procs__put(at, BUCKETS, neighbour(UNWIND_BUCKET_PROCS), 99, 9, 9),
			 0);
	check_state(found(at, BUCKETS, neighbour(UNWIND_BUCKET_PROCS)),
		    neighbour(UNWIND_BUCKET_PROCS), 99, 9, 9);
}

struct race {
	struct unwind_bucket at[1];
	int is_over; /* enough was read */
	uint32_t last;
};

enum { READS = 200000, RACER = 77 };

static void *change(void *arg)
{
	struct race *r = arg;

	for (r->last = 2; !__atomic_load_n(&r->is_over, __ATOMIC_ACQUIRE); r->last++)
		if (unwind_procs__put(r->at, 1, RACER, r->last, 5 * r->last, 7 * r->last))
			break;
	return NULL;
}

/* It is always there, and whole where the sum says so: no part of one state and part of another. */
static void read_while_written(void **state)
{
	struct race *r = calloc(1, sizeof(*r));
	pthread_t writer;
	uint64_t whole = 0;

	(void)state;
	assert_int_equal(unwind_procs__put(r->at, 1, RACER, 1, 5, 7), 0);
	assert_int_equal(pthread_create(&writer, NULL, change, r), 0);
	while (whole < READS) {
		const volatile struct unwind_proc *p = found(r->at, 1, RACER);
		uint64_t life, check;
		uint32_t first, nr;

		assert_non_null((void *)p);
		life = p->life;
		first = p->first;
		nr = p->nr;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		check = p->check;
		if (check != UNWIND_PROC_CHECK(RACER, life, first, nr))
			continue;
		whole++;
		assert_int_equal(first, (uint32_t)(5 * life));
		assert_int_equal(nr, (uint32_t)(7 * life));
	}
	__atomic_store_n(&r->is_over, 1, __ATOMIC_RELEASE);
	pthread_join(writer, NULL);
	r->last--;
	check_state(found(r->at, 1, RACER), RACER, r->last, 5 * r->last, 7 * r->last);
	free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_found),
		cmocka_unit_test(the_largest_number_has_a_place),
		cmocka_unit_test(former_state_stays),
		cmocka_unit_test(no_room),
		cmocka_unit_test(read_while_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
