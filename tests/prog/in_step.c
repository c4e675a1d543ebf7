// SPDX-License-Identifier: BSD-2-Clause
/*
 * in_step - fact: works for a known time at known moments of the monotonic clock, whose multiples
 * of 1/CONFIG_HZ s are where the scheduler's tick comes.
 *
 * usage: in_step [-s SECONDS] [-p PERIOD] [-o OFFSET] [-w WORK] [-j JITTER]
 *
 * At every multiple of PERIOD, OFFSET behind it, and up to JITTER later by chance, it is woken by a
 * timer and burns WORK; all in us (8000, 0, 1000, 0), for SECONDS (3). At the end a line: the CPU
 * time that it has used, in ns.
 */
#include <sys/prctl.h>

#include "prog.h"

enum { NS_PER_US = 1000 };

static uint64_t period_ns = 8 * NS_PER_MS, offset_ns, work_ns = NS_PER_MS, jitter_ns;

static uint64_t us(const char *text)
{
	return (uint64_t)parse_number(text, 0, 10000000) * NS_PER_US;
}

KNOWN_FRAME void in_step_work(uint64_t until_ns)
{
	while (wall_ns() < until_ns)
		__asm__ volatile("" : : : "memory");
}

static void run(uint64_t end_ns)
{
	uint64_t turn_ns = wall_ns() / period_ns * period_ns;
	struct timespec at;
	uint32_t rnd = 12345;
	uint64_t begin_ns;

	while (turn_ns < end_ns) {
		turn_ns += period_ns;
		rnd = rnd * 1103515245 + 12345;
		begin_ns = turn_ns + offset_ns;
		if (jitter_ns)
			begin_ns += (uint64_t)(rnd >> 8) * NS_PER_US % jitter_ns;
		at.tv_sec = begin_ns / NS_PER_SEC;
		at.tv_nsec = begin_ns % NS_PER_SEC;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
		in_step_work(begin_ns + work_ns);
	}
}

int main(int argc, char **argv)
{
	uint64_t seconds_ns = 3 * NS_PER_SEC;
	int c;

	while ((c = getopt(argc, argv, "s:p:o:w:j:")) != -1) {
		if (c == 's')
			seconds_ns = parse_seconds(optarg);
		else if (c == 'p')
			period_ns = us(optarg);
		else if (c == 'o')
			offset_ns = us(optarg);
		else if (c == 'w')
			work_ns = us(optarg);
		else if (c == 'j')
			jitter_ns = us(optarg);
		else
			return 2;
	}
	if (!period_ns)
		return 2;
	/* Timers are exact to 1 us, not to the 50 us that the kernel may join wake-ups for. */
	prctl(PR_SET_TIMERSLACK, NS_PER_US);
	run(wall_ns() + seconds_ns);
	printf("%llu\n", (unsigned long long)thread_cpu_ns());
	return 0;
}
