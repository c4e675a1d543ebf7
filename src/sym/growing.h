/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sym/growing.h - files that programs append names of their code to, read on as they grow.
 *
 * Knows: what of a file has been read, and what it may cost. What its bytes mean is told by whoever
 * reads it (sym/perfmap.h, sym/jitdump.h).
 *
 * The file is written by a stranger: only a regular file owned by the process's user or root is
 * read, and no symbolic link leads out of the process's root. It grows as long as the program runs:
 * what is new in it is read, slice by slice, so that whoever has something else to do can stop in
 * between. A file that is another one by now, is shorter, or has other bytes before that place, is
 * read anew: JVMs write their maps again as a whole.
 */
#ifndef PMUTRACE_SYM_GROWING_H
#define PMUTRACE_SYM_GROWING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/allowance.h"
#include "base/array.h"

enum {
	GROWING_SLICE_BYTES = 1 << 20, /* what one call reads: some milliseconds */
	GROWING_PART_BYTES = 64 << 10, /* what is parsed at once */
	GROWING_TAIL_BYTES = 64,
};

/* Zero-initialise it. */
struct growing {
	bool is_full;	 /* there is no room for more of this file, or it cannot be understood */
	bool is_cut;	 /* for that, or for want of allowance so far: in nr_cut */
	bool is_whole;	 /* it was read to the end that it had then */
	struct stat st;	 /* of the file, as it was then */
	off_t at;	 /* up to there */
	size_t tail_len; /* bytes before that, as they were; 0: they were stepped over */
	char tail[GROWING_TAIL_BYTES];
};

/* What a call of growing__read() has come to. */
enum growing_state {
	GROWING_SAME,  /* nothing is new */
	GROWING_MORE,  /* names may have changed; there is more to read */
	GROWING_WHOLE, /* the same, and that was all */
};

/* A part of the file: @len bytes, GROWING_PART_BYTES if that many are there. */
struct growing_part {
	const char *bytes;
	size_t len;
	uint64_t left; /* bytes up to the end of the file, those of the part among them */
};

struct growing_fns {
	/*
	 * *used: bytes that need not be read again, up to part->left; 0: the rest can only be
	 * understood when the file has grown. 0; -ENOSPC: there is no room; another error: nothing
	 * more can be made of this file.
	 */
	int (*parse)(void *arg, const struct growing_part *part, uint64_t *used);
	/* The file is another one: forget what was read. 0 or -ENOMEM. */
	int (*restart)(void *arg);
	void *arg;
	struct allowance *run; /* for strangers' files; NULL: without a bound */
	uint64_t *nr_cut;      /* files not read to their end for want of room or allowance */
};

/**
 * growing__open() - open it as a stranger's file
 * @root: of the process's file system: "/proc/123/root"; "" for ours
 * @path: in there
 * @uid:  owner that is accepted besides root
 *
 * Return: a descriptor; -ENOENT: there is none; -EPERM: wrong owner or not a regular file; another
 * -errno.
 */
int growing__open(const char *root, const char *path, uid_t uid) must_check;

/*
 * Reads a slice of what is new. enum growing_state; -ENOMEM; another -errno: of reading, or what
 * fns->parse() returned, once.
 */
int growing__read(struct growing *g, int fd, const struct growing_fns *fns) must_check;

#endif
