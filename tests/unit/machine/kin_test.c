// SPDX-License-Identifier: BSD-2-Clause
/* Processes that use a known time of a CPU: children, grandchildren, and those waited for. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "machine/kin.h"

static const uint64_t MS = 1000000;

/* What the calling process itself has used, by the kernel's other way to tell. */
static uint64_t used_ns(int who)
{
	struct rusage u;

	assert_int_equal(getrusage(who, &u), 0);
	return (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000000 +
	       (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000;
}

static void burn(uint64_t ns)
{
	const uint64_t until_ns = used_ns(RUSAGE_SELF) + ns;

	while (used_ns(RUSAGE_SELF) < until_ns)
		;
}

/* A child that uses so much, tells @fd that it has, and stays; or with @fd < 0 ends. */
static pid_t begin(uint64_t ns, int fd)
{
	const pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	burn(ns);
	if (fd < 0)
		_exit(0);
	if (write(fd, "x", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static void await(int fd)
{
	char byte;

	assert_int_equal(read(fd, &byte, 1), 1);
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static struct kin look(pid_t without)
{
	struct kin kin;

	assert_int_equal(kin__look(&kin, getpid(), without), 0);
	assert_true(kin.is_complete);
	return kin;
}

static void has_what_children_use(void **state)
{
	struct kin before = look(0), now;
	int fds[2];
	pid_t one, two;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	one = begin(200 * MS, fds[1]);
	two = begin(100 * MS, fds[1]);
	await(fds[0]);
	await(fds[0]);
	now = look(0);
	assert_int_equal(now.nr, before.nr + 2);
	assert_in_range(now.cpu_ns - before.cpu_ns, 300 * MS, 340 * MS);
	now = look(one);
	assert_int_equal(now.nr, before.nr + 1);
	assert_in_range(now.cpu_ns - before.cpu_ns, 100 * MS, 140 * MS);
	end(one);
	end(two);
	close(fds[0]);
	close(fds[1]);
}

static void has_those_that_were_waited_for(void **state)
{
	struct kin before = look(0), now;
	const pid_t pid = begin(200 * MS, -1);

	(void)state;
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	now = look(0);
	assert_int_equal(now.nr, before.nr);
	/* Told in ticks of 10 ms. */
	assert_in_range(now.cpu_ns - before.cpu_ns, 190 * MS, 240 * MS);
}

/* The child's child, and one that it has waited for. */
static void has_descendants(void **state)
{
	struct kin before = look(0), now;
	int fds[2];
	pid_t child;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		pid_t ended;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		ended = begin(100 * MS, -1);
		waitpid(ended, NULL, 0);
		begin(100 * MS, fds[1]);
		for (;;)
			pause();
	}
	await(fds[0]);
	now = look(0);
	assert_int_equal(now.nr, before.nr + 2);
	assert_in_range(now.cpu_ns - before.cpu_ns, 190 * MS, 250 * MS);
	assert_int_equal(look(child).nr, before.nr);
	end(child);
	close(fds[0]);
	close(fds[1]);
}

static void has_its_own(void **state)
{
	struct kin before = look(0);
	const uint64_t own_ns = used_ns(RUSAGE_SELF);

	(void)state;
	burn(100 * MS);
	assert_in_range(look(0).cpu_ns - before.cpu_ns, 100 * MS,
			used_ns(RUSAGE_SELF) - own_ns + 20 * MS);
}

static void says_when_there_is_none(void **state)
{
	struct kin kin;
	const pid_t pid = begin(0, -1);

	(void)state;
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(kin__look(&kin, pid, 0), -ESRCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_what_children_use),
		cmocka_unit_test(has_those_that_were_waited_for),
		cmocka_unit_test(has_descendants),
		cmocka_unit_test(has_its_own),
		cmocka_unit_test(says_when_there_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
