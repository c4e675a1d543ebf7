// SPDX-License-Identifier: BSD-2-Clause
/* Reads lines through one fixed buffer, and the hex numbers in them. */
#include "base/lines.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Moves what is left to the front and reads behind it. */
static int fill(struct lines *l)
{
	ssize_t n;

	memmove(l->buf, l->buf + l->pos, l->len - l->pos);
	l->len -= l->pos;
	l->pos = 0;
	if (l->len == LINES_BUF_BYTES) {
		l->len = 0;
		l->skipping = true;
	}
	do
		n = read(l->fd, l->buf + l->len, LINES_BUF_BYTES - l->len);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	l->at_end = !n;
	l->len += n;
	l->bytes += n;
	return 0;
}

int lines__next(struct lines *l, char **line, size_t *len)
{
	bool skipped;
	char *end;
	int err;

	do {
		while (!(end = memchr(l->buf + l->pos, '\n', l->len - l->pos)) && !l->at_end) {
			err = fill(l);
			if (err)
				return err;
		}
		if (!end && l->pos == l->len)
			return 0;
		*line = l->buf + l->pos;
		*len = end ? (size_t)(end - *line) : l->len - l->pos;
		l->pos += *len + !!end;
		skipped = l->skipping;
		l->skipping = false;
	} while (skipped);
	return 1;
}

bool parse_hex(const char **p, const char *end, uint64_t *out)
{
	const char *s = *p, *start;
	uint64_t v = 0;

	if (end - s > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
		s += 2;
	for (start = s; s < end; s++) {
		unsigned int c = (unsigned char)*s, d;

		if (c - '0' < 10)
			d = c - '0';
		else if ((c | 0x20) - 'a' < 6)
			d = (c | 0x20) - 'a' + 10;
		else
			break;
		if (v >> 60)
			return false;
		v = v << 4 | d;
	}
	if (s == start)
		return false;
	*p = s;
	*out = v;
	return true;
}
