// SPDX-License-Identifier: BSD-2-Clause
/* A process that forks one for each JVM that is asked for its map, and what is known of these. */
#include "run/java_maps.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/privileges.h"
#include "jail/cage.h"
#include "jail/message.h"
#include "run/jvm.h"

enum { ASKED_MAX = 64, WHY_BYTES = 400 };

static const uint64_t GIVE_UP_NS = JVM_ANSWER_NS + 1000000000;

struct java_answer {
	uint32_t pid;
	int32_t err; /* of jvm__write_map() */
	char why[WHY_BYTES];
};

struct java_maps {
	int sock;
	pid_t asker;
	uint32_t asked[ASKED_MAX]; /* and no answer was taken; 0: none */
	size_t nr_asked;
	uint64_t asked_ns; /* the last one */
};

static _Noreturn void ask_one(int sock, uint32_t pid)
{
	struct java_answer a = { .pid = pid };
	struct buf why = {};

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	a.err = jvm__write_map(pid, &why);
	snprintf(a.why, sizeof(a.why), "%s", why.len ? why.data : "");
	_exit(message__send(sock, &a, sizeof(a), -1) ? EXIT_FAILURE : EXIT_SUCCESS);
}

/* In a session of its own it gets no signals of the terminal: it is there until the run's end. */
static void settle(int sock)
{
	sigset_t none;

	for (int i = 1; i < NSIG; i++)
		(void)signal(i, SIG_DFL);
	(void)signal(SIGCHLD, SIG_IGN); /* nobody waits for those that have answered */
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)setsid();
	if (chdir("/") || cage__close_files(sock, -1))
		_exit(EXIT_FAILURE);
	(void)prctl(PR_SET_NAME, "java-asker", 0, 0, 0);
	privileges__keep(PRIVILEGES_ASK);
}

static _Noreturn void serve(int sock)
{
	uint32_t pid;

	settle(sock);
	sock = 3;
	while (message__receive(sock, &pid, sizeof(pid), NULL) == (int)sizeof(pid)) {
		struct java_answer a = { .pid = pid };
		pid_t child = fork();

		if (!child)
			ask_one(sock, pid);
		if (child > 0)
			continue;
		a.err = -errno;
		snprintf(a.why, sizeof(a.why), "%s", strerror(errno));
		if (message__send(sock, &a, sizeof(a), -1))
			break;
	}
	_exit(EXIT_SUCCESS);
}

int java_maps__open(struct java_maps **out)
{
	struct java_maps *m = calloc(1, sizeof(*m));
	int socks[2], err = m ? message__pair(socks) : -ENOMEM;

	*out = NULL;
	if (err) {
		free(m);
		return err;
	}
	m->sock = socks[0];
	m->asker = fork();
	if (!m->asker)
		serve(socks[1]);
	err = m->asker < 0 ? -errno : 0;
	close(socks[1]);
	if (err) {
		java_maps__close(m);
		return err;
	}
	*out = m;
	return 0;
}

void java_maps__close(struct java_maps *m)
{
	if (!m)
		return;
	close(m->sock);
	if (m->asker > 0)
		while (waitpid(m->asker, NULL, 0) < 0 && errno == EINTR)
			;
	free(m);
}

int java_maps__ask(struct java_maps *m, uint32_t pid)
{
	int err;

	if (m->nr_asked == ASKED_MAX)
		return -EAGAIN;
	err = message__send(m->sock, &pid, sizeof(pid), -1);
	if (err)
		return err;
	m->asked[m->nr_asked++] = pid;
	m->asked_ns = clock__now_ns();
	return 0;
}

static void tell(uint32_t pid, const char *why)
{
	log__notice("process %u has written no map of its code: %s", pid, why);
}

/* An answer for somebody who was not asked is no answer. */
static void take(struct java_maps *m, struct java_answer *a)
{
	size_t i = 0;

	while (i < m->nr_asked && m->asked[i] != a->pid)
		i++;
	if (i == m->nr_asked)
		return;
	m->asked[i] = m->asked[--m->nr_asked];
	a->why[sizeof(a->why) - 1] = '\0';
	if (a->err && a->err != -ENOEXEC)
		tell(a->pid, a->why);
}

static void give_up(struct java_maps *m, const char *why)
{
	while (m->nr_asked)
		tell(m->asked[--m->nr_asked], why);
}

size_t java_maps__await(struct java_maps *m)
{
	struct pollfd p = { .fd = m->sock, .events = POLLIN };
	struct java_answer a;

	while (m->nr_asked && poll(&p, 1, 0) > 0) {
		int n = message__receive(m->sock, &a, sizeof(a), NULL);

		if (n == (int)sizeof(a))
			take(m, &a);
		else if (n == -EPIPE)
			give_up(m, "the process that was to ask it has ended");
	}
	if (m->nr_asked && clock__now_ns() - m->asked_ns > GIVE_UP_NS)
		give_up(m, "it could not be asked: reading its files takes too long");
	return m->nr_asked;
}
