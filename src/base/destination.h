/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base/destination.h - what a path leads to that our user has named for writing.
 *
 * Links are followed here, one after the other, instead of by the kernel: what is written is put
 * beside the file that the last one points to, and each link is looked at before it is followed.
 * The rule is in base/sink.h. Nothing is opened but with O_PATH: no device acts, no pipe waits.
 */
#ifndef PMUTRACE_BASE_DESTINATION_H
#define PMUTRACE_BASE_DESTINATION_H

#include <errno.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "base/array.h"

/* Refused by the rule of base/sink.h: an errno that no file system gives. */
enum { DESTINATION_STRANGERS = ENOTUNIQ };

struct destination {
	int dir;	/* O_PATH: directory of the name; -1: there is no name */
	char *name;	/* of the file in it; NULL: a link of /proc led to something open */
	int file;	/* O_PATH: what is there; -1: nothing yet */
	struct stat st; /* of that */
	int own_fd;	/* the path names this descriptor of ours (/dev/stdout); -1: none of ours */
};

/*
 * @is_new: nothing may be there yet, not even a link (O_EXCL).
 * 0: give it to destination__close(); -EEXIST; -EISDIR: a directory; -ENOENT: a
 * directory on the way is not there; -DESTINATION_STRANGERS; another -errno.
 */
int destination__find(struct destination *d, const char *path, bool is_new) must_check;
void destination__close(struct destination *d);

/* Opens what was found, not what may have taken its place since: a descriptor or -errno. */
int destination__open(const struct destination *d, int flags) must_check;

#endif
