/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tape/capture.h - a capture (.pmut): a profile as a file, for any view later, here or elsewhere.
 *
 * docs/format.md describes the bytes. A capture has what a profile has: events, frames, stacks,
 * rows by their key, losses, the machine; and of each window of time (model/windows.h) how much
 * each row grew, so that a range can be chosen. It is written whole. Of one that is cut off all is
 * read up to there, and the samples that are missing are a loss.
 *
 * Captures may be of strangers: every number is checked, and memory is bounded (tape_opts).
 */
#ifndef PMUTRACE_TAPE_CAPTURE_H
#define PMUTRACE_TAPE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/array.h"
#include "by.wire.h"
#include "tape/reading.h"

#define CAPTURE_MAGIC "pmutcap\n"
#define CAPTURE_BLOCK "blck"

enum {
	CAPTURE_VERSION = 1,
	CAPTURE_HEAD_BYTES = 16,
	CAPTURE_DEPTH_MAX = 8192, /* frames of a stack, its command among them */
	CAPTURE_EVENTS_MAX = 64,
	CAPTURE_BY = BY_PID | BY_TID | BY_CPU | BY_COMM | BY_CGROUP | BY_KSTACK | BY_USTACK,
};

enum capture_part {
	CAPTURE_ABOUT = 1,
	CAPTURE_EVENTS,
	CAPTURE_STRINGS,
	CAPTURE_FRAMES,
	CAPTURE_NODES,
	CAPTURE_ROWS,
	CAPTURE_WINDOW,
	CAPTURE_ENTRIES,
	CAPTURE_END,
	CAPTURE_PLACES,
	CAPTURE_MEMBERS,
	CAPTURE_IN_TICK,
};

enum { CAPTURE_CURE = 1, CAPTURE_FLAW = 2, CAPTURE_UNTOLD = 1 };

struct profile;

/*
 * Writes @p, which has no fields and metrics. 0; -EINVAL: it has; -EFBIG: a stack is too deep, or
 * there are too many events; -ENOMEM; or of writing.
 */
int capture__write(FILE *f, const struct profile *p) must_check;

/* @bytes: the first ones of a file. */
bool capture__is_it(const char *bytes, size_t len);

/**
 * capture__read() - add what a capture has to a profile
 * @p: a new one, or one that has no fields and metrics
 *
 * Return: 0; -EPROTO: this is no capture; -EPROTONOSUPPORT: a newer version; -EBADMSG: damaged,
 * what was read before is in @p; -EFBIG: it takes more memory to read; -ENOMEM; another -errno of
 * reading. *@found is filled in any case.
 */
int capture__read(struct profile *p, const struct tape_input *in, const struct tape_opts *o,
		  struct tape_found *found) must_check;

#endif
