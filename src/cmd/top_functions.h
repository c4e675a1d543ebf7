/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd/top_functions.h - `pmutrace top --by function`: samples instead of counts, interval by
 * interval.
 */
#ifndef PMUTRACE_CMD_TOP_FUNCTIONS_H
#define PMUTRACE_CMD_TOP_FUNCTIONS_H

#include <stdbool.h>

#include "base/array.h"
#include "cmd/top.h"

/* --by function is given. */
bool top_functions__wanted(const struct top_opts *o);

/*
 * Prints each interval, up to -n, a signal, or the end of what is sampled. 0 or -errno
 * with r->why.
 */
int top__functions(struct top_run *r) must_check;

#endif
