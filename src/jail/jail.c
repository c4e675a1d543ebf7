// SPDX-License-Identifier: BSD-2-Clause
/* Has the warden start and end readers, and keeps an eye on the time that they take. */
#include "jail/jail.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "jail/message.h"
#include "jail/warden.h"

struct jail {
	pthread_mutex_t lock; /* of the socket: readers are started on several threads */
	int sock;
	pid_t warden;
	_Atomic bool is_closed;
	unsigned nr_users; /* the owner, who holds it, and each reader */
	const struct jail_reader *const *readers;
	size_t nr_readers;
};

struct jailed {
	struct jail *jail;
	int sock, file;
	pid_t pid;
	uint64_t max_cpu_ns, max_ns;
	uint64_t sent_ns, sent_cpu_ns; /* the last question */
	uint64_t cpu_ns;	       /* when it was last looked at */
	bool late, greedy;	       /* it took too long, or too much CPU time */
};

int jail__open(struct jail **out, const struct jail_reader *const *readers, size_t nr)
{
	struct jail *j = calloc(1, sizeof(*j));
	int socks[2], err = j ? message__pair(socks) : -ENOMEM;

	*out = NULL;
	if (err) {
		free(j);
		return err;
	}
	j->warden = fork();
	if (!j->warden)
		warden__run(socks[1], readers, nr);
	err = j->warden < 0 ? -errno : 0;
	close(socks[1]);
	j->sock = socks[0];
	j->readers = readers;
	j->nr_users = 1;
	j->nr_readers = nr;
	if (err) {
		close(socks[0]);
		free(j);
		return err;
	}
	pthread_mutex_init(&j->lock, NULL);
	*out = j;
	return 0;
}

struct jail *jail__hold(struct jail *j)
{
	if (!j)
		return NULL;
	pthread_mutex_lock(&j->lock);
	j->nr_users++;
	pthread_mutex_unlock(&j->lock);
	return j;
}

void jail__leave(struct jail *j)
{
	bool last;

	if (!j)
		return;
	pthread_mutex_lock(&j->lock);
	last = !--j->nr_users;
	pthread_mutex_unlock(&j->lock);
	if (!last)
		return;
	close(j->sock);
	pthread_mutex_destroy(&j->lock);
	free(j);
}

void jail__close(struct jail *j)
{
	if (!j)
		return;
	j->is_closed = true;
	shutdown(j->sock, SHUT_RDWR);
	while (waitpid(j->warden, NULL, 0) < 0 && errno == EINTR)
		;
	jail__leave(j);
}

static int ask_warden(struct jail *j, const struct warden_request *q, int fd,
		      struct warden_answer *a)
{
	int err;

	pthread_mutex_lock(&j->lock);
	err = message__send(j->sock, q, sizeof(*q), fd);
	if (!err) {
		err = message__receive(j->sock, a, sizeof(*a), NULL);
		err = err == sizeof(*a) ? 0 : err < 0 ? err : -EBADMSG;
	}
	pthread_mutex_unlock(&j->lock);
	if (err && j->is_closed)
		return -ESHUTDOWN;
	return err ? err : a->err;
}

static uint32_t number_of(const struct jail *j, const struct jail_reader *kind)
{
	uint32_t i = 0;

	while (i < j->nr_readers && j->readers[i] != kind)
		i++;
	return i;
}

/* A socket to it, and its file; @socks: both ends. */
static int make_ends(struct jailed *r, int socks[2])
{
	int err = message__pair(socks);

	if (err)
		return err;
	r->sock = socks[0];
	r->file = memfd_create("answer", MFD_CLOEXEC);
	if (r->file < 0)
		err = -errno;
	else
		err = message__send(r->sock, "", 1, r->file);
	if (err)
		close(socks[1]);
	return err;
}

int jailed__open(struct jailed **out, struct jail *j, const struct jail_reader *kind)
{
	const struct warden_request q = { .what = WARDEN_START, .reader = number_of(j, kind) };
	struct jailed *r = calloc(1, sizeof(*r));
	struct warden_answer a = {};
	int socks[2], err;

	*out = NULL;
	if (!r)
		return -ENOMEM;
	r->sock = r->file = -1;
	r->jail = jail__hold(j);
	r->max_cpu_ns = kind->max_cpu_ns ? kind->max_cpu_ns : JAILED_CPU_NS;
	r->max_ns = kind->max_wall_ns ? kind->max_wall_ns : JAILED_WALL_NS;
	err = make_ends(r, socks);
	if (!err) {
		err = ask_warden(j, &q, socks[1], &a);
		close(socks[1]);
	}
	if (err) {
		jailed__close(r);
		return err;
	}
	r->pid = a.pid;
	*out = r;
	return 0;
}

/* *status: how it had ended, or SIGKILL. */
static int end(struct jailed *r, int *status)
{
	const struct warden_request q = { .what = WARDEN_END, .pid = r->pid };
	struct warden_answer a = {};
	int err = r->pid ? ask_warden(r->jail, &q, -1, &a) : -ESRCH;

	r->cpu_ns = jailed__cpu_ns(r);
	r->pid = 0;
	*status = a.status;
	return err;
}

void jailed__close(struct jailed *r)
{
	int status;

	if (!r)
		return;
	if (r->pid)
		(void)end(r, &status);
	if (r->sock >= 0)
		close(r->sock);
	if (r->file >= 0)
		close(r->file);
	jail__leave(r->jail);
	free(r);
}

int jailed__file(const struct jailed *r)
{
	return r->file;
}

pid_t jailed__pid(const struct jailed *r)
{
	return r->pid;
}

/* Until somebody has waited for it, its number is nobody else's. */
uint64_t jailed__cpu_ns(const struct jailed *r)
{
	clockid_t clock;
	struct timespec t;

	if (!r->pid || clock_getcpuclockid(r->pid, &clock) || clock_gettime(clock, &t))
		return r->cpu_ns;
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

void jailed__go_on(struct jailed *r)
{
	r->sent_ns = clock__now_ns();
	r->sent_cpu_ns = jailed__cpu_ns(r);
}

int jailed__give(struct jailed *r, const void *bytes, size_t len, int fd)
{
	return message__send(r->sock, bytes, len, fd);
}

int jailed__send(struct jailed *r, const void *bytes, size_t len, int fd)
{
	jailed__go_on(r);
	return jailed__give(r, bytes, len, fd);
}

/* Is it the reader's fault? A machine may be that busy, but then no CPU time is used. */
static bool is_over(struct jailed *r)
{
	r->cpu_ns = jailed__cpu_ns(r);
	r->greedy = r->cpu_ns - r->sent_cpu_ns > r->max_cpu_ns;
	r->late = !r->greedy && clock__now_ns() - r->sent_ns > r->max_ns;
	return r->greedy || r->late;
}

/*
 * Until when it cannot have taken too long: it has one thread. Whoever waits is not woken before
 * that: its own CPU time tells that it does nothing.
 */
static int patience_ms(struct jailed *r)
{
	const uint64_t cpu_ns = jailed__cpu_ns(r) - r->sent_cpu_ns;
	const uint64_t ns = clock__now_ns() - r->sent_ns;
	const uint64_t cpu_left_ns = cpu_ns < r->max_cpu_ns ? r->max_cpu_ns - cpu_ns : 0;
	const uint64_t left_ns = ns < r->max_ns ? r->max_ns - ns : 0;

	return (cpu_left_ns < left_ns ? cpu_left_ns : left_ns) / 1000000 + 1;
}

int jailed__receive(struct jailed *r, void *bytes, size_t size)
{
	struct pollfd p = { .fd = r->sock, .events = POLLIN };
	int n, status;

	while ((n = poll(&p, 1, patience_ms(r))) <= 0) {
		if (n < 0 && errno != EINTR)
			return -errno;
		if (!is_over(r))
			continue;
		n = end(r, &status);
		return n ? n : -ETIME;
	}
	return message__receive(r->sock, bytes, size, NULL);
}

int jailed__why(struct jailed *r, struct buf *why)
{
	int status = 0;

	if (r->greedy)
		return buf__printf(why, "it took more than %g s of CPU time", r->max_cpu_ns / 1e9);
	if (r->late)
		return buf__printf(why, "it took more than %g s", r->max_ns / 1e9);
	if (end(r, &status))
		return buf__puts(why, "its reader could not be ended");
	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
		return buf__printf(why, "its reader crashed (%s)", strsignal(WTERMSIG(status)));
	if (WIFEXITED(status))
		return buf__printf(why, "its reader ended with status %d", WEXITSTATUS(status));
	return buf__puts(why, "its reader was killed");
}
