/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan/call_graph.h - --call-graph: how the user half of a stack is found.
 *
 *	eh	by rules of .eh_frame, where code has none by frame pointer: the default
 *	fp	by frame pointer alone
 *	none	not at all: the innermost frame of it is lost, too
 */
#ifndef PMUTRACE_PLAN_CALL_GRAPH_H
#define PMUTRACE_PLAN_CALL_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"

struct call_graph_opts {
	const char *way; /* as typed; NULL: the default */
	uint64_t bytes;	 /* --unwind-mem; 0: the default */
	bool force;	 /* eh even on kernels where it may stop the machine */
};

struct call_graph {
	bool user;	       /* user frames are wanted */
	uint64_t unwind_bytes; /* for rules; 0: by frame pointer */
};

enum { CALL_GRAPH_BYTES = 24 << 20 };

/*
 * Decides; by the default way says on the log if it has to be another. 0; -EINVAL: another word;
 * -EOPNOTSUPP: a way that was asked for is not safe on this kernel; -ENOMEM.
 */
int call_graph__choose(const struct call_graph_opts *opts, struct call_graph *out,
		       struct buf *why) must_check;

/*
 * May a program that reads user memory in an NMI stop the kernel? Such reads could take a lock that
 * the interrupted code holds: since 5.19 (its access checks call find_vmap_area()); mended by
 * d319f344561d in 6.4, 6.3.10, 6.1.36.
 *
 * @release, @version: as uname(2) has them; of Debian's the version tells which stable kernel it is
 * ("6.1.0-56-amd64", "#1 SMP Debian 6.1.192-2"). NULL: the one that runs.
 */
bool call_graph__may_stop_kernel(const char *release, const char *version);

#endif
