// SPDX-License-Identifier: BSD-2-Clause
#include "sym/perfmap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/regular.h"
#include "sym/lines.h"

#define MAX_FILE_BYTES (1u << 30)

struct perfmap {
	struct symtab *syms;
	char *path; /* NULL: parsed from memory */
	struct stat st;
};

static struct perfmap *new_map(const char *path)
{
	struct perfmap *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->syms = symtab__new();
	m->path = path ? strdup(path) : NULL;
	if (!m->syms || (path && !m->path)) {
		perfmap__close(m);
		return NULL;
	}
	return m;
}

void perfmap__close(struct perfmap *m)
{
	if (!m)
		return;
	symtab__free(m->syms);
	free(m->path);
	free(m);
}

static const char *skip_spaces(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

/* "START SIZE NAME"; the name may have spaces in it. */
static int add_line(struct symtab *t, const char *p, size_t len)
{
	const char *end = p + len, *gap;
	uint64_t addr, size;

	p = skip_spaces(p, end);
	if (!parse_hex(&p, end, &addr))
		return 0;
	gap = p;
	p = skip_spaces(p, end);
	if (p == gap || !parse_hex(&p, end, &size))
		return 0;
	gap = p;
	p = skip_spaces(p, end);
	if (end > p && end[-1] == '\r')
		end--;
	if (p == gap || p == end || !*p || !size || size > UINT64_MAX - addr)
		return 0;
	if (symtab__nr(t) >= SYMTAB_MAX)
		return -EFBIG;
	return symtab__add(t, addr, size, p, end - p, SYM_GLOBAL);
}

static int read_map(struct symtab *t, int fd)
{
	struct lines *lines = calloc(1, sizeof(*lines));
	size_t len;
	char *line;
	int err;

	if (!lines)
		return -ENOMEM;
	lines->fd = fd;
	while ((err = lines__next(lines, &line, &len)) > 0) {
		/* It may have grown since its size was looked at. */
		err = lines->bytes <= MAX_FILE_BYTES ? add_line(t, line, len) : -EFBIG;
		if (err)
			break;
	}
	free(lines);
	return err ? err : symtab__finish_latest(t);
}

int perfmap__open(struct perfmap **out, const char *path, uid_t uid)
{
	struct perfmap *m;
	struct stat st;
	int err, fd;

	*out = NULL;
	fd = open_regular("", path, O_NOFOLLOW, &st);
	if (fd < 0)
		return fd;
	m = new_map(path);
	if (!m) {
		err = -ENOMEM;
		goto out_close;
	}
	m->st = st;
	if (st.st_uid && st.st_uid != uid)
		err = -EPERM;
	else if (st.st_size > MAX_FILE_BYTES)
		err = -EFBIG;
	else
		err = read_map(m->syms, fd);
out_close:
	close(fd);
	if (err)
		perfmap__close(m);
	else
		*out = m;
	return err;
}

int perfmap__parse(struct perfmap **out, const char *text, size_t len)
{
	const char *end = text + len, *eol;
	struct perfmap *m = new_map(NULL);
	int err = m ? 0 : -ENOMEM;

	*out = NULL;
	for (; !err && text < end; text = eol < end ? eol + 1 : end) {
		eol = memchr(text, '\n', end - text);
		if (!eol)
			eol = end;
		err = add_line(m->syms, text, eol - text);
	}
	if (!err)
		err = symtab__finish_latest(m->syms);
	if (err) {
		perfmap__close(m);
		return err;
	}
	*out = m;
	return 0;
}

bool perfmap__find(const struct perfmap *m, uint64_t addr, struct sym *out)
{
	return symtab__find(m->syms, addr, out);
}

/* A file that is gone has nothing new to say. */
bool perfmap__stale(const struct perfmap *m)
{
	struct stat st;

	if (!m->path || lstat(m->path, &st))
		return false;
	return st.st_dev != m->st.st_dev || st.st_ino != m->st.st_ino ||
	       st.st_size != m->st.st_size || st.st_mtim.tv_sec != m->st.st_mtim.tv_sec ||
	       st.st_mtim.tv_nsec != m->st.st_mtim.tv_nsec;
}
