/* SPDX-License-Identifier: BSD-2-Clause */
/* base/utf8.h - the one place that knows what well-formed UTF-8 is (RFC 3629). */
#ifndef PMUTRACE_BASE_UTF8_H
#define PMUTRACE_BASE_UTF8_H

#include <stddef.h>

#include "base/buf.h"

/* Bytes of the well-formed sequence at @s (1..4), or 0 if there is none within @len. */
size_t utf8__sequence(const char *s, size_t len);

/* Appends @s with every byte that is not part of a sequence replaced by U+FFFD. */
int utf8__put_valid(struct buf *out, const char *s, size_t len) must_check;

#endif
