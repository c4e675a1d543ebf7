/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base/destination.h - where a path leads that our user has named for writing.
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

/* Refused by the rule: an errno that no file system gives. */
enum { DESTINATION_STRANGERS = ENOTUNIQ };

struct destination {
	int dir;	/* O_PATH: where the name is; -1: there is no name */
	char *name;	/* of what is written, or is to be made; NULL: /proc names what is open */
	int file;	/* O_PATH: what is there; -1: nothing yet */
	struct stat st; /* of that */
	int own_fd; /* it is this descriptor of ours (/dev/stdout); -1: of nobody, or another's */
};

/*
 * @is_new: it must not be there, not even as a link (O_EXCL).
 * 0: to be closed; -EEXIST; -EISDIR: a directory; -ENOENT: a directory on the way is not there;
 * -DESTINATION_STRANGERS; another -errno.
 */
int destination__find(struct destination *d, const char *path, bool is_new) must_check;
void destination__close(struct destination *d);

/* What is there, opened for writing, and no other that took its place: a descriptor or -errno. */
int destination__open(const struct destination *d, int flags) must_check;

#endif
