/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe/cpu_counters.h - events that count on each CPU all the time, to be read there by programs.
 *
 * They take one descriptor for each event and CPU, however many tasks are told apart.
 * Programs read them out of a perf event array at cpu * @per_cpu + event.
 *
 * Life: open - (load the programs) - put - close. A CPU that goes offline takes its events along:
 * they count nothing any more, though they can still be read, when it is back. Reopen them then.
 */
#ifndef PMUTRACE_PROBE_CPU_COUNTERS_H
#define PMUTRACE_PROBE_CPU_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "event/event.h"

/* Zero-initialise it; cpu_counters__close() in any case. */
struct cpu_counters {
	int *fds; /* [cpu * per_cpu + event], -1: none */
	size_t nr;
};

/* An event that cannot be counted on all CPUs. */
struct cpu_counters_left {
	struct buf why; /* a sentence; empty: it is counted */
	int err;	/* -errno; -EOPNOTSUPP: it does not count each CPU by itself */
};

struct cpu_counters_opts {
	const struct perf_event_spec *const *events; /* NULL among them: another's place */
	size_t nr_events;
	size_t per_cpu; /* places for each CPU in the map */
	/*
	 * Events may be multiplexed, those of a group together; else hardware events are pinned,
	 * or refused.
	 */
	bool shared;
	/*
	 * [nr_events], zero-initialised, the caller's to free. Gets why events are left out that
	 * cannot be counted. NULL: such an event is an error.
	 */
	struct cpu_counters_left *left_out;
};

/* Opens them on all CPUs that are online. 0; -EBUSY: no counter is free; another -errno. */
int cpu_counters__open(struct cpu_counters *c, const struct cpu_counters_opts *opts,
		       struct buf *why) must_check;

/* Puts them into the perf event array, which has a place for each of c->fds. 0 or -errno. */
int cpu_counters__put(const struct cpu_counters *c, int map_fd) must_check;

/* Below: of one CPU, with the options of cpu_counters__open(). */

/* Whether all that are not left out are open there. */
bool cpu_counters__are_open(const struct cpu_counters *c, const struct cpu_counters_opts *opts,
			    uint32_t cpu);

/* Closes them, and takes them out of the array: programs there read errors. 0 or -errno. */
int cpu_counters__drop(struct cpu_counters *c, const struct cpu_counters_opts *opts, uint32_t cpu,
		       int map_fd) must_check;

/*
 * After a drop, or of a CPU that was offline before: opens all and puts them, or none. No event is
 * left out for that. 0; -ENODEV: the CPU is offline; another -errno, with @why or without.
 */
int cpu_counters__reopen(struct cpu_counters *c, const struct cpu_counters_opts *opts, uint32_t cpu,
			 int map_fd, struct buf *why) must_check;

void cpu_counters__close(struct cpu_counters *c);

#endif
