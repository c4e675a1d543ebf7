// SPDX-License-Identifier: BSD-2-Clause
/* Forks readers, ends them, and has no other work. */
#include "jail/warden.h"

#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "jail/cage.h"
#include "jail/message.h"

enum { READERS_MAX = 16, END_MS = 500 };

struct warden {
	int sock;
	const struct jail_reader *const *readers;
	size_t nr_readers;
	pid_t alive[READERS_MAX]; /* and not waited for; 0: none */
	bool killed[READERS_MAX]; /* and not seen to end */
};

static pid_t *place_of(struct warden *w, pid_t pid)
{
	for (size_t i = 0; i < READERS_MAX; i++)
		if (w->alive[i] == pid)
			return &w->alive[i];
	return NULL;
}

/* The reader's life. */
static _Noreturn void read_files(const struct jail_reader *r, int sock)
{
	char hello;
	int file = -1;

	if (message__receive(sock, &hello, sizeof(hello), &file) < 0 ||
	    cage__close_files(sock, file) || prctl(PR_SET_NAME, r->name, 0, 0, 0))
		_exit(EXIT_FAILURE);
	if (r->prepare)
		r->prepare();
	if (cage__enter(r->max_bytes ? r->max_bytes : CAGE_BYTES))
		_exit(EXIT_FAILURE);
	r->run(3, 4);
	_exit(EXIT_SUCCESS);
}

static void start(struct warden *w, const struct warden_request *q, int sock,
		  struct warden_answer *a)
{
	pid_t *place = place_of(w, 0);

	a->err = sock < 0 || q->reader >= w->nr_readers ? -EINVAL : place ? 0 : -EAGAIN;
	if (a->err)
		return;
	a->pid = fork();
	if (!a->pid)
		read_files(w->readers[q->reader], sock);
	if (a->pid < 0)
		a->err = -errno;
	else
		*place = a->pid;
}

/* Takes what has ended of those that were killed before. */
static void bury(struct warden *w)
{
	for (size_t i = 0; i < READERS_MAX; i++)
		if (w->killed[i] && waitpid(w->alive[i], NULL, WNOHANG))
			w->alive[i] = w->killed[i] = 0;
}

/*
 * One that has ended already stays what it is: nobody has waited for it. One that waits for a disk
 * in the kernel may not end before the disk answers: it is left to that.
 */
static void end(struct warden *w, const struct warden_request *q, struct warden_answer *a)
{
	const struct timespec step = { .tv_nsec = 1000000 };
	pid_t *place = q->pid > 0 ? place_of(w, q->pid) : NULL;
	pid_t ended = 0;

	a->err = place && !w->killed[place - w->alive] ? 0 : -ESRCH;
	if (a->err)
		return;
	kill(q->pid, SIGKILL);
	for (int i = 0; i < END_MS && ended != q->pid; i++) {
		ended = waitpid(q->pid, &a->status, WNOHANG);
		if (!ended)
			nanosleep(&step, NULL);
	}
	if (ended)
		*place = 0;
	else
		w->killed[place - w->alive] = true;
	if (!ended)
		a->status = SIGKILL;
}

/* To become another user, and to end who has become it. */
static void keep_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct has[_LINUX_CAPABILITY_U32S_3] = {};
	const uint32_t kept = 1u << CAP_SETUID | 1u << CAP_SETGID | 1u << CAP_KILL;

	if (syscall(SYS_capget, &header, has))
		return;
	has[0].permitted &= kept;
	has[0].effective &= kept;
	has[0].inheritable = 0;
	memset(&has[1], 0, sizeof(has[1]));
	(void)syscall(SYS_capset, &header, has);
}

/*
 * Handlers are our program's. In a session of its own it gets no signals of the terminal: it is
 * there as long as it is needed.
 */
static void settle(struct warden *w)
{
	sigset_t none;

	for (int i = 1; i < NSIG; i++)
		(void)signal(i, SIG_DFL);
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)setsid();
	if (chdir("/")) /* where it was started may be unmounted */
		return;
	(void)prctl(PR_SET_NAME, "jail-warden", 0, 0, 0);
	keep_capabilities();
	if (cage__close_files(w->sock, -1))
		_exit(EXIT_FAILURE);
	w->sock = 3;
}

void warden__run(int sock, const struct jail_reader *const *readers, size_t nr)
{
	struct warden w = { .sock = sock, .readers = readers, .nr_readers = nr };
	struct warden_request q;
	int fd;

	settle(&w);
	while (message__receive(w.sock, &q, sizeof(q), &fd) == (int)sizeof(q)) {
		struct warden_answer a = { .pid = q.pid };

		bury(&w);
		if (q.what == WARDEN_START)
			start(&w, &q, fd, &a);
		else
			end(&w, &q, &a);
		if (fd >= 0)
			close(fd);
		if (message__send(w.sock, &a, sizeof(a), -1))
			break;
	}
	for (size_t i = 0; i < READERS_MAX; i++)
		if (w.alive[i])
			kill(w.alive[i], SIGKILL);
	_exit(EXIT_SUCCESS);
}
