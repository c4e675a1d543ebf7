/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tape/reading.h - what readers of our files that make a profile have in common: tape/capture.h and
 * tape/recorded.h.
 */
#ifndef PMUTRACE_TAPE_READING_H
#define PMUTRACE_TAPE_READING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "model/profile.h"

/* Where the bytes come from: *@len of them, less than asked for only at the end. 0 or -errno. */
struct tape_input {
	int (*read)(void *arg, void *out, size_t *len);
	void *arg;
};

struct tape_opts {
	uint64_t max_bytes; /* profile__bytes(): what is new beyond is lost */
	bool places;	    /* of frames: model/code_place.h; else equal frames are one */
	/* Windows that begin in this range, since the begin of the file; 0, 0: all. */
	uint64_t from_ns, to_ns;
};

/* What is to be told of a file. A window of a recording is an interval. */
struct tape_found {
	uint64_t nr_windows;   /* that were read */
	uint64_t end_ns;       /* of the last one, since the begin of the file */
	uint64_t nr_used;      /* of these, what is in the range */
	uint64_t used_from_ns; /* which range that is */
	uint64_t used_to_ns;
	uint64_t nr_without; /* intervals in which nothing was sampled */
	/* Where and when it was collected; strings are the profile's. */
	struct profile_about about;
	bool is_cut; /* it ends before its end */
};

static inline bool tape__is_in_range(const struct tape_opts *o, uint64_t begin_ns)
{
	return (!o->from_ns && !o->to_ns) || (begin_ns >= o->from_ns && begin_ns < o->to_ns);
}

/* All of it: 0; 1: there is no more; -ENODATA: only a part of it; another -errno. */
int tape__read(const struct tape_input *in, void *out, size_t len) must_check;

#endif
