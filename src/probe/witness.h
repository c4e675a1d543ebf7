/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe/witness.h - estimates the samples that the kernel has passed over without telling.
 *
 * An event's program is passed over while another runs on its CPU (bpf_prog_active), the kernel
 * throttles events that fire too often, a timer comes late by some periods, a page fault now and
 * then is counted but neither sampled nor traced (perf has no sample of it either). The event
 * itself counts on: what it has counted beyond the sum of periods of the samples taken is in no
 * sample.
 *
 * Knows: what can be said for each kind of event, from figures of one event on one CPU.
 * Does not know: where the figures are from.
 */
#ifndef PMUTRACE_PROBE_WITNESS_H
#define PMUTRACE_PROBE_WITNESS_H

#include <stdbool.h>
#include <stdint.h>

#include "event/event.h"
#include "sample.wire.h"

enum witness_kind {
	/*
	 * Hardware and software events: the count. Each opening of the event may leave one period
	 * unfinished. With a frequency the kernel changes periods: one more, for the period that
	 * is under way is not told, and those that it gave up (sample_fired.restarts).
	 */
	WITNESS_COUNT,
	/*
	 * Clocks: they go on while a CPU idles, where their timers may stand still. What counts is
	 * the time that the CPU was busy. That is known to 40 ms and 1.6 %: what is below is not
	 * told. The kernel counts short idle times and interrupts of the idle task as busy: no more
	 * is missing than the event's count leaves to all of its samples, those of idle CPUs too.
	 */
	WITNESS_BUSY,
	/*
	 * Clocks of user or kernel mode alone (cpu-clock:u): nobody measures these times. Of their
	 * samples those of user mode are never passed over, the others are taken all the same
	 * (clock.bpf.h).
	 */
	WITNESS_NONE,
};

struct witness_figures {
	struct sample_fired fired;
	uint64_t counted;    /* by the event, in its unit */
	uint64_t running_ns; /* time on a counter; 0: not known */
	uint64_t busy_ns;    /* WITNESS_BUSY: of the CPU, while the event was enabled */
	unsigned openings;   /* of the event on this CPU */
	uint64_t hz;	     /* of the event, or 0 */
	uint64_t period;     /* of the event where hz is 0 */
	/* WITNESS_BUSY: the longest period that it ever was opened with, ns; 0: the present one. */
	uint64_t slowest_ns;
};

/* What is missing so far, while rates change: each part counts at the rate that it was lost at. */
struct witness_tally {
	uint64_t in_unit; /* of the event */
	uint64_t samples; /* at least 1 of anything */
	/* Private. */
	uint64_t rest; /* less than a sample */
	bool is_guess; /* the 1 */
};

enum witness_kind witness__kind(const struct perf_event_spec *ev);

/* cpu-clock or task-clock: passed-over samples are taken at the timer's expiry (clock.bpf.h). */
bool witness__is_clock(const struct perf_event_spec *ev);

/* What is in no sample, in the event's unit; what may be no loss is not counted. */
uint64_t witness__missing(enum witness_kind kind, const struct witness_figures *f);

/*
 * Time in which tasks ran on a CPU and no tick saw one. @accounted_ns: as the kernel's accounting
 * has it, which gets it from the same ticks, less what was stolen, unless the CPU has none
 * (nohz_full) and is measured. @seen_ns: that of ticks seen. That is known to 30 ms and 1.6 %, and
 * what is below is 0: there are virtual machines with tasks for which no program of a tracepoint is
 * run (0.7 % of the time of one).
 */
uint64_t witness__without_tick(uint64_t accounted_ns, uint64_t seen_ns);

/* @missing, in the event's unit, in all: losses never shrink, though the slack may grow. */
void witness__tally(struct witness_tally *t, const struct witness_figures *f, uint64_t missing);

#endif
