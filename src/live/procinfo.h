/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * live/procinfo.h - names for a live view: of processes, their users and cgroups.
 *
 *	/proc, the user database, the cgroup2 mount, files of container runtimes -> model/processes
 *
 * Looked up are those that were on a CPU, and who started them, when they are first seen, when
 * their name or their parent has changed, and from time to time: a process may become another
 * program of the same name. Of those that have ended before they could be looked up what the
 * interval says is known: name and parent. What has ended is forgotten, so that this may go on for
 * days.
 */
#ifndef PMUTRACE_LIVE_PROCINFO_H
#define PMUTRACE_LIVE_PROCINFO_H

#include <stdbool.h>

#include "base/array.h"
#include "model/live.h"
#include "model/processes.h"

struct procinfo;

struct procinfo_opts {
	const char *proc; /* "/proc"; NULL: it has other ids than the kernel (PID namespace) */
	const char *root; /* of the containers' files: "" */
	bool no_users;	  /* their names are not asked for: a server of names may take long */
};

/* Strings are borrowed. 0 or -ENOMEM. */
int procinfo__open(struct procinfo **out, const struct procinfo_opts *opts) must_check;
void procinfo__close(struct procinfo *i);

/*
 * After an interval was filled and marked. Those that have ended in it stay known until the next
 * call. What cannot be found out stays unknown. 0 or -ENOMEM.
 */
int procinfo__refresh(struct procinfo *i, const struct live *l, struct processes *p) must_check;

#endif
