// SPDX-License-Identifier: BSD-2-Clause
/*
 * ipc - instructions per cycle of a function.
 *
 *	cc ipc.c $(pkg-config --cflags --libs pmutrace) && ./a.out
 */
#include <inttypes.h>
#include <pmutrace.h>
#include <stdio.h>

/* What is measured: a sum whose every step waits for the one before. */
static void work(void *arg)
{
	volatile uint64_t *sum = arg;

	for (uint64_t i = 0; i < 1000000; i++)
		*sum += i * i;
}

int main(void)
{
	struct pmutrace_events *e;
	struct pmutrace_count n[3];
	struct pmutrace_error why;
	uint64_t sum = 0;

	/* In braces: counted together, or the ratio would be of two different times. */
	if (pmutrace_open(&e, "{instructions:u,cycles:u},task-clock", NULL, NULL, &why)) {
		fprintf(stderr, "%s\n", why.text);
		return 1;
	}
	if (pmutrace_measure(e, work, &sum, n)) {
		perror("pmutrace_measure");
		return 1;
	}
	for (size_t i = 0; i < pmutrace_nr_events(e); i++) {
		if (pmutrace_open_error(e, i, &why))
			printf("%-16s -  (%s)\n", n[i].label, why.text);
		else if (n[i].state == PMUTRACE_NOT_COUNTED)
			printf("%-16s -  (never on a counter)\n", n[i].label);
		else
			printf("%-16s %" PRIu64 "  (overhead %" PRIu64 " subtracted)\n", n[i].label,
			       n[i].value, n[i].overhead);
	}
	if (n[1].value)
		printf("IPC %.2f\n", (double)n[0].value / (double)n[1].value);
	pmutrace_close(e);
	return 0;
}
