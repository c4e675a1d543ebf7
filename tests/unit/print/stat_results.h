/* SPDX-License-Identifier: BSD-2-Clause */
/* Results of `stat` of which each format (CSV, JSON, table) has to show the same facts. */
#ifndef TESTS_UNIT_PRINT_STAT_RESULTS_H
#define TESTS_UNIT_PRINT_STAT_RESULTS_H

#include "countings.h"

/* In 2 s: a clock, a group that had half of the time, then what has no value, for each reason. */
static inline struct counts *all_states(void)
{
	struct counts *c = new_counts(COUNTS_BY_NOTHING);

	add_counter(c, "task-clock", ROLE_TASK_CLOCK, COUNTS_NO_GROUP);
	add_counter(c, "cycles:u", ROLE_CYCLES, 0);
	add_counter(c, "instructions:u", ROLE_INSTRUCTIONS, 0);
	add_counter(c, "branch-misses:u", ROLE_BRANCH_MISSES, 0);
	add_counter(c, "LLC-loads", ROLE_LLC_LOADS, 1);
	add_counter(c, "bus-cycles", ROLE_NONE, COUNTS_NO_GROUP);
	add_counter(c, "ref-cycles", ROLE_NONE, COUNTS_NO_GROUP);
	c->events[1].why = "not said, it was counted";
	c->events[4].why = "no such counter";
	ADD_VALUES(c, of_cpu(0), counted(500000000), part(1000000000, 50), part(500000000, 50),
		   part(1000000, 50), absent(COUNT_NOT_SUPPORTED), part(0, 0),
		   absent(COUNT_NO_PERMISSION));
	return c;
}

/* Everything that rows can be of. */
static const struct {
	enum counts_by by;
	struct counts_key key;
} row_keys[] = {
	{ COUNTS_BY_CPU, { .socket = 1, .core = 3, .cpu = 7, .nr_cpus = 2 } },
	{ COUNTS_BY_CORE, { .socket = 1, .core = 3, .cpu = 7, .nr_cpus = 2 } },
	{ COUNTS_BY_SOCKET, { .socket = 1, .core = 3, .cpu = 7, .nr_cpus = 2 } },
	{ COUNTS_BY_THREAD, { .comm = "a,b", .pid = 41, .tid = 42 } },
	{ COUNTS_BY_PROCESS, { .comm = "sh", .pid = 41, .tid = 42 } },
	{ COUNTS_BY_CGROUP, { .cgroup = "/web" } },
};

/* 4 faults in one row, of row_keys[@i]. */
static inline struct counts *keyed(size_t i)
{
	struct counts *c = new_counts(row_keys[i].by);

	add_counter(c, "faults", ROLE_NONE, COUNTS_NO_GROUP);
	ADD_VALUES(c, row_keys[i].key, counted(4));
	return c;
}

/* One event asked for three times. */
static inline struct counts *thrice(void)
{
	struct counts *c = new_counts(COUNTS_BY_CPU);

	for (int i = 0; i < 3; i++)
		add_counter(c, "faults", ROLE_NONE, COUNTS_NO_GROUP);
	ADD_VALUES(c, of_cpu(0), counted(1), counted(2), counted(3));
	return c;
}

/*
 * Counted in two runs (a scaled unit), in one, in none. Of 8 and 12 the mean is 10, the deviation
 * sqrt(8); of two runs t = 12.706, 12.706 * sqrt(8) / sqrt(2) = 25.412; a quarter of all that is
 * shown. No metrics: the duration is 0.
 */
static inline struct counts *repeated(void)
{
	struct counts *c = new_counts(COUNTS_BY_NOTHING);

	add_counter(c, "power/energy-pkg/", ROLE_NONE, COUNTS_NO_GROUP);
	add_counter(c, "once", ROLE_NONE, COUNTS_NO_GROUP);
	add_counter(c, "cycles", ROLE_CYCLES, COUNTS_NO_GROUP);
	c->events[0].unit = "Joules";
	c->events[0].scale = 0.25;
	c->duration_ns = 0;
	ADD_VALUES(c, of_cpu(0), counted(12), counted(3), absent(COUNT_NOT_SUPPORTED));
	counts_runs__add(&c->runs[0], 8);
	counts_runs__add(&c->runs[0], 12);
	counts_runs__add(&c->runs[1], 3);
	counts_runs__add(&c->runs[3], 1.5);
	counts_runs__add(&c->runs[3], 2.5);
	return c;
}

/* A thread and an event whose names are hostile. */
static inline struct counts *hostile_results(void)
{
	struct counts *c = new_counts(COUNTS_BY_THREAD);

	add_counter(c, HOSTILE, ROLE_NONE, COUNTS_NO_GROUP);
	ADD_VALUES(c, task(HOSTILE, 1, 2), counted(4));
	return c;
}

#endif
