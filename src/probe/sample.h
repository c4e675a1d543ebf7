/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe/sample.h - a sampling session: events, programs, and the tables they fill.
 *
 * Knows: bpf/sample.bpf.c, its maps and their layout. Hands out plain stacks and counts.
 * Does not know: names of addresses, the profile, formats.
 *
 * Life: open (loads, attaches, everything still off) - start - any number of polls - stop -
 * poll once more - close. A killed process leaves nothing behind: closing the events detaches.
 *
 * Stacks are shown as they appear (sampler_fns.stack), counts when the memory that holds them is
 * drained (sampler_fns.count): while running when it is half full, else at the end.
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

struct sampler;

struct sampler_opts {
	const struct perf_event_spec *events; /* with their rate; borrowed until close */
	size_t nr_events;
	const struct target *target; /* borrowed during open */
	bool kernel_stack, user_stack;
	bool by_tid, by_comm, by_cgroup;
	bool idle;	     /* keep the idle task */
	bool measures_cost;  /* sampler_stats.own_ns is wanted: some 50 ns for each sample */
	uint32_t max_stack;  /* frames of each half, 1..STACK_MAX_FRAMES */
	uint32_t max_stacks; /* distinct stacks per CPU between two drains; 0: by the rates */
	pid_t command;	     /* the process that will exec the command, 0: none */
	int within_fd;	     /* only tasks inside of a function: within__fd(), 0: all */
	/*
	 * A session with the same target, which this one continues: tasks that joined or left the
	 * target since that was opened are known. Borrowed during open. NULL: there is none.
	 */
	const struct sampler *before;
};

struct sample_stack {
	const struct sample_key *key;
	const uint64_t *fields; /* words that a session of probe/count.h asked for */
	const uint64_t *kernel; /* innermost first; key->stack.nr_kernel of them */
	const uint64_t *user;	/* innermost first; key->stack.nr_user of them */
	uint32_t cpu;
	uint32_t check;	   /* 32 more bits of hash */
	uint64_t hash;	   /* of key and frames: the same all through a session */
	uint64_t first_ns; /* CLOCK_MONOTONIC */
};

struct sampler_fns {
	/* Before a drain: programs have stopped writing, and all stacks will be shown. */
	int (*closed)(void *arg);
	/* A stack not shown since the last drain; *handle comes back with its counts. */
	int (*stack)(void *arg, const struct sample_stack *s, uint32_t *handle);
	int (*count)(void *arg, const struct sample_stack *s, uint32_t handle, uint64_t samples,
		     uint64_t weight, const struct table_value *values);
	void *arg;
};

struct sampler_stats {
	uint64_t seen; /* the sum of all that was kept or lost */
	uint64_t lost[TABLE_LOST_NR];
	/*
	 * Samples of any task that the kernel has passed over, and those of CPUs that came online,
	 * until events were opened there: an upper bound for the run's targets. As of the last
	 * flush or the end. Of unknown rates at least 1.
	 */
	uint64_t passed_over, away;
	uint64_t own_ns;	   /* CPU time of the programs, if measured */
	uint64_t children_dropped; /* processes not followed */
	uint32_t max_stacks;	   /* as decided */
	unsigned nr_drains;
};

/**
 * sampler__open() - load the programs and open the events, all off
 * @why: on error one sentence for the user
 *
 * Return: 0 or -errno.
 */
int sampler__open(struct sampler **out, const struct sampler_opts *opts,
		  struct buf *why) must_check;
void sampler__close(struct sampler *s);

int sampler__start(struct sampler *s) must_check;

/* Ends sampling; what was sampled can still be polled. */
int sampler__stop(struct sampler *s) must_check;

/*
 * Shows new stacks, and drains what is more than half full, or everything after stop.
 * The first error of a function ends it and is returned.
 */
int sampler__poll(struct sampler *s, const struct sampler_fns *fns) must_check;

/* All that was sampled up to now, while it goes on. 0 or -errno. */
int sampler__flush(struct sampler *s, const struct sampler_fns *fns) must_check;

/* When the next poll is due: soon while the tables fill quickly. */
unsigned sampler__patience_ms(const struct sampler *s);

/* Of what polls have handed out: complete after the last one. */
void sampler__stats(const struct sampler *s, struct sampler_stats *out);

/* Up to now. */
uint64_t sampler__seen(const struct sampler *s);

/* Of an event, what the samples that were passed over stand for, in its unit. As in stats. */
uint64_t sampler__passed_over(const struct sampler *s, size_t event);

/*
 * Time that an event was enabled and on a counter, summed over its CPUs, ns, up to the last flush
 * or the end.
 */
int sampler__times(const struct sampler *s, size_t event, uint64_t *enabled_ns,
		   uint64_t *running_ns) must_check;

/* Opens one as a session of any kind; its close frees it. 0 or -errno with @why. */
int sampler__session(struct session *s, const struct sampler_opts *opts,
		     struct buf *why) must_check;

#endif
