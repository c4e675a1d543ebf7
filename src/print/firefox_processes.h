/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/firefox_processes.h - the processes of a Firefox profile: which threads are theirs, and how
 * much of each event they had over time, which are its counters: tracks below the process.
 *
 *	"counters": [ { "name": "page-faults", "category": "pmutrace", "pid": "42",
 *	    "mainThreadIndex": 0, "description": "page-faults: what its samples stand for",
 *	    "samples": { "time": [0, 100.5], "count": [0, 17], "length": 2 },
 *	    "display": { "graphType": "line-rate", "unit": "", "label": "page-faults", ... } } ]
 *
 * A counter's value is how much there was since the time before: that of a window is at its end.
 * What is drawn of it is a rate. Values are what samples stand for, in ms of an event of time,
 * scaled by window if the event was multiplexed; or else samples. Without windows there are none,
 * as nothing is known of time.
 *
 * A counter belongs to a thread of its process: a process that has samples of other events than the
 * one whose stacks are shown is a thread without samples.
 *
 * Source: RawCounter, CounterDisplayConfig in src/types/profile.ts of
 * https://github.com/firefox-devtools/profiler, version 63 and newer.
 */
#ifndef PMUTRACE_PRINT_FIREFOX_PROCESSES_H
#define PMUTRACE_PRINT_FIREFOX_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/idmap.h"

struct by_thread;
struct json;
struct process_counts;
struct profile;

/* Zero-initialise it; firefox_processes__free() gives the memory back. */
struct firefox_processes {
	const struct profile *p;
	struct by_thread *threads;     /* of the event that is shown */
	struct process_counts *counts; /* by event; NULL without windows */
	struct idmap first;	       /* index of a process's first thread */
	struct buf text;
};

/*
 * @threads: those of @event, borrowed. @counters: by window, with what all events have in them;
 * processes that have other events alone are added behind @threads. 0 or -ENOMEM.
 */
int firefox_processes__gather(struct firefox_processes *x, const struct profile *p, uint32_t event,
			      struct by_thread *threads, bool counters) must_check;

/* The members of a thread that say whose it is. */
void firefox_processes__put(struct firefox_processes *x, struct json *j, size_t thread);

/* The member "counters". @weights: of what samples stand for, where that is known. */
void firefox_processes__put_counters(struct firefox_processes *x, struct json *j, bool weights);

void firefox_processes__free(struct firefox_processes *x);

#endif
