/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/folded.h - stacks as lines, for flamegraph.pl, speedscope, inferno, grep and sort.
 *
 *	comm;outermost;...;innermost N
 *
 * Frames read as in print/frame_text.h; in a name ';' becomes ':' and a control character '?'.
 */
#ifndef PMUTRACE_PRINT_FOLDED_H
#define PMUTRACE_PRINT_FOLDED_H

#include <stdint.h>
#include <stdio.h>

#include "base/array.h"

struct profile;

/**
 * print__folded() - write the stacks of one event
 * @event: index into the profile's events
 *
 * Every stack is one line: rows that differ in process, thread, CPU or cgroup are
 * summed, and so are frames that read the same (one name in two libraries). Lines are
 * ordered by name, level by level. The numbers add up to the event's samples.
 *
 * Return: 0, -EINVAL (no such event), -ENOMEM, or another -errno (@f did not take it all).
 */
int print__folded(FILE *f, const struct profile *p, uint32_t event) must_check;

/*
 * The same of two profiles (model/overlay.h), with two numbers behind each stack: samples of the
 * first side times @scale, to the nearest whole number, and those of the second. 0; -ENOMEM; or of
 * writing.
 */
int print__folded_pair(FILE *f, const struct profile *overlay, double scale) must_check;

/*
 * The stacks of all events, in the same order, with a count of each behind them: "sh;main 3 0 12".
 * A line before tells the events (model/folded_head.h); in their names a control character is '?'.
 * 0, -ENOMEM, or another -errno (@f did not take it all).
 */
int print__folded_all(FILE *f, const struct profile *p) must_check;

#endif
