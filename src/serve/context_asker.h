/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/context_asker.h - a thread that has processes' contexts read (import/context_reader.h), one
 * after the other, while whoever measures goes on.
 *
 * It opens two files of /proc for each, for which it has the privileges, and waits for the reader
 * in the jail, a quarter of a second at most; one that fails is replaced by another. The thread
 * begins with the first question.
 */
#ifndef PMUTRACE_SERVE_CONTEXT_ASKER_H
#define PMUTRACE_SERVE_CONTEXT_ASKER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/worker.h"
#include "import/context_reader.h"

struct context_asker;
struct jail;

/* A question, and its answer. */
struct context_question {
	struct job job; /* private */
	uint32_t pid;
	uint64_t began;		    /* the asker's, to know it by */
	struct context_place place; /* where its context was, then where it is */
	struct process_context says;
	int err; /* as of context_reader__ask() */
};

/*
 * @jail: with context_reader_kind, whose readers have to work. 0; -errno: there is none that does.
 */
int context_asker__open(struct context_asker **out, struct jail *jail, const char *proc) must_check;
void context_asker__close(struct context_asker *a);

/* 0; -errno: nobody will answer. */
int context_asker__ask(struct context_asker *a, const struct context_question *q) must_check;

/* The next that is answered, the caller's for free(3); NULL: there is none. */
struct context_question *context_asker__take(struct context_asker *a);

/* Waits until all are answered, or until then (CLOCK_MONOTONIC). */
void context_asker__wait(struct context_asker *a, uint64_t until_ns);

#endif
