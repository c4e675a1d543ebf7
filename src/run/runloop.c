// SPDX-License-Identifier: BSD-2-Clause
/* Polls signals, the command, the targets' pidfds and the work until a run is over. */
#include "run/runloop.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/privileges.h"
#include "run/interrupt.h"

enum { FIRST_POLL_MS = 10, PROGRESS_NS = 100 * 1000000, NICE = -10 };

struct runloop {
	struct runloop_opts opts;
	struct interrupt interrupt;
	/* FD_SIGNAL, FD_COMMAND, then the targets' pidfds, then the work's own. */
	struct pollfd *fds;
	size_t nr_fds, nr_targets, targets_left;
	unsigned nr_heeded; /* interrupt.nr when one ended runloop__settle(); 0: none did */
	int old_nice;
	bool has_priority;
	uint64_t privileges; /* kept from the next run on */
};

enum { FD_SIGNAL, FD_COMMAND, FD_TARGETS };

/*
 * A pidfd, which is readable when its process has ended. One of a thread needs Linux 6.9
 * (PIDFD_THREAD).
 */
static int open_task(uint32_t id, bool thread)
{
	enum { THREAD = 00000200 }; /* PIDFD_THREAD == O_EXCL, include/uapi/linux/pidfd.h */

	return syscall(SYS_pidfd_open, id, thread ? THREAD : 0);
}

static void open_targets(struct runloop *r)
{
	const struct target *t = r->opts.target;
	const uint32_t *ids = t->nr_tids ? t->tids : t->pids;
	size_t nr = t->nr_tids ? t->nr_tids : t->nr_pids;

	for (size_t i = 0; i < nr; i++) {
		int fd = open_task(ids[i], t->nr_tids > 0);

		/* ESRCH: gone already. Others without a pidfd count: the user ends the run. */
		if (fd >= 0 || errno != ESRCH)
			r->targets_left++;
		r->fds[FD_TARGETS + r->nr_targets++] = (struct pollfd){ fd, POLLIN, 0 };
	}
}

int runloop__open(struct runloop **out, const struct runloop_opts *opts)
{
	size_t nr = FD_TARGETS + opts->target->nr_pids + opts->target->nr_tids;
	struct runloop *r = calloc(1, sizeof(*r));
	int err;

	*out = NULL;
	if (!r)
		return -ENOMEM;
	r->opts = *opts;
	r->interrupt.fd = -1;
	r->privileges = UINT64_MAX;
	r->fds = calloc(nr, sizeof(*r->fds));
	err = r->fds ? interrupt__open(&r->interrupt) : -ENOMEM;
	if (err) {
		runloop__close(r);
		return err;
	}
	if (opts->hangup_asks)
		interrupt__ask(&r->interrupt);
	r->fds[FD_SIGNAL] = (struct pollfd){ r->interrupt.fd, POLLIN, 0 };
	runloop__follow(r, opts->command);
	open_targets(r);
	r->nr_fds = FD_TARGETS + r->nr_targets;
	*out = r;
	return 0;
}

/* On a saturated machine whoever drains the rings must not queue behind what is measured. */
static void raise_priority(struct runloop *r)
{
	if (r->has_priority || r->opts.keeps_priority)
		return;
	r->old_nice = getpriority(PRIO_PROCESS, 0);
	if (setpriority(PRIO_PROCESS, 0, NICE))
		log__debug("cannot raise the priority: %s", strerror(errno));
	else
		r->has_priority = true;
}

/* The next command would inherit it. */
static void restore_priority(struct runloop *r)
{
	if (r->has_priority && setpriority(PRIO_PROCESS, 0, r->old_nice))
		log__debug("cannot restore the priority: %s", strerror(errno));
	r->has_priority = false;
}

/* With a command, further signals were meant for it, even if it is gone; without one, for us. */
static void close_signals(struct runloop *r)
{
	unsigned nr_heeded = r->nr_heeded ? r->nr_heeded : 1;
	bool gives_up = runloop__interrupted(r) && !r->opts.command && r->interrupt.nr > nr_heeded;

	interrupt__close(&r->interrupt);
	if (gives_up)
		interrupt__give_up(&r->interrupt);
}

void runloop__close(struct runloop *r)
{
	if (!r)
		return;
	restore_priority(r);
	for (size_t i = 0; i < r->nr_targets; i++)
		if (r->fds[FD_TARGETS + i].fd >= 0)
			close(r->fds[FD_TARGETS + i].fd);
	close_signals(r);
	free(r->fds);
	free(r);
}

void runloop__keep(struct runloop *r, uint64_t privileges)
{
	r->privileges = privileges;
}

void runloop__follow(struct runloop *r, struct command *command)
{
	r->opts.command = command;
	r->fds[FD_COMMAND] = (struct pollfd){ command ? command__fd(command) : -1, POLLIN, 0 };
}

/* The work's own descriptors go behind those of the targets, in place of an earlier work's. */
static int add_fds(struct runloop *r, const struct runloop_work *work)
{
	size_t nr = work->pollfds ? work->pollfds(work->arg, NULL, 0) : 0;
	size_t first = FD_TARGETS + r->nr_targets;
	struct pollfd *fds = realloc(r->fds, (first + nr) * sizeof(*fds));

	if (!fds)
		return -ENOMEM;
	r->fds = fds;
	if (nr)
		work->pollfds(work->arg, r->fds + first, nr);
	r->nr_fds = first + nr;
	return 0;
}

/* Looks at what poll reported: true when the run is over. */
static bool is_over(struct runloop *r)
{
	/* With a command its own end counts. */
	if (runloop__interrupted(r) && !r->opts.command)
		return true;
	if (r->fds[FD_COMMAND].revents)
		return true;
	for (size_t i = FD_TARGETS; i < FD_TARGETS + r->nr_targets; i++) {
		if (!r->fds[i].revents)
			continue;
		close(r->fds[i].fd);
		r->fds[i].fd = -1;
		r->fds[i].revents = 0;
		r->targets_left--;
	}
	return r->nr_targets && !r->targets_left;
}

/* Milliseconds to wait, not beyond the end of the run. */
static int timeout_ms(const struct runloop *r, uint64_t elapsed_ns, unsigned patience_ms)
{
	uint64_t left_ms;

	patience_ms = interrupt__patience_ms(&r->interrupt, patience_ms);
	if (!r->opts.duration_ns)
		return patience_ms;
	left_ms = (r->opts.duration_ns - elapsed_ns + 999999) / 1000000;
	return left_ms < patience_ms ? left_ms : patience_ms;
}

int runloop__run(struct runloop *r, const struct runloop_work *work)
{
	uint64_t start = clock__now_ns(), elapsed = 0, told = 0;
	int err = add_fds(r, work);
	unsigned patience = FIRST_POLL_MS;

	raise_priority(r);
	if (r->privileges != UINT64_MAX)
		privileges__keep(r->privileges);
	while (!err) {
		elapsed = clock__now_ns() - start;
		if (r->opts.duration_ns && elapsed >= r->opts.duration_ns)
			break;
		if (poll(r->fds, r->nr_fds, timeout_ms(r, elapsed, patience)) < 0 && errno != EINTR)
			return -errno;
		if (is_over(r))
			break;
		err = work->poll(work->arg);
		patience = work->patience_ms(work->arg);
		if (r->opts.progress && elapsed - told >= PROGRESS_NS) {
			r->opts.progress(r->opts.arg, elapsed, work->seen(work->arg));
			told = elapsed;
		}
	}
	return err > 0 ? 0 : err;
}

/* Deadline of runloop__settle(), CLOCK_MONOTONIC; UINT64_MAX: the user decides. */
static uint64_t settled_by(const struct runloop *r)
{
	const uint64_t after_term_ns = 150 * 1000000;

	if (!r->interrupt.nr || r->interrupt.signo == SIGINT)
		return UINT64_MAX;
	return r->interrupt.last_ns + after_term_ns;
}

int runloop__settle(struct runloop *r, const struct runloop_work *work,
		    void (*progress)(void *arg, uint64_t elapsed_ns, uint64_t seen), void *arg)
{
	unsigned before = (runloop__interrupted(r), r->interrupt.nr);
	uint64_t start = clock__now_ns(), told = start, until = settled_by(r), now;
	int err = work->poll(work->arg);
	struct pollfd fds[2] = { r->fds[FD_SIGNAL] };

	restore_priority(r);
	while (!err) {
		unsigned patience = work->patience_ms(work->arg);

		now = clock__now_ns();
		if (now >= until)
			break;
		if ((until - now) / 1000000 < patience)
			patience = (until - now + 999999) / 1000000;
		work->pollfds(work->arg, &fds[1], 1);
		patience = interrupt__patience_ms(&r->interrupt, patience);
		if (poll(fds, ARRAY_SIZE(fds), patience) < 0 && errno != EINTR)
			return -errno;
		if (runloop__interrupted(r) && r->interrupt.nr > before) {
			r->nr_heeded = r->interrupt.nr;
			break;
		}
		err = work->poll(work->arg);
		if (progress && !err && now - told >= PROGRESS_NS) {
			progress(arg, now - start, work->seen(work->arg));
			told = now;
		}
	}
	return err > 0 ? 0 : err;
}

int runloop__wait(struct runloop *r)
{
	const unsigned patience_ms = 3600 * 1000;
	int nr;

	restore_priority(r);
	while (r->opts.command && !r->fds[FD_COMMAND].revents) {
		nr = poll(r->fds, FD_TARGETS, interrupt__patience_ms(&r->interrupt, patience_ms));
		if (nr < 0 && errno != EINTR)
			return -errno;
		interrupt__take(&r->interrupt, r->opts.command);
	}
	return 0;
}

bool runloop__interrupted(struct runloop *r)
{
	interrupt__take(&r->interrupt, r->opts.command);
	return r->interrupt.nr > 0;
}

unsigned runloop__asked(const struct runloop *r)
{
	return r->interrupt.nr_asked;
}

bool runloop__is_told_to_end(const struct runloop *r)
{
	return r->interrupt.nr && r->interrupt.signo != SIGINT;
}
