/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model/counts.h - what a counting run found: one value for each event and row.
 *
 * Knows: values with their times and states, scaling, sums, repetitions. Metrics: model/metric.h.
 * Pure data: no system calls. Does not know: descriptors, targets, formats.
 *
 * A row is one of what was asked for: everything, or a CPU, core, socket, thread, process,
 * cgroup. Each row has a value for each event. Totals are the sums over the rows.
 */
#ifndef PMUTRACE_MODEL_COUNTS_H
#define PMUTRACE_MODEL_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

enum count_state {
	COUNT_COUNTED,	     /* on a counter all the time */
	COUNT_MULTIPLEXED,   /* some of the time: `value` is an estimate */
	COUNT_NOT_COUNTED,   /* never on a counter; there is no value */
	COUNT_NOT_SUPPORTED, /* this machine or kernel lacks it; there is no value */
	COUNT_NO_PERMISSION, /* there is no value */
};

/* The names of JSON and CSV: "counted", "multiplexed", "not-counted", ... */
const char *count_state__name(enum count_state s);

struct event_count {
	uint64_t raw;	     /* as the kernel counted */
	uint64_t value;	     /* scaled by enabled / running; == raw when counted */
	uint64_t enabled_ns; /* summed over what was added up */
	uint64_t running_ns; /* of that, on a counter */
	enum count_state state;
};

/* raw * enabled / running in 128 bits, to nearest, at most UINT64_MAX; 0 if running is 0. */
uint64_t event_count__scale(uint64_t raw, uint64_t enabled_ns, uint64_t running_ns);

/*
 * Sets value and state from the other members: COUNTED, MULTIPLEXED or NOT_COUNTED; running is at
 * most enabled then. A value without any time is a value: the kernel may keep no times for a cgroup
 * whose task was running already when the event was enabled (seen on 6.18).
 */
void event_count__settle(struct event_count *c);

/*
 * Times as they can be: enabled at most @most_ns, running at most enabled. The kernel tells hours
 * for some events of cgroups that were enabled for a second (seen on 6.18).
 */
void event_count__bound(struct event_count *c, uint64_t most_ns);

/*
 * @c, counted since the beginning, becomes what was counted since @last, and @last the most that
 * was told. Nothing goes below 0; where a time of the kernel went back, both are unknown: 0.
 */
void event_count__since(struct event_count *c, struct event_count *last);

/* True when counted or multiplexed. */
bool event_count__has_value(const struct event_count *c);

/*
 * Adds up what two counters of one event found; both settled. A part without a value leaves the
 * other's value as it is, but its enabled time counts: the sum is multiplexed then. Of two states
 * the worse wins (counted < multiplexed; among those without a value, not counted < ...), and
 * without any value the sum has none. What sums start from is NOT_COUNTED with all else 0.
 */
void event_count__add(struct event_count *sum, const struct event_count *c);

/* What metrics know an event as. */
enum count_role {
	ROLE_NONE,
	ROLE_CYCLES,
	ROLE_REF_CYCLES,
	ROLE_INSTRUCTIONS,
	ROLE_BRANCHES,
	ROLE_BRANCH_MISSES,
	ROLE_CACHE_REFS,
	ROLE_CACHE_MISSES,
	ROLE_STALLED_FRONT,
	ROLE_STALLED_BACK,
	ROLE_TASK_CLOCK, /* ns */
	ROLE_CPU_CLOCK,	 /* ns */
	ROLE_L1D_LOADS,
	ROLE_L1D_LOAD_MISSES,
	ROLE_L1I_LOADS,
	ROLE_L1I_LOAD_MISSES,
	ROLE_LLC_LOADS,
	ROLE_LLC_LOAD_MISSES,
	ROLE_DTLB_LOADS,
	ROLE_DTLB_LOAD_MISSES,
	ROLE_ITLB_LOADS,
	ROLE_ITLB_LOAD_MISSES,
};

enum { COUNTS_NO_GROUP = -1 };

struct counts_event {
	const char *name; /* as asked for: "cycles:u" */
	const char *unit; /* of value * scale: "ns", "MiB", "" */
	double scale;	  /* 1 for all but some PMU events */
	int group;	  /* events of one group were on counters together; or COUNTS_NO_GROUP */
	bool software;	  /* never multiplexed: goes with every group in a metric */
	enum count_role role;
	const char *why; /* not supported, no permission, not counted: a sentence, or NULL */
	/* Who of the target is not in the values, and why: "1 of 2 processes ..: ..", or NULL. */
	const char *lacks;
};

/* What the rows are: exactly the members below that are set. */
enum counts_by {
	COUNTS_BY_NOTHING, /* one row */
	COUNTS_BY_CPU,
	COUNTS_BY_CORE, /* socket and core */
	COUNTS_BY_SOCKET,
	COUNTS_BY_THREAD,  /* comm, pid, tid */
	COUNTS_BY_PROCESS, /* comm, pid */
	COUNTS_BY_CGROUP,
};

struct counts_key {
	const char *comm;
	const char *cgroup; /* path below the mount; no string may be NULL where it is part */
	uint32_t pid, tid;
	uint32_t cpu, core, socket;
	uint32_t nr_cpus; /* CPUs that were added up in the row */
};

struct counts_row {
	struct counts_key key;
	struct event_count *values; /* nr_events of them */
};

/* Of the totals of one event (event_count.value) over the repetitions of -r; n is 0 without. */
struct counts_runs {
	unsigned n;
	double mean, m2; /* m2: sum of squared distances from the mean (Welford) */
};

/* Adds the value of one more run. */
void counts_runs__add(struct counts_runs *r, double value);
/* Standard deviation of a run (n - 1); 0 below two runs. */
double counts_runs__stddev(const struct counts_runs *r);
/* Half the width of the 95 % confidence interval of the mean (Student's t); 0 below two runs. */
double counts_runs__ci95(const struct counts_runs *r);

struct counts {
	enum counts_by by;
	struct counts_event *events; /* strings are copies */
	size_t nr_events, cap_events;
	struct counts_row *rows;
	size_t nr_rows, cap_rows;
	struct event_count *totals;  /* nr_events */
	struct counts_runs *runs;    /* nr_events, and one more: seconds elapsed */
	uint64_t duration_ns;	     /* of the run, of the interval, or the mean of the runs */
	uint64_t at_ns;		     /* -I: since the start, at the end of this interval; else 0 */
	uint64_t missed_ns;	     /* CPUs came online and were not counted for so long, in sum */
	uint64_t user_ns, system_ns; /* of the command: rusage; 0: there was none */
	const char *target;	     /* of the headline: "'system wide'", "process id '42'"; "" */
	struct strtab *strings;	     /* private: holds all strings */
};

/* NULL when out of memory. */
struct counts *counts__new(void);
void counts__free(struct counts *c);

/*
 * The functions below return 0 or -ENOMEM; strings are copied, what is not UTF-8 in them is
 * replaced. First all events, then rows.
 */
int counts__event(struct counts *c, const struct counts_event *ev) must_check;

/*
 * A new row. Its values have no state but NOT_COUNTED: assign them or add to them. *row is good
 * until the next row is made. counts__finish() makes one row of those whose keys are equal.
 */
int counts__row(struct counts *c, const struct counts_key *key, struct counts_row **row) must_check;
int counts__set_target(struct counts *c, const char *text) must_check;

/* Why an event has no value, once it is known. */
int counts__explain(struct counts *c, size_t event, const char *why) must_check;

/* What there is to say about an event: why its total has no value, or what it lacks, or NULL. */
const char *counts__why(const struct counts *c, size_t event);

/* Forgets the rows and totals, for the next interval or run; events, runs and strings stay. */
void counts__clear(struct counts *c);

/*
 * The rows are complete: rows with equal keys (of the members that `by` names) are added up, their
 * nr_cpus too; fills totals; rows are put in order of their keys (CPU, socket and core, cgroup;
 * threads and processes: most of the first counted event first).
 */
void counts__finish(struct counts *c);

/*
 * True if anything was multiplexed, has no value or lacks a part of the target: --strict. A row
 * where an event was never enabled is no flaw by itself: the thread did not run.
 */
bool counts__is_partial(const struct counts *c);

#endif
