// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdbool.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/limits.h"

/* In a process of its own, whose limits are nobody else's: @check says whether all was right. */
static void assert_in_child(bool (*check)(void))
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(check() ? 0 : 1);
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static bool set(int resource, rlim_t soft, rlim_t hard)
{
	const struct rlimit limit = { soft, hard };

	return !setrlimit(resource, &limit);
}

static bool says(int err, const char *sentence)
{
	struct buf why = {};
	bool ok = !limits__explain(&why, err) && !strcmp(why.len ? why.data : "", sentence);

	buf__free(&why);
	return ok;
}

static bool files(void)
{
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	return set(RLIMIT_NOFILE, 10, 10) && !files__check_room(7) &&
	       files__check_room(8) == -EMFILE && !files__check_room(0) &&
	       /* Nothing stays open. */
	       dup(0) == 3 && limits__shortage(6, 0) == 0 && limits__shortage(7, 0) == -EMFILE;
}

static bool file_sentence(void)
{
	return set(RLIMIT_NOFILE, 12, 12) &&
	       says(-EMFILE,
		    "too many open files: the limit is 12; raise it with ulimit -n 1024") &&
	       set(RLIMIT_NOFILE, 11, 12) &&
	       says(-EMFILE, "too many open files: the limit is 11; raise it with ulimit -n 1024");
}

static bool memory(void)
{
	return says(-ENOMEM, "") && set(RLIMIT_AS, 1 << 20, RLIM_INFINITY) &&
	       limits__shortage(0, 1 << 24) == -ENOMEM &&
	       says(-ENOMEM, "out of memory: the limit of the address space is 1 MiB; raise it "
			     "with ulimit -v unlimited") &&
	       says(-EAGAIN, "out of memory: the limit of the address space is 1 MiB; raise it "
			     "with ulimit -v unlimited") &&
	       /* With room behind it, it was not the limit. */
	       set(RLIMIT_AS, 1ull << 46, RLIM_INFINITY) && says(-ENOMEM, "");
}

static bool others(void)
{
	return says(-EFBIG, "") && says(-EINVAL, "") && says(0, "") && set(RLIMIT_FSIZE, 10, 10) &&
	       says(-EFBIG, "the limit of a file's size is 10 bytes; raise it with ulimit -f "
			    "unlimited") &&
	       set(RLIMIT_NPROC, 7, 7) &&
	       says(-EAGAIN, "no further thread or process can be started: the user's limit is 7; "
			     "raise it with ulimit -u, or the cgroup's pids.max");
}

/* What was ignored stays so; else an own handler, which execve(2) takes away, keeps the process. */
static bool goes_on(void)
{
	struct buf why = {};

	signal(SIGXFSZ, SIG_DFL);
	return set(RLIMIT_STACK, 4 << 20, 64 << 20) && !limits__begin(&why) && !why.len &&
	       !raise(SIGXFSZ) && signal(SIGXFSZ, SIG_IGN) != SIG_IGN && !limits__begin(&why) &&
	       signal(SIGXFSZ, SIG_DFL) == SIG_IGN;
}

static bool too_small(void)
{
	struct buf why = {};

	return set(RLIMIT_STACK, 2 << 20, 64 << 20) && limits__begin(&why) == -ENOMEM &&
	       !strcmp(why.data,
		       "the stack may have 2048 KiB, and 4096 are needed: raise the limit "
		       "with ulimit -s 8192");
}

static void room_is_what_can_be_opened(void **state)
{
	assert_in_child(files);
}

static void sentences_have_the_number(void **state)
{
	assert_in_child(file_sentence);
	assert_in_child(others);
}

static void memory_is_short_by_its_limit_or_not(void **state)
{
#if defined(__SANITIZE_ADDRESS__)
	skip(); /* it maps terabytes itself */
#endif
	assert_in_child(memory);
}

static void a_write_beyond_a_limit_is_an_error_alone(void **state)
{
	assert_in_child(goes_on);
}

static void a_small_stack_is_told(void **state)
{
	assert_in_child(too_small);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(room_is_what_can_be_opened),
		cmocka_unit_test(sentences_have_the_number),
		cmocka_unit_test(memory_is_short_by_its_limit_or_not),
		cmocka_unit_test(a_write_beyond_a_limit_is_an_error_alone),
		cmocka_unit_test(a_small_stack_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
