// SPDX-License-Identifier: BSD-2-Clause
/* live/endings.h: the last piece decides, in whatever order they come. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "live/endings.h"

static struct endings endings;

static int tear_down(void **state)
{
	endings__free(&endings);
	return 0;
}

static void add(uint32_t tgid, uint32_t tid, uint64_t alive_ns, uint64_t ended_ns,
		bool with_process)
{
	const struct ending_piece piece = { tgid, tid, alive_ns, ended_ns, with_process };

	assert_int_equal(endings__add(&endings, &piece), 0);
}

static unsigned ends(uint32_t tgid, uint32_t tid)
{
	assert_int_equal(endings__settle(&endings), 0);
	return endings__of(&endings, &(struct live_task){ .tgid = tgid, .tid = tid });
}

static void who_was_not_seen_to_end_lives(void **state)
{
	add(11, 11, 5, 0, false);
	assert_int_equal(ends(11, 11), 0);
	assert_int_equal(ends(12, 12), 0);
	add(0, 0, 5, 6, false);
	assert_int_equal(ends(0, 0), 0);
}

static void a_process_ends_with_its_last_thread(void **state)
{
	add(11, 12, 4, 7, false);
	assert_int_equal(ends(11, 12), LIVE_THREAD_ENDED);
	assert_int_equal(ends(11, 11), 0);
	/* The first one is not the last. */
	add(11, 11, 0, 8, false);
	assert_int_equal(ends(11, 11), LIVE_THREAD_ENDED);
	add(11, 13, 9, 10, true);
	assert_int_equal(ends(11, 13), LIVE_THREAD_ENDED | LIVE_PROCESS_ENDED);
	assert_int_equal(ends(11, 12), LIVE_THREAD_ENDED | LIVE_PROCESS_ENDED);
	/* Of one that has used nothing in the interval: of its process it is known. */
	assert_int_equal(ends(11, 14), LIVE_PROCESS_ENDED);
}

/* All of them are past the point from which none comes back, and end one after the other. */
static void of_several_last_threads_the_last_counts(void **state)
{
	add(11, 11, 4, 7, true);
	add(11, 12, 8, 0, false);
	assert_int_equal(ends(11, 11), LIVE_THREAD_ENDED);
	add(11, 12, 0, 9, true);
	assert_int_equal(ends(11, 11), LIVE_THREAD_ENDED | LIVE_PROCESS_ENDED);
}

/* An old leader ends, and the thread that called execve() has its number. */
static void who_takes_the_number_lives(void **state)
{
	add(11, 11, 20, 0, false);
	add(11, 11, 3, 10, false);
	assert_int_equal(ends(11, 11), 0);
	add(11, 11, 0, 30, true);
	assert_int_equal(ends(11, 11), LIVE_THREAD_ENDED | LIVE_PROCESS_ENDED);
}

/* A process ends, and another has its number: one of that one's threads ends, not the process. */
static void a_thread_of_who_takes_the_number_leaves_others(void **state)
{
	add(11, 11, 3, 10, true);
	add(11, 12, 0, 15, false);
	assert_int_equal(ends(11, 12), LIVE_THREAD_ENDED);
	assert_int_equal(ends(11, 13), 0);
	add(11, 13, 0, 20, true);
	assert_int_equal(ends(11, 13), LIVE_THREAD_ENDED | LIVE_PROCESS_ENDED);
}

static void threads_that_are_not_told_apart(void **state)
{
	add(11, 0, 3, 5, false);
	assert_int_equal(ends(11, 0), 0);
	add(11, 0, 0, 9, true);
	assert_int_equal(ends(11, 0), LIVE_THREAD_ENDED | LIVE_PROCESS_ENDED);
	endings__clear(&endings);
	assert_int_equal(ends(11, 0), 0);
}

/* Nothing of a drain that is over is kept, but for those who ended in it. */
static void drains_come_one_after_the_other(void **state)
{
	add(11, 11, 3, 5, true);
	add(12, 12, 4, 0, false);
	assert_int_equal(endings__settle(&endings), 0);
	assert_int_equal(endings.nr_pieces, 0);
	add(11, 11, 8, 0, false);
	add(12, 12, 7, 9, true);
	assert_int_equal(ends(11, 11), 0);
	assert_int_equal(ends(12, 12), LIVE_THREAD_ENDED | LIVE_PROCESS_ENDED);
}

#define TEST(name) cmocka_unit_test_teardown(name, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(who_was_not_seen_to_end_lives),
		TEST(a_process_ends_with_its_last_thread),
		TEST(of_several_last_threads_the_last_counts),
		TEST(who_takes_the_number_lives),
		TEST(a_thread_of_who_takes_the_number_leaves_others),
		TEST(threads_that_are_not_told_apart),
		TEST(drains_come_one_after_the_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
