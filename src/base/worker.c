// SPDX-License-Identifier: BSD-2-Clause
/* A thread, the jobs that it has to do, and those that it has done. */
#include "base/worker.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/privileges.h"

/* What a main thread mostly has; by default others get RLIMIT_STACK as it was at the start. */
enum { STACK_BYTES = 8 << 20 };

static const uint64_t CLOSE_NS = 20 * 1000000;

enum { LINES_MAX = 64 }; /* of the log, between two looks at it */

struct list {
	struct job *first, **end;
};

struct log_line {
	enum log_level level;
	char *text;
};

struct worker {
	struct worker_opts opts;
	pthread_t thread;
	int fd; /* eventfd */

	pthread_mutex_t mutex; /* of all that follows */
	pthread_cond_t changed;
	struct list todo, done;
	size_t nr_later;  /* of todo: so many may wait .. */
	bool is_due;	  /* .. but not any more */
	struct list turn; /* the thread's alone, before todo: jobs in the order they are run in */
	size_t nr_open;
	bool closing; /* no more jobs are begun */
	bool ended;   /* the thread touches nothing any more */
	bool left;    /* by worker__close(): the thread frees the worker */
	struct log_line lines[LINES_MAX];
	size_t nr_lines;
};

static void append(struct list *l, struct job *job)
{
	job->next = NULL;
	*l->end = job;
	l->end = &job->next;
}

static struct job *take_first(struct list *l)
{
	struct job *job = l->first;

	if (job)
		l->first = job->next;
	if (!l->first)
		l->end = &l->first;
	return job;
}

static void free_list(const struct worker *w, struct list *l)
{
	struct job *job;

	while ((job = take_first(l)))
		w->opts.free(job);
}

static void free_worker(struct worker *w)
{
	free_list(w, &w->turn);
	free_list(w, &w->todo);
	free_list(w, &w->done);
	for (size_t i = 0; i < w->nr_lines; i++)
		free(w->lines[i].text);
	if (w->fd >= 0)
		close(w->fd);
	pthread_cond_destroy(&w->changed);
	pthread_mutex_destroy(&w->mutex);
	free(w);
}

static void keep_line(void *arg, enum log_level level, const char *text)
{
	struct worker *w = arg;
	struct log_line line = { level, NULL };

	pthread_mutex_lock(&w->mutex);
	if (w->nr_lines < LINES_MAX)
		line.text = strdup(text);
	if (line.text)
		w->lines[w->nr_lines++] = line;
	pthread_mutex_unlock(&w->mutex);
}

/* A thread begins with the priority of the one that made it, which may be a high one. */
static void be_nobody_special(void)
{
	pid_t tid = syscall(SYS_gettid);

	if (getpriority(PRIO_PROCESS, tid) < 0 && setpriority(PRIO_PROCESS, tid, 0))
		log__debug("cannot lower a thread's priority: %s", strerror(errno));
}

static struct job *merge(const struct worker *w, struct job *a, struct job *b)
{
	struct job *first = NULL, **end = &first;

	while (a && b) {
		struct job **from = w->opts.compare(b, a) < 0 ? &b : &a;

		*end = *from;
		end = &(*from)->next;
		*from = *end;
	}
	*end = a ? a : b;
	return first;
}

/* Merges ever longer rows: the i-th one has 2^i jobs, that came before those of shorter rows. */
static struct job *sort(const struct worker *w, struct job *jobs)
{
	struct job *rows[8 * sizeof(size_t)] = {}, *row, *all = NULL;
	size_t i;

	while ((row = jobs)) {
		jobs = row->next;
		row->next = NULL;
		for (i = 0; rows[i]; i++) {
			row = merge(w, rows[i], row);
			rows[i] = NULL;
		}
		rows[i] = row;
	}
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		all = merge(w, rows[i], all);
	return all;
}

/* All that was given has its turn. The mutex is held, but not meanwhile. */
static void begin_turn(struct worker *w)
{
	struct job *jobs = w->todo.first, *next;

	w->todo.first = NULL;
	w->todo.end = &w->todo.first;
	w->nr_later = 0;
	w->is_due = false;
	pthread_mutex_unlock(&w->mutex);
	if (w->opts.compare)
		jobs = sort(w, jobs);
	for (; jobs; jobs = next) {
		next = jobs->next;
		append(&w->turn, jobs);
	}
	pthread_mutex_lock(&w->mutex);
}

/* The next jobs: how many; 0 at the end. The mutex is held. */
static size_t wait_for_jobs(struct worker *w, struct job *jobs[WORKER_BATCH])
{
	const size_t max = w->opts.run_all ? WORKER_BATCH : 1;
	size_t nr = 0;

	while (!w->closing && !w->turn.first && !w->is_due)
		pthread_cond_wait(&w->changed, &w->mutex);
	if (!w->closing && !w->turn.first)
		begin_turn(w);
	for (; !w->closing && w->turn.first && nr < max; nr++) {
		jobs[nr] = take_first(&w->turn);
		jobs[nr]->put_off = false;
	}
	return nr;
}

static void run_jobs(const struct worker *w, struct job *const *jobs, size_t nr)
{
	if (w->opts.run_all)
		w->opts.run_all(w->opts.owner, jobs, nr);
	else
		w->opts.run(w->opts.owner, jobs[0]);
}

static void tell(const struct worker *w)
{
	const uint64_t one = 1;

	if (write(w->fd, &one, sizeof(one)) != sizeof(one))
		return; /* it is readable as it is */
}

/* Of the jobs that were run, all but those that were put off. False: none. The mutex is held. */
static bool keep_done(struct worker *w, struct job *const *jobs, size_t nr)
{
	const bool was_empty = !w->done.first;
	size_t nr_done = 0;

	for (size_t i = 0; i < nr; i++) {
		if (jobs[i]->put_off)
			continue;
		append(&w->done, jobs[i]);
		nr_done++;
	}
	if (!nr_done)
		return false;
	w->nr_open -= nr_done;
	if (was_empty)
		tell(w);
	pthread_cond_broadcast(&w->changed);
	return true;
}

static void *run(void *arg)
{
	struct worker *w = arg;
	struct job *jobs[WORKER_BATCH];
	bool left;
	size_t nr;

	log__set_thread_sink(keep_line, w);
	be_nobody_special();
	privileges__keep(w->opts.privileges);
	pthread_mutex_lock(&w->mutex);
	while ((nr = wait_for_jobs(w, jobs))) {
		pthread_mutex_unlock(&w->mutex);
		run_jobs(w, jobs, nr);
		pthread_mutex_lock(&w->mutex);
		if (!keep_done(w, jobs, nr) || !w->opts.done)
			continue;
		pthread_mutex_unlock(&w->mutex);
		w->opts.done(w->opts.owner);
		pthread_mutex_lock(&w->mutex);
	}
	pthread_mutex_unlock(&w->mutex);
	w->opts.end(w->opts.owner);

	pthread_mutex_lock(&w->mutex);
	left = w->left;
	w->ended = true;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->mutex);
	log__set_thread_sink(NULL, NULL);
	if (left)
		free_worker(w);
	return NULL;
}

static int create(struct worker *w)
{
	pthread_attr_t attr;
	int err = pthread_attr_init(&attr);

	if (err)
		return err;
	err = pthread_attr_setstacksize(&attr, STACK_BYTES);
	if (!err)
		err = pthread_create(&w->thread, &attr, run, w);
	pthread_attr_destroy(&attr);
	return err;
}

/* Signals are for the thread that waits for them; those that tell of a fault stay. */
static int start_thread(struct worker *w)
{
	const int faults[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS };
	sigset_t mask, old;
	int err;

	sigfillset(&mask);
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		sigdelset(&mask, faults[i]);
	err = pthread_sigmask(SIG_BLOCK, &mask, &old);
	if (err)
		return -err;
	err = create(w);
	if (pthread_sigmask(SIG_SETMASK, &old, NULL) && !err)
		err = EINVAL;
	return -err;
}

int worker__open(struct worker **out, const struct worker_opts *opts)
{
	struct worker *w = calloc(1, sizeof(*w));
	pthread_condattr_t attr;
	int err;

	*out = NULL;
	if (!w)
		return -ENOMEM;
	w->opts = *opts;
	w->todo.end = &w->todo.first;
	w->turn.end = &w->turn.first;
	w->done.end = &w->done.first;
	pthread_mutex_init(&w->mutex, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&w->changed, &attr);
	pthread_condattr_destroy(&attr);
	w->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	err = w->fd < 0 ? -errno : start_thread(w);
	if (err) {
		free_worker(w);
		return err;
	}
	*out = w;
	return 0;
}

/* The mutex is held. False: the time is over. */
static bool wait_until(struct worker *w, uint64_t until_ns)
{
	const struct timespec until = { until_ns / 1000000000, until_ns % 1000000000 };

	return pthread_cond_timedwait(&w->changed, &w->mutex, &until) != ETIMEDOUT;
}

void worker__close(struct worker *w)
{
	uint64_t until_ns = clock__now_ns() + CLOSE_NS;
	pthread_t thread;
	bool ended;

	if (!w)
		return;
	worker__log(w);
	thread = w->thread;
	pthread_mutex_lock(&w->mutex);
	w->closing = true;
	pthread_cond_broadcast(&w->changed);
	while (!w->ended && wait_until(w, until_ns))
		;
	ended = w->ended;
	w->left = !ended;
	pthread_mutex_unlock(&w->mutex);
	if (!ended) { /* from here on it is the thread's */
		pthread_detach(thread);
		return;
	}
	pthread_join(thread, NULL);
	free_worker(w);
}

/* All of todo; the mutex is held. */
static void make_due(struct worker *w)
{
	w->is_due = true;
	pthread_cond_broadcast(&w->changed);
}

void worker__give(struct worker *w, struct job *job)
{
	pthread_mutex_lock(&w->mutex);
	append(&w->todo, job);
	w->nr_open++;
	make_due(w);
	pthread_mutex_unlock(&w->mutex);
}

void worker__give_later(struct worker *w, struct job *job)
{
	pthread_mutex_lock(&w->mutex);
	append(&w->todo, job);
	w->nr_open++;
	if (++w->nr_later >= WORKER_BATCH && !w->is_due)
		make_due(w);
	pthread_mutex_unlock(&w->mutex);
}

void worker__hasten(struct worker *w)
{
	pthread_mutex_lock(&w->mutex);
	if (w->todo.first && !w->is_due)
		make_due(w);
	pthread_mutex_unlock(&w->mutex);
}

void worker__put_off(struct job *job)
{
	job->put_off = true;
}

void worker__go_on(struct worker *w, struct job *job)
{
	pthread_mutex_lock(&w->mutex);
	append(&w->todo, job);
	make_due(w);
	pthread_mutex_unlock(&w->mutex);
}

struct job *worker__take(struct worker *w)
{
	struct job *job;
	uint64_t n;

	pthread_mutex_lock(&w->mutex);
	job = take_first(&w->done);
	if (job && !w->done.first && read(w->fd, &n, sizeof(n)) < 0)
		n = 0; /* it was quiet */
	pthread_mutex_unlock(&w->mutex);
	return job;
}

size_t worker__nr_open(struct worker *w)
{
	size_t nr;

	pthread_mutex_lock(&w->mutex);
	nr = w->nr_open;
	pthread_mutex_unlock(&w->mutex);
	return nr;
}

uint64_t worker__cpu_ns(const struct worker *w)
{
	struct timespec taken;
	clockid_t clock;

	if (pthread_getcpuclockid(w->thread, &clock) || clock_gettime(clock, &taken))
		return 0;
	return taken.tv_sec * 1000000000ull + taken.tv_nsec;
}

bool worker__wait(struct worker *w, uint64_t until_ns)
{
	bool done;

	worker__hasten(w);
	pthread_mutex_lock(&w->mutex);
	while (w->nr_open && wait_until(w, until_ns))
		;
	done = !w->nr_open;
	pthread_mutex_unlock(&w->mutex);
	return done;
}

int worker__fd(const struct worker *w)
{
	return w->fd;
}

void worker__log(struct worker *w)
{
	struct log_line lines[LINES_MAX];
	size_t nr;

	pthread_mutex_lock(&w->mutex);
	nr = w->nr_lines;
	memcpy(lines, w->lines, nr * sizeof(*lines));
	w->nr_lines = 0;
	pthread_mutex_unlock(&w->mutex);
	for (size_t i = 0; i < nr; i++) {
		if (lines[i].level == LOG_NOTICE)
			log__notice("%s", lines[i].text);
		else
			log__debug("%s", lines[i].text);
		free(lines[i].text);
	}
}
