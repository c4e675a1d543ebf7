/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd/targets.h - the target options, the same for every command: -a -p -t -G -C -u --comm.
 */
#ifndef PMUTRACE_CMD_TARGETS_H
#define PMUTRACE_CMD_TARGETS_H

#include <stdbool.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/opt.h"
#include "machine/target.h"

/* A member of a command's options; its rows in the table come from TARGET_OPTIONS. */
struct target_opts {
	bool all, no_inherit;
	struct opt_strs pids, tids, cgroups;
	const char *cpus, *user, *comm;
};

#define TARGET_AT(type, member, field)                                                             \
	(offsetof(type, member) + offsetof(struct target_opts, field))

/* clang-format off */
#define TARGET_OPTIONS(type, member) \
	{ OPT_HEAD, .help = "Targets (default: everything)" }, \
	{ OPT_BOOL, 'a', "all-cpus", NULL, TARGET_AT(type, member, all), "the whole machine" }, \
	{ OPT_STRS, 'p', "pid", "PID,..", TARGET_AT(type, member, pids), \
	  "processes: all threads, and new children" }, \
	{ OPT_STRS, 't', "tid", "TID,..", TARGET_AT(type, member, tids), "these threads only" }, \
	{ OPT_STRS, 'G', "cgroup", "PATH,..", TARGET_AT(type, member, cgroups), \
	  "cgroup2 groups and those below" }, \
	{ OPT_STR, 'C', "cpu", "LIST", TARGET_AT(type, member, cpus), \
	  "these CPUs: 0,2-5 or 0-15:2" }, \
	{ OPT_STR, 'u', "uid", "USER", TARGET_AT(type, member, user), \
	  "tasks of a user, by name or number" }, \
	{ OPT_STR, 0, "comm", "GLOB", TARGET_AT(type, member, comm), \
	  "tasks whose name matches, such as 'nginx*'" }, \
	{ OPT_BOOL, 0, "no-inherit", NULL, TARGET_AT(type, member, no_inherit), \
	  "-p without new children" }
/* clang-format on */

/* @command: one was given behind "--"; with -a it is how long, not what. 0; -EINVAL or another
 * -errno with @why. */
int target_opts__parse(const struct target_opts *o, bool command, struct target *t,
		       struct buf *why) must_check;

/* In words, for a headline: "'ls /'", "process id '42'", "'system wide'". @argv: NULL: no command.
 */
int target_opts__describe(const struct target_opts *o, const struct target *t, char **argv,
			  struct buf *out) must_check;
void target_opts__free(struct target_opts *o);

#endif
