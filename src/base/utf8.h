/* SPDX-License-Identifier: BSD-2-Clause */
/* base/utf8.h - what well-formed UTF-8 is (RFC 3629), and how wide it is shown. */
#ifndef PMUTRACE_BASE_UTF8_H
#define PMUTRACE_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Bytes of the well-formed sequence at @s (1..4), or 0 if there is none within @len. */
size_t utf8__sequence(const char *s, size_t len);

/* Appends @s with every byte that is not part of a sequence replaced by U+FFFD. */
int utf8__put_valid(struct buf *out, const char *s, size_t len) must_check;

/*
 * The same for one line of at most @limit bytes: control characters become blanks, a NUL at the end
 * and blanks there are left out.
 */
int utf8__put_line(struct buf *out, const char *s, size_t len, size_t limit) must_check;

/* Appends a character. 0 or -ENOMEM; of what is none (a surrogate, beyond U+10FFFF) U+FFFD. */
int utf8__put(struct buf *out, uint32_t character) must_check;

/* The character at @s and its length in bytes; U+FFFD, one byte, for a byte that is none. */
uint32_t utf8__decode(const char *s, size_t len, size_t *bytes);

/*
 * How many bytes of @s fit into @cells columns of a fixed-width font; *used is the
 * columns they take. East Asian wide characters take two, combining marks none.
 */
size_t utf8__fit(const char *s, size_t len, size_t cells, size_t *used);

#endif
