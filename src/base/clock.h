/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base/clock.h - clocks in ns: CLOCK_MONOTONIC, as in bpf_ktime_get_ns() and our event records, and
 * CLOCK_REALTIME.
 */
#ifndef PMUTRACE_BASE_CLOCK_H
#define PMUTRACE_BASE_CLOCK_H

#include <limits.h>
#include <stdint.h>
#include <time.h>

static inline uint64_t clock__now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Since 1970; may be set back. */
static inline uint64_t clock__wall_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Milliseconds from now until then, rounded up, as poll(2) takes them; UINT64_MAX: -1, for ever. */
static inline int clock__ms_until(uint64_t deadline_ns)
{
	uint64_t now;

	if (deadline_ns == UINT64_MAX)
		return -1;
	now = clock__now_ns();
	if (now >= deadline_ns)
		return 0;
	now = (deadline_ns - now + 999999) / 1000000;
	return now > INT_MAX ? INT_MAX : (int)now;
}

#endif
