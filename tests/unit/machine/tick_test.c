// SPDX-License-Identifier: BSD-2-Clause
/* The tick's period is one that kernels are built with, and is what jiffies are counted in. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "machine/tick.h"
#include "tracefs_fixture.h"

static void is_as_many_as_kernels_are_built_for(void **state)
{
	const uint64_t ns = tick__period_ns();

	(void)state;
	assert_in_range(tick__hz(), 24, 1200); /* kernel/Kconfig.hz and what architectures have */
	assert_in_range(ns * tick__hz(), 999000000, 1001000000);
}

/* A coarse clock goes on by whole ticks: two readings are such a multiple apart, or equal. */
static void coarse_clocks_go_by_it(void **state)
{
	const uint64_t ns = tick__period_ns();
	struct timespec a, b;
	uint64_t apart;

	(void)state;
	clock_gettime(CLOCK_MONOTONIC_COARSE, &a);
	do
		clock_gettime(CLOCK_MONOTONIC_COARSE, &b);
	while (a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec);
	apart = (b.tv_sec - a.tv_sec) * 1000000000ull + b.tv_nsec - a.tv_nsec;
	/* Clocks are slewed: by 500 us in a second at most, adjtimex(2). */
	assert_true(apart % ns <= apart / 1000 || ns - apart % ns <= apart / 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_as_many_as_kernels_are_built_for),
		cmocka_unit_test(coarse_clocks_go_by_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
