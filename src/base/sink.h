/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base/sink.h - open a file for writing that our user has named: -o, --record.
 */
#ifndef PMUTRACE_BASE_SINK_H
#define PMUTRACE_BASE_SINK_H

#include "base/array.h"

/**
 * sink__open() - open a file, pipe or device for writing
 * @flags: what is to be added: O_CREAT (with mode 0666 less the umask), O_TRUNC
 *
 * A pipe that nobody reads from is waited for, a second at most: who is to read it may have been
 * started beside us. Writing to it then blocks as usual. Links are followed.
 *
 * Return: a file descriptor; -ENXIO: a pipe without a reader; another -errno.
 */
int sink__open(const char *path, int flags) must_check;

/* strerror() for what that returns: "nobody reads from this pipe" for -ENXIO. */
const char *sink__strerror(int err);

#endif
