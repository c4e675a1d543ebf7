// SPDX-License-Identifier: BSD-2-Clause
/* What a process that has the network may still do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdbool.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "jail/cage.h"

/* 0: as it should be; else the number of the line that is wrong. */
#define HOLDS(claim)                                                                               \
	do {                                                                                       \
		if (!(claim))                                                                      \
			return __LINE__;                                                           \
	} while (0)

static bool is_refused(long result)
{
	return result == -1 && errno == EPERM;
}

static int try_calls(void)
{
	static char *const argv[] = { "true", NULL };
	int sock;

	HOLDS(!cage__be_nobody());
	HOLDS(!cage__refuse_calls());
	HOLDS(is_refused(execv("/bin/true", argv)));
	HOLDS(is_refused(ptrace(PTRACE_TRACEME, 0, NULL, NULL)));
	HOLDS(is_refused(syscall(SYS_bpf, 0, NULL, 0)));
	HOLDS(is_refused(syscall(SYS_perf_event_open, NULL, 0, 0, 0, 0)));
	HOLDS(is_refused(syscall(SYS_keyctl, 0, 0, 0, 0, 0)));
	HOLDS(is_refused(syscall(SYS_process_vm_readv, getpid(), NULL, 0, NULL, 0, 0)));
#ifdef __x86_64__
	HOLDS(is_refused(syscall(0x40000000 + SYS_getpid)));
#endif
	/* And what it is there for. */
	sock = socket(AF_INET, SOCK_STREAM, 0);
	HOLDS(sock >= 0);
	HOLDS(!access("/etc/passwd", R_OK));
	return 0;
}

static void who_has_the_network_starts_no_program(void **state)
{
	int status = 0;
	pid_t pid = fork();

	(void)state;
	if (!pid) {
		const int line = try_calls();

		_exit(line > 255 ? 255 : line);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status))
		fail_msg("line %d does not hold", WEXITSTATUS(status));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_has_the_network_starts_no_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
