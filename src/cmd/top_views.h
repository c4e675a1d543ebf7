/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd/top_views.h - the ways to look at a run of `pmutrace top`. Each shows its intervals up to -n,
 * and returns 0, or -errno with r->why.
 */
#ifndef PMUTRACE_CMD_TOP_VIEWS_H
#define PMUTRACE_CMD_TOP_VIEWS_H

#include "base/array.h"
#include "cmd/top_run.h"

/* Prints counts of tasks, cgroups or CPUs, up to a signal (top_batch.c). */
int top__batch(struct top_run *r) must_check;

/* Prints samples by function, up to a signal or the end of what is sampled (top_functions.c). */
int top__functions(struct top_run *r) must_check;

/* A screen of all of that, for as long as the user looks at it (top_screen.c). */
int top__screen(struct top_run *r) must_check;

#endif
