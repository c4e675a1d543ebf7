/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/chrome_events.h - what print/chrome.c and its counters share: events, processes, windows.
 */
#ifndef PMUTRACE_PRINT_CHROME_EVENTS_H
#define PMUTRACE_PRINT_CHROME_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "print/by_thread.h"
#include "print/chrome.h"
#include "print/json.h"

struct chrome {
	struct json j;
	const struct profile *p;
	const struct chrome_opts *o;
};

struct chrome_event {
	char phase; /* 'M': names, 'C': a counter, 'P': of a CPU profile */
	const char *name;
	uint32_t pid, tid;
	uint64_t us;	/* since the begin */
	const char *id; /* of the CPU profile; NULL: it is none */
};

/* Opens an event up to its "args", which chrome__end() closes. */
void chrome__begin(struct chrome *c, const struct chrome_event *e);
void chrome__end(struct chrome *c);

/* Counters of all events, and names of all processes that have any. 0 or -ENOMEM. */
int chrome__put_counters(struct chrome *c) must_check;

#endif
