// SPDX-License-Identifier: BSD-2-Clause
/* A process that starts a profile when it is asked to, and hands its file over. */
#include "serve/profiler.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "jail/cage.h"
#include "jail/message.h"

enum { SOCK = 3, WHY_BYTES = 512, PROFILE_BYTES = 256 << 20, PATIENCE_S = 60 };

struct profiler {
	int sock;
	pid_t pid;
	bool is_busy;
};

struct reply {
	int status;
	char why[WHY_BYTES];
};

static const char *number(char *text, size_t size, uint32_t value)
{
	snprintf(text, size, "%u", value);
	return text;
}

static void exec_profile(const struct profile_wish *w, int file, int errors)
{
	char seconds[16], hz[16], pid[16];
	const char *argv[24] = { "pmutrace",
				 "profile",
				 "-q",
				 "-f",
				 "pprof",
				 "-o",
				 "-",
				 "--max-memory",
				 "256M",
				 "-F",
				 number(hz, sizeof(hz), w->hz) };
	sigset_t none;
	size_t nr = 11;

	argv[nr++] = w->pid ? "-p" : "-a";
	if (w->pid)
		argv[nr++] = number(pid, sizeof(pid), w->pid);
	if (*w->event) {
		argv[nr++] = "-e";
		argv[nr++] = w->event;
	}
	argv[nr++] = number(seconds, sizeof(seconds), w->seconds);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGINT, SIG_DFL);
	if (dup2(file, STDOUT_FILENO) < 0 || dup2(errors, STDERR_FILENO) < 0)
		_exit(127);
	execv("/proc/self/exe", (char **)argv);
	dprintf(STDERR_FILENO, "cannot start the profile: %s\n", strerror(errno));
	_exit(127);
}

enum ending { IT_ENDS, IT_HANGS, NOBODY_ASKS };

/* What it says, up to its end. */
static enum ending listen_to(int errors, uint64_t deadline_ns, struct reply *out)
{
	struct pollfd fds[] = { { .fd = errors, .events = POLLIN }, { .fd = SOCK } };
	char bytes[WHY_BYTES];
	size_t len = 0;
	ssize_t n;

	for (;;) {
		const uint64_t now_ns = clock__now_ns();

		if (now_ns >= deadline_ns)
			return IT_HANGS;
		if (poll(fds, ARRAY_SIZE(fds), (int)((deadline_ns - now_ns) / 1000000) + 1) <= 0)
			continue;
		if (fds[1].revents)
			return NOBODY_ASKS;
		n = read(errors, bytes, sizeof(bytes));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return IT_ENDS;
		if ((size_t)n > sizeof(out->why) - 1 - len)
			n = sizeof(out->why) - 1 - len;
		memcpy(out->why + len, bytes, n);
		len += n;
	}
}

static int end_child(pid_t child, enum ending how)
{
	int status = 0;

	if (how != IT_ENDS)
		kill(child, how == IT_HANGS ? SIGKILL : SIGTERM);
	if (how == NOBODY_ASKS)
		_exit(0);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int profile_to(int file, const struct profile_wish *w, struct reply *out)
{
	const uint64_t deadline_ns = clock__now_ns() + (w->seconds + PATIENCE_S) * 1000000000ull;
	enum ending how;
	int errors[2];
	pid_t child;

	if (pipe2(errors, O_CLOEXEC))
		return -errno;
	child = fork();
	if (!child)
		exec_profile(w, file, errors[1]);
	close(errors[1]);
	if (child < 0) {
		close(errors[0]);
		return -EAGAIN;
	}
	how = listen_to(errors[0], deadline_ns, out);
	close(errors[0]);
	out->status = end_child(child, how);
	if (how == IT_HANGS)
		snprintf(out->why, sizeof(out->why), "the profile took too long to end\n");
	return 0;
}

static int serve_wish(struct profile_wish *w)
{
	struct reply reply = { .status = 127 };
	const int file = memfd_create("profile", MFD_CLOEXEC);
	int err = file < 0 ? -errno : 0;

	if (!err && !profile_wish__is_good(w))
		err = -EINVAL;
	if (!err)
		err = profile_to(file, w, &reply);
	if (err)
		snprintf(reply.why, sizeof(reply.why), "%s\n", strerror(-err));
	err = message__send(SOCK, &reply, sizeof(reply), reply.status ? -1 : file);
	if (file >= 0)
		close(file);
	return err;
}

/* The life of the process. */
static void profile_when_asked(int sock)
{
	struct profile_wish wish;

	prctl(PR_SET_NAME, "pmut-profiler");
	if (cage__close_files(sock, -1))
		_exit(1);
	/* Ctrl-C is the exporter's: this ends with that. */
	signal(SIGINT, SIG_IGN);
	while (message__receive(SOCK, &wish, sizeof(wish), NULL) == sizeof(wish))
		if (serve_wish(&wish))
			break;
	_exit(0);
}

int profiler__open(struct profiler **out)
{
	struct profiler *p = calloc(1, sizeof(*p));
	int err;

	*out = NULL;
	if (!p)
		return -ENOMEM;
	err = message__fork(&p->sock, &p->pid);
	if (err) {
		free(p);
		return err;
	}
	if (!p->pid)
		profile_when_asked(p->sock);
	*out = p;
	return 0;
}

void profiler__close(struct profiler *p)
{
	if (!p)
		return;
	/* It sees that, and ends; who ends it, if it hangs, is not this process. */
	close(p->sock);
	(void)waitpid(p->pid, NULL, WNOHANG);
	free(p);
}

int profiler__ask(struct profiler *p, const struct profile_wish *wish)
{
	int err = p->is_busy ? -EBUSY : message__send(p->sock, wish, sizeof(*wish), -1);

	p->is_busy |= !err;
	return err;
}

int profiler__fd(const struct profiler *p)
{
	return p->sock;
}

static int take_file(int file, struct profile_answer *out)
{
	int err = lseek(file, 0, SEEK_SET) < 0 ? -errno : 0;

	return err ? err : buf__read_fd(&out->profile, file, PROFILE_BYTES);
}

static int take_reply(const struct reply *reply, int file, struct profile_answer *out)
{
	int err = file >= 0 ? take_file(file, out) : 0;

	out->status = reply->status;
	if (!err)
		return file >= 0 ? 0
				 : buf__put(&out->why, reply->why,
					    strnlen(reply->why, sizeof(reply->why)));
	buf__free(&out->profile);
	out->status = 1;
	return buf__printf(&out->why, "the profile cannot be read: %s\n", strerror(-err));
}

int profiler__take(struct profiler *p, struct profile_answer *out)
{
	struct pollfd there = { .fd = p->sock, .events = POLLIN };
	struct reply reply;
	int file = -1, n, err = 0;

	*out = (struct profile_answer){};
	if (poll(&there, 1, 0) <= 0)
		return -EAGAIN;
	n = message__receive(p->sock, &reply, sizeof(reply), &file);
	if (n == sizeof(reply))
		err = take_reply(&reply, file, out);
	else
		err = -EPIPE;
	if (file >= 0)
		close(file);
	p->is_busy = false;
	return err;
}
