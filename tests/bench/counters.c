// SPDX-License-Identifier: BSD-2-Clause
/*
 * counters - prints, in words for a shell's eval, what opening and reading counters costs.
 *
 *   open_ms       eight software events on every CPU, opened and enabled: median of 50
 *   group_ns      one reading of all eight as a group on one CPU
 *   read_ns       the read(2) in it, alone
 *   single_ns     the same eight, each by itself
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "machine/cpus.h"
#include "perf/counters.h"

enum { OPENS = 50, READS = 100000 };

static const char EVENTS[] = "task-clock,context-switches,cpu-migrations,page-faults,"
			     "minor-faults,major-faults,alignment-faults,emulation-faults";

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void or_die(int err, const struct buf *why)
{
	if (!err)
		return;
	fprintf(stderr, "counters: %s\n", why->data ? why->data : "failed");
	exit(1);
}

static struct counters *open_all(const struct perf_events *events, struct counter_place *places,
				 size_t nr)
{
	struct counters_opts opts = { .events = events, .places = places, .nr_places = nr };
	struct counters *c;
	struct buf why = {};

	or_die(counters__open(&c, &opts, &why), &why);
	or_die(counters__enable(c), &why);
	return c;
}

static double open_ms(const struct perf_events *events, struct counter_place *places, size_t nr)
{
	double ms[OPENS];

	for (int i = 0; i < OPENS; i++) {
		uint64_t start = clock__now_ns();
		struct counters *c = open_all(events, places, nr);

		ms[i] = (clock__now_ns() - start) / 1e6;
		counters__close(c);
	}
	qsort(ms, OPENS, sizeof(*ms), compare);
	return ms[OPENS / 2];
}

/* ns of one counters__read() of the first place; *plain: of a read(2) of its first descriptor. */
static double read_ns(const struct perf_events *events, struct counter_place *place, double *plain)
{
	struct counters *c = open_all(events, place, 1);
	struct counter_value values[8];
	uint64_t words[16], start = clock__now_ns();
	int fd = counters__fd(c, 0, 0);
	struct buf none = {};
	double ns;

	for (int i = 0; i < READS; i++)
		or_die(counters__read(c, 0, values), &none);
	ns = (double)(clock__now_ns() - start) / READS;
	start = clock__now_ns();
	for (int i = 0; i < READS; i++)
		if (read(fd, words, sizeof(words)) <= 0)
			exit(1);
	*plain = (double)(clock__now_ns() - start) / READS;
	counters__close(c);
	return ns;
}

int main(void)
{
	struct perf_events single = {}, group = {};
	struct counter_place *places;
	struct buf why = {}, text = {};
	double plain, unused, ns;
	uint32_t *cpus;
	size_t nr;

	or_die(buf__printf(&text, "{%s}", EVENTS), &why);
	or_die(perf_events__parse(&single, NULL, EVENTS, &why), &why);
	or_die(perf_events__parse(&group, NULL, text.data, &why), &why);
	or_die(cpus__online("", &cpus, &nr), &why);
	places = calloc(nr, sizeof(*places));
	if (!places)
		return 1;
	for (size_t i = 0; i < nr; i++)
		places[i] = (struct counter_place){ .pid = -1, .cpu = cpus[i], .cgroup_fd = -1 };
	printf("open_ms=%.3f\n", open_ms(&single, places, nr));
	ns = read_ns(&group, places, &plain);
	printf("group_ns=%.0f read_ns=%.0f\n", ns, plain);
	printf("single_ns=%.0f\n", read_ns(&single, places, &unused));
	perf_events__free(&single);
	perf_events__free(&group);
	buf__free(&text);
	free(places);
	free(cpus);
	return 0;
}
