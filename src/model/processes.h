/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model/processes.h - what is known of processes and cgroups beside what they use: names, users,
 * parents.
 *
 * Filled as they are first seen, by /proc or by a recording. Of one that had ended before anybody
 * looked its parent is known, and its name. What is forgotten gives its memory back: it may be used
 * for days.
 */
#ifndef PMUTRACE_MODEL_PROCESSES_H
#define PMUTRACE_MODEL_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "model/live.h"

/* Of a process that had ended before it could be looked up: nobody's, as in setreuid(2). */
#define PROCESS_NO_USER UINT32_MAX

struct process {
	uint32_t pid, parent; /* parent 0: none, or not known */
	uint32_t uid;	      /* PROCESS_NO_USER: its command is not known either, and "" */
	bool is_kernel;	      /* a thread of the kernel */
	char comm[LIVE_COMM]; /* its name when it was looked at */
	const char *command;  /* with its arguments, one line; of the kernel's threads: "" */
};

struct process_cgroup {
	uint64_t id;
	const char *path; /* below the mount, from "/" on */
	const char *name; /* of its container, or the path */
};

struct process_user {
	uint32_t uid;
	const char *name;
};

struct processes;

struct processes *processes__new(void); /* NULL: no memory */
void processes__free(struct processes *p);
void processes__clear(struct processes *p); /* nothing is known any more */

/* NULL: not known. Pointers are good until something is added or forgotten. */
const struct process *processes__find(const struct processes *p, uint32_t pid);
/* Calls processes as they are called whose first threads have used nothing in the interval. */
void processes__name_rows(const struct processes *p, struct live_rows *rows);
/* Instead of what was known of this pid. Strings are copied. 0 or -ENOMEM. */
int processes__set(struct processes *p, const struct process *one) must_check;
/* Forgets all whose pid @keep says no to. */
void processes__keep(struct processes *p, bool (*keep)(void *arg, uint32_t pid), void *arg);

/* Name of a user; of a cgroup: its container's or its path below the mount. NULL: not known. */
const char *processes__user(const struct processes *p, uint32_t uid);
int processes__set_user(struct processes *p, uint32_t uid, const char *name) must_check;
const char *processes__cgroup(const struct processes *p, uint64_t id);
const char *processes__cgroup_path(const struct processes *p, uint64_t id);
int processes__set_cgroup(struct processes *p, uint64_t id, const char *path,
			  const char *name) must_check;
void processes__keep_cgroups(struct processes *p, bool (*keep)(void *arg, uint64_t id), void *arg);

size_t processes__nr(const struct processes *p);
size_t processes__nr_cgroups(const struct processes *p);
size_t processes__bytes(const struct processes *p); /* of what is known; in memory it is more */

/*
 * For those who keep it elsewhere: what was set after @since, a value of processes__now(); 0:
 * all. Each function may be NULL. Stops at the first error and returns it.
 */
struct process_visitor {
	int (*process)(void *arg, const struct process *one);
	int (*user)(void *arg, const struct process_user *one);
	int (*cgroup)(void *arg, const struct process_cgroup *one);
	void *arg;
};
uint64_t processes__now(const struct processes *p);
int processes__each(const struct processes *p, uint64_t since,
		    const struct process_visitor *v) must_check;

#endif
