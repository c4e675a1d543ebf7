/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/contexts.h - what sampled processes publish of themselves (import/process_context.h),
 * remembered from window to window.
 *
 * A process that is seen for the first time is looked at once. One that publishes something is
 * looked at in each window that it is seen in: whether it has changed is a read of 32 bytes. One
 * that does not is looked at again after 1, 2, 4.. CONTEXT_REST windows, since it may begin to, and
 * when its number is another process's by now: when it began tells that.
 *
 * Processes are looked at by a thread of its own (serve/context_asker.h), some 0.1 ms each. Whoever
 * measures waits for it at the end of a window, as a rule those few milliseconds, and no longer
 * than it says: what is not answered by then is known in the next window.
 */
#ifndef PMUTRACE_SERVE_CONTEXTS_H
#define PMUTRACE_SERVE_CONTEXTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "import/process_context.h"

struct contexts;
struct jail;
struct profile;

enum {
	CONTEXT_PROCESSES = 20000, /* that are remembered; others have none */
	CONTEXT_ASKED = 1000, /* that are waited for at a time; others come in the next window */
	CONTEXT_REST = 64,    /* windows */
	CONTEXT_UNSEEN = 100, /* windows after which a process is forgotten */
};

struct contexts_counts {
	uint64_t offering;   /* processes that publish something, of those remembered */
	uint64_t unreadable; /* looks at what could not be read: no context, or no end of it */
};

/*
 * @jail: knows context_reader_kind; its readers are to work, or there is nobody who may look.
 * @proc: "/proc". 0; -errno: no process is looked at.
 */
int contexts__open(struct contexts **out, struct jail *jail, const char *proc) must_check;
void contexts__close(struct contexts *c);

/*
 * Has those of a window's processes looked at that are due. @p: by pid. @wait_ns: for the answers,
 * at most. 0 or -ENOMEM.
 */
int contexts__look(struct contexts *c, const struct profile *p, uint64_t wait_ns) must_check;

/* What a process says; NULL: nothing that is known. Until the next look. */
const struct process_context *contexts__of(const struct contexts *c, uint32_t pid);

struct contexts_counts contexts__counts(const struct contexts *c);

#endif
