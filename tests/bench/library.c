// SPDX-License-Identifier: BSD-2-Clause
/*
 * library - what counting through libpmutrace costs, beside the system call it cannot do without.
 *
 * usage: library [EVENTS]	(default: page-faults, which every machine has)
 *
 * Prints, in words for a shell's eval, medians of 21 rounds of 1000 calls, in ns a call:
 *   syscall_ns  getpid(2)
 *   read2_ns    read(2) of the leader's descriptor
 *   read_ns     pmutrace_read()
 *   measure_ns  pmutrace_measure() of an empty function, events held open
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "pmutrace.h"

enum { ROUNDS = 21, CALLS = 1000 };

static struct pmutrace_events *events;
static struct pmutrace_count *counts;
static int leader;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void nothing(void *arg)
{
}

static void call_getpid(void)
{
	syscall(SYS_getpid);
}

static void call_read2(void)
{
	uint64_t words[256];

	if (read(leader, words, sizeof(words)) < 0)
		exit(1);
}

static void call_read(void)
{
	if (pmutrace_read(events, counts))
		exit(1);
}

static void call_measure(void)
{
	if (pmutrace_measure(events, nothing, NULL, counts))
		exit(1);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void time_calls(const char *name, void (*call)(void))
{
	double ns[ROUNDS];

	for (int round = 0; round < ROUNDS; round++) {
		uint64_t start = now_ns();

		for (int i = 0; i < CALLS; i++)
			call();
		ns[round] = (double)(now_ns() - start) / CALLS;
	}
	qsort(ns, ROUNDS, sizeof(*ns), by_value);
	printf("%s=%.0f ", name, ns[ROUNDS / 2]);
}

int main(int argc, char **argv)
{
	struct pmutrace_error why;

	if (pmutrace_open(&events, argc > 1 ? argv[1] : "page-faults", NULL, NULL, &why)) {
		fprintf(stderr, "library: %s\n", why.text);
		return 1;
	}
	counts = calloc(pmutrace_nr_events(events), sizeof(*counts));
	leader = pmutrace_fd(events, 0, 0);
	if (!counts || leader < 0 || pmutrace_enable(events))
		return 1;
	call_measure(); /* calibrates */
	time_calls("syscall_ns", call_getpid);
	time_calls("read2_ns", call_read2);
	time_calls("read_ns", call_read);
	time_calls("measure_ns", call_measure);
	puts("");
	free(counts);
	pmutrace_close(events);
	return 0;
}
