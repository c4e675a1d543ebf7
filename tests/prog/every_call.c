// SPDX-License-Identifier: BSD-2-Clause
/*
 * every_call - fact: system calls by number, as often as their number says: 1 + NUMBER % 5 times
 * each, with arguments that no call can do anything with.
 *
 * usage: every_call [-c TIMES] [NAME=NUMBER..]
 *
 * Without numbers all but some that would not return, or would be felt. Prints "NUMBER TIMES" of
 * each. -c: first TIMES calls each that are none of the machine's own: getppid of 32-bit code (int
 * 0x80, by the number 64, which means semget to us), and getpgrp of the x32 ABI. "compat" is
 * printed if the kernel has the former.
 */
#include <signal.h>
#include <sys/wait.h>

#include "prog.h"

enum { NUMBERS = 470, X32 = 0x40000000 };

static int is_left_out(long nr)
{
	static const long numbers[] = {
		SYS_exit,
		SYS_exit_group,
		SYS_clone,
		SYS_vhangup,
		SYS_sync,
		SYS_reboot,
		SYS_msgget,
		SYS_kexec_load,
		SYS_acct,
		SYS_rt_sigreturn,
		SYS_rt_sigsuspend,
		SYS_mlockall,
		SYS_setsid,
		SYS_swapoff,
		SYS_restart_syscall,
		SYS_brk,
#if defined(__x86_64__)
		SYS_fork,
		SYS_vfork,
		SYS_pause,
		SYS_alarm,
		335 /* uretprobe */,
		336 /* uprobe */,
#endif
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (numbers[i] == nr)
			return 1;
	return 0;
}

static void make(long nr)
{
	long times = 1 + nr % 5;

	for (long i = 0; i < times; i++)
		syscall(nr, -1l, -1l, -1l, -1l, -1l, -1l);
	printf("%ld %ld\n", nr, times);
}

#if defined(__x86_64__)
static void make_compat(long times)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		for (long i = 0; i < times; i++) {
			long ret = 64;

			__asm__ volatile("int $0x80"
					 : "+a"(ret)
					 :
					 : "r8", "r9", "r10", "r11", "memory");
		}
		_exit(0);
	}
	waitpid(pid, &status, 0);
	if (!status)
		puts("compat");
	for (long i = 0; i < times; i++)
		syscall(X32 | SYS_getpgrp);
}
#else
static void make_compat(long times)
{
	(void)times;
}
#endif

int main(int argc, char **argv)
{
	long compat = 0;
	int c;

	while ((c = getopt(argc, argv, "c:")) != -1) {
		if (c != 'c')
			return 2;
		compat = strtol(optarg, NULL, 10);
	}
	make_compat(compat);
	for (int i = optind; i < argc; i++) {
		const char *number = strchr(argv[i], '=');

		make(strtol(number ? number + 1 : argv[i], NULL, 10));
	}
	for (long nr = 0; nr < NUMBERS && optind == argc; nr++)
		if (!is_left_out(nr))
			make(nr);
	fflush(stdout);
	return 0;
}
