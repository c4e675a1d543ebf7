/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe/hits.h - a counting session: probes, programs, and the tables they fill.
 *
 * Knows: bpf/count.bpf.c, its maps and their layout. Hands out what a sampling session does, and
 * the fields of each hit as words.
 * Does not know: what the fields mean, names of addresses, formats.
 *
 * A tracepoint of which nothing but how many hits pass a filter is wanted is counted by the kernel
 * alone, which runs no program then: what is filtered out costs least.
 *
 * For others a BPF object is loaded for each probe, or one for many: functions that are alike,
 * system calls, raw tracepoints, tracepoints whose records are needed. Each object has tables of
 * its own, since programs of different kinds may interrupt each other. One program of an object
 * serves all probes that cookies or system call numbers tell apart; each other probe gets a clone
 * of it (probe/clone.h). Nothing is counted before start and after stop, however often the probes
 * are hit: a tracepoint's program cannot be disabled, so it looks at a flag (count_control.on).
 *
 * Life: open - start - any number of polls - stop - poll once more - close.
 */
#ifndef PMUTRACE_PROBE_HITS_H
#define PMUTRACE_PROBE_HITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "count.wire.h"
#include "event/event.h"
#include "machine/target.h"
#include "probe/sample.h"
#include "probe/session.h"
#include "probe/tables.h"

struct hits;

struct hits_probe {
	/*
	 * Parsed for its site; made (perf_event__make) if that is needed. Borrowed until close. Its
	 * filter: the one below as the kernel has it; NULL: the kernel cannot do it.
	 */
	struct perf_event_spec *event;
	struct fetch by[COUNT_FIELDS]; /* `at` is set by the session */
	size_t nr_by;
	struct fetch measure; /* source 0: nothing */
	bool measure_signed;
	const struct filter_cfg *filter; /* borrowed during open; NULL: everything passes */
	bool optional;			 /* left out and told if it cannot be probed */
	uint32_t number; /* key->stack.source of its hits, up to UINT16_MAX; several may share it */
};

struct hits_opts {
	const struct hits_probe *probes; /* borrowed during open */
	size_t nr_probes;
	const struct perf_event_env *env; /* for perf_event__make(); borrowed during open */
	const struct target *target;	  /* borrowed during open */
	bool kernel_stack, user_stack;
	bool by_pid, by_tid, by_comm, by_cpu, by_cgroup;
	bool values;		      /* sum, min and max of the measures */
	enum buckets_kind buckets;    /* of the measures: one more word behind the fields */
	struct buckets_linear linear; /* of BUCKETS_LINEAR */
	uint32_t max_stack;	      /* frames of each half, 1..STACK_MAX_FRAMES */
	uint32_t max_keys; /* distinct ones per object and CPU between two drains; 0: 2048 or so */
	pid_t command;	   /* the process that will exec the command, 0: none */
	int within_fd;	   /* only tasks inside of a function: within__fd(), 0: all */
	/* Called for an optional probe that the kernel refuses; NULL: not told. */
	void (*skipped)(void *arg, const struct perf_event_spec *event, int err);
	void *arg;
};

enum hits_loss {
	/* Those of enum table_loss, then: */
	HITS_LOST_MISSED = TABLE_LOST_NR, /* the kernel did not run the program: one was running */
	HITS_LOST_FILTER,		  /* what the filter compares could not be read */
	HITS_LOST_MEASURE,		  /* what is to be summed up could not be read */
	HITS_LOST_NR,
};

struct hits_stats {
	uint64_t seen; /* what is in the tables, and all losses */
	uint64_t lost[HITS_LOST_NR];
	uint64_t fields_unreadable; /* counted, with 0 or nothing for a field */
	uint64_t children_dropped;  /* processes not followed */
	/* Like HITS_LOST_MISSED, where only some tasks or hits are wanted: unknown of which ones.
	 */
	uint64_t missed_by_any;
	size_t nr_places; /* to which programs are attached */
};

/* Loads and attaches everything, off. @why: on error a sentence. 0 or -errno. */
int hits__open(struct hits **out, const struct hits_opts *opts, struct buf *why) must_check;
void hits__close(struct hits *h);

int hits__start(struct hits *h) must_check;

/* Ends counting; what was counted can still be polled. */
int hits__stop(struct hits *h) must_check;

/* Stacks carry their fields, and their probe's number as key->stack.source. */
int hits__poll(struct hits *h, const struct sampler_fns *fns) must_check;

/* Hands out all that was counted up to now, while programs run. Takes 5 to 40 ms. */
int hits__flush(struct hits *h, const struct sampler_fns *fns) must_check;

unsigned hits__patience_ms(const struct hits *h);

/* Of what polls and flushes have handed out. */
void hits__stats(const struct hits *h, struct hits_stats *out);

/* Up to now. */
uint64_t hits__seen(const struct hits *h);

/* Time that an event was enabled and on a counter, summed over its CPUs, ns; both 0 of others. */
int hits__times(const struct hits *h, uint32_t number, uint64_t *enabled_ns,
		uint64_t *running_ns) must_check;

/* Opens one as a session of any kind; its close frees it. 0 or -errno with @why. */
int hits__session(struct session *s, const struct hits_opts *opts, struct buf *why) must_check;

#endif
