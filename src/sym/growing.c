// SPDX-License-Identifier: BSD-2-Clause
/* Opens a file that grows, and reads on in it slice by slice, within its allowance. */
#include "sym/growing.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/regular.h"

int growing__open(const char *root, const char *path, uid_t uid)
{
	struct stat st;
	int fd = open_regular(root, path, O_NOFOLLOW, &st);

	if (fd < 0 || !st.st_uid || st.st_uid == uid)
		return fd;
	close(fd);
	return -EPERM;
}

/* Bytes up to g->at, the last @used of what was read; if there are that many. */
static void note_tail(struct growing *g, const struct growing_part *part, uint64_t used)
{
	g->tail_len = used > part->len ? 0 : used < sizeof(g->tail) ? used : sizeof(g->tail);
	memcpy(g->tail, part->bytes + used - g->tail_len, g->tail_len);
}

static bool has_tail(const struct growing *g, int fd)
{
	char bytes[GROWING_TAIL_BYTES];
	const ssize_t len = g->tail_len;

	return pread(fd, bytes, len, g->at - len) == len && !memcmp(bytes, g->tail, len);
}

/* Reads on where the last call stopped. */
static int read_part(struct growing *g, int fd, const struct growing_fns *fns, char *bytes,
		     size_t *done)
{
	uint64_t left = g->st.st_size - g->at, used;
	size_t len = left < GROWING_PART_BYTES ? left : GROWING_PART_BYTES;
	ssize_t n = pread(fd, bytes, len, g->at);
	struct growing_part part = { .bytes = bytes, .len = n, .left = left };
	int err;

	if (n <= 0)
		return n ? -errno : GROWING_WHOLE;
	err = fns->parse(fns->arg, &part, &used);
	if (err || !used)
		return err ? err : GROWING_WHOLE;
	if (used > left)
		used = left;
	g->at += used;
	note_tail(g, &part, used);
	*done += n;
	return GROWING_MORE;
}

/* Once for each file. */
static void cut(struct growing *g, const struct growing_fns *fns)
{
	*fns->nr_cut += !g->is_cut;
	g->is_cut = true;
}

static int read_slice(struct growing *g, int fd, const struct growing_fns *fns)
{
	struct allowance *charge = allowance__is_for(&g->st) ? fns->run : NULL;
	char *bytes = malloc(GROWING_PART_BYTES);
	int state = bytes ? GROWING_MORE : -ENOMEM;
	size_t done = 0;

	allowance__begin(charge);
	while (state == GROWING_MORE && done < GROWING_SLICE_BYTES && g->at < g->st.st_size)
		state = allowance__spend(charge, GROWING_PART_BYTES)
				? read_part(g, fd, fns, bytes, &done)
				: -EDQUOT;
	allowance__pause(charge);
	free(bytes);
	g->is_whole = state == GROWING_WHOLE || (state == GROWING_MORE && g->at >= g->st.st_size);
	g->is_full |= state < 0 && state != -EDQUOT && state != -ENOMEM;
	if (state == -ENOSPC || state == -EDQUOT) {
		cut(g, fns);
		return GROWING_WHOLE; /* for now: allowances grow */
	}
	return g->is_whole ? GROWING_WHOLE : state;
}

static bool is_changed(const struct stat *a, const struct stat *b)
{
	return a->st_size != b->st_size || a->st_mtim.tv_sec != b->st_mtim.tv_sec ||
	       a->st_mtim.tv_nsec != b->st_mtim.tv_nsec;
}

/* Begins anew if it is another file by now, has become shorter, or was written anew. */
static int look(struct growing *g, int fd, const struct stat *st, const struct growing_fns *fns)
{
	int err;

	if (g->st.st_ino && (st->st_dev != g->st.st_dev || st->st_ino != g->st.st_ino ||
			     st->st_size < g->at || (is_changed(st, &g->st) && !has_tail(g, fd)))) {
		err = fns->restart(fns->arg);
		if (err)
			return err;
		*g = (struct growing){};
	}
	g->is_whole &= !is_changed(st, &g->st);
	g->st = *st;
	return 0;
}

int growing__read(struct growing *g, int fd, const struct growing_fns *fns)
{
	struct stat st;
	int err = fstat(fd, &st) ? -errno : look(g, fd, &st, fns);

	if (err)
		return err;
	return g->is_whole || g->is_full ? GROWING_SAME : read_slice(g, fd, fns);
}
