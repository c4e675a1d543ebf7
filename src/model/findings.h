/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model/findings.h - what was found out about a machine: one finding for each question.
 *
 *	struct findings f = {};
 *
 *	findings__add(&f, "tracing", "tracefs", FINDING_MISSING, "not mounted");
 *	findings__cost(&f, "tracepoints have no names");
 *	findings__fix(&f, "sudo mount -t tracefs tracefs /sys/kernel/tracing");
 *	err = findings__error(&f);
 *
 * Out of memory, the rest is dropped and findings__error() tells. What is not ok has a cost and a
 * fix; where there is no fix, that says so. Texts are copied; they may hold any bytes.
 */
#ifndef PMUTRACE_MODEL_FINDINGS_H
#define PMUTRACE_MODEL_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/array.h"

enum finding_state {
	FINDING_OK,
	FINDING_LIMITED, /* works, with less than there could be */
	FINDING_MISSING,
	FINDING_UNKNOWN, /* could not be found out: never told as one of the others */
	FINDING_NR,
};

struct finding {
	const char *area; /* a literal; findings of one area stand together */
	const char *name; /* a literal in kebab-case; with the subject, one of its kind */
	char *subject;	  /* which file or PMU this is about; NULL: there is only one */
	enum finding_state state;
	char *found;
	char *cost; /* what the user loses; NULL: it is ok */
	char *fix;  /* a command to paste, or else what to do; NULL: it is ok */
};

struct findings {
	struct finding *items;
	size_t nr, cap;
	bool ready; /* the main job can run */
	int err;
};

#define PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

void findings__add(struct findings *f, const char *area, const char *name, enum finding_state state,
		   const char *found, ...) PRINTF(5, 6);

/* All of the last one that was added. */
void findings__subject(struct findings *f, const char *fmt, ...) PRINTF(2, 3);
void findings__cost(struct findings *f, const char *fmt, ...) PRINTF(2, 3);
void findings__fix(struct findings *f, const char *fmt, ...) PRINTF(2, 3);

#undef PRINTF

/* 0, or -ENOMEM: something is missing from the list. */
int findings__error(const struct findings *f) must_check;
void findings__free(struct findings *f);

/* "ok", "limited", "missing", "unknown": part of the interface. */
const char *finding_state__name(enum finding_state state);

#endif
