/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model/callers.h - who calls a function, and what it calls, for one event.
 *
 * A sample counts once for each caller and each callee, however often that call is on its stack: a
 * function that calls itself is among its own callers and callees. So the samples of all callers
 * are at least those of the function.
 */
#ifndef PMUTRACE_MODEL_CALLERS_H
#define PMUTRACE_MODEL_CALLERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

struct profile;

struct call_of {
	uint32_t frame; /* of the caller, or the callee; the command's: it is the first function */
	uint64_t samples;
};

struct callers {
	uint64_t self, total;		   /* samples in the function; in what it called, too */
	uint64_t all;			   /* of the event */
	struct call_of *callers, *callees; /* most samples first, then by name */
	size_t nr_callers, nr_callees;
};

/* A function is meant by its name as it is shown without its mark, or by that without arguments. */
bool callers__is_named(const char *function, const char *name);

/**
 * callers__new() - look at all calls of a function
 * @name: of the function, callers__is_named(); of several all together
 * @event: index
 *
 * Return: 0, and it is for callers__free(); -ENOENT: no frame has this name; -ENOMEM.
 */
int callers__new(struct callers **out, const struct profile *p, uint32_t event,
		 const char *name) must_check;
void callers__free(struct callers *c);

#endif
