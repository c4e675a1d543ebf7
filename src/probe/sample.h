/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe/sample.h - a sampling session: events, programs, and the tables they fill.
 *
 * Knows: bpf/sample.bpf.c, its maps and their layout. Hands out plain stacks and counts.
 * Does not know: names of addresses, the profile, formats.
 */
#ifndef PMUTRACE_PROBE_SAMPLE_H
#define PMUTRACE_PROBE_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "event/event.h"
#include "machine/target.h"
#include "probe/session.h"
#include "sample.wire.h"

enum sampler_source {
	SAMPLER_EVENTS, /* perf events, each of which interrupts by itself */
	/*
	 * The scheduler's tick, which comes anyway: of one event alone, cpu-clock with a frequency
	 * of at most tick__hz(), without members and the idle task. See probe/sample_tick.h.
	 */
	SAMPLER_TICK,
};

struct sampler_opts {
	enum sampler_source source;
	const struct perf_event_spec *events; /* with their rate; borrowed until close */
	size_t nr_events;
	/*
	 * Events that are counted at the samples of the first one, in its group; at most
	 * SAMPLE_MEMBERS. Behind the others in @events: their values in the rows of the first one
	 * are in this order, and weights of that are what it has counted, too.
	 */
	size_t nr_members;
	const struct target *target; /* borrowed during open */
	unsigned by;		     /* enum by; always by process as well */
	bool idle;		     /* keep the idle task */
	bool measures_cost;	     /* session__own_ns() is wanted: some 50 ns for each sample */
	uint64_t unwind_bytes;	     /* for rules of .eh_frame; 0: by frame pointer alone */
	bool verify_unwind;  /* copies of stacks that rules are followed on are wanted, too */
	uint32_t max_stack;  /* frames of each half, 1..STACK_MAX_FRAMES */
	uint32_t max_stacks; /* distinct stacks per CPU between two drains; 0: by the rates */
	pid_t command;	     /* the process that will exec the command, 0: none */
	int within_fd;	     /* only tasks inside of a function: within__fd(), 0: all */
	/*
	 * A session with the same target, which this one continues: tasks that joined or left the
	 * target since that was opened are known. Borrowed during open. NULL: there is none.
	 */
	const struct session *before;
};

/* What is measured now of what was asked for. Samples stand for what they stand for. */
struct sampler_thrift {
	unsigned halvings; /* of rates; periods double as often */
	unsigned less;	   /* enum by: halves of stacks that are left out, BY_KSTACK, BY_USTACK */
	size_t nr_events;  /* the first of them; 0: nothing is sampled */
};

enum { SAMPLER_HALVINGS = 16 };

struct sampler_stats {
	uint64_t seen; /* the sum of all that was kept or lost */
	uint64_t lost[TABLE_LOST_NR];
	/*
	 * Samples of any task that the kernel has passed over, and those of CPUs that came online,
	 * until events were opened there: an upper bound for the run's targets. As of the last
	 * flush or the end. Of unknown rates at least 1.
	 */
	uint64_t passed_over, away;
	uint64_t children_dropped; /* processes not followed */
	uint32_t max_stacks;	   /* as decided */
	unsigned nr_drains;
};

/*
 * Loads the programs and opens the events, all off: a session of probe/session.h, whose close frees
 * it. @why: on error one sentence for the user. 0 or -errno.
 */
int sampler__open(struct session **out, const struct sampler_opts *opts,
		  struct buf *why) must_check;

/*
 * Changes what is measured, of a session that runs, or before. Events of less than all go on where
 * they were; the time that an event is off is not in its times, and its samples are not lost. Less
 * than one sample of each event on each CPU is. 0 or -errno.
 */
int sampler__spare(struct session *s, const struct sampler_thrift *thrift) must_check;

/* Of rates, now: those asked for, unless the kernel has refused. */
unsigned sampler__halvings(const struct session *s);

/* The rate of an event of @hz, and the period of one of @period, after so many halvings. */
uint64_t sampler__halved(uint64_t hz, unsigned halvings);
uint64_t sampler__doubled(uint64_t period, unsigned halvings);

/* Of what polls have handed out: complete after the last one. */
void sampler__stats(const struct session *s, struct sampler_stats *out);

#endif
