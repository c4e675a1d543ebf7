/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf/event.h - an event by name: "cycles:u" -> struct perf_event_attr.
 *
 * Syntax is perf's: generic hardware and software events with their aliases, cache events
 * (L1-dcache-load-misses), raw codes (rNNNN), and the modifiers u k h I G H p pp ppp P D e;
 * a rate may follow: "cycles@997hz", "cache-misses@100000".
 * Does not know: targets, CPUs, file descriptors.
 * Source: perf_event_open(2), tools/perf/Documentation/perf-list.txt.
 */
#ifndef PMUTRACE_PERF_EVENT_H
#define PMUTRACE_PERF_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"

struct perf_event_spec {
	char name[128];		     /* as written, without the rate */
	struct perf_event_attr attr; /* type, config, excludes, precise_ip; no rate */
	const char *unit;	     /* of the count: "ns" or ""; a literal */
	uint64_t hz;		     /* rate asked for behind '@', or 0 */
	uint64_t period;
};

/**
 * perf_event__parse() - one event
 * @why: on -EINVAL a sentence: what is wrong, where, and the nearest name
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int perf_event__parse(struct perf_event_spec *ev, const char *spec, struct buf *why) must_check;

/* A list "EV,EV"; the caller frees *out. The array grows: call it again for a second -e. */
int perf_event__parse_list(struct perf_event_spec **out, size_t *nr, size_t *cap, const char *specs,
			   struct buf *why) must_check;

/* Names for suggestions and completion: the i-th generic event, or NULL past the last. */
const char *perf_event__name(size_t i);

/* True for events that need a hardware PMU. */
bool perf_event__is_hardware(const struct perf_event_attr *attr);

#endif
