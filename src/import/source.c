// SPDX-License-Identifier: BSD-2-Clause
/* Opens files and pipes, unpacks what gzip has packed, and finds the ends of lines. */
#include "import/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/regular.h"
#include "base/why.h"

enum { FIRST_BYTES = 128 << 10 };

struct source {
	const char *name;
	gzFile file;
	bool at_end;
	int err;       /* why it ends; told behind the last line */
	bool skipping; /* the rest of a line that was too long */
	char *buf;     /* one byte more than cap */
	size_t pos, len, cap;
	uint64_t size; /* of the file; 0: not known */
	void (*tell)(void *arg, uint64_t read, uint64_t size, bool at_end);
	void *arg;
};

/* Through its own descriptor, so that nobody can put a device there. */
static int open_pipe(const char *path)
{
	char self[32];
	struct stat st;
	int at = open(path, O_PATH | O_CLOEXEC), fd = -1, err = -EPERM;

	if (at < 0)
		return -errno;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", at);
	if (!fstat(at, &st) && S_ISFIFO(st.st_mode)) {
		fd = open(self, O_RDONLY | O_CLOEXEC);
		err = -errno;
	}
	close(at);
	return fd < 0 ? err : fd;
}

static int open_path(const char *path)
{
	struct stat st;
	int fd;

	if (!strcmp(path, "-")) {
		fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
		return fd < 0 ? -errno : fd;
	}
	fd = open_regular("", path, 0, &st);
	return fd == -EPERM ? open_pipe(path) : fd;
}

int source__open(struct source **out, const char *path, struct buf *why)
{
	struct source *s = calloc(1, sizeof(*s));
	struct stat st;
	int fd = s ? open_path(path) : -ENOMEM;

	*out = NULL;
	if (fd >= 0) {
		s->name = strcmp(path, "-") ? path : "stdin";
		s->size = !fstat(fd, &st) && S_ISREG(st.st_mode) ? st.st_size : 0;
		s->cap = FIRST_BYTES;
		s->buf = malloc(s->cap + 1);
		s->file = s->buf ? gzdopen(fd, "rb") : NULL;
		if (!s->file) {
			close(fd);
			fd = -ENOMEM;
		}
	}
	if (fd < 0) {
		source__close(s);
		return why__refuse(why, fd, "cannot read '%s': %s", path, regular__strerror(fd));
	}
	gzbuffer(s->file, FIRST_BYTES);
	*out = s;
	return 0;
}

void source__close(struct source *s)
{
	if (!s)
		return;
	if (s->file)
		gzclose_r(s->file);
	free(s->buf);
	free(s);
}

void source__on_progress(struct source *s,
			 void (*tell)(void *arg, uint64_t read, uint64_t size, bool at_end),
			 void *arg)
{
	s->tell = tell;
	s->arg = arg;
}

/* Of a packed file, what was read of the packed bytes; zlib does not know that of a pipe. */
static void tell_progress(const struct source *s)
{
	z_off_t at;

	if (!s->tell)
		return;
	at = s->size ? gzoffset(s->file) : gztell(s->file);
	s->tell(s->arg, at > 0 ? at : 0, s->size, s->at_end);
}

const char *source__name(const struct source *s)
{
	return s->name;
}

const char *source__strerror(int err)
{
	switch (err) {
	case -ENODATA:
		return "what gzip has packed is cut off";
	case -EBADMSG:
		return "what gzip has packed is damaged";
	default:
		return strerror(-err);
	}
}

static int end_of_file(const struct source *s)
{
	int err;

	gzerror(s->file, &err);
	return err == Z_BUF_ERROR ? -ENODATA : 0;
}

static int read_error(const struct source *s)
{
	int err, number = errno;

	gzerror(s->file, &err);
	if (err == Z_ERRNO)
		return number ? -number : -EIO;
	return err == Z_MEM_ERROR ? -ENOMEM : -EBADMSG;
}

/* Reads more behind what was not taken yet. 0 or -ENOMEM; s->err is another thing. */
static int fill(struct source *s)
{
	int n;

	memmove(s->buf, s->buf + s->pos, s->len - s->pos);
	s->len -= s->pos;
	s->pos = 0;
	if (s->len == s->cap) {
		char *more = realloc(s->buf, 2 * s->cap + 1);

		if (!more)
			return -ENOMEM;
		s->buf = more;
		s->cap *= 2;
	}
	errno = 0;
	n = gzread(s->file, s->buf + s->len, s->cap - s->len);
	if (n > 0) {
		s->len += n;
		tell_progress(s);
		return 0;
	}
	s->at_end = true;
	tell_progress(s);
	s->err = n ? read_error(s) : end_of_file(s);
	return 0;
}

int source__peek(struct source *s, const char **text, size_t *len)
{
	int err = 0;

	while (!err && !s->at_end && s->len - s->pos < SOURCE_PEEK_BYTES)
		err = fill(s);
	*text = s->buf + s->pos;
	*len = s->len - s->pos;
	if (*len > SOURCE_PEEK_BYTES)
		*len = SOURCE_PEEK_BYTES;
	return err;
}

/* A line that is cut off with the file is no line. */
static int end(struct source *s)
{
	const int err = s->err;

	s->pos = s->len;
	s->err = 0;
	return err;
}

/* What is there up to @end, which is behind all of it without an end of line. */
static void take(struct source *s, size_t end, char **line, size_t *len)
{
	*line = s->buf + s->pos;
	*len = end - s->pos;
	s->pos = end < s->len ? end + 1 : end;
	if (*len && (*line)[*len - 1] == '\r')
		--*len;
	(*line)[*len] = '\0';
}

int source__bytes(struct source *s, void *out, size_t *len)
{
	const size_t want = *len;
	int err = 0;

	for (*len = 0; !err && *len < want && !(s->at_end && s->pos == s->len);) {
		size_t n = s->len - s->pos < want - *len ? s->len - s->pos : want - *len;

		memcpy((char *)out + *len, s->buf + s->pos, n);
		*len += n;
		s->pos += n;
		if (*len < want)
			err = s->at_end ? 0 : fill(s);
	}
	return !err && *len < want ? s->err : err;
}

int source__line(struct source *s, char **line, size_t *len)
{
	size_t looked = 0;

	for (;;) {
		const char *newline =
			memchr(s->buf + s->pos + looked, '\n', s->len - s->pos - looked);
		bool was_skipping = s->skipping;
		int err;

		if (newline || (s->at_end && !s->err && s->pos < s->len)) {
			take(s, newline ? (size_t)(newline - s->buf) : s->len, line, len);
			s->skipping = false;
			if (!was_skipping)
				return 1;
			looked = 0;
			continue;
		}
		if (s->at_end)
			return end(s);
		if (s->len - s->pos >= SOURCE_LINE_BYTES) {
			s->pos = s->len;
			s->skipping = true;
			if (!was_skipping)
				return -EMSGSIZE;
		}
		looked = s->len - s->pos;
		err = fill(s);
		if (err)
			return err;
	}
}
