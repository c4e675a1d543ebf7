/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe/count.h - a counting session: probes, programs, and the tables they fill.
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
 * of it (object/clone.h). Nothing is counted before start and after stop, however often the probes
 * are hit: a tracepoint's program cannot be disabled, so it looks at a flag (count_control.on).
 */
#ifndef PMUTRACE_PROBE_COUNT_H
#define PMUTRACE_PROBE_COUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "count.wire.h"
#include "event/event.h"
#include "machine/target.h"
#include "probe/session.h"
#include "object/tables.h"

struct count_probe {
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

struct count_opts {
	const struct count_probe *probes; /* borrowed until close */
	size_t nr_probes;
	const struct perf_event_env *env; /* for perf_event__make(); borrowed during open */
	const struct target *target;	  /* borrowed during open */
	unsigned by;			  /* enum by */
	bool values;			  /* sum, min and max of the measures */
	bool exemplars; /* of each key one hit: sample_stack.exemplar, its value the measure or 1 */
	enum buckets_kind buckets;    /* of the measures: one more word behind the fields */
	struct buckets_linear linear; /* of BUCKETS_LINEAR */
	uint32_t max_stack;	      /* frames of each half, 1..STACK_MAX_FRAMES */
	uint64_t unwind_bytes;	      /* for rules of .eh_frame; 0: user stacks by frame pointer */
	uint32_t max_keys; /* distinct ones per object and CPU between two drains; 0: 2048 or so */
	pid_t command;	   /* the process that will exec the command, 0: none */
	int within_fd;	   /* only tasks inside of a function: within__fd(), 0: all */
	/* Called for an optional probe that the kernel refuses; NULL: not told. */
	void (*skipped)(void *arg, const struct perf_event_spec *event, int err);
	void *arg;
};

enum count_loss {
	/* Those of enum table_loss, then: */
	COUNT_LOST_MISSED = TABLE_LOST_NR, /* the kernel did not run the program: one was running */
	COUNT_LOST_FILTER,		   /* what the filter compares could not be read */
	COUNT_LOST_MEASURE,		   /* what is to be summed up could not be read */
	COUNT_LOST_NR,
};

struct count_stats {
	uint64_t seen; /* what is in the tables, and all losses */
	uint64_t lost[COUNT_LOST_NR];
	uint64_t fields_unreadable; /* counted, with 0 or nothing for a field */
	uint64_t children_dropped;  /* processes not followed */
	/* Like COUNT_LOST_MISSED, where only some tasks or hits are wanted: unknown of which ones.
	 */
	uint64_t missed_by_any;
	size_t nr_places; /* to which programs are attached */
};

/*
 * Loads and attaches everything, off: a session of probe/session.h, whose close frees it. Stacks
 * carry their fields, and their probe's number as key->stack.source. @why: on error a sentence. 0
 * or -errno.
 */
int count__open(struct session **out, const struct count_opts *opts, struct buf *why) must_check;

/* Of what polls and flushes have handed out. */
void count__stats(const struct session *s, struct count_stats *out);

#endif
