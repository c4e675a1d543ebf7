/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf/readout.h - counts as the kernel hands them out: by read(2) on an event, in READ records
 * and in samples with PERF_SAMPLE_READ.
 *
 * Knows the layouts that attr.read_format can ask for; nothing is scaled.
 * Source: perf_event_open(2), "Reading results"; struct read_format, linux/perf_event.h.
 */
#ifndef PMUTRACE_PERF_READOUT_H
#define PMUTRACE_PERF_READOUT_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

struct perf_readout {
	uint64_t format;	/* PERF_FORMAT_*: what is there; the rest is 0 */
	uint64_t enabled_ns;	/* PERF_FORMAT_TOTAL_TIME_ENABLED, of the leader */
	uint64_t running_ns;	/* PERF_FORMAT_TOTAL_TIME_RUNNING */
	size_t nr;		/* events: those of the group with PERF_FORMAT_GROUP, else 1 */
	const uint64_t *values; /* where they are: ask perf_readout__get() */
};

struct perf_readout_value {
	uint64_t value;
	uint64_t id;   /* PERF_FORMAT_ID: as PERF_EVENT_IOC_ID gives it */
	uint64_t lost; /* PERF_FORMAT_LOST (6.0): samples of the event that found no room */
};

/**
 * perf_readout__decode() - look into what read(2) returned
 * @bytes: borrowed, 8-byte aligned; must live as long as @out is used
 * @format: attr.read_format
 *
 * Return: 0; -ENODATA: end of file, as a pinned event that lost its counter reads; -EBADMSG.
 */
int perf_readout__decode(struct perf_readout *out, const void *bytes, size_t len,
			 uint64_t format) must_check;

/* The @i-th event, the leader first. 0, or -ENOENT: there are fewer. */
int perf_readout__get(const struct perf_readout *r, size_t i,
		      struct perf_readout_value *out) must_check;

/* The event of that id. 0, or -ENOENT: not in here, or the format has no ids. */
int perf_readout__find(const struct perf_readout *r, uint64_t id,
		       struct perf_readout_value *out) must_check;

/* Takes one out of a record: perf/record_cursor.h. */
struct record_cursor;
void readout__take(struct record_cursor *c, uint64_t format, struct perf_readout *out);

#endif
