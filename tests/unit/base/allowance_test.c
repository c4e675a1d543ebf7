// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/allowance.h"

/* Long enough that no test comes to its end, but where it is meant to. */
#define HOUR_NS 3600000000000ull

static void bytes_are_refused_once_they_are_spent(void **state)
{
	struct allowance a;

	(void)state;
	allowance__init(&a, 1000, HOUR_NS);
	allowance__begin(&a);
	assert_true(allowance__spend(&a, 600));
	assert_true(allowance__spend(&a, 400));
	assert_true(allowance__spend(&a, 0));
	assert_false(allowance__has_refused(&a));
	assert_false(allowance__spend(&a, 1));
	assert_true(allowance__has_refused(&a));
	/* The file ends there, whatever is asked for next. */
	assert_false(allowance__spend(&a, 0));
	allowance__end(&a);
	assert_int_equal(a.nr_files_cut, 1);
}

static void what_is_left_goes_to_the_next_file(void **state)
{
	struct allowance a;

	(void)state;
	allowance__init(&a, 1000, HOUR_NS);
	allowance__begin(&a);
	assert_false(allowance__spend(&a, 1001));
	allowance__end(&a);
	allowance__begin(&a);
	assert_true(allowance__spend(&a, 1000));
	allowance__begin(&a); /* its debug file */
	assert_false(allowance__spend(&a, 1));
	allowance__end(&a);
	assert_int_equal(a.nr_files_cut, 1);
	allowance__end(&a);
	assert_int_equal(a.nr_files_cut, 2);
}

static void wait_ms(long ms)
{
	const struct timespec t = { .tv_nsec = ms * 1000000 };

	nanosleep(&t, NULL);
}

static void time_is_refused_once_it_has_passed(void **state)
{
	struct allowance a;

	(void)state;
	allowance__init(&a, 1000, 5000000);
	wait_ms(10); /* outside: that is nobody's */
	allowance__begin(&a);
	assert_true(a.ns == 5000000);
	wait_ms(10);
	assert_false(allowance__spend(&a, 0));
	allowance__end(&a);
	assert_int_equal(a.nr_files_cut, 1);
}

/* 3.6 ms at most, and 36 ms have passed: a hundredth of these is a tenth of what it may have. */
static void it_grows_again_with_the_time_that_passes(void **state)
{
	struct allowance a;

	(void)state;
	allowance__init(&a, 1000, HOUR_NS / 1000000);
	a.bytes = a.ns = 0;
	a.seen_ns -= HOUR_NS / 100000;
	allowance__begin(&a);
	assert_true(a.ns >= a.max_ns / 10 && a.ns < a.max_ns / 2);
	assert_true(a.bytes >= 100 && a.bytes < 500);
	allowance__end(&a);
	a.seen_ns -= HOUR_NS;
	allowance__begin(&a);
	assert_true(a.ns == a.max_ns);
	assert_int_equal(a.bytes, 1000);
	allowance__end(&a);
}

static void without_one_there_is_no_bound(void **state)
{
	(void)state;
	allowance__begin(NULL);
	assert_true(allowance__spend(NULL, UINT64_MAX));
	assert_false(allowance__has_refused(NULL));
	allowance__end(NULL);
}

static void it_is_for_what_others_write(void **state)
{
	const struct stat roots = { .st_mode = S_IFREG | 0644 };
	const struct stat ours = { .st_mode = S_IFREG | 0600, .st_uid = geteuid() };
	const struct stat another = { .st_mode = S_IFREG | 0644, .st_uid = geteuid() + 1 };
	const struct stat nobodys = { .st_mode = S_IFREG | 0644, .st_uid = 65534 };
	const struct stat everybodys = { .st_mode = S_IFREG | 0666 };

	(void)state;
	assert_false(allowance__is_for(&roots));
	assert_false(allowance__is_for(&ours));
	assert_true(allowance__is_for(&another));
	assert_true(allowance__is_for(&everybodys));
	assert_true(allowance__is_for(&nobodys));
	/* Whoever reads strangers' files is nobody, but not the owner of nobody's. */
	if (!geteuid()) {
		assert_int_equal(seteuid(65534), 0);
		assert_true(allowance__is_for(&nobodys));
		assert_false(allowance__is_for(&roots));
		assert_int_equal(seteuid(0), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_are_refused_once_they_are_spent),
		cmocka_unit_test(what_is_left_goes_to_the_next_file),
		cmocka_unit_test(time_is_refused_once_it_has_passed),
		cmocka_unit_test(it_grows_again_with_the_time_that_passes),
		cmocka_unit_test(without_one_there_is_no_bound),
		cmocka_unit_test(it_is_for_what_others_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
