/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base/regular.h - the one way to open a file for reading that somebody else may have put there.
 *
 * A process's binaries, their debug files and perf maps belong to whoever runs it, and so do the
 * links on the way to them. A path may also be a typing error of our own user. What may go wrong
 * there, and what is done about it:
 *
 *	a device	opening one may act: start a watchdog, rewind a tape. The path is walked
 *			with O_PATH, which opens nothing; only what turns out to be a regular file
 *			is opened then, through that descriptor, so that nobody can swap it
 *	a pipe		opening one waits for the other end, and takes a reader's place: the same
 *	a link		"lib -> /etc" in a container means its own /etc. Below a root absolute links
 *			begin there, ".." ends there, and links of /proc lead nowhere (openat2(2),
 *			RESOLVE_IN_ROOT, Linux 5.6)
 *	truncation	while it is read: read(2) and pread(2) return less, a mapping would be
 *			a SIGBUS. Never map such a file
 *	its size	may be a lie made of holes: see base/allowance.h
 *
 * Whether it is the file that was meant (inode, build-id, owner) is the caller's to check with @st.
 * A build-id is no proof: anybody can give any to a file of his.
 */
#ifndef PMUTRACE_BASE_REGULAR_H
#define PMUTRACE_BASE_REGULAR_H

#include <stdint.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/buf.h"

/**
 * open_regular() - open a file for reading
 * @root:  directory that absolute paths and symbolic links start from ("/proc/123/root");
 *	   nothing outside of it is reached. "" for our own
 * @flags: O_NOFOLLOW (of the last component) or 0
 * @st:    of the opened file
 *
 * Return: a file descriptor; -EPERM: not a regular file; another -errno.
 */
int open_regular(const char *root, const char *path, int flags, struct stat *st) must_check;

/* Whose word the contents of a file are: its owner, or FILE_OF_ANYBODY: all may write to it. */
#define FILE_OF_ANYBODY	   UINT32_MAX
#define FILE_OWNER_UNKNOWN (UINT32_MAX - 1) /* for callers */
uint32_t file_owner(uint32_t uid, uint32_t mode);

/* A directory, by the same rules, with O_PATH: a file descriptor or -errno. */
int open_directory(const char *root, const char *path) must_check;

/* A whole file, of at most @limit bytes, behind what @b has: 0; -EPERM; -EFBIG; another -errno. */
int regular__read(struct buf *b, const char *path, size_t limit) must_check;

/* strerror() for what these return: "not a regular file" for -EPERM. */
const char *regular__strerror(int err);

#endif
