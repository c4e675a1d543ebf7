/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base/words.h - a line's words, as sh(1) divides it: between blanks, with '..', ".." and \, and
 * nothing else of a shell's.
 */
#ifndef PMUTRACE_BASE_WORDS_H
#define PMUTRACE_BASE_WORDS_H

#include <stddef.h>

#include "base/array.h"

/*
 * *words is NULL-terminated, and goes to words__free(). 0; -EINVAL: a quote or a \ does not end;
 * -ENOMEM.
 */
int words__split(const char *text, char ***words, size_t *nr) must_check;
void words__free(char **words);

#endif
