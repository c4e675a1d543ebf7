/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/unwind_check.h - the result of --verify-unwind, for people: how many stacks were compared,
 * how many are the same, and the others by reason.
 */
#ifndef PMUTRACE_PRINT_UNWIND_CHECK_H
#define PMUTRACE_PRINT_UNWIND_CHECK_H

#include "base/array.h"
#include "base/buf.h"
#include "model/unwind_check.h"

/* Appends lines, without an end of the last one. 0 or -ENOMEM. */
int print__unwind_check(struct buf *b, const struct unwind_check *c) must_check;

#endif
