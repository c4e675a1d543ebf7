/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd/results.h - what commands that make a profile say and ask at the end of a run.
 */
#ifndef PMUTRACE_CMD_RESULTS_H
#define PMUTRACE_CMD_RESULTS_H

#include <stdbool.h>
#include <stdio.h>

#include "cmd/outputs.h"

struct profile;
struct losses;

/* Columns of the terminal that @f is; 0: it is none. */
unsigned results__width(FILE *f);

/* https://no-color.org, and terminals that have none. */
bool results__color(FILE *f);

/* The loss line as a notice, unless a table that is printed ends with it. @what: "samples". */
void results__tell_losses(const struct outputs *o, const char *what, const struct losses *l);

/* For --strict: samples that were lost, events that were not counted all the time. */
bool results__lost(const struct profile *p);

/*
 * Folded stacks and flame graphs show one event: *event, that of @name, or if that is NULL the
 * first. @stride: as of nearest(). 0; -EINVAL with @why: there is none of that name; -ENOMEM.
 */
int results__choose_event(const char *name, const char *const *names, size_t nr, size_t stride,
			  uint32_t *event, struct buf *why) must_check;

/* With several events, says which one those outputs show that do not show all. */
void results__tell_event(const struct outputs *o, const char *name, bool folded_shows_all);

#endif
