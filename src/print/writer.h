/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/writer.h - bytes on their way to a FILE, with one error to check at the end.
 *
 *	struct writer w = { .f = f };
 *
 *	writer__puts(&w, "samples ");
 *	writer__u64(&w, n);
 *	return writer__end(&w);
 *
 * After an error the rest is dropped. No allocation, no printf: a flame graph is
 * hundreds of thousands of small pieces.
 */
#ifndef PMUTRACE_PRINT_WRITER_H
#define PMUTRACE_PRINT_WRITER_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/array.h"

enum { WRITER_BYTES = 32 * 1024 };

struct writer {
	FILE *f; /* borrowed */
	int err; /* first error, a negative errno */
	size_t len;
	char bytes[WRITER_BYTES];
};

void writer__put(struct writer *w, const char *s, size_t len);
void writer__puts(struct writer *w, const char *s);
void writer__putc(struct writer *w, char c);
void writer__u64(struct writer *w, uint64_t n);
void writer__printf(struct writer *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* 1234567 as 1,234,567. */
void writer__grouped(struct writer *w, uint64_t n);

/* A number given in hundredths, without needless zeros: 1250 is "12.5". */
void writer__hundredths(struct writer *w, uint64_t n);

/*
 * Flushes to the FILE and that to the system. 0; -ENOMEM; where the bytes did not arrive the -errno
 * of the write(2) that failed, or -EIO if one failed before this writer and nobody knows why.
 */
int writer__end(struct writer *w) must_check;

#endif
