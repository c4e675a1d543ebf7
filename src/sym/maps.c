// SPDX-License-Identifier: BSD-2-Clause
/* Reads /proc/PID/maps: what is mapped where. */
#include "sym/maps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct maps_cursor {
	const char *at, *end;
};

static bool number(struct maps_cursor *c, unsigned base, uint64_t *out)
{
	const char *start = c->at;
	uint64_t v = 0;

	for (; c->at < c->end; c->at++) {
		char ch = *c->at;
		unsigned d = ch >= '0' && ch <= '9'		    ? ch - '0'
			     : (ch | 32) >= 'a' && (ch | 32) <= 'f' ? (ch | 32) - 'a' + 10
								    : 99;

		if (d >= base)
			break;
		if (__builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, d, &v))
			return false;
	}
	*out = v;
	return c->at > start;
}

static bool literal(struct maps_cursor *c, char ch)
{
	if (c->at >= c->end || *c->at != ch)
		return false;
	c->at++;
	return true;
}

/* "55d0-55e0 r-xp 00002000 fe:00 1234    /usr/bin/cat" */
static bool parse_line(struct maps_cursor c, struct maps_line *out)
{
	uint64_t major, minor;

	if (!number(&c, 16, &out->start) || !literal(&c, '-') || !number(&c, 16, &out->end) ||
	    !literal(&c, ' ') || c.end - c.at < 5)
		return false;
	out->executable = c.at[2] == 'x';
	c.at += 4;
	if (!literal(&c, ' ') || !number(&c, 16, &out->offset) || !literal(&c, ' ') ||
	    !number(&c, 16, &major) || !literal(&c, ':') || !number(&c, 16, &minor) ||
	    !literal(&c, ' ') || !number(&c, 10, &out->inode))
		return false;
	out->dev_major = major;
	out->dev_minor = minor;
	while (literal(&c, ' '))
		;
	out->name = c.at;
	out->name_len = c.end - c.at;
	return out->start < out->end;
}

bool maps__next(const char **text, size_t *len, struct maps_line *out)
{
	while (*len) {
		const char *nl = memchr(*text, '\n', *len);
		size_t line = nl ? (size_t)(nl - *text) : *len;
		struct maps_cursor c = { *text, *text + line };

		*text += line + !!nl;
		*len -= line + !!nl;
		if (parse_line(c, out))
			return true;
	}
	return false;
}

/* A line is 4096 bytes of a path and what stands before it at most; blanks are escaped. */
enum { LINE_BYTES = 32 << 10 };

struct maps_file {
	int fd;
	unsigned nr_slices;
	bool is_empty;
	const char *at; /* the rest of the slice */
	size_t len;
	size_t nr_rest; /* behind it: the beginning of a line */
	char text[LINE_BYTES + MAPS_SLICE_BYTES];
};

int maps_file__take(struct maps_file **out, int fd)
{
	*out = calloc(1, sizeof(**out));
	if (!*out) {
		close(fd);
		return -ENOMEM;
	}
	(*out)->fd = fd;
	return 0;
}

int maps_file__open(struct maps_file **out, const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);

	*out = NULL;
	return fd < 0 ? -errno : maps_file__take(out, fd);
}

void maps_file__close(struct maps_file *f)
{
	if (!f)
		return;
	close(f->fd);
	free(f);
}

/* Each read(2) brings a page at most. */
static size_t fill(struct maps_file *f, size_t len, bool *ended)
{
	const size_t max = len + MAPS_SLICE_BYTES;

	while (len < max) {
		ssize_t got = read(f->fd, f->text + len, max - len);

		*ended = got <= 0; /* -ESRCH: it is gone */
		if (*ended)
			break;
		len += got;
	}
	return len;
}

int maps_file__read(struct maps_file *f)
{
	bool ended = false;
	const char *nl;
	size_t len;

	/* What is longer is no line. */
	if (f->nr_rest > LINE_BYTES)
		f->nr_rest = 0;
	if (f->nr_rest)
		memmove(f->text, f->at + f->len, f->nr_rest);
	len = fill(f, f->nr_rest, &ended);
	nl = len ? memrchr(f->text, '\n', len) : NULL;
	f->at = f->text;
	f->len = ended ? len : nl ? (size_t)(nl + 1 - f->text) : 0;
	f->nr_rest = len - f->len;
	f->is_empty = !f->nr_slices && !len;
	f->nr_slices++;
	return !ended;
}

bool maps_file__next(struct maps_file *f, struct maps_line *out)
{
	return maps__next(&f->at, &f->len, out);
}

bool maps_file__is_cut(const struct maps_file *f)
{
	char first;

	/* Of one slice there is all, or nothing. */
	return (f->nr_slices != 1 || f->is_empty) && pread(f->fd, &first, 1, 0) <= 0;
}
