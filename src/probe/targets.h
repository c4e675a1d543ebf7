/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe/targets.h - tells programs a run's targets: bpf/target.bpf.h is the other half.
 *
 * Before loading it sets conditions, and which programs follow forks, execs and exits; after it the
 * ids of processes, threads and cgroups. Then these followers are attached.
 */
#ifndef PMUTRACE_PROBE_TARGETS_H
#define PMUTRACE_PROBE_TARGETS_H

#include <bpf/libbpf.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/array.h"
#include "base/buf.h"
#include "machine/target.h"
#include "target.wire.h"

/* What target.bpf.h puts into a skeleton. */
struct targets_parts {
	struct target_cfg *cfg;
	struct target_glob *comm;
	uint64_t *cpus; /* TARGET_CPU_WORDS; NULL: events are opened on wanted CPUs alone */
	struct bpf_program *fork, *exec, *exit;
	struct bpf_map *targets, *cgroups, *within;
};

struct targets_links {
	struct bpf_link *fork, *exec, *exit;
};

/*
 * @command: the process that will exec the command, 0: none. 0; -E2BIG: -C with a CPU past
 * TARGET_CPUS; another -errno.
 */
int targets__prepare(const struct targets_parts *p, const struct target *t, pid_t command,
		     bool idle) must_check;

/*
 * Before loading: shares the ids and the followers of another object, which is loaded and filled.
 * 0 or -errno.
 */
int targets__share(const struct targets_parts *p, const struct targets_parts *with) must_check;

/*
 * Before loading: shares the ids of another object, which is loaded, filled, and may end first.
 * Both have followers of their own, which keep the ids up to date. 0 or -errno.
 */
int targets__continue(const struct targets_parts *p, const struct targets_parts *with) must_check;

/*
 * Before loading, after targets__prepare(): restricts targets to tasks inside of a function. @fd:
 * of within__fd(), or 0: all tasks. 0 or -errno.
 */
int targets__within(const struct targets_parts *p, int fd) must_check;

/* 0 or -errno. */
int targets__fill(const struct targets_parts *p, const struct target *t) must_check;

/* Attaches what was prepared. 0 or -errno with @why; to be undone in any case. */
int targets__follow(struct targets_links *l, const struct targets_parts *p,
		    struct buf *why) must_check;
void targets__unfollow(struct targets_links *l);

#endif
