/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan/rowkeys.h - "--by" in words -> the key of a profile's rows.
 *
 * Knows the parts that are the same for all kinds of probes: comm pid tid cpu cgroup kstack ustack
 * stack probe func container. TASK->pid is pid, where that may also be a field of a tracepoint.
 */
#ifndef PMUTRACE_PLAN_ROWKEYS_H
#define PMUTRACE_PLAN_ROWKEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/array.h"
#include "base/buf.h"
#include "collect/rowfields.h"

struct fields_group;

/* Zero-initialise it; rowkeys__free() gives the memory back. */
struct rowkeys {
	unsigned by; /* enum by */
	struct rowfield *fields;
	size_t nr_fields, cap_fields;
};

/**
 * rowkeys__parse() - "comm,arg0"
 * @fields: of the probes: a name that may be the task's or theirs is refused
 * @other: gets each part that is none of those above, @len bytes of it. 0 or -errno with @why
 * @why:   on -EINVAL a sentence
 *
 * Return: 0; -EINVAL; -ENOMEM; what @other returned.
 */
int rowkeys__parse(struct rowkeys *k, const char *by, const struct fields_group *fields,
		   int (*other)(void *arg, const char *text, size_t len, struct buf *why),
		   void *arg, struct buf *why) must_check;

/* One more field. @name is copied. 0 or -ENOMEM. */
int rowkeys__add(struct rowkeys *k, const char *name, size_t len, enum field_kind kind,
		 enum rowfield_from from) must_check;
bool rowkeys__have(const struct rowkeys *k, enum rowfield_from from);
void rowkeys__free(struct rowkeys *k);

#endif
