// SPDX-License-Identifier: BSD-2-Clause
/* Buffers bytes for a FILE, and keeps the first error. */
#include "print/writer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* write(2) says why; stdio only that it failed. */
static void give(struct writer *w, const char *s, size_t len)
{
	if (w->err)
		return;
	errno = 0;
	if (fwrite(s, 1, len, w->f) != len)
		w->err = errno ? -errno : -EIO;
}

static void flush(struct writer *w)
{
	give(w, w->bytes, w->len);
	w->len = 0;
}

void writer__put(struct writer *w, const char *s, size_t len)
{
	if (len > WRITER_BYTES - w->len)
		flush(w);
	if (len > WRITER_BYTES) {
		give(w, s, len);
		return;
	}
	memcpy(w->bytes + w->len, s, len);
	w->len += len;
}

void writer__puts(struct writer *w, const char *s)
{
	writer__put(w, s, strlen(s));
}

void writer__putc(struct writer *w, char c)
{
	if (w->len == WRITER_BYTES)
		flush(w);
	w->bytes[w->len++] = c;
}

void writer__u64(struct writer *w, uint64_t n)
{
	char digits[20], *at = digits + sizeof(digits);

	do {
		*--at = '0' + n % 10;
		n /= 10;
	} while (n);
	writer__put(w, at, digits + sizeof(digits) - at);
}

void writer__grouped(struct writer *w, uint64_t n)
{
	char digits[27], *at = digits + sizeof(digits);
	unsigned nr = 0;

	do {
		if (nr && nr % 3 == 0)
			*--at = ',';
		*--at = '0' + n % 10;
		n /= 10;
		nr++;
	} while (n);
	writer__put(w, at, digits + sizeof(digits) - at);
}

void writer__hundredths(struct writer *w, uint64_t n)
{
	unsigned rest = n % 100;

	writer__u64(w, n / 100);
	if (!rest)
		return;
	writer__putc(w, '.');
	writer__putc(w, '0' + rest / 10);
	if (rest % 10)
		writer__putc(w, '0' + rest % 10);
}

void writer__printf(struct writer *w, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0) {
		w->err = w->err ? w->err : -ENOMEM;
		return;
	}
	writer__put(w, text, n);
	free(text);
}

int writer__end(struct writer *w)
{
	flush(w);
	errno = 0;
	if ((fflush(w->f) || ferror(w->f)) && !w->err)
		w->err = errno ? -errno : -EIO;
	return w->err;
}
