// SPDX-License-Identifier: BSD-2-Clause
/* run/interrupt.h: which signals are one. They are from this process, as both of timeout(1)
 * are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "run/interrupt.h"

static void wait_ms(unsigned ms)
{
	const struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

static void send_self(int signo)
{
	assert_int_equal(kill(getpid(), signo), 0);
}

static void send_by_another(int signo)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		_exit(kill(getppid(), signo) ? 1 : 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static unsigned nr_of(struct interrupt *i)
{
	interrupt__take(i, NULL);
	return i->nr;
}

/* One signal has been taken. */
static void open_with_one(struct interrupt *i)
{
	assert_int_equal(interrupt__open(i), 0);
	assert_int_equal(nr_of(i), 0);
	send_self(SIGINT);
	assert_int_equal(nr_of(i), 1);
}

static void two_of_one_process_are_one_for_a_second(void **state)
{
	struct interrupt i;

	open_with_one(&i);
	assert_int_equal(nr_of(&i), 1);
	wait_ms(150);
	send_self(SIGINT);
	assert_int_equal(nr_of(&i), 1);
	wait_ms(1000);
	send_self(SIGINT);
	assert_int_equal(nr_of(&i), 2);
	assert_int_equal(i.signo, SIGINT);
	interrupt__close(&i);
}

/* It may have come right behind the first: nobody can tell how long it has been there. */
static void what_came_while_nobody_looked_is_one_too(void **state)
{
	struct interrupt i;

	open_with_one(&i);
	send_self(SIGINT);
	wait_ms(1200);
	assert_int_equal(nr_of(&i), 1);
	assert_int_equal(nr_of(&i), 1);
	send_self(SIGINT);
	assert_int_equal(nr_of(&i), 2);
	interrupt__close(&i);
}

/* As the shell's and the kernel's SIGHUP: one request. Again if this machine was too slow. */
static void what_comes_at_once_is_one_whoever_sent_it(void **state)
{
	struct interrupt i;
	bool in_time = false;

	for (int n = 0; n < 50 && !in_time; n++) {
		open_with_one(&i);
		send_by_another(SIGINT);
		nr_of(&i);
		in_time = clock__now_ns() - i.last_ns < 100000000;
		if (in_time)
			assert_int_equal(i.nr, 1);
		interrupt__close(&i);
	}
	assert_true(in_time);
}

static void others_and_other_signals_are_not(void **state)
{
	struct interrupt i;

	open_with_one(&i);
	send_self(SIGTERM);
	assert_int_equal(nr_of(&i), 2);
	wait_ms(150);
	send_by_another(SIGTERM);
	assert_int_equal(nr_of(&i), 3);
	interrupt__close(&i);
}

/* Behind the run: the process would end by what is not the same. */
static void what_is_one_with_the_last_is_nothing_after_the_run(void **state)
{
	struct interrupt i;

	open_with_one(&i);
	interrupt__close(&i);
	send_self(SIGINT);
	wait_ms(150);
	send_self(SIGINT);
}

/* In a child: its status. */
static int status_of(void (*fn)(void))
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid) {
		fn();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

/* Behind a run that one SIGINT ended: another signal, so much later. */
static void end_by(unsigned late_ms, int signo)
{
	struct interrupt i;

	open_with_one(&i);
	interrupt__close(&i);
	wait_ms(late_ms);
	kill(getpid(), signo);
	wait_ms(5000);
}

static void end_by_another_signal(void)
{
	end_by(0, SIGTERM);
}

static void end_by_a_late_one(void)
{
	end_by(1200, SIGINT);
}

static void what_is_not_ends_the_process(void **state)
{
	int status = status_of(end_by_another_signal);

	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	status = status_of(end_by_a_late_one);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_of_one_process_are_one_for_a_second),
		cmocka_unit_test(what_came_while_nobody_looked_is_one_too),
		cmocka_unit_test(what_comes_at_once_is_one_whoever_sent_it),
		cmocka_unit_test(others_and_other_signals_are_not),
		cmocka_unit_test(what_is_one_with_the_last_is_nothing_after_the_run),
		cmocka_unit_test(what_is_not_ends_the_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
