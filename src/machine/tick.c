// SPDX-License-Identifier: BSD-2-Clause
/* Asks clocks for the period of the tick. */
#include "machine/tick.h"

#include <time.h>

static const uint64_t SECOND_NS = 1000000000;

static uint64_t resolution_ns(clockid_t clock)
{
	struct timespec ts = {};

	clock_getres(clock, &ts);
	return ts.tv_sec * SECOND_NS + ts.tv_nsec;
}

uint64_t tick__period_ns(void)
{
	return resolution_ns(CLOCK_MONOTONIC_COARSE);
}

unsigned tick__hz(void)
{
	const uint64_t ns = tick__period_ns();

	return ns ? (SECOND_NS + ns / 2) / ns : 0;
}

bool tick__is_timer(void)
{
	return resolution_ns(CLOCK_MONOTONIC) < tick__period_ns();
}
