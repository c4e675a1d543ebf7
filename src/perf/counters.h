/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf/counters.h - events that are open on places: enable, read, and why some are not there.
 *
 * Each event is opened on each place; members of a group on one place are counted together and
 * read by one system call. What cannot be opened is remembered with its reason, the rest keeps
 * working. Nothing is allocated by reading.
 * Does not know: scaling, sums, names of places.
 * Source: perf_event_open(2), "Reading results".
 */
#ifndef PMUTRACE_PERF_COUNTERS_H
#define PMUTRACE_PERF_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/array.h"
#include "base/buf.h"
#include "event/advice.h"
#include "event/event.h"

/* As in perf_event_open(2): a task on any CPU, a CPU, a cgroup on a CPU. */
struct counter_place {
	pid_t pid;     /* -1: every task; 0: the calling thread */
	int cpu;       /* -1: any */
	int cgroup_fd; /* -1: none; borrowed */
};

struct counters_opts {
	const struct perf_events *events;   /* borrowed, as long as the counters */
	const struct counter_place *places; /* copied */
	size_t nr_places;
	bool inherit;	      /* tasks that a task starts from now on count with it; but for probes
			       * of the kernel's probe PMUs (perf_event_env.inherit) */
	bool enable_on_exec;  /* starts by itself when the place's task calls exec */
	bool user_only;	      /* without permission for the kernel's part count the user's, unless
			       * there is none (counters__is_user_only) */
	uint64_t read_format; /* PERF_FORMAT_ID, _LOST; the other bits are not the caller's */
	bool none;	      /* succeed with nothing open, if each event has a reason */
	enum reader reader;   /* of @why */
	size_t spare_fds;     /* files that the caller has still to open: -EMFILE without room */
};

struct counter_value {
	uint64_t value;	     /* as counted; not scaled */
	uint64_t enabled_ns; /* time the event was enabled */
	uint64_t running_ns; /* of that, on a counter */
	uint64_t nr_lost;    /* PERF_FORMAT_LOST: samples that found no room in a ring */
	bool fell_off;	     /* pinned, and the PMU had no counter for it */
};

struct counters;

/**
 * counters__open() - open all, disabled
 * @why: on error a sentence
 *
 * RLIMIT_NOFILE is raised to its hard limit if that is needed. Places that are gone (a CPU that
 * went offline, a task that ended) are skipped, and so are those that the kernel refuses:
 * counters__error_at() tells.
 *
 * A group that needs more counters than there are is left out whole, and is no error.
 *
 * Return: 0: something is open, or would be but for the size of its group, or none is fine; -errno
 * of the first event otherwise.
 */
int counters__open(struct counters **out, const struct counters_opts *opts,
		   struct buf *why) must_check;
void counters__close(struct counters *c);

/* All of them. 0 or the first -errno. */
int counters__enable(struct counters *c) must_check;
int counters__disable(struct counters *c) must_check;
int counters__reset(struct counters *c) must_check;

/**
 * counters__read() - all events of a place
 * @values: one for each event; those that are not open there stay as they are
 *
 * Return: 0 or -errno.
 */
int counters__read(struct counters *c, size_t place, struct counter_value *values) must_check;

/**
 * counters__mend() - reopen the events of CPUs that went offline and came back
 * @online:    by CPU number; @nr of them
 * @missed_ns: the time is added for which CPUs are online and were not counted, summed over places
 *
 * A CPU that goes offline takes events of all its tasks off for good (perf_event_exit_cpu(),
 * kernel/events/core.c): they can be read when it is back, but stand still. They are opened and
 * enabled again, and count on from where they were. Of a CPU that went and came since the last call
 * all that can be seen is that its events were not enabled for as long as time has passed: they are
 * looked at once a second, or when it is the @last call.
 *
 * To be called about ten times a second between counters__enable() and counters__disable(). Tasks'
 * events need it not.
 *
 * Return: 0 or -errno.
 */
int counters__mend(struct counters *c, const bool *online, size_t nr, bool last,
		   uint64_t *missed_ns) must_check;

/* Whether there is a place of a CPU that it is for. */
bool counters__are_on_cpus(const struct counters *c);

/* -ENODATA unless the event is open there; groups are read as a whole: see above. */
int counters__fd(const struct counters *c, size_t event, size_t place) must_check;
bool counters__is_open(const struct counters *c, size_t event, size_t place);

/*
 * 0: open somewhere; else the -errno why it is nowhere. -ENODATA: no place wanted it; -ENOSPC: no
 * counter or breakpoint is left for it; -EXDEV: it does not go with the others of its group.
 */
int counters__error(const struct counters *c, size_t event) must_check;

/*
 * 0: open there; else the -errno why not. -ENODATA: the event is not for that place; -ESRCH: the
 * place was gone when it was to be opened (a task that ended, a CPU that went offline).
 */
int counters__error_at(const struct counters *c, size_t event, size_t place) must_check;

/* How many members of the event's group there was room for; 0: for all, or it has no group. */
size_t counters__group_fit(const struct counters *c, size_t event) must_check;

/* The kernel's part is missing in it, for want of permission. */
bool counters__is_user_only(const struct counters *c, size_t event);

/* As it was opened. Lives as long as @c. */
const struct perf_event_attr *counters__attr(const struct counters *c, size_t event);

/*
 * BPF programs are attached to the event, a tracepoint: a hit at which one of them ends with 0 is
 * counted by no perf event (perf_trace_run_bpf_submit(), kernel/events/core.c). Without privileges
 * that is not to be known, and false.
 */
bool counters__has_programs(const struct counters *c, size_t event);

/* A notice for each such event. */
void counters__tell_programs(const struct counters *c);

/* precise_ip as it was opened: with P not always 3. */
unsigned counters__precise(const struct counters *c, size_t event);

#endif
