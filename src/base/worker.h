/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base/worker.h - one thread that does jobs, in the order they are given or another one.
 *
 * For work that may block for as long as a disk or a network does, such as reading files: whoever
 * gives a job goes on, and takes it back when it is done. A job belongs to one side at a time: to
 * the worker from worker__give() until worker__take() returns it. The owner (worker_opts.owner) is
 * the worker's alone: the other side must not touch it. So nothing is shared but the two lists,
 * which a mutex guards.
 *
 * A thread that hangs in a system call cannot be ended. worker__close() does not wait for it: it is
 * left behind, does nothing more, and frees what is its own once it comes back, if the program is
 * still there.
 */
#ifndef PMUTRACE_BASE_WORKER_H
#define PMUTRACE_BASE_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

struct worker;

/* The first member of the owner's own struct of a job. */
struct job {
	struct job *next; /* private, and so is */
	bool put_off;
};

enum { WORKER_BATCH = 64 };

struct worker_opts {
	void (*run)(void *owner, struct job *job); /* on the thread */
	/*
	 * In what order those are run that have come meanwhile: below 0: @a first; 0: as they were
	 * given. NULL: all are. What comes then is run behind them. On the thread.
	 */
	int (*compare)(const struct job *a, const struct job *b);
	/* In place of run: all that are there by then, up to WORKER_BATCH, in their order. */
	void (*run_all)(void *owner, struct job *const *jobs, size_t nr);
	void (*free)(struct job *job); /* one that nobody takes; on any thread */
	void (*end)(void *owner);      /* when no job is run any more; on any thread */
	void *owner;		       /* taken, but on error */
	uint64_t privileges;	       /* the thread drops all others: base/privileges.h */
	/* On the thread, when a job can be taken, for who has no poll(2); or NULL. */
	void (*done)(void *owner);
};

/* 0; -EAGAIN: no more threads are allowed; -ENOMEM; another -errno. */
int worker__open(struct worker **out, const struct worker_opts *opts) must_check;

/* Jobs that nobody has begun or taken are freed. Returns within some 20 ms. */
void worker__close(struct worker *w);

/* @job is taken. */
void worker__give(struct worker *w, struct job *job);

/*
 * As worker__give(), but nobody is in a hurry, and the thread is not woken for it alone: it is run
 * along with the next job that is given, when WORKER_BATCH have gathered, or from worker__hasten()
 * on.
 */
void worker__give_later(struct worker *w, struct job *job);
void worker__hasten(struct worker *w);

/*
 * By opts.run or run_all, of a job that it was called with: that is not done when run returns, as
 * something is missing that comes later. It stays open, and is the owner's until that gives it
 * back.
 */
void worker__put_off(struct job *job);

/*
 * @job was put off, and is taken: it is run again, behind all that was given. On any thread; on
 * another one than the worker's only when the run that put it off has returned.
 */
void worker__go_on(struct worker *w, struct job *job);

/* A job that is done, for the caller; NULL: there is none. In the order in which they were done. */
struct job *worker__take(struct worker *w);

/* Given, and not done yet. */
size_t worker__nr_open(struct worker *w);

/* CPU time of the thread so far: tells work from waiting. 0: not known. */
uint64_t worker__cpu_ns(const struct worker *w);

/* Hastens, and waits until all is done, or until @until_ns (CLOCK_MONOTONIC). True: all is. */
bool worker__wait(struct worker *w, uint64_t until_ns);

/* Readable when something may be there to take; worker__take() makes it quiet. */
int worker__fd(const struct worker *w);

/* What the thread logs (base/log.h) is kept until this is called, which logs it. */
void worker__log(struct worker *w);

#endif
