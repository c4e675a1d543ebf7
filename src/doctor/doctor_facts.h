/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * doctor/doctor_facts.h - the inside of the doctor: what several checks need to know.
 *
 * A check is a function of a subject's file that reads below `root`, looks at what was tried, and
 * adds its findings.
 */
#ifndef PMUTRACE_DOCTOR_DOCTOR_FACTS_H
#define PMUTRACE_DOCTOR_DOCTOR_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "doctor/doctor.h"
#include "model/findings.h"

struct doctor_facts {
	char release[64]; /* uname -r, "" if unknown */
	unsigned kernel_major, kernel_minor;
	bool caps_known;
	uint64_t caps;	     /* effective, as the process has them */
	uint64_t bounding;   /* what it, or a program it starts, could have at most */
	bool user_namespace; /* not the host's: capabilities count only inside */
	bool pid_namespace;
	int user_namespace_err, pid_namespace_err; /* 0, or the -errno why that is not known */
	int seccomp;	       /* 0: none; 1: strict; 2: filter; -1: not known */
	const char *container; /* "docker", ..., or NULL: none seen */
	size_t nr_cpus;
	int64_t paranoid; /* or PARANOID_NOT_KNOWN */
	int paranoid_err; /* why it is not known */
};

#define PARANOID_NOT_KNOWN INT64_MIN

/* Fixes that several findings have. */
#define DOCTOR_FIX_PERF	 "boot a kernel built with CONFIG_PERF_EVENTS=y"
#define DOCTOR_FIX_BPF	 "boot a kernel built with CONFIG_BPF_SYSCALL=y and CONFIG_BPF_EVENTS=y"
#define DOCTOR_FIX_SYSFS "sudo mount -t sysfs sysfs /sys"
#define DOCTOR_FIX_BTF	 "boot a kernel built with CONFIG_DEBUG_INFO_BTF=y"

struct doctor {
	struct findings *findings;
	const char *root;
	const char *program;
	const struct doctor_tries *tries;
	struct lookup_reader *glances;
	struct doctor_facts facts;
};

/* Whether kernel.perf_event_paranoid is known, and @level or less. */
bool doctor__is_permissive(const struct doctor *d, int64_t level);

/* Reads the facts of the process that runs this, and of the machine, below d->root. */
void doctor_facts__read(struct doctor *d);

/* At most @size - 1 bytes of a file, terminated. The number of bytes or -errno. */
int doctor__read_text(const struct doctor *d, const char *path, char *text, size_t size) must_check;

/* A file that holds one number. 0; -EBADMSG: it does not; another -errno. */
int doctor__read_number(const struct doctor *d, const char *path, int64_t *out) must_check;

/* access(2) below the root: 0 or -errno. */
int doctor__access(const struct doctor *d, const char *path, int mode) must_check;

/* "Name:\tVALUE" as in /proc/self/status; copies the value. False if there is no such line. */
bool doctor__field(const char *text, const char *name, char *value, size_t size);

/* A soft or hard limit of /proc/self/limits, UINT64_MAX when unlimited. 0 or -errno. */
int doctor__limit(const struct doctor *d, const char *name, uint64_t *soft,
		  uint64_t *hard) must_check;

/* CAP_*: effective and counting for the whole machine. */
bool doctor__has(const struct doctor *d, unsigned cap);
bool doctor__may_perf(const struct doctor *d); /* CAP_PERFMON or CAP_SYS_ADMIN */
bool doctor__may_bpf(const struct doctor *d);  /* both that BPF tracing takes */

/* A seccomp filter stands in the way of perf_event_open(2) or bpf(2). */
bool doctor__seccomp_blocks(const struct doctor *d);

/* It came from what is short or in use at the moment (EMFILE, ENOMEM, ..): nothing was found out.
 */
bool doctor__says_nothing(int err);

/* Of what was tried and failed: FINDING_MISSING, or FINDING_UNKNOWN if it says nothing. */
enum finding_state doctor__state_of(int err);

/* strerror() of a -errno, as BPF has them. */
const char *doctor__reason(int err);

/* For the last finding: how to get the permissions, in words that fit the surroundings. */
void doctor__fix_permissions(const struct doctor *d);

/* For the last finding: what helps against a -errno. @otherwise: if that is no question of rights.
 */
void doctor__fix_refused(const struct doctor *d, int err, const char *otherwise);

/* The same where a file of /proc or /sys could not be read, or has no number in it. */
void doctor__fix_unread(const struct doctor *d, int err, const char *path);

/* The checks, one list of findings for each area. */
void doctor__kernel(const struct doctor *d);
void doctor__permissions(const struct doctor *d);
void doctor__limits(const struct doctor *d);
void doctor__sampling(const struct doctor *d);
void doctor__pmu(const struct doctor *d);
void doctor__tracing(const struct doctor *d);
void doctor__containers(const struct doctor *d);
void doctor__stacks(const struct doctor *d);
void doctor__unwinding(const struct doctor *d);

/* Samples; takes half a second or so. */
void doctor__try_stacks(const struct doctor_try_opts *opts, struct doctor_stacks *out);

#endif
