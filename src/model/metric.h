/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model/metric.h - what a count means beside others: "1.23 insn per cycle".
 *
 * Knows: the ratios and rates that users of perf stat expect, by the events' roles.
 * A ratio is made only of events that were on counters together: of one group, both counted or
 * both multiplexed, with the same of the modifiers u k h G H I. Clocks are software and go with
 * every group. There is no metric when a part of it has no value, or would divide by 0.
 *
 *	task-clock, cpu-clock     CPUs utilized: the clock / duration
 *	cycles                    GHz: cycles / ns of the clock
 *	instructions              insn per cycle
 *	misses, stalled cycles    share of branches, references, loads, cycles, in percent
 *	other events, and those
 *	whose ratio there is not  rate for each second of the clock; without a clock among the
 *	                          events, for each second elapsed
 *
 * Source: tools/perf/Documentation/perf-stat.txt and what perf stat 6.1 prints.
 */
#ifndef PMUTRACE_MODEL_METRIC_H
#define PMUTRACE_MODEL_METRIC_H

#include <stdbool.h>
#include <stddef.h>

struct event_count;
struct counts;
struct counts_runs;

struct metric {
	double value;
	const char *text; /* what it is of, or its unit: "insn per cycle", "K/sec"; a literal */
	int decimals;	  /* digits worth showing */
	bool percent;	  /* value is in percent: a '%' belongs behind it */
};

/*
 * The metric of event @i, with @values those of a row or the totals; false if there is none. Where
 * totals have repetitions (-r), their means are what is used.
 */
bool metric__of(const struct counts *c, const struct event_count *values, size_t i,
		struct metric *out);

/*
 * One more: MPKI (misses per 1000 instructions) of branch and cache misses, stalled cycles for
 * each instruction (the worse of front and back end) of instructions.
 */
bool metric__second(const struct counts *c, const struct event_count *values, size_t i,
		    struct metric *out);

/* The repetitions of an event, if @values are the totals and there were any, or NULL. */
const struct counts_runs *metric__runs(const struct counts *c, const struct event_count *values,
				       size_t i);

/*
 * The value as a number, in the event's unit: scaled, and the mean if there were repetitions. NaN
 * where the event has no value.
 */
double metric__number(const struct counts *c, const struct event_count *values, size_t i);

/* running / enabled: 1 if it was counted all the time; 0 if never. */
double metric__share(const struct event_count *c);

#endif
