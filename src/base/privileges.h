/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base/privileges.h - capabilities(7) that a thread keeps when it has set up what it does, and the
 * rest, which it drops for good.
 *
 * Sets are masks as in /proc/PID/status (1 << CAP_*). They say what is used after set-up; what it
 * is used for stands beside each. The manual pages list the same: pmutrace(1), PRIVILEGES.
 *
 * Only the command drops capabilities. Programs that link libpmutrace keep theirs.
 */
#ifndef PMUTRACE_BASE_PRIVILEGES_H
#define PMUTRACE_BASE_PRIVILEGES_H

#include <linux/capability.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"

#define PRIVILEGE(cap) (1ull << (cap))

/* Memory maps and files of other users' processes, those that have no name any more among them. */
#define PRIVILEGES_FILES                                                                           \
	(PRIVILEGE(CAP_DAC_READ_SEARCH) | PRIVILEGE(CAP_SYS_PTRACE) |                              \
	 PRIVILEGE(CAP_CHECKPOINT_RESTORE))

/* The thread that reads symbols: addresses in /proc/kallsyms, too. */
#define PRIVILEGES_SYMBOLS (PRIVILEGES_FILES | PRIVILEGE(CAP_SYSLOG))

/* Results, beside and in place of files of others: base/newfile.h. */
#define PRIVILEGES_WRITE                                                                           \
	(PRIVILEGE(CAP_CHOWN) | PRIVILEGE(CAP_DAC_OVERRIDE) | PRIVILEGE(CAP_FOWNER))

/* Reading and making maps of BPF; events and their rings on CPUs that come online. */
#define PRIVILEGES_COUNT (PRIVILEGE(CAP_BPF) | PRIVILEGE(CAP_PERFMON) | PRIVILEGE(CAP_IPC_LOCK))

/* profile, count, func and stat while they measure: signals go to the command behind "--". */
#define PRIVILEGES_MEASURE                                                                         \
	(PRIVILEGES_FILES | PRIVILEGES_WRITE | PRIVILEGES_COUNT | PRIVILEGE(CAP_KILL))

/* export: events on CPUs that come online. It reads what strangers send, and nothing of BPF. */
#define PRIVILEGES_EXPORT PRIVILEGE(CAP_PERFMON)

/* And what tasks use: maps of BPF; cgroups by their ids; files of container runtimes. */
#define PRIVILEGES_EXPORT_TASKS                                                                    \
	(PRIVILEGES_EXPORT | PRIVILEGE(CAP_BPF) | PRIVILEGE(CAP_DAC_READ_SEARCH))

/*
 * Who asks JVMs for maps of their code (run/java_maps.h): to look at them, and to become their
 * users, which drops these, too.
 */
#define PRIVILEGES_ASK                                                                             \
	(PRIVILEGE(CAP_SETUID) | PRIVILEGE(CAP_SETGID) | PRIVILEGE(CAP_SYS_PTRACE) |               \
	 PRIVILEGE(CAP_DAC_READ_SEARCH))

/*
 * top, which may begin to sample late: a thread that reads symbols, and its first program, for
 * which RLIMIT_MEMLOCK is raised before Linux 5.11.
 */
#define PRIVILEGES_TOP                                                                             \
	(PRIVILEGES_SYMBOLS | PRIVILEGES_WRITE | PRIVILEGES_COUNT | PRIVILEGE(CAP_SYS_RESOURCE))

/*
 * @set, and CAP_SYS_ADMIN where perf_event_open(2) asks for that: kernel.perf_event_paranoid is
 * @paranoid, above 2 as Debian and Ubuntu have it.
 */
uint64_t privileges__with_level(uint64_t set, long paranoid);

/*
 * What of @wanted can be kept by a thread that is permitted @permitted. CAP_SYS_ADMIN is kept too
 * if it stands for one that is wanted and not there, such as CAP_BPF.
 */
uint64_t privileges__of(uint64_t permitted, uint64_t wanted);

/* Appends "cap_bpf cap_perfmon", by number. One without a name is "38". 0 or -ENOMEM. */
int privileges__name(struct buf *out, uint64_t set) must_check;

/*
 * The calling thread drops all but @wanted: effective, permitted, inheritable, ambient, and from
 * the bounding set if it may (CAP_SETPCAP); no program that it executes gets them back
 * (no_new_privs). Threads and processes that it starts from now on have no more either; those that
 * are there keep theirs. What cannot be dropped is logged for -v.
 */
void privileges__keep(uint64_t wanted);

#endif
