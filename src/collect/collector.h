/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * collect/collector.h - a session of samples, hits or calls and named addresses become a profile.
 *
 * The only place that puts the path of the data together:
 *	probe/sample, probe/count, probe/func (stacks, counts) + sym/namer (names) -> model/profile
 */
#ifndef PMUTRACE_COLLECT_COLLECTOR_H
#define PMUTRACE_COLLECT_COLLECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "collect/rowfields.h"
#include "collect/tracker.h"
#include "model/profile.h"
#include "probe/func.h"
#include "probe/count.h"
#include "probe/sample.h"
#include "run/java_maps.h"
#include "run/runloop.h"

struct collector;

/* Everything is borrowed during open. */
struct collector_opts {
	/*
	 * One of them; the others are NULL. Their options of stacks and by_* are set from `by`;
	 * stacks that func_opts asks for, of callers, stay.
	 */
	const struct sampler_opts *sampler;
	const struct count_opts *hits;
	const struct func_opts *calls;
	const struct collector *before; /* of a sampler: see sampler_opts.before; or NULL */
	struct jail *
		jail; /* whose readers read strangers' files; NULL: see table_job.h, sym/finder.h */
	unsigned by;  /* enum by */
	bool demangle;
	bool inlines, lines;	       /* sym/finder.h */
	bool no_symbols;	       /* the same */
	bool places;		       /* frames know where their code is: model/code_place.h */
	struct debuginfod *debuginfod; /* the same; outlives the collector */
	uint64_t max_bytes;	       /* see collector__default_bytes(); 0: that */
	bool by_interval;   /* results are wanted soon: the kernel's symbols are read at the open */
	bool measures_cost; /* of hits and calls: profile.own_ns; a sampler has it of its own */
	bool late_names; /* there is one result, at the end: names that come until then are in it */
	uint64_t gather_ns; /* sym/namer.h */
	/* With late_names: who asks JVMs that were sampled for maps at the end; NULL: nobody. */
	struct java_maps *java;

	/* Of hits and calls alone. */
	const struct profile_event *events;
	size_t nr_events;
	const struct rowprobe *probes; /* by the numbers of the session; names: until close */
	size_t nr_probes;
	const struct rowfield *fields;
	size_t nr_fields;
	/* Of hits one if count_opts.values is set; of calls one for each value. */
	const struct profile_metric *metrics;
	size_t nr_metrics;
	const struct buckets *buckets; /* of the field FIELD_BUCKET; NULL: there is none */
};

/*
 * What a session may take of memory for its result: a GiB, or a quarter of the machine's where that
 * is less. Half of it is for the profile. When the next growth would go beyond that, the profile is
 * sealed: what is known counts on, what is new is a loss (memory_full); a notice tells it, and
 * another one before. An eighth is for stacks and addresses that have been named, which are
 * forgotten when they take more, and named again; a quarter, or 32 MiB, for stacks that wait for
 * names; what is left, or 512 MiB, for symbols of files.
 */
uint64_t collector__default_bytes(void);
enum { COLLECTOR_LEAST_BYTES = 16000000 };

/* Loads and attaches everything, disabled. @why: on error a sentence. 0 or -errno. */
int collector__open(struct collector **out, const struct collector_opts *opts,
		    struct buf *why) must_check;
void collector__close(struct collector *c);

int collector__start(struct collector *c) must_check;

/* Did stacks ask for unwind rules, at the last poll, that are not there yet? */
bool collector__awaits_rules(const struct collector *c);

/* The polling of the session, for a run loop. */
struct runloop_work collector__work(struct collector *c);

/*
 * What was counted since the start or the last collector__restart() comes into the profile, with
 * losses and times, while hits go on. Names that are still being looked up are waited for, for
 * @names_ns at most, while the thread that looks them up computes (it may have to share a CPU with
 * others, but is not waited for when it waits for a disk) and the kernel's tables have room. 0 or
 * -errno.
 */
int collector__flush(struct collector *c, uint64_t names_ns) must_check;

/*
 * The same for what nothing is counted after: the kernel's tables may fill up while names are
 * waited for. What is counted meanwhile is in no profile.
 */
int collector__flush_last(struct collector *c, uint64_t names_ns) must_check;

/*
 * Of a sampler: sampler__spare(). A profile whose samples have several rates tells none (0); its
 * rows stand for what they stand for. 0 or -errno.
 */
int collector__spare(struct collector *c, const struct sampler_thrift *thrift) must_check;

/* Of a sampler that measures its cost: CPU time of its programs since the start. */
uint64_t collector__own_ns(const struct collector *c);

/*
 * Ends a window of time in the profile (model/windows.h), which goes on: what was drained so far is
 * in it. Once the profile is full none ends any more but the last. collector__finish() ends that. 0
 * or -errno.
 */
int collector__end_window(struct collector *c) must_check;

/* That long for an interval of @interval_ns that is not the last one: a quarter, 200 ms at most. */
uint64_t collector__names_ns(uint64_t interval_ns);

/*
 * After a flush: the profile is empty, and counts from 0 on; the time of the flush is its start.
 * Stacks that were named are remembered while they are not many more than come (those of hits
 * with fields or metrics are not). 0 or -ENOMEM; then all is as it was.
 */
int collector__restart(struct collector *c) must_check;

/*
 * After a flush: the profile, with the stacks of its rows, becomes the caller's, for
 * profile__free(), and what comes goes into an empty one, as by collector__restart(). 0 or
 * -ENOMEM; then all is as it was.
 */
int collector__take(struct collector *c, struct profile **out) must_check;

/*
 * How much has been remembered of code: it grows with each address that is new. What is forgotten
 * is looked up again, from tables that stay. 0 or -ENOMEM; then the session is to be closed.
 */
size_t collector__nr_names(const struct collector *c);
int collector__forget_names(struct collector *c) must_check;

/*
 * The same if it is many times what one profile needs, and not little: for those who take interval
 * after interval; restart does so.
 */
int collector__forget_many(struct collector *c) must_check;

/* Notices about names that are missing for a reason that the user can mend. */
void collector__tell(const struct collector *c);

/*
 * Ends sampling, and with it the profile's duration. What was sampled may wait for names, which are
 * looked up on another thread. 0 or -errno.
 */
int collector__stop(struct collector *c) must_check;

/*
 * After that, for runloop__settle(): waits until all that was sampled has its names (poll returns
 * 1); seen: how many stacks have not. With late_names JVMs have written their maps by then, and all
 * perf maps and jitdumps have been read once more.
 */
struct runloop_work collector__naming(struct collector *c);

/*
 * Ends the session, completes the profile (names, losses, times) and logs notices. What has no
 * name by now is shown as an address, and counted as such. Call once.
 */
int collector__finish(struct collector *c) must_check;

/* After a flush or the end: profile__subtract(). */
void collector__subtract(struct collector *c, const uint64_t *each);

/* Complete after collector__finish() or collector__flush(). Borrowed. */
const struct profile *collector__profile(const struct collector *c);

#endif
