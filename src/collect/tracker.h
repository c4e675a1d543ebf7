/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * collect/tracker.h - keeps sym/ informed about what processes do during a run.
 *
 * One ring of side-band records for each online CPU (perf/sideband.h) feeds the process table
 * (sym/procs.h); processes that were there before come from /proc, a few at a time.
 */
#ifndef PMUTRACE_COLLECT_TRACKER_H
#define PMUTRACE_COLLECT_TRACKER_H

#include <poll.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "sym/namer.h"
#include "sym/procs.h"

struct tracker;

/* How long a record may take to become visible to another CPU. */
enum { TRACKER_LAG_NS = 1000000 };

struct tracker_opts {
	bool user; /* follow processes: user stacks are wanted */
	bool demangle;
	bool inlines, lines, places;   /* sym/finder.h */
	bool no_symbols;	       /* the same */
	struct debuginfod *debuginfod; /* the same */
	const char *kallsyms;	       /* borrowed; NULL: the kernel's own */
	size_t symbol_bytes;	       /* what symbols of files may take; 0: sym/binaries.h says */
	struct jail *jail;	       /* sym/finder.h; borrowed; or NULL */
	size_t late_max;	       /* sym/namer.h */
	uint64_t gather_ns;	       /* the same */
};

/* @why: on error a sentence. 0 or -errno. */
int tracker__open(struct tracker **out, const struct tracker_opts *opts,
		  struct buf *why) must_check;
void tracker__close(struct tracker *t);

/*
 * Takes in what happened up to a moment: now less a millisecond (TRACKER_LAG_NS) while things go
 * on, UINT64_MAX when what is to be named has ended. 0 or -ENOMEM.
 */
int tracker__update(struct tracker *t, uint64_t until_ns) must_check;

/* A process that has begun another program since it was last asked for; 0: there is none. */
uint32_t tracker__take_exec(struct tracker *t);

/* Reads mappings of processes that were there before, for about @budget_ns; *done at the end. */
int tracker__survey(struct tracker *t, uint64_t budget_ns, bool *done) must_check;

struct namer *tracker__namer(struct tracker *t);
struct procs *tracker__procs(struct tracker *t);
const struct mapped_files *tracker__files(const struct tracker *t);

/* Descriptors of rings and names for poll(2): fills at most @max, returns how many there are. */
size_t tracker__pollfds(const struct tracker *t, struct pollfd *fds, size_t max);

/* Other users' files that were not read, or in part: they would have taken more than allowed. */
uint64_t tracker__nr_unread(const struct tracker *t);

/* Perf maps that were not read to their end: limit of memory, or of time for other users' maps. */
uint64_t tracker__nr_maps_cut(const struct tracker *t);

/* Side-band records that the rings had no room for. */
uint64_t tracker__nr_lost(const struct tracker *t);

#endif
