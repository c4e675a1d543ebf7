/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * machine/target.h - what a run is about: -a, -p, -t, -G, -C, -u, --comm, or a command.
 *
 * Turns what people type into numbers and checks that it exists. Conditions of different kinds
 * all have to hold; of one kind, any.
 */
#ifndef PMUTRACE_MACHINE_TARGET_H
#define PMUTRACE_MACHINE_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/glob.h"

struct target_cgroup {
	uint64_t id;	  /* in the cgroup2 hierarchy: inode of the folder */
	unsigned level;	  /* below the root of the hierarchy, 0: the root itself */
	char *path;	  /* full; owned */
	size_t mount_len; /* of that the mount point */
};

struct target {
	uint32_t *pids; /* processes */
	size_t nr_pids;
	uint32_t *tids; /* threads */
	size_t nr_tids;
	struct target_cgroup *cgroups;
	size_t nr_cgroups, cap_cgroups;
	uint32_t *cpus; /* online ones, after target__finish() never empty */
	size_t nr_cpus;
	bool some_cpus; /* -C: not all that are online */
	bool by_uid;
	uid_t uid;
	bool by_comm;
	struct glob comm;
	bool inherit;  /* children of the processes too */
	bool command;  /* a command that is started for this run */
	bool own_pids; /* set by the caller: pids may be those of our own PID namespace */
};

/*
 * One option each; @text as typed. 0; -EINVAL: @why says what is wrong with it; -ENOENT: @why says
 * what does not exist; -ENOMEM.
 */
int target__add_pids(struct target *t, const char *text, struct buf *why) must_check;
int target__add_tids(struct target *t, const char *text, struct buf *why) must_check;
/*
 * Paths, full or below the mount; patterns, in which '*', '?' and [sets] match slashes too: the
 * cgroups that there are now; numbers. What is a path is none of the others.
 */
int target__add_cgroups(struct target *t, const char *text, struct buf *why) must_check;
int target__add_cpus(struct target *t, const char *text, struct buf *why) must_check;
int target__set_user(struct target *t, const char *text, struct buf *why) must_check;
int target__set_comm(struct target *t, const char *text, struct buf *why) must_check;

/* Are we in a PID namespace other than the first? There pids are not those that BPF sees. */
bool target__in_pid_namespace(void);

/* Is there any condition, so that a part of the machine is left out? */
bool target__selects(const struct target *t);

/* Without -C: all online CPUs. */
int target__finish(struct target *t, struct buf *why) must_check;
void target__free(struct target *t);

#endif
