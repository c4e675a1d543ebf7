// SPDX-License-Identifier: BSD-2-Clause
/* Reads and parses perf maps slice by slice, within their allowance and room. */
#include "sym/perfmap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/lines.h"
#include "base/regular.h"

enum { PART_BYTES = 64 * 1024 }; /* more than any line */

struct perfmap {
	struct perfmaps *all;
	struct spans *spans;
	bool is_full;	  /* there is no room for more of this file */
	bool is_cut;	  /* for that, or for want of allowance so far: in nr_cut */
	bool is_whole;	  /* it was read to the end that it had then */
	bool is_skipping; /* the rest of a line that was too long */
	struct stat st;	  /* of the file, as it was then */
	off_t at;	  /* up to there */
};

struct perfmap *perfmap__new(struct perfmaps *all)
{
	struct perfmap *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->all = all;
	m->spans = spans__new(&all->room);
	if (!m->spans) {
		free(m);
		return NULL;
	}
	return m;
}

void perfmap__free(struct perfmap *m)
{
	if (!m)
		return;
	spans__free(m->spans);
	free(m);
}

static const char *skip_spaces(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

/* "START SIZE NAME"; the name may have spaces in it. */
static int add_line(struct spans *t, const char *p, size_t len)
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
	return spans__put(t, addr, size, p, end - p);
}

/* All lines that have an end; their bytes in *used. */
static int add_lines(struct perfmap *m, const char *text, size_t len, size_t *used)
{
	const char *eol;
	int err = 0;

	*used = 0;
	while (!err && (eol = memchr(text + *used, '\n', len - *used))) {
		if (!m->is_skipping)
			err = add_line(m->spans, text + *used, eol - text - *used);
		m->is_skipping = false;
		*used = eol + 1 - text;
	}
	return err;
}

/*
 * Reads on where the last call stopped. A last line without an end may be half of one: it is taken
 * as it is, since no more may come, and again when more has come.
 */
static int read_part(struct perfmap *m, int fd, char *text, size_t *done)
{
	size_t left = m->st.st_size - m->at, len = left < PART_BYTES ? left : PART_BYTES, used;
	ssize_t n = pread(fd, text, len, m->at);
	int err;

	if (n <= 0)
		return n ? -errno : PERFMAP_WHOLE;
	err = add_lines(m, text, n, &used);
	if (!err && !used && (size_t)n < PART_BYTES) {
		err = m->is_skipping ? 0 : add_line(m->spans, text, n);
		return err ? err : PERFMAP_WHOLE;
	}
	if (!err && !used) {
		m->is_skipping = true; /* longer than any line of use */
		used = n;
	}
	m->at += used;
	*done += used;
	return err ? err : PERFMAP_MORE;
}

/* Once for each file. */
static void cut(struct perfmap *m)
{
	m->all->nr_cut += !m->is_cut;
	m->is_cut = true;
}

static int read_slice(struct perfmap *m, int fd)
{
	struct allowance *charge = allowance__is_for(&m->st) ? m->all->run : NULL;
	char *text = malloc(PART_BYTES);
	int state = text ? PERFMAP_MORE : -ENOMEM;
	size_t done = 0;

	allowance__begin(charge);
	while (state == PERFMAP_MORE && done < PERFMAP_SLICE_BYTES && m->at < m->st.st_size)
		state = allowance__spend(charge, PART_BYTES) ? read_part(m, fd, text, &done)
							     : -EDQUOT;
	allowance__pause(charge);
	free(text);
	m->is_whole = state == PERFMAP_WHOLE || (state == PERFMAP_MORE && m->at >= m->st.st_size);
	m->is_full |= state == -ENOSPC;
	if (state == -ENOSPC || state == -EDQUOT) {
		cut(m);
		return PERFMAP_WHOLE; /* for now: allowances grow */
	}
	return m->is_whole ? PERFMAP_WHOLE : state;
}

static bool is_changed(const struct stat *a, const struct stat *b)
{
	return a->st_size != b->st_size || a->st_mtim.tv_sec != b->st_mtim.tv_sec ||
	       a->st_mtim.tv_nsec != b->st_mtim.tv_nsec;
}

/* Begins anew if it is another file by now, or has become shorter. */
static int look(struct perfmap *m, const struct stat *st)
{
	struct spans *fresh;

	if (m->st.st_ino &&
	    (st->st_dev != m->st.st_dev || st->st_ino != m->st.st_ino || st->st_size < m->at)) {
		fresh = spans__new(&m->all->room);
		if (!fresh)
			return -ENOMEM;
		spans__free(m->spans);
		m->spans = fresh;
		m->at = 0;
		m->is_whole = m->is_skipping = m->is_full = m->is_cut = false;
	}
	m->is_whole &= !is_changed(st, &m->st);
	m->st = *st;
	return 0;
}

int perfmap__read(struct perfmap *m, const char *root, const char *path, uid_t uid)
{
	struct stat st;
	int fd = open_regular(root, path, O_NOFOLLOW, &st), err;

	if (fd < 0)
		return fd;
	err = st.st_uid && st.st_uid != uid ? -EPERM : look(m, &st);
	if (!err)
		err = m->is_whole || m->is_full ? PERFMAP_SAME : read_slice(m, fd);
	close(fd);
	return err;
}

int perfmap__parse(struct perfmap *m, const char *text, size_t len)
{
	size_t used;
	int err = add_lines(m, text, len, &used);

	return err ? err : add_line(m->spans, text + used, len - used);
}

bool perfmap__find(const struct perfmap *m, uint64_t addr, struct sym *out)
{
	return spans__find(m->spans, addr, out);
}
