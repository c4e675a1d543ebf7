// SPDX-License-Identifier: BSD-2-Clause
/* Files are written beside their names, shown, listed, and removed when they are too many. */
#include "serve/out_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/why.h"
#include "serve/out_part.h"

enum { NUMBERS = 1000 };

static const uint64_t SWEEP_NS = 60 * 1000000000ull;

struct out_dir {
	int fd;
	struct out_dir_opts opts;
	struct out_dir_counts counts;
	struct out_list list;	/* as it was found last */
	uint64_t bytes_at_most; /* that can be there: others may have removed some since */
	bool is_known;		/* that is so */
	uint32_t number;	/* the next file's */
	uint64_t number_s;	/* of this second */
	uint64_t swept_ns;
};

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct out_entry *)a)->name, ((const struct out_entry *)b)->name);
}

/* A file of ours, by its name and by what it is. */
static bool is_ours(const struct out_dir *d, const char *name, struct out_entry *out)
{
	struct out_name said;
	struct stat st;

	if (!out_name__parse(name, d->opts.ending, &said) ||
	    fstatat(d->fd, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode) ||
	    st.st_uid != geteuid())
		return false;
	memcpy(out->name, name, strlen(name) + 1); /* which is shorter than OUT_NAME */
	out->begin_s = said.begin_s;
	out->bytes = (uint64_t)st.st_size;
	return true;
}

/* A descriptor's position is shared with who has a copy of it: the directory is opened anew. */
static DIR *open_listing(const struct out_dir *d)
{
	const int fd = openat(d->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir && fd >= 0)
		close(fd);
	return dir;
}

int out_dir__list(struct out_dir *d, struct out_list *list)
{
	DIR *dir = open_listing(d);
	struct out_entry one;
	int err = 0;

	list->nr = 0;
	list->bytes = 0;
	if (!dir)
		return errno ? -errno : -ENOMEM;
	for (struct dirent *e; !err && (e = readdir(dir));) {
		if (!is_ours(d, e->d_name, &one))
			continue;
		err = array__grow(&list->items, &list->cap, list->nr + 1);
		if (err)
			break;
		list->items[list->nr++] = one;
		list->bytes += one.bytes;
	}
	closedir(dir);
	if (list->nr)
		qsort(list->items, list->nr, sizeof(*list->items), compare_names);
	return err;
}

void out_list__free(struct out_list *list)
{
	free(list->items);
	*list = (struct out_list){};
}

int out_dir__remove(struct out_dir *d, const char *name)
{
	return unlinkat(d->fd, name, 0) ? -errno : 0;
}

static void remove_parts(struct out_dir *d)
{
	DIR *dir = open_listing(d);

	if (!dir)
		return;
	for (struct dirent *e; (e = readdir(dir));)
		out_part__remove_dead(d->fd, e->d_name);
	closedir(dir);
}

static bool is_old(const struct out_dir *d, const struct out_entry *e, uint64_t now_ns)
{
	return d->opts.max_age_ns && (e->begin_s * 1000000000ull + d->opts.max_age_ns < now_ns);
}

/* How many of the oldest were removed; they leave the list. */
static size_t remove_first(struct out_dir *d, size_t nr, uint64_t *count)
{
	size_t gone = 0;

	for (; gone < nr; gone++) {
		int err = out_dir__remove(d, d->list.items[gone].name);

		if (err && err != -ENOENT)
			break;
		*count += !err; /* who else has removed it counts it */
		d->list.bytes -= d->list.items[gone].bytes;
	}
	memmove(d->list.items, d->list.items + gone, (d->list.nr - gone) * sizeof(*d->list.items));
	d->list.nr -= gone;
	return gone;
}

void out_dir__sweep(struct out_dir *d, uint64_t now_ns)
{
	size_t old = 0;

	d->swept_ns = now_ns;
	remove_parts(d);
	if (out_dir__list(d, &d->list))
		return;
	while (old < d->list.nr && is_old(d, &d->list.items[old], now_ns))
		old++;
	if (old)
		remove_first(d, old, &d->counts.removed_old);
	d->bytes_at_most = d->list.bytes;
	d->is_known = true;
}

/* 0: so many bytes may be added; -ENOSPC: files cannot be removed. */
static int make_room(struct out_dir *d, size_t len)
{
	size_t nr = 0;
	uint64_t left;
	int err;

	if (!d->opts.max_bytes || (d->is_known && d->bytes_at_most + len <= d->opts.max_bytes))
		return 0;
	err = out_dir__list(d, &d->list);
	if (err)
		return err;
	for (left = d->list.bytes; nr < d->list.nr && left + len > d->opts.max_bytes; nr++)
		left -= d->list.items[nr].bytes;
	if (nr && remove_first(d, nr, &d->counts.removed_full) < nr)
		return -ENOSPC;
	d->bytes_at_most = d->list.bytes;
	d->is_known = true;
	return 0;
}

/* Gives the part a name that no file has. */
static int show(struct out_dir *d, struct out_part *part, const struct out_file *file)
{
	struct out_name name = { .begin_s = file->begin_ns / 1000000000,
				 .whose = file->whose,
				 .ending = d->opts.ending };
	char text[OUT_NAME];
	int err = -EEXIST;

	if (name.begin_s != d->number_s)
		d->number = 0;
	d->number_s = name.begin_s;
	for (unsigned i = 0; i < NUMBERS && err == -EEXIST; i++) {
		name.number = d->number++;
		err = out_name__make(text, &name);
		if (!err)
			err = out_part__show(part, text);
	}
	return err;
}

static int write_file(struct out_dir *d, const struct out_file *file, const void *bytes, size_t len)
{
	struct out_part part;
	int err = out_part__begin(&part, d->fd, d->opts.is_private ? 0600 : 0666);

	if (!err)
		err = out_part__write(&part, bytes, len);
	if (!err)
		err = show(d, &part, file);
	out_part__end(&part);
	return err;
}

int out_dir__put(struct out_dir *d, const struct out_file *file, const void *bytes, size_t len,
		 uint64_t now_ns)
{
	int err = 0;

	if (now_ns - d->swept_ns >= SWEEP_NS)
		out_dir__sweep(d, now_ns);
	if (d->opts.max_bytes && len > d->opts.max_bytes)
		err = -EFBIG;
	if (!err)
		err = make_room(d, len);
	if (!err)
		err = write_file(d, file, bytes, len);
	/* Somebody took it for a dead one's: once more. */
	if (err == -ENOENT)
		err = write_file(d, file, bytes, len);
	d->counts.written += !err;
	d->counts.failed += !!err;
	if (!err)
		d->bytes_at_most += len;
	return err;
}

static int check_owner(const struct out_dir *d, const char *path, struct buf *why)
{
	struct stat st;

	if (fstat(d->fd, &st))
		return why__refuse(why, -errno, "%s: %s", path, strerror(errno));
	if (!d->opts.is_private || (st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH))))
		return 0;
	return why__refuse(why, -EPERM,
			   "%s is another user's, or others may write to it: give a directory of "
			   "your own",
			   path);
}

int out_dir__open(struct out_dir **out, const char *path, const struct out_dir_opts *o,
		  struct buf *why)
{
	struct out_dir *d = calloc(1, sizeof(*d));
	int err = 0;

	*out = NULL;
	if (!d)
		return -ENOMEM;
	d->opts = *o;
	if (mkdir(path, o->is_private ? 0700 : 0777) && errno != EEXIST)
		err = -errno;
	d->fd = err ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (!err && d->fd < 0)
		err = -errno;
	if (err)
		err = why__refuse(why, err, "%s: %s", path,
				  err == -ELOOP || err == -ENOTDIR ? "is no directory"
								   : strerror(-err));
	else
		err = check_owner(d, path, why);
	if (err) {
		out_dir__close(d);
		return err;
	}
	remove_parts(d);
	*out = d;
	return 0;
}

void out_dir__close(struct out_dir *d)
{
	if (!d)
		return;
	if (d->fd >= 0)
		close(d->fd);
	out_list__free(&d->list);
	free(d);
}

const struct out_dir_counts *out_dir__counts(const struct out_dir *d)
{
	return &d->counts;
}

int out_dir__read(struct out_dir *d, const char *name)
{
	const int fd = openat(d->fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);

	return fd < 0 ? -errno : fd;
}

int out_dir__fd(const struct out_dir *d)
{
	return d->fd;
}

void out_dir__moved(struct out_dir *d, int fd)
{
	d->fd = fd;
}
