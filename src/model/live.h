/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model/live.h - what tasks have used in an interval, and views of it: by process, thread, cgroup,
 * CPU.
 *
 * An interval is filled in any order (live__add), then looked at (live__rows), then the next one
 * begins. Tasks that have ended are rows of the interval in which they did, and of no later one.
 * Sums are exact: those of each view are those of all that was added, but for the idle tasks:
 * they are no process, and in the view of CPUs and in live__totals() alone.
 */
#ifndef PMUTRACE_MODEL_LIVE_H
#define PMUTRACE_MODEL_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "model/counts.h"
#include "model/loss.h"

enum { LIVE_VALUES = 16, LIVE_COMM = 16 };

/* Of a row's values: these, then one for each event. */
enum live_value {
	LIVE_TIME,     /* ns on CPUs */
	LIVE_SWITCHES, /* context switches: times switched off a CPU */
	LIVE_EVENTS,
};

enum live_by {
	LIVE_PROCESSES,
	LIVE_THREADS,
	LIVE_CGROUPS,
	LIVE_CPUS,
};

struct live_task {
	uint32_t tgid, tid; /* both 0: idle tasks, all in one; tid 0: threads not told apart */
	uint64_t cgroup;    /* id */
	char comm[LIVE_COMM];
	uint64_t first_ns; /* when it was first seen by this name and there, of any clock; or 0 */
	uint32_t parent;   /* process that it is a child of; 0: none, or not known */
};

/* Threads and processes are numbered alike. */
static inline uint32_t live_task__number(const struct live_task *t)
{
	return t->tid ? t->tid : t->tgid;
}

static inline bool live_task__is_idle(const struct live_task *t)
{
	return !live_task__number(t);
}

/* Flags of a task at the end of an interval. */
enum live_end {
	LIVE_THREAD_ENDED = 1 << 0,
	LIVE_PROCESS_ENDED = 1 << 1, /* with all of its threads */
};

struct live_row {
	uint64_t id;	 /* process, thread, cgroup or CPU */
	uint32_t tgid;	 /* of processes and threads */
	uint64_t cgroup; /* of processes and threads: the last one seen */
	char comm[LIVE_COMM];
	bool is_named; /* comm is its own; of a process: its first thread's, no other's */
	uint64_t values[LIVE_VALUES]; /* of a CPU: all that it counted; its time without idle_ns */
	uint64_t idle_ns;	      /* of a CPU: the rest of its time */
	double key;		      /* used by columns__sort() alone */
	uint64_t named_ns;	      /* used by live__rows() alone */
	uint32_t nr_tasks; /* that have used something in the interval; 0: not told apart */
	bool exited;	   /* of processes and threads */
	bool is_waiting;   /* it has used nothing, and is there for its children: tui/view_tree.h */
};

/* Zero-initialise it; live_rows__free() gives the memory back. Rows are reused from view to view.
 */
struct live_rows {
	struct live_row *items;
	size_t nr, cap;
};

/* One of the events behind the first values, in their order. */
struct live_event {
	const char *name; /* as asked for */
	const char *unit; /* of value * scale: "ns"; "" or NULL: they are numbers of something */
	double scale;	  /* 0: it is 1, as of all but some events of PMUs */
	const char *why;  /* it could not be counted, a sentence; NULL: it is */
	int group;	  /* events of one are on counters together; -1: is counted all the time */
	uint64_t enabled_ns, running_ns; /* in the interval, summed over CPUs: its share */
	enum count_state state;		 /* of one with a why: one of those without a value */
};

/* The interval, and who looks. */
struct live_about {
	uint64_t at_ns;	      /* its end, of the clock on the wall: ns since 1970 */
	uint64_t interval_ns; /* how long it was */
	uint32_t nr_cpus;     /* online at some time in the interval */
	uint64_t own_bpf_ns;  /* CPU time of the programs behind the view, in the interval */
	uint64_t own_user_ns; /* of this process, kernel and user mode */
	uint64_t seen;	      /* timeslices: pieces of tasks' runs in the interval */
	uint64_t kept;	      /* of these, in rows */
	struct losses losses; /* why the others are not; its seen and kept are these */
	uint64_t untold;      /* context switches missed: no sched_switch came of them */
	char host[64], kernel[64];
	struct live_event *events; /* owned by the model; texts live up to live__clear() */
	size_t nr_events;
};

static inline double live_event__scale(const struct live_event *e)
{
	return e->scale > 0 ? e->scale : 1;
}

/* What a task has used on one CPU. */
struct live_use {
	size_t task; /* of live__task() */
	uint32_t cpu;
	const uint64_t *values; /* live__nr_values() of them */
};

/* Which tasks a view is of. */
struct live_filter {
	bool (*wants)(const void *arg, const struct live_task *t);
	const void *arg;
	bool on_cpu; /* and of these, what they have used on that CPU */
	uint32_t cpu;
};

struct live;

struct live *live__new(size_t nr_values); /* up to LIVE_VALUES; NULL: no memory */
void live__free(struct live *l);
size_t live__nr_values(const struct live *l);
size_t live__most_events(const struct live *l); /* that there are values for */

/* What the one who fills it says of the interval; zero before. Its events: live__set_events(). */
struct live_about *live__about(struct live *l);
const struct live_about *live__interval(const struct live *l); /* the same, to be read */
/* Both copy, texts too. 0; -EINVAL: more events than live__most_events(); -ENOMEM. */
int live__set_events(struct live *l, const struct live_event *events, size_t nr) must_check;
int live__set_losses(struct live *l, const struct losses *losses) must_check;

/* @values: used since the interval began, on that CPU; added to what is known. 0 or -ENOMEM. */
int live__add(struct live *l, const struct live_task *t, uint32_t cpu,
	      const uint64_t *values) must_check;

/* Calls @ends for each task of the interval: its flags of enum live_end. 0: of none of them. */
void live__mark(struct live *l, unsigned (*ends)(const void *arg, const struct live_task *t),
		const void *arg);

/* The next interval: all begin at 0. */
void live__next(struct live *l);

/*
 * As it was when it was new: what the intervals before have told takes no memory any more. 0 or
 * -ENOMEM: it is as it was.
 */
int live__clear(struct live *l) must_check;

/* Of all tasks and the idle ones, on all CPUs: what was counted. @values: LIVE_VALUES of them. */
void live__totals(const struct live *l, uint64_t *values);
/* The part of it of the idle ones, which no process has. */
void live__idle(const struct live *l, uint64_t *values);
uint64_t live__busy_ns(const struct live *l); /* the time on CPUs of all but the idle ones */

/*
 * CPUs that were ever seen: all up to the highest one. live__see_cpus(): there are at least so
 * many, whether one has used them or not.
 */
size_t live__nr_cpus(const struct live *l);
void live__see_cpus(struct live *l, size_t nr);

/*
 * All rows of a view that have used something; of CPUs all that were ever seen. 0 or -ENOMEM.
 * live__rows_of(): made of the tasks that the filter wants, CPUs too; NULL: of all.
 */
int live__rows(const struct live *l, enum live_by by, struct live_rows *out) must_check;
int live__rows_of(const struct live *l, enum live_by by, const struct live_filter *f,
		  struct live_rows *out) must_check;

/*
 * What was added, for those who keep it: tasks by the name that they had last, and what each has
 * used on each CPU. One that went to another cgroup is there twice, marked alike: see
 * live__task_before(). Pointers are good until something is added.
 */
size_t live__nr_tasks(const struct live *l);
const struct live_task *live__task(const struct live *l, size_t i, unsigned *ends);
bool live__task_before(const struct live *l, size_t i, size_t *before); /* in another cgroup */
size_t live__nr_uses(const struct live *l);
struct live_use live__use(const struct live *l, size_t i);

/* By a value, largest first, then by id; @value >= LIVE_VALUES: by id. @invert: the other way. */
void live_rows__sort(struct live_rows *rows, size_t value, bool invert);
void live_rows__free(struct live_rows *rows);

#endif
