/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base/place.h - the front of an error message: where in a typed text something is wrong.
 */
#ifndef PMUTRACE_BASE_PLACE_H
#define PMUTRACE_BASE_PLACE_H

#include "base/array.h"
#include "base/buf.h"

/*
 * Appends "in 'cs,cycels', column 4: ". Of a long text the part around @at is quoted; columns are
 * characters, from 1 on. @at: in @text, or its end. 0 or -ENOMEM.
 */
int place__put(struct buf *out, const char *text, const char *at) must_check;

#endif
