/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sym/name_texts.h - what follows an answer of sym/name_wire.h: names, and lines of the source.
 *
 * Whoever sent them may have been taken over by a stranger's file: each byte is looked at.
 */
#ifndef PMUTRACE_SYM_NAME_TEXTS_H
#define PMUTRACE_SYM_NAME_TEXTS_H

#include "sym/name_wire.h"

/* How many bytes follow; of a long answer: are in the file. */
size_t name_texts__bytes(const struct name_answer *a);

/* @texts: so many. False: no reader of ours would say that, or there is no memory. */
bool name_texts__take(struct file_answer *out, const struct name_answer *a,
		      const char *texts) must_check;

#endif
