// SPDX-License-Identifier: BSD-2-Clause
/* Forks a child that waits on a pipe for its exec; signals it by a pidfd, and waits for its end. */
#include "run/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct command {
	pid_t pid;
	int go_fd;    /* written: go; closed: do not */
	int error_fd; /* read: errno of a failed exec; end of file: it worked */
	int pid_fd;
	char *name;
	bool released;
	int status; /* -1: not waited for */
};

static void __attribute__((noreturn)) run_child(char **argv, int go_fd, int error_fd)
{
	sigset_t none;
	char go;
	int err;

	if (read(go_fd, &go, 1) != 1)
		_exit(127);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execvp(argv[0], argv);
	err = errno;
	if (write(error_fd, &err, sizeof(err)) != sizeof(err))
		_exit(127);
	_exit(127);
}

/*
 * SIGINT and SIGTERM that come before the command is released wait in the child until then: so
 * command__release() still has a reader to write to, and the command ends by the signal.
 */
static pid_t fork_blocked(void)
{
	sigset_t mask, old;
	pid_t pid;
	int err;

	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	if (sigprocmask(SIG_BLOCK, &mask, &old))
		return -1;
	pid = fork();
	err = errno;
	if (pid)
		sigprocmask(SIG_SETMASK, &old, NULL);
	errno = err;
	return pid;
}

int command__prepare(struct command **out, char **argv)
{
	int go[2] = { -1, -1 }, error[2] = { -1, -1 }, err = 0;
	struct command *c = calloc(1, sizeof(*c));

	*out = NULL;
	if (!c)
		return -ENOMEM;
	c->go_fd = c->error_fd = c->pid_fd = c->status = -1;
	c->name = strdup(argv[0]);
	if (!c->name || pipe2(go, O_CLOEXEC) || pipe2(error, O_CLOEXEC)) {
		err = -errno;
		goto out_free;
	}
	c->pid = fork_blocked();
	if (c->pid < 0) {
		err = -errno;
		goto out_free;
	}
	if (!c->pid) {
		close(go[1]);
		run_child(argv, go[0], error[1]);
	}
	c->go_fd = go[1];
	c->error_fd = error[0];
	close(go[0]);
	close(error[1]);
	go[0] = go[1] = error[0] = error[1] = -1;
	c->pid_fd = syscall(SYS_pidfd_open, c->pid, 0);
	if (c->pid_fd < 0) {
		err = -errno;
		goto out_free;
	}
	*out = c;
	return 0;

out_free:
	for (int i = 0; i < 2; i++) {
		if (go[i] >= 0)
			close(go[i]);
		if (error[i] >= 0)
			close(error[i]);
	}
	command__free(c);
	return err;
}

int command__release(struct command *c, struct buf *why)
{
	int err = 0;
	ssize_t n;

	if (write(c->go_fd, "g", 1) != 1)
		return -errno;
	close(c->go_fd);
	c->go_fd = -1;
	c->released = true;
	do {
		n = read(c->error_fd, &err, sizeof(err));
	} while (n < 0 && errno == EINTR);
	if (n != sizeof(err))
		return 0;
	if (buf__printf(why, "cannot run '%s': %s", c->name, strerror(err)))
		return -ENOMEM;
	return -err;
}

pid_t command__pid(const struct command *c)
{
	return c->pid;
}

int command__fd(const struct command *c)
{
	return c->pid_fd;
}

void command__signal(const struct command *c, int signo)
{
	if (c->released)
		syscall(SYS_pidfd_send_signal, c->pid_fd, signo, NULL, 0);
}

int command__status(struct command *c)
{
	int status;

	if (c->status < 0 && waitpid(c->pid, &status, 0) == c->pid)
		c->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	return c->status;
}

void command__free(struct command *c)
{
	if (!c)
		return;
	if (c->go_fd >= 0)
		close(c->go_fd); /* the child reads an end of file and leaves */
	if (c->error_fd >= 0)
		close(c->error_fd);
	if (c->pid > 0 && !c->released)
		command__status(c);
	if (c->pid_fd >= 0)
		close(c->pid_fd);
	free(c->name);
	free(c);
}
