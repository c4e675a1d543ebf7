// SPDX-License-Identifier: BSD-2-Clause
/* Appends bytes, formatted text and whole files to a buffer that grows. */
#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int buf__reserve(struct buf *b, size_t more)
{
	size_t need;

	if (__builtin_add_overflow(b->len, more, &need) || __builtin_add_overflow(need, 1, &need))
		return -EOVERFLOW;
	return array__grow(&b->data, &b->cap, need);
}

int buf__put(struct buf *b, const void *bytes, size_t len)
{
	int err = buf__reserve(b, len);

	if (err)
		return err;
	if (len)
		memcpy(b->data + b->len, bytes, len);
	b->len += len;
	b->data[b->len] = '\0';
	return 0;
}

int buf__puts(struct buf *b, const char *s)
{
	return buf__put(b, s, strlen(s));
}

int buf__vprintf(struct buf *b, const char *fmt, va_list ap)
{
	va_list again;
	int err, n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0)
		return -EINVAL;
	err = buf__reserve(b, n);
	if (err)
		return err;
	vsnprintf(b->data + b->len, (size_t)n + 1, fmt, ap);
	b->len += n;
	return 0;
}

int buf__printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int err;

	va_start(ap, fmt);
	err = buf__vprintf(b, fmt, ap);
	va_end(ap);
	return err;
}

void buf__clear(struct buf *b)
{
	b->len = 0;
	if (b->data)
		b->data[0] = '\0';
}

void buf__free(struct buf *b)
{
	free(b->data);
	*b = (struct buf){};
}

/* A page at first, which most files of /proc and /sys fill once, and as much again as there is. */
static size_t next_bytes(const struct buf *b, size_t start)
{
	enum { LEAST = 4096, MOST = 65536 };
	const size_t so_far = b->len - start;

	return so_far < LEAST ? LEAST : so_far > MOST ? MOST : so_far;
}

int buf__read_fd(struct buf *b, int fd, size_t limit)
{
	size_t start = b->len;
	ssize_t n;
	int err;

	for (;;) {
		err = buf__reserve(b, next_bytes(b, start));
		if (err)
			return err;
		n = read(fd, b->data + b->len, b->cap - b->len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		b->len += n;
		b->data[b->len] = '\0';
		if (!n)
			return 0;
		if (b->len - start > limit)
			return -EFBIG;
	}
}

int buf__read_file(struct buf *b, const char *path, size_t limit)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = buf__read_fd(b, fd, limit);
	close(fd);
	return err;
}
