// SPDX-License-Identifier: BSD-2-Clause
/* What a JVM answers, and which processes are left alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "run/java_maps.h"
#include "run/jvm.h"

static int answer(const char *text, size_t len, const char *want_why)
{
	struct buf why = {};
	int err = jvm__read_answer(text, len, &why);

	assert_string_equal(why.len ? why.data : "", want_why);
	buf__free(&why);
	return err;
}

#define ANSWER(text, why) answer(text, sizeof(text) - 1, why)

static void a_zero_is_done(void **state)
{
	assert_int_equal(ANSWER("0\n", ""), 0);
	assert_int_equal(ANSWER("0\nCommand executed successfully\n", ""), 0);
}

static void another_number_is_refused_and_told(void **state)
{
	assert_int_equal(ANSWER("1\njava.lang.X: no\nat y\n", "it answered: java.lang.X: no"),
			 -EREMOTEIO);
	assert_int_equal(ANSWER("101\n", "it answered: "), -EREMOTEIO);
	assert_int_equal(ANSWER("00\nx", "it answered: x"), -EREMOTEIO);
}

static void what_is_none_is_told(void **state)
{
	static const char nonsense[] = "its answer cannot be understood";

	assert_int_equal(ANSWER("", nonsense), -EREMOTEIO);
	assert_int_equal(ANSWER("0", nonsense), -EREMOTEIO);
	assert_int_equal(ANSWER("\n0\n", nonsense), -EREMOTEIO);
	assert_int_equal(ANSWER("-1\n", nonsense), -EREMOTEIO);
	assert_int_equal(ANSWER("0\0\n", nonsense), -EREMOTEIO);
	assert_int_equal(ANSWER("\xff\xff", nonsense), -EREMOTEIO);
}

static void long_ones_are_cut(void **state)
{
	char text[4096], want[256];

	memset(text, 'x', sizeof(text));
	memcpy(text, "7\n", 2);
	memset(want, 'x', sizeof(want));
	memcpy(want, "it answered: ", 13);
	want[13 + 120] = '\0';
	assert_int_equal(answer(text, sizeof(text), want), -EREMOTEIO);
}

/* SIGQUIT would have ended it. */
static void what_is_no_jvm_is_left_alone(void **state)
{
	struct java_maps *m;
	pid_t pid = fork();
	int status;

	if (!pid) {
		pause();
		_exit(7);
	}
	assert_true(pid > 0);
	assert_int_equal(java_maps__open(&m), 0);
	assert_int_equal(java_maps__ask(m, pid), 0);
	while (java_maps__await(m))
		usleep(1000);
	assert_int_equal(waitpid(pid, &status, WNOHANG), 0);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WTERMSIG(status), SIGKILL);
	/* One that is gone is none either. */
	assert_int_equal(java_maps__ask(m, pid), 0);
	while (java_maps__await(m))
		usleep(1000);
	java_maps__close(m);
}

static void no_more_are_asked_than_may_wait(void **state)
{
	struct java_maps *m;
	int nr = 0, err;

	assert_int_equal(java_maps__open(&m), 0);
	while (!(err = java_maps__ask(m, getpid())))
		nr++;
	assert_int_equal(err, -EAGAIN);
	assert_int_equal(nr, 64);
	while (java_maps__await(m))
		usleep(1000);
	assert_int_equal(java_maps__ask(m, getpid()), 0);
	java_maps__close(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_zero_is_done),
		cmocka_unit_test(another_number_is_refused_and_told),
		cmocka_unit_test(what_is_none_is_told),
		cmocka_unit_test(long_ones_are_cut),
		cmocka_unit_test(what_is_no_jvm_is_left_alone),
		cmocka_unit_test(no_more_are_asked_than_may_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
