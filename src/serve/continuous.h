/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/continuous.h - what becomes of profiles that are taken window by window, without an end:
 * they are pushed to a backend (serve/pusher.h), put into a directory (serve/out_dir.h), or both.
 *
 *	a backend	gets a profile for each origin, a container, a service, what processes say
 *			they are, the rest of the host (serve/origins.h), with its labels, and those
 *			of the host
 *	a directory	gets a file of pprof for each window, of the whole host, by cgroup
 *
 * How that goes is told in a file of metrics after each window, where one is asked for.
 *
 * Nobody who measures waits: neither for a network, nor longer for a disk than a write takes. What
 * could not be kept is counted, and told when that begins and ends.
 */
#ifndef PMUTRACE_SERVE_CONTINUOUS_H
#define PMUTRACE_SERVE_CONTINUOUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "print/pprof.h"
#include "serve/contexts.h"
#include "serve/out_dir.h"
#include "serve/push_profile.h"
#include "serve/pusher.h"

struct continuous;
struct overhead;
struct jail;
struct profile;

/* Strings: until close; but labels are copied. */
struct continuous_opts {
	struct pusher_opts push;	 /* url NULL: nothing is pushed */
	const char *dir;		 /* NULL: no files */
	const char *metrics;		 /* a file (serve/continuous_metrics.h); NULL: none */
	uint64_t dir_bytes, dir_age_ns;	 /* 0: no such limit */
	const struct push_label *labels; /* the user's, which come first */
	size_t nr_labels;
	const char *command; /* the subcommand's name, as files tell it */
	/* With context_reader_kind; NULL: processes are not asked what they are. Borrowed. */
	struct jail *jail;
	bool keeps_pids; /* rows are by pid because somebody wants that, not for contexts alone */
};

struct continuous_counts {
	uint64_t nr_windows, nr_failed; /* failed: some of a window could not be kept */
	struct pusher_counts push;
	struct out_dir_counts dir;
};

/*
 * To be called with one thread, before privileges are dropped. 0; -EINVAL, another -errno: with
 * @why.
 */
int continuous__open(struct continuous **out, const struct continuous_opts *opts,
		     struct buf *why) must_check;

/**
 * continuous__put() - a window that has ended
 * @p:	      by cgroup if it is to be told apart, and by pid for contexts; it is changed
 * @begin_ns: since 1970
 * @event:    which of its events is shown first
 *
 * Return: 0, also if something could not be kept, which is counted and told; -ENOMEM.
 */
int continuous__put(struct continuous *c, struct profile *p, uint64_t begin_ns,
		    uint32_t event) must_check;

/* For the file of metrics: what a budget (run/overhead.h) allows and what is used, up to now. */
void continuous__note_overhead(struct continuous *c, const struct overhead *o);

/* Up to now. 0; -EPIPE: nothing is pushed any more. */
int continuous__counts(struct continuous *c, struct continuous_counts *out) must_check;

/*
 * Waits for what is still to be sent, @patience_ms at most, and tells how all went. Whether any
 * profile was lost.
 */
bool continuous__close(struct continuous *c, unsigned patience_ms);

#endif
