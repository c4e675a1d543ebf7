/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * event/tracefs.h - where tracefs is mounted, and which tracers it has.
 *
 * @root is "" for the running system, or a tree with its own proc/ and sys/; a mount point of its
 * proc/mounts lies below it. Does not know: events (event/tracepoint.h), and it mounts nothing.
 * Source: proc_pid_mounts(5), Documentation/trace/ftrace.rst.
 */
#ifndef PMUTRACE_EVENT_TRACEFS_H
#define PMUTRACE_EVENT_TRACEFS_H

#include <stddef.h>

#include "base/array.h"
#include "base/buf.h"

/*
 * Mount point of the first file system of the type in ROOT/proc/mounts. @path is overwritten.
 * 0; -ENOENT: none is mounted; or another -errno.
 */
int mounts__find(const char *root, const char *fstype, struct buf *path) must_check;

/**
 * tracefs__find() - where tracefs is: of ROOT/proc/mounts, else in the usual places
 * @path: overwritten; empty on error
 * @why:  on error, a sentence with what to do
 *
 * Return: 0; -ENOENT: it is not mounted; -EACCES: it is, but not for this user; another -errno.
 */
int tracefs__find(const char *root, struct buf *path, struct buf *why) must_check;

/* The same for debugfs, whether or not this user may look into it. 0, -ENOENT or another -errno. */
int tracefs__debugfs(const char *root, struct buf *path) must_check;

struct tracers {
	const char **available; /* in the kernel's order */
	size_t nr;
	const char *current; /* "nop": none is on */
	struct buf text;     /* holds all of these */
};

/* @tracefs: as found above. 0 or -errno. */
int tracefs__tracers(const char *tracefs, struct tracers *out) must_check;
void tracers__free(struct tracers *t);

#endif
