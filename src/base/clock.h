/* SPDX-License-Identifier: BSD-2-Clause */
/* base/clock.h - CLOCK_MONOTONIC in ns: the clock of bpf_ktime_get_ns and of our event records. */
#ifndef PMUTRACE_BASE_CLOCK_H
#define PMUTRACE_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock__now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

#endif
