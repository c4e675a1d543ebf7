/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * machine/cgroup.h - cgroup2 ids -> paths.
 *
 * An id is the inode of the cgroup's folder, and at the same time a file handle by which the
 * folder can be opened (fs/kernfs/mount.c, FILEID_KERNFS), so nothing has to be searched.
 */
#ifndef PMUTRACE_MACHINE_CGROUP_H
#define PMUTRACE_MACHINE_CGROUP_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

struct cgroups;

/* Mount point of the cgroup2 hierarchy into @path: 0, -ENOENT without one, or another -errno. */
int cgroup2__mount(char *path, size_t size) must_check;

/* 0 or -ENOMEM. Without a cgroup2 hierarchy ids stay numbers. */
int cgroups__open(struct cgroups **out) must_check;
void cgroups__close(struct cgroups *c);

/*
 * Path below the mount ("/system.slice/ssh.service", "/" for the root), or "[cgroup ID]" for one
 * that was removed. Asked for once, then remembered; lives as long as @c.
 */
const char *cgroups__path(struct cgroups *c, uint64_t id);

/* The same into @path, and not remembered. -ENOENT: removed, or no right to open it by its id. */
int cgroups__find(const struct cgroups *c, uint64_t id, char *path, size_t size) must_check;

#endif
