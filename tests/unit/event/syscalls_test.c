// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <sys/syscall.h>

#include "event/syscalls.h"

/* The C library's numbers, which have the names of manual pages. */
static void numbers_are_those_of_the_c_library(void **state)
{
	(void)state;
#define SAME(name) assert_int_equal(syscall__number(#name), SYS_##name)
	SAME(read);
	SAME(write);
	SAME(close);
	SAME(lseek);
	SAME(mmap);
	SAME(ioctl);
	SAME(pread64);
	SAME(getpid);
	SAME(connect);
	SAME(execve);
	SAME(wait4);
	SAME(kill);
	SAME(fcntl);
	SAME(getppid);
	SAME(prctl);
	SAME(mount);
	SAME(reboot);
	SAME(gettid);
	SAME(futex);
	SAME(getdents64);
	SAME(clock_nanosleep);
	SAME(exit_group);
	SAME(openat);
	SAME(newfstatat);
	SAME(accept4);
	SAME(perf_event_open);
	SAME(prlimit64);
	SAME(getrandom);
	SAME(bpf);
	SAME(execveat);
	SAME(statx);
	SAME(rseq);
	SAME(pidfd_send_signal);
	SAME(io_uring_setup);
	SAME(clone3);
	SAME(openat2);
	SAME(faccessat2);
#undef SAME
}

/* SYSCALL_DEFINE2(newfstat, ..): tracepoints have the kernel's names. */
static void names_are_the_kernels(void **state)
{
	(void)state;
	assert_int_equal(syscall__number("newfstat"), SYS_fstat);
	assert_int_equal(syscall__number("newuname"), SYS_uname);
	assert_int_equal(syscall__number("umount"), SYS_umount2);
	assert_int_equal(syscall__number("sendfile64"), SYS_sendfile);
	assert_int_equal(syscall__number("fstat"), -ENOENT);
	assert_int_equal(syscall__number("umount2"), -ENOENT);
}

/* Newer than some C libraries; include/uapi/asm-generic/unistd.h. */
static void new_ones_have_one_number_everywhere(void **state)
{
	(void)state;
	assert_int_equal(syscall__number("futex_waitv"), 449);
	assert_int_equal(syscall__number("cachestat"), 451);
	assert_int_equal(syscall__number("fchmodat2"), 452);
	assert_int_equal(syscall__number("mseal"), 462);
	assert_int_equal(syscall__number("setxattrat"), 463);
	assert_int_equal(syscall__number("file_setattr"), 469);
}

static void others_are_not_known(void **state)
{
	(void)state;
	assert_int_equal(syscall__number(""), -ENOENT);
	assert_int_equal(syscall__number("0"), -ENOENT);
	assert_int_equal(syscall__number("rea"), -ENOENT);
	assert_int_equal(syscall__number("reads"), -ENOENT);
	assert_int_equal(syscall__number("read write"), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_those_of_the_c_library),
		cmocka_unit_test(names_are_the_kernels),
		cmocka_unit_test(new_ones_have_one_number_everywhere),
		cmocka_unit_test(others_are_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
