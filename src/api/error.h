/* SPDX-License-Identifier: BSD-2-Clause */
/* api/error.h - errors as users of the public library get them. */
#ifndef PMUTRACE_API_ERROR_H
#define PMUTRACE_API_ERROR_H

#include "base/array.h"
#include "base/buf.h"
#include "pmutrace.h"

/*
 * @why: gets the code and a sentence; may be NULL. @text: the sentence, or empty: that of the code;
 * freed here. They return @code, error__none() 0.
 */
int error__set(struct pmutrace_error *why, int code, struct buf *text);
int error__say(struct pmutrace_error *why, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int error__none(struct pmutrace_error *why);

/*
 * Bytes of @what that have a meaning in later versions alone: 0, or -E2BIG with @why if one of them
 * is set.
 */
int given__check(const char *what, const void *bytes, size_t len, struct buf *why) must_check;

#endif
