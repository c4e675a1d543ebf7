// SPDX-License-Identifier: BSD-2-Clause
/* Creates a file with O_TMPFILE, or with a temporary name, and gives it its own name later. */
#include "base/newfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/log.h"

enum { TRIES = 100 };

static const char ACL[] = "system.posix_acl_access";

static void hold_signals(struct newfile *n)
{
	sigset_t all;

	if (n->holds)
		return;
	sigfillset(&all);
	n->holds = !pthread_sigmask(SIG_SETMASK, &all, &n->old);
}

static void release_signals(struct newfile *n)
{
	if (n->holds)
		pthread_sigmask(SIG_SETMASK, &n->old, NULL);
	n->holds = false;
}

/* Tries random names until @use finds one that is free (not -EEXIST). Returns what @use did. */
static int find_name(struct newfile *n, int (*use)(struct newfile *n, int fd), int fd)
{
	int err = -EEXIST;

	for (unsigned i = 0; i < TRIES && err == -EEXIST; i++) {
		uint64_t some = 0;

		if (getrandom(&some, sizeof(some), GRND_NONBLOCK) < 0)
			some = (uint64_t)getpid() << 32 | i << 16;
		snprintf(n->beside, sizeof(n->beside), ".pmutrace-%012llx",
			 (unsigned long long)(some >> 16));
		err = use(n, fd);
	}
	if (err < 0)
		n->beside[0] = '\0';
	return err;
}

static int create(const struct newfile *n, const char *name)
{
	int fd =
		openat(n->dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, n->mode);

	return fd < 0 ? -errno : fd;
}

static int create_beside(struct newfile *n, int unused)
{
	(void)unused;
	return create(n, n->beside);
}

static int remove_beside(struct newfile *n)
{
	int err = unlinkat(n->dir, n->beside, 0) ? -errno : 0;

	n->beside[0] = '\0';
	return err;
}

static int link_as(const struct newfile *n, int fd, const char *name)
{
	char self[64];

	/* AT_EMPTY_PATH instead wants CAP_DAC_READ_SEARCH: open(2). */
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, self, n->dir, name, AT_SYMLINK_FOLLOW) ? -errno : 0;
}

static int link_beside(struct newfile *n, int fd)
{
	return link_as(n, fd, n->beside);
}

static int try_directory(struct newfile *n)
{
	int fd, err;

	hold_signals(n);
	fd = find_name(n, create_beside, -1);
	if (fd >= 0)
		close(fd);
	err = fd < 0 ? fd : remove_beside(n);
	release_signals(n);
	return err;
}

int newfile__open(struct newfile *n, int dir, const char *name, mode_t mode, bool replaces, int *fd)
{
	*n = (struct newfile){ .dir = dir, .name = name, .mode = mode, .replaces = replaces };
	*fd = openat(dir, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
	n->has_anonymous = *fd >= 0;
	if (*fd >= 0)
		return 0;
	if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
		return -errno;
	return try_directory(n);
}

int newfile__make(struct newfile *n)
{
	int fd;

	hold_signals(n);
	fd = n->replaces ? find_name(n, create_beside, -1) : create(n, n->name);
	n->has_name = fd >= 0 && !n->replaces;
	if (fd < 0)
		release_signals(n);
	return fd;
}

static int give_name(struct newfile *n, int fd)
{
	int err = 0;

	if (n->has_name)
		return 0;
	if (n->has_anonymous)
		err = link_as(n, fd, n->name);
	if (err == -EEXIST && n->replaces)
		err = find_name(n, link_beside, fd);
	if (!err && n->beside[0] && renameat(n->dir, n->beside, n->dir, n->name))
		err = -errno;
	return err;
}

int newfile__show(struct newfile *n, int fd)
{
	int err;

	hold_signals(n);
	err = give_name(n, fd);
	if (!err) {
		n->has_name = false;
		n->beside[0] = '\0';
	}
	newfile__end(n);
	return err;
}

/* Under an access list the mode's group bits are a mask. 1: @fd has one now; 0: none; -errno. */
static int take_acl(int fd, int old)
{
	char acl[4096], self[64];
	ssize_t n;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", old);
	n = getxattr(self, ACL, acl, sizeof(acl));
	if (n < 0)
		return errno == ENODATA || errno == EOPNOTSUPP ? 0 : -errno;
	return fsetxattr(fd, ACL, acl, n, 0) ? -errno : 1;
}

void newfile__take_after(int fd, int old, const struct stat *st)
{
	mode_t mode = st->st_mode & 0777;
	int acl = -EPERM;

	if (fchmod(fd, mode & 0700))
		log__debug("a file that is replaced does not keep its mode");
	/* It comes from the directory's default list (acl(5)), not from the old file. */
	if (fremovexattr(fd, ACL) && errno != ENODATA && errno != EOPNOTSUPP)
		log__debug("a file that is replaced has the access list of its directory");
	if (!fchown(fd, st->st_uid, st->st_gid) || !fchown(fd, -1, st->st_gid))
		acl = take_acl(fd, old);
	if (acl < 0) {
		log__debug("a file that is replaced is not for a group any more");
		mode &= ~070 | (mode & 07) << 3;
	}
	if (acl <= 0 && fchmod(fd, mode))
		log__debug("a file that is replaced is for its owner alone");
}

void newfile__end(struct newfile *n)
{
	if (n->beside[0])
		remove_beside(n);
	if (n->has_name)
		unlinkat(n->dir, n->name, 0);
	n->has_name = false;
	release_signals(n);
}
