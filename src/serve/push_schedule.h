/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/push_schedule.h - when the next profile is sent, so that thousands of senders do not come
 * at once: at the end of a window all have one, and after an outage all have many.
 *
 *	a window	is sent at a place of its own in the time until the next one ends, the same
 *			each time
 *	a failure	is followed by a pause: up to 1 s, 2 s, 4 s.. 5 min, of which a random part
 *			is waited; or by the pause that was asked for (Retry-After) and up to a
 *			tenth more, an hour at most
 *	the others	follow one another; after failures, evenly over as long a time as nothing
 *			has arrived, ten minutes at most: or each sender would be as fast as the
 *			backend lets it, and all of them far too fast
 *
 * Pure: times and random numbers are passed in.
 */
#ifndef PMUTRACE_SERVE_PUSH_SCHEDULE_H
#define PMUTRACE_SERVE_PUSH_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

struct push_schedule {
	uint64_t spread_ns; /* of the place in a window: 0 to its length */
	unsigned failures;  /* since something has arrived */
	uint64_t due_ns;    /* not before this; CLOCK_MONOTONIC */
	bool has_work;
	uint64_t failing_ns; /* since when, if there are failures */
	uint64_t level_ns;   /* up to when what has waited is spread; past: it is not */
};

/* Its place in windows of @window_ns; @number: random, or the host's. */
void push_schedule__begin(struct push_schedule *s, uint64_t window_ns, uint64_t number);

/* There is something to be sent (or not any more). */
void push_schedule__set_work(struct push_schedule *s, bool has_work, uint64_t now_ns);

/* @nr: how many are waiting, with this one. */
void push_schedule__arrived(struct push_schedule *s, uint64_t now_ns, uint64_t nr);

/* @retry_after_s: 0: nobody said. */
void push_schedule__failed(struct push_schedule *s, uint64_t now_ns, uint64_t retry_after_s,
			   uint64_t random);

/* What has not failed is sent now: whoever made it ends. */
void push_schedule__hurry(struct push_schedule *s);

/* When the next one is to be sent; UINT64_MAX: there is none. */
uint64_t push_schedule__due_ns(const struct push_schedule *s);

#endif
