/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base/why.h - refusing: an errno for programs, and the sentence that goes with it for people.
 *
 * A function that has something to say takes a `struct buf *why`, and appends to it only when it
 * returns an error. Sentences name what was asked for, what is wrong with it, and what to do.
 */
#ifndef PMUTRACE_BASE_WHY_H
#define PMUTRACE_BASE_WHY_H

#include <stdarg.h>

#include "base/array.h"
#include "base/buf.h"

/* Appends a sentence to @why, and returns @err, a -errno; or -ENOMEM. */
int why__refuse(struct buf *why, int err, const char *fmt, ...) must_check
	__attribute__((format(printf, 3, 4)));
int why__vrefuse(struct buf *why, int err, const char *fmt, va_list ap) must_check
	__attribute__((format(printf, 3, 0)));

#endif
