// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "serve/profiler.h"

static struct profile_wish good(const char *seconds, const char *rate, const char *event,
				const char *pid)
{
	struct profile_wish wish;
	struct buf why = {};

	assert_int_equal(profile_wish__parse(&wish, seconds, rate, event, pid, &why), 0);
	assert_int_equal(why.len, 0);
	return wish;
}

static void bad(const char *seconds, const char *rate, const char *event, const char *pid,
		const char *expected)
{
	struct profile_wish wish;
	struct buf why = {};

	assert_int_equal(profile_wish__parse(&wish, seconds, rate, event, pid, &why), -EINVAL);
	assert_string_equal(why.data, expected);
	buf__free(&why);
}

static void without_a_word_it_is_as_in_go(void **state)
{
	const struct profile_wish wish = good(NULL, NULL, NULL, NULL);

	assert_int_equal(wish.seconds, 30);
	assert_int_equal(wish.hz, 99);
	assert_int_equal(wish.pid, 0);
	assert_string_equal(wish.event, "");
}

static void all_can_be_said(void **state)
{
	const struct profile_wish wish = good("600", "1000", "LLC-load-misses:u", "4194304");

	assert_int_equal(wish.seconds, 600);
	assert_int_equal(wish.hz, 1000);
	assert_int_equal(wish.pid, 4194304);
	assert_string_equal(wish.event, "LLC-load-misses:u");
}

static void what_is_no_number_is_refused(void **state)
{
	static const char *const none[] = { "",	   "0",	 "-1",
					    "1.5", "5s", "601",
					    "1e3", " 1", "99999999999999999999" };

	for (size_t i = 0; i < ARRAY_SIZE(none); i++)
		bad(none[i], NULL, NULL, NULL, "seconds is a number from 1 to 600");
	bad(NULL, "1001", NULL, NULL, "rate is a number from 1 to 1000");
	bad(NULL, NULL, NULL, "0", "pid is a number from 1 to 2147483647");
}

/* Options, probes of functions, addresses that are watched, raw events. */
static void what_is_no_name_is_refused(void **state)
{
	static const char *const none[] = {
		"",
		"-o",
		"--help",
		":u",
		"libc:malloc",
		"/bin/sh:main",
		"mem:0x1234",
		"cpu/event=0x3c/",
		"{cycles,instructions}",
		"cycles,instructions",
		"cycles:",
		"cycles:u:k",
		"sched:sched_switch",
		"a b",
		"cycles\n",
		"cycles;id",
		"@1",
		"a123456789012345678901234567890123456789012345678",
	};

	for (size_t i = 0; i < ARRAY_SIZE(none); i++)
		bad(NULL, NULL, none[i], NULL,
		    "event is the name of one, such as cycles, cycles:u or page-faults");
}

/* The side with the privileges takes nobody's word for it. */
static void what_is_asked_for_is_looked_at_again(void **state)
{
	const struct profile_wish wish = good("5", "99", "cycles", NULL);
	struct profile_wish x = wish;

	assert_true(profile_wish__is_good(&wish));
	x.event[0] = '\0';
	assert_true(profile_wish__is_good(&x));
	memset(x.event, 'a', sizeof(x.event));
	assert_false(profile_wish__is_good(&x));
	x = wish;
	snprintf(x.event, sizeof(x.event), "libc:malloc");
	assert_false(profile_wish__is_good(&x));
	x = wish;
	x.seconds = 601;
	assert_false(profile_wish__is_good(&x));
	x = wish;
	x.hz = 0;
	assert_false(profile_wish__is_good(&x));
	x = wish;
	x.pid = UINT32_MAX;
	assert_false(profile_wish__is_good(&x));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_word_it_is_as_in_go),
		cmocka_unit_test(all_can_be_said),
		cmocka_unit_test(what_is_no_number_is_refused),
		cmocka_unit_test(what_is_no_name_is_refused),
		cmocka_unit_test(what_is_asked_for_is_looked_at_again),
	};

	return cmocka_run_group_tests_name("profile_wish", tests, NULL, NULL);
}
