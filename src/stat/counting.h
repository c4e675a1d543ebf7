/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stat/counting.h - counts events on a target: the places, the readings, the rows.
 *
 * Needs no BPF, and for one's own processes no privileges. The way of the data:
 *	perf/counters (raw readings by place) -> model/counts (scaled values by row)
 */
#ifndef PMUTRACE_STAT_COUNTING_H
#define PMUTRACE_STAT_COUNTING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/array.h"
#include "base/buf.h"
#include "event/event.h"
#include "machine/target.h"
#include "model/counts.h"

struct counting;

struct counting_opts {
	const struct perf_events *events; /* borrowed, as long as the counting */
	const struct target *target;	  /* borrowed during open */
	enum counts_by by;
	pid_t command; /* counts from its exec on; 0: none */
};

/* 0; -EINVAL with @why: it happens in the kernel only, and excludes the kernel; -ENOMEM. */
int counting__check_event(const struct perf_event_spec *ev, struct buf *why) must_check;

/* Opens all events, disabled. @why: on error a sentence. 0 or -errno. */
int counting__open(struct counting **out, const struct counting_opts *opts,
		   struct buf *why) must_check;
void counting__close(struct counting *c);

/* Enables the events; those of a command are enabled by its exec. 0 or -errno. */
int counting__start(struct counting *c) must_check;

/*
 * Where CPUs are counted: opens events again on CPUs that are back online. To be called every
 * COUNTING_POLL_MS while it counts; counts.missed_ns: for how long they were not counted. 0 or
 * -errno.
 */
enum { COUNTING_POLL_MS = 100 };
int counting__poll(struct counting *c) must_check;
bool counting__is_polled(const struct counting *c);

/* 0 or -errno. */
int counting__stop(struct counting *c) must_check;

/**
 * counting__read() - rows and totals up to now
 * @since_last: since the last such reading, else since the start
 *
 * Return: 0 or -errno. The result is counting__counts().
 */
int counting__read(struct counting *c, bool since_last) must_check;

/* Borrowed; its events are there from the beginning. */
struct counts *counting__counts(struct counting *c);

/* Likewise, but for the caller to free; after the last reading. */
struct counts *counting__take(struct counting *c);

#endif
