/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * collect/rowfields.h - the words of a hit -> the fields of a profile's row.
 */
#ifndef PMUTRACE_COLLECT_ROWFIELDS_H
#define PMUTRACE_COLLECT_ROWFIELDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "model/profile.h"
#include "probe/sample.h"

/* Where a row's field comes from. */
enum rowfield_from {
	ROWFIELD_WORDS,	    /* fetched by the program: the next words of the hit */
	ROWFIELD_PROBE,	    /* the probe's name */
	ROWFIELD_FUNCTION,  /* the function that it is on, or "-" */
	ROWFIELD_CONTAINER, /* of the cgroup's path: model/container.h */
};

struct rowfield {
	const char *name; /* as asked for */
	enum field_kind kind;
	enum rowfield_from from;
};

/* What key->stack.source stands for. */
struct rowprobe {
	const char *name, *function; /* function: NULL: it is on none */
	uint32_t event;		     /* in the profile */
};

/* Zero-initialise it; rowfields__free() gives the memory back. */
struct rowfields {
	struct rowfield *fields; /* copied; names: borrowed from the profile */
	size_t nr;
	uint64_t *words; /* of the row at hand */
};

/* Adds them to the profile. Bucket fields are the last. 0 or -ENOMEM. */
int rowfields__init(struct rowfields *r, struct profile *p, const struct rowfield *fields,
		    size_t nr) must_check;

/* *tuple: for row_key.fields. @cgroup: its path, or NULL. 0; -ENOMEM; -ENOSPC: profile__seal(). */
int rowfields__take(struct rowfields *r, struct profile *p, const struct sample_stack *s,
		    const struct rowprobe *probe, const char *cgroup, uint32_t *tuple) must_check;
void rowfields__free(struct rowfields *r);

#endif
