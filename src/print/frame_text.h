/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/frame_text.h - frames in formats that tell kinds of frames by the name alone.
 *
 * Kernel frames end in "_[k]", JIT frames in "_[j]", as stackcollapse-perf.pl has it, inlined ones
 * in "_[i]". An empty name is "[unknown]".
 */
#ifndef PMUTRACE_PRINT_FRAME_TEXT_H
#define PMUTRACE_PRINT_FRAME_TEXT_H

#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "model/profile.h"

const char *frame_text__name(const struct profile *p, uint32_t frame);

/* What goes behind the name. */
const char *frame_text__mark(const struct profile *p, uint32_t frame);

/* Appends both: any character but NUL. 0 or -ENOMEM. */
int frame_text__put(struct buf *b, const struct profile *p, uint32_t frame) must_check;

#endif
