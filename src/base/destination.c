// SPDX-License-Identifier: BSD-2-Clause
/* Walks a path name by name, checks each link on the way, and finds what is to be written. */
#include "base/destination.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/parse.h"

enum {
	LINKS_MAX = 40,		  /* as the kernel has it: path_resolution(7) */
	ST_NOSYMFOLLOW_ = 0x2000, /* of statfs(2), Linux 5.10 */
	OVERFLOW_UID = 65534,	  /* of owners without a uid in our user namespace */
};

struct walk {
	struct destination *d;
	bool is_new;
	unsigned nr_links;
	char rest[PATH_MAX]; /* of the path: still to be walked */
};

/*
 * In a sticky directory that everybody may write to: what belongs neither to us nor to the owner
 * of the directory, and files with several hard links, as it is not known who made this one. As
 * protected_symlinks, protected_regular, protected_fifos and protected_hardlinks of proc_sys_fs(5).
 */
static bool is_strangers(const struct stat *dir, const struct stat *st)
{
	if (!(dir->st_mode & S_ISVTX) || !(dir->st_mode & S_IWOTH))
		return false;
	if (S_ISREG(st->st_mode) && st->st_nlink > 1)
		return true;
	if (st->st_uid == geteuid())
		return false;
	return st->st_uid != dir->st_uid || st->st_uid == OVERFLOW_UID;
}

static int check_owner(const struct walk *w, const struct stat *st)
{
	struct stat dir;

	if (fstat(w->d->dir, &dir))
		return -errno;
	return is_strangers(&dir, st) ? -DESTINATION_STRANGERS : 0;
}

/* Makes @fd the directory where we are. @fd: taken; -1: it failed with errno. */
static int go_to(struct walk *w, int fd)
{
	if (fd < 0)
		return -errno;
	if (w->d->dir >= 0)
		close(w->d->dir);
	w->d->dir = fd;
	return 0;
}

static int go_to_root(struct walk *w, bool absolute)
{
	return go_to(w, open(absolute ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
}

/* If we are in /proc/self/fd: the descriptor that @name stands for; else -1. */
static int own_descriptor(const struct walk *w, const char *name)
{
	struct stat dir, own;
	uint64_t n;

	if (fstat(w->d->dir, &dir) || stat("/proc/self/fd", &own) || dir.st_ino != own.st_ino ||
	    dir.st_dev != own.st_dev || parse__u64(name, 0, INT_MAX, &n))
		return -1;
	return n;
}

/* Links of /proc may lead to what has no path: the kernel follows them. 1: it was the last name. */
static int follow_magic(struct walk *w, const char *name, bool is_last)
{
	struct destination *d = w->d;

	if (!is_last)
		return go_to(w, openat(d->dir, name, O_PATH | O_DIRECTORY | O_CLOEXEC));
	d->file = openat(d->dir, name, O_PATH | O_CLOEXEC);
	if (d->file < 0 || fstat(d->file, &d->st))
		return -errno;
	if (S_ISDIR(d->st.st_mode))
		return -EISDIR;
	d->own_fd = own_descriptor(w, name);
	close(d->dir);
	d->dir = -1;
	return 1;
}

/* @link: opened with O_PATH. Its text is put in front of the rest of the path. */
static int follow_text(struct walk *w, int link)
{
	char path[PATH_MAX];
	ssize_t n = readlinkat(link, "", path, sizeof(path));
	size_t len = strlen(w->rest);

	if (n < 0)
		return -errno;
	if (!n)
		return -ENOENT;
	if (n + len >= sizeof(path))
		return -ENAMETOOLONG;
	memcpy(path + n, w->rest, len + 1);
	memcpy(w->rest, path, n + len + 1);
	return path[0] == '/' ? go_to_root(w, true) : 0;
}

static int follow(struct walk *w, int link, const struct stat *st, const char *name, bool is_last)
{
	struct statfs fs;
	int err = check_owner(w, st);

	if (err)
		return err;
	if (fstatfs(link, &fs))
		return -errno;
	if (++w->nr_links > LINKS_MAX || fs.f_flags & ST_NOSYMFOLLOW_)
		return -ELOOP;
	if (fs.f_type == PROC_SUPER_MAGIC)
		return follow_magic(w, name, is_last);
	return follow_text(w, link);
}

/* O_DIRECTORY: an automounter is to mount it. */
static int enter(struct walk *w, const char *name)
{
	int err = go_to(w, openat(w->d->dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
	struct stat st;
	int fd;

	if (err != -ENOTDIR)
		return err;
	fd = openat(w->d->dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		err = -errno;
	else if (S_ISLNK(st.st_mode))
		err = follow(w, fd, &st, name, false);
	close(fd);
	return err;
}

static int end_at(struct walk *w, const char *name, bool wants_dir)
{
	struct destination *d = w->d;
	int fd = openat(d->dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC), err;

	if (fd < 0 && errno != ENOENT)
		return -errno;
	if (fd >= 0 && fstat(fd, &d->st)) {
		err = -errno;
	} else if (fd >= 0 && w->is_new && !wants_dir) {
		err = -EEXIST;
	} else if (fd >= 0 && S_ISLNK(d->st.st_mode)) {
		err = follow(w, fd, &d->st, name, !wants_dir);
	} else if (wants_dir || (fd >= 0 && S_ISDIR(d->st.st_mode))) {
		err = fd >= 0 && !S_ISDIR(d->st.st_mode) ? -ENOTDIR : -EISDIR;
	} else {
		err = fd >= 0 ? check_owner(w, &d->st) : 0;
		d->name = err ? NULL : strdup(name);
		if (d->name) {
			d->file = fd;
			return 1;
		}
		err = err ? err : -ENOMEM;
	}
	if (fd >= 0)
		close(fd);
	return err;
}

/* The next name of the path: 0; 1: it was the last; -errno. */
static int step(struct walk *w)
{
	char name[NAME_MAX + 1], *at = w->rest + strspn(w->rest, "/");
	size_t len = strcspn(at, "/"), slashes = strspn(at + len, "/");
	bool is_last = !at[len + slashes];

	if (!len)
		return -EISDIR;
	if (len > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(name, at, len);
	name[len] = '\0';
	memmove(w->rest, at + len, strlen(at + len) + 1);
	return is_last ? end_at(w, name, slashes) : enter(w, name);
}

int destination__find(struct destination *d, const char *path, bool is_new)
{
	struct walk w = { .d = d, .is_new = is_new };
	int err;

	*d = (struct destination){ .dir = -1, .file = -1, .own_fd = -1 };
	if (!*path)
		return -ENOENT;
	if (strlen(path) >= sizeof(w.rest))
		return -ENAMETOOLONG;
	strcpy(w.rest, path);
	err = go_to_root(&w, path[0] == '/');
	while (!err)
		err = step(&w);
	if (err > 0)
		return 0;
	destination__close(d);
	return err;
}

void destination__close(struct destination *d)
{
	if (d->dir >= 0)
		close(d->dir);
	if (d->file >= 0)
		close(d->file);
	free(d->name);
	*d = (struct destination){ .dir = -1, .file = -1, .own_fd = -1 };
}

int destination__open(const struct destination *d, int flags)
{
	char self[64];
	int fd;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", d->file);
	fd = open(self, O_WRONLY | O_CLOEXEC | O_NOCTTY | flags);
	return fd < 0 ? -errno : fd;
}
