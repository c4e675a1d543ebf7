/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/out_part.h - a file of a directory while it is written: it has a name of its own, and a
 * lock that its writer holds (flock(2)), which the kernel takes off when that ends, in whatever
 * way.
 *
 * base/newfile.h makes files without any name (O_TMPFILE) where a file system can, and else under
 * their own names; here what is not whole is never to be seen by who goes by names.
 */
#ifndef PMUTRACE_SERVE_OUT_PART_H
#define PMUTRACE_SERVE_OUT_PART_H

#include <stddef.h>
#include <sys/types.h>

#include "base/array.h"

struct out_part {
	int dir; /* borrowed */
	int fd;
	char name[32]; /* "": it has none any more */
};

/* Creates it. 0 or -errno; out_part__end() in any case. */
int out_part__begin(struct out_part *p, int dir, mode_t mode) must_check;
int out_part__write(struct out_part *p, const void *bytes, size_t len) must_check;

/* Gives it the name. 0; -EEXIST: it is taken; -ENOENT: the part was removed; another -errno. */
int out_part__show(struct out_part *p, const char *name) must_check;

/* What has not been shown is removed. */
void out_part__end(struct out_part *p);

/* Removes what has the name of a part, is our user's, and is locked by nobody. */
void out_part__remove_dead(int dir, const char *name);

#endif
