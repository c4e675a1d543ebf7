/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base/rescue.h - a fallback for a result that could not be written where it belongs: a new file in
 * TMPDIR, or /tmp, that its user alone may read.
 *
 * Of a result in parts all that follow go there, up to RESCUE_BYTES: nobody has asked for that
 * place to be filled.
 */
#ifndef PMUTRACE_BASE_RESCUE_H
#define PMUTRACE_BASE_RESCUE_H

#include <stdio.h>

#include "base/array.h"

enum { RESCUE_BYTES = 64 << 20 };

struct rescue;

/* @ending: of its name: ".csv". 0 or -errno. */
int rescue__open(struct rescue **out, const char *ending) must_check;

/* As sink__begin() and sink__end(). -EFBIG: RESCUE_BYTES are there, no more parts are taken. */
int rescue__begin(struct rescue *r, FILE **f) must_check;
int rescue__end(struct rescue *r, int err) must_check;

const char *rescue__path(const struct rescue *r);

/* The file stays if something whole is in it. */
void rescue__close(struct rescue *r);

#endif
