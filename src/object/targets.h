/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * object/targets.h - tells programs a run's targets: bpf/target.bpf.h is the other half.
 *
 * Before loading it sets conditions, and which programs follow forks, execs and exits; after it the
 * ids of processes, threads and cgroups. Then these followers are attached.
 */
#ifndef PMUTRACE_OBJECT_TARGETS_H
#define PMUTRACE_OBJECT_TARGETS_H

#include <bpf/libbpf.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/array.h"
#include "base/buf.h"
#include "machine/target.h"
#include "target.wire.h"

/* What follows forks, execs and exits. */
struct targets_links {
	struct bpf_link *links[3];
};

/*
 * All of these find the maps, programs and variables of target.bpf.h in an object by name.
 *
 * @command: the process that will exec the command, 0: none. @idle: the idle task, too. @any_cpu:
 * programs run on all CPUs and are to heed -C; else events are opened on wanted CPUs alone. 0;
 * -E2BIG: -C with a CPU past TARGET_CPUS; another -errno.
 */
int targets__prepare(const struct bpf_object *obj, const struct target *t, pid_t command, bool idle,
		     bool any_cpu) must_check;

/*
 * Before loading: shares the ids and the followers of another object, which is loaded and filled.
 * 0 or -errno.
 */
int targets__share(const struct bpf_object *obj, const struct bpf_object *with) must_check;

/*
 * Before loading: shares the ids of another object, which is loaded, filled, and may end first.
 * Both have followers of their own, which keep the ids up to date. 0 or -errno.
 */
int targets__continue(const struct bpf_object *obj, const struct bpf_object *with) must_check;

/*
 * Before loading, after targets__prepare(): restricts targets to tasks inside of a function. @fd:
 * of within__fd(), or 0: all tasks. 0 or -errno.
 */
int targets__within(const struct bpf_object *obj, int fd) must_check;

/* 0 or -errno. */
int targets__fill(const struct bpf_object *obj, const struct target *t) must_check;

/* Attaches what was prepared. 0 or -errno with @why; to be undone in any case. */
int targets__follow(struct targets_links *l, const struct bpf_object *obj,
		    struct buf *why) must_check;
void targets__unfollow(struct targets_links *l);

/* Whether it is one of the programs that follow forks, execs and exits. */
bool targets__is_follower(const struct bpf_program *program);

/* How a run's targets are told. */
enum targets_told { TARGETS_ALL, TARGETS_BY_ID, TARGETS_BY_OTHER_MEANS };

/*
 * After loading. TARGETS_BY_ID: *fd is the map of processes or threads that are targets now, by id;
 * it lives as long as @obj. TARGETS_BY_OTHER_MEANS: by cgroup, user or name.
 */
enum targets_told targets__told(const struct bpf_object *obj, int *fd);

/* Processes that were not followed, since there were too many. */
uint64_t targets__dropped(const struct bpf_object *obj);

#endif
