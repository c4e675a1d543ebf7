// SPDX-License-Identifier: BSD-2-Clause
/*
 * callcount - how many system calls a command makes, together with its children, and what CPU time
 * they take: by the kernel's own counts, whatever the command says of itself.
 *
 * usage: callcount FILE CMD [ARG..]
 *
 * FILE gets "CALLS CPU_NS" when the command has ended; the exit status is the command's. SIGTERM
 * is passed on to it. Calls before its first instruction are not among them, its own execve is not.
 */
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "prog.h"

static pid_t command;

static void pass_on(int signo)
{
	kill(command, signo);
}

static uint64_t id_of_tracepoint(void)
{
	FILE *f = fopen("/sys/kernel/tracing/events/raw_syscalls/sys_enter/id", "re");
	uint64_t id;

	if (!f || fscanf(f, "%" SCNu64, &id) != 1)
		die("raw_syscalls:sys_enter");
	fclose(f);
	return id;
}

/* Of the command and of all children that it will have, from its execve on. */
static int open_counter(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_TRACEPOINT,
		.config = id_of_tracepoint(),
		.disabled = 1,
		.inherit = 1,
		.enable_on_exec = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, command, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		die("perf_event_open");
	return fd;
}

/* Runs it once a byte says so, so that the counter is there before it. */
static void be_command(const int *go, char **argv)
{
	char byte;

	close(go[1]);
	if (read(go[0], &byte, 1) != 1)
		_exit(126);
	close(go[0]);
	execvp(argv[0], argv);
	perror(argv[0]);
	_exit(127);
}

static uint64_t ns_of(const struct rusage *u)
{
	return (u->ru_utime.tv_sec + u->ru_stime.tv_sec) * NS_PER_SEC +
	       (u->ru_utime.tv_usec + u->ru_stime.tv_usec) * 1000ull;
}

int main(int argc, char **argv)
{
	struct rusage usage;
	uint64_t calls;
	int go[2], counter, status;
	FILE *out;

	if (argc < 3)
		return 2;
	if (pipe(go) || (command = fork()) < 0)
		die("fork");
	if (!command)
		be_command(go, argv + 2);
	signal(SIGTERM, pass_on);
	counter = open_counter();
	if (write(go[1], "", 1) != 1)
		die("pipe");
	while (wait4(command, &status, 0, &usage) < 0)
		if (errno != EINTR)
			die("wait4");
	if (read(counter, &calls, sizeof(calls)) != sizeof(calls))
		die("read");
	out = fopen(argv[1], "we");
	if (!out || fprintf(out, "%" PRIu64 " %" PRIu64 "\n", calls, ns_of(&usage)) < 0 ||
	    fclose(out))
		die(argv[1]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
