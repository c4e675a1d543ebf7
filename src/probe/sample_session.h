/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe/sample_session.h - the inside of a sampling session, shared by its sources:
 *	sample.c	what a session of this kind does in its own way
 *	sample_load.c	sizes, configuration, loading
 *	sample_events.c	the events of one CPU
 *	sample_cpus.c	CPUs that come and go, what was lost on them
 *	sample_tick.c	the tick instead of events
 *	sample_thrift.c	less than all, for now
 */
#ifndef PMUTRACE_PROBE_SAMPLE_SESSION_H
#define PMUTRACE_PROBE_SAMPLE_SESSION_H

#include <bpf/libbpf.h>
#include <stdbool.h>
#include <stddef.h>

#include "machine/cputime.h"
#include "probe/object.h"
#include "probe/sample.h"
#include "probe/witness.h"
#include "object/targets.h"
#include "orc.wire.h"
#include "sample.skel.h"

/* An event on a CPU. */
struct sample_place {
	int fd;			     /* -1: the CPU is, or was, offline */
	uint64_t id;		     /* of a clock event: its key in the programs' map; else 0 */
	unsigned openings;	     /* how often it was opened there */
	uint64_t counted;	     /* by events closed since, in the event's unit */
	uint64_t enabled_ns;	     /* likewise */
	uint64_t running_ns;	     /* likewise */
	uint64_t now_counted;	     /* by the one that is open, at the last look */
	uint64_t now_enabled_ns;     /* likewise */
	uint64_t now_running_ns;     /* likewise */
	uint64_t off_ns;	     /* of its CPU's busy time that while it was off */
	struct witness_tally passed; /* over by the kernel */
	uint64_t away;		     /* samples, of sampler_stats */
};

struct sample_cpu {
	uint32_t cpu;
	int members[SAMPLE_MEMBERS]; /* descriptors; -1: none */
	uint64_t measured_ns;	     /* CLOCK_MONOTONIC: up to then its events were on the CPU */
	uint64_t enabled_ns;	     /* of the first event, at that time */
	uint64_t looked_ns;	     /* of the last look */
	uint64_t busy_ns;	     /* while events were enabled, up to the last look */
	uint64_t last_busy_ns;	     /* of that since the look before */
	struct cputime before;	     /* at the last look */
	uint64_t ticks_before;	     /* SAMPLER_TICK: of tasks, at the start */
};

struct sampler {
	struct session session;
	struct sample_bpf *skel;
	struct targets_links followers;
	struct bpf_link *rescue; /* NULL: there is no clock event */
	struct object object;
	const struct perf_event_spec *events; /* borrowed */
	size_t nr_events, nr_members;	      /* members are behind the events */
	struct sampler_thrift thrift;	      /* what is measured of these now */
	unsigned most_halvings;		      /* so far */
	bool started;
	struct sample_cpu *cpus; /* those that may be measured, some of them offline */
	size_t nr_cpus;
	struct sample_place *places; /* [event * nr_cpus + cpu] */
	struct cputime *times;	     /* room for a reading: [nr_times] */
	bool *online;		     /* likewise, of the list of CPUs */
	size_t nr_times;
	int times_fd;		    /* of cputime.h */
	struct sample_fired *fired; /* the programs' map: [cpu number * nr_events + event] */
	size_t fired_bytes;
	struct bpf_link *tick;	/* SAMPLER_TICK: of the program; else NULL */
	struct tick_cpu *ticks; /* likewise, the program's map: [cpu number] */
	size_t ticks_bytes;
	uint64_t tick_ns;
	uint64_t times_ns;	      /* of that reading */
	uint64_t online_ns, still_ns; /* last looks at online CPUs, at events that stand still */
};

/* Decides the sizes, loads the programs, fills the targets. @why: on error a sentence. */
int sampler__load(struct sampler *s, const struct sampler_opts *opts, struct buf *why) must_check;

/*
 * Opens the events on all CPUs that are online, off, and remembers where. Without -C the other
 * CPUs that are possible may come. 0 or -errno with @why.
 */
int sampler__open_cpus(struct sampler *s, const struct target *target, struct buf *why) must_check;

/* The CPUs that may be measured, with nothing open on them. 0 or -errno. */
int sampler__list_cpus(struct sampler *s, const struct target *target) must_check;
void sampler__close_cpus(struct sampler *s);
int sampler__enable_cpus(struct sampler *s) must_check;
int sampler__disable_cpus(struct sampler *s) must_check;

/*
 * Finds CPUs that have come online since the last time, and opens events there again. Limits by
 * itself how often it does so. 0 or -errno.
 */
int sampler__mend_cpus(struct sampler *s) must_check;

/*
 * Opens the events of a CPU, off; -1 where it is offline. Reads what they have counted; closes
 * them, and keeps that. 0 or -errno, opening with @why.
 */
int sampler__open_cpu(struct sampler *s, size_t c, struct buf *why) must_check;
int sampler__read_cpu(struct sampler *s, size_t c) must_check;
void sampler__close_cpu(struct sampler *s, size_t c);

/*
 * Closes the events of a CPU, keeps what they have counted, and opens them again, as they are
 * measured now. They are off where the CPU has gone. 0 or -errno with @why.
 */
int sampler__renew_cpu(struct sampler *s, size_t c, struct buf *why) must_check;

/* Are all its events open: it may have come online between two of them. */
bool sampler__is_open(const struct sampler *s, size_t c);
struct sample_place *sampler__place(const struct sampler *s, size_t event, size_t c);

/* Measuring begins now on a CPU whose events were off or are new; after sampler__take_times(). */
void sampler__begin_cpu(struct sampler *s, size_t c);

/* An event as it is sampled now. */
struct perf_event_spec sampler__spec(const struct sampler *s, size_t event);

/*
 * sampler__look() reads what events have counted, and works out the samples lost up to the last
 * sampler__take_times(). Where events are disabled times are taken right before. Where a clock
 * seems to have lost some it takes 20 ms longer, or until a CPU that a hypervisor keeps is back: up
 * to 0.2 s, and to 1 s when all has stopped. 0 or -errno.
 */
int sampler__take_times(struct sampler *s) must_check;
int sampler__look(struct sampler *s) must_check;

/* The program of an event's slot. */
struct bpf_program *sampler__program(const struct sampler *s, size_t event);

/* Of events; the tick has its own. */
extern const struct session_fns sampler__fns;

#endif
