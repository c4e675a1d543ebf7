/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * import/pprof.h - profiles of pprof (profile.proto, mostly packed by gzip) -> model/profile.h.
 *
 *	types	EV_sample and EV_event are one event, its samples and what they stand for, as
 *		print/pprof.h writes them and perf_to_profile does; so are samples and cpu, the
 *		event "cpu". Each other one is an event of its own, "alloc_space (bytes)", whose
 *		values are taken for samples
 *	stacks	a location is a frame for each of its lines; one without is an address,
 *		"[libfoo.so+0x1234]". The command is the label comm, or else the first file
 *	labels	pid, tid and cpu if they are numbers, cgroup
 *	losses	in a file of one event, samples of a pseudo frame [lost: ..] alone are lost. What
 *		else was lost is untold, but by files of our own of one event
 *
 * Values below zero, as differences have, are none: such samples are left out, and told.
 *
 * A file is read whole: it may refer to what stands behind. It may be a stranger's: each number is
 * checked, and memory is bounded.
 */
#ifndef PMUTRACE_IMPORT_PPROF_H
#define PMUTRACE_IMPORT_PPROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

struct profile;
struct source;

struct pprof_in_opts {
	const char *comm;   /* of stacks of which nothing tells it */
	bool places;	    /* where code is: model/code_place.h */
	uint64_t max_bytes; /* profile__bytes(); and of the file and its messages */
};

/* What is to be told of a file. */
struct pprof_found {
	uint64_t nr_samples;
	uint64_t nr_bad; /* with values below zero, or numbers of what is not there */
};

/* Does a file that begins so look like one? */
bool pprof__is_it(const char *bytes, size_t len);

/*
 * Adds the samples of @s to @p: a new profile, or one that has those of other files. What has no
 * room is a loss. 0; -EPROTO: no profile, or one that is damaged; -EFBIG: it takes more memory to
 * read; or -errno of source__bytes().
 */
int import__pprof(struct profile *p, struct source *s, const struct pprof_in_opts *o,
		  struct pprof_found *found) must_check;

#endif
