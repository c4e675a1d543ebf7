/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model/explained.h - what events of a list stand for: everything that the kernel is told.
 *
 * Does not know: how it was found out (catalog/explain.h). Strings live as long as the list.
 */
#ifndef PMUTRACE_MODEL_EXPLAINED_H
#define PMUTRACE_MODEL_EXPLAINED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "model/catalog.h"

enum { EXPLAINED_FIELDS_MAX = 32, EXPLAINED_NO_GROUP = -1, EXPLAINED_NO_CPU = -1 };

/* A member of perf_event_attr that is not 0, but for size, which is always the same; and type. */
struct explained_field {
	const char *name;  /* "config1" */
	const char *words; /* what the number means; or NULL */
	uint64_t value;
	bool is_hex; /* people write it so */
};

struct explained_try {
	enum catalog_state state; /* UNKNOWN: that could not be found out; without @why: not tried,
				   * because it makes no sense */
	const char *why;	  /* it does not open: a sentence; or NULL */
};

struct explained {
	const char *name;
	const char *origin; /* where the name came from */
	const char *text;   /* what it counts; or NULL */
	const char *form;   /* PMU/TERMS/ or a probe that is the same event; or NULL */
	struct explained_field fields[EXPLAINED_FIELDS_MAX];
	size_t nr_fields; /* 0: it cannot even be made here; process and cpu have the reason */
	const char *unit; /* of count * scale; "" */
	double scale;
	uint64_t hz, period; /* asked for behind '@', or 0 */
	const char *adds_to; /* the event whose count this one is a part of; or NULL */
	int group;	     /* or EXPLAINED_NO_GROUP */
	uint32_t *cpus;	     /* it is opened on these alone; NULL: any */
	size_t nr_cpus;
	struct explained_try process; /* for this process, on any CPU */
	struct explained_try cpu;     /* for all processes, on one CPU */
	int tried_cpu;		      /* or EXPLAINED_NO_CPU */
};

struct strtab;

struct explanations {
	struct strtab *strings;
	struct explained *items;
	size_t nr, cap;
};

/* 0 or -ENOMEM; to be freed in any case. */
int explanations__init(struct explanations *l) must_check;
void explanations__free(struct explanations *l);

/* Appends one that is all 0, without a group and CPU. *out: valid until the next. 0 or -ENOMEM. */
int explanations__add(struct explanations *l, struct explained **out) must_check;

/* Copies @s, or leaves *to NULL. 0 or -ENOMEM. */
int explanations__set(struct explanations *l, const char **to, const char *s) must_check;

/* Appends a field; @words: copied, may be NULL. 0, -ENOMEM, or -E2BIG. */
int explanations__add_field(struct explanations *l, struct explained *x, const char *name,
			    uint64_t value, bool is_hex, const char *words) must_check;

#endif
