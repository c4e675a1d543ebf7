/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base/buf.h - a growable run of bytes, always followed by a NUL.
 *
 * Zero-initialise it; buf__free() gives the memory back and leaves it zeroed.
 * All functions return 0 or a negative errno and leave the buffer usable.
 */
#ifndef PMUTRACE_BASE_BUF_H
#define PMUTRACE_BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>

#include "base/array.h"

struct buf {
	char *data; /* NULL while nothing was ever put */
	size_t len; /* bytes, without the NUL */
	size_t cap;
};

int buf__reserve(struct buf *b, size_t more) must_check;
int buf__put(struct buf *b, const void *bytes, size_t len) must_check;
int buf__puts(struct buf *b, const char *s) must_check;
int buf__printf(struct buf *b, const char *fmt, ...) must_check
	__attribute__((format(printf, 2, 3)));
int buf__vprintf(struct buf *b, const char *fmt, va_list ap) must_check
	__attribute__((format(printf, 2, 0)));
void buf__clear(struct buf *b);
void buf__free(struct buf *b);

/**
 * buf__read_file() - append a whole file
 * @limit: give up with -EFBIG once the file turns out larger than this, in bytes
 *
 * Works on files whose size is unknown beforehand (/proc). Follows symbolic
 * links; for a file of a stranger open it yourself and use buf__read_fd().
 */
int buf__read_file(struct buf *b, const char *path, size_t limit) must_check;
int buf__read_fd(struct buf *b, int fd, size_t limit) must_check;

#endif
