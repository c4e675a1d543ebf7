// SPDX-License-Identifier: BSD-2-Clause
/* Finds a file with O_PATH, checks that it is a regular one, and opens just that for reading. */
#include "base/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Linux 5.6; there is no wrapper in glibc. */
static int open_in_root(const char *root, const char *path, int flags)
{
	struct open_how how = { .flags = flags, .resolve = RESOLVE_IN_ROOT };
	int dir, fd;

	dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -errno;
	fd = syscall(SYS_openat2, dir, path, &how, sizeof(how));
	if (fd < 0)
		fd = -errno;
	close(dir);
	return fd;
}

static int open_place(const char *root, const char *path, int flags)
{
	int fd;

	if (*root)
		return open_in_root(root, path, flags);
	fd = open(path, flags);
	return fd < 0 ? -errno : fd;
}

/* A descriptor made with O_PATH has opened nothing yet; /proc opens what it stands for. */
static int reopen(int place)
{
	char self[64];
	int fd;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", place);
	fd = open(self, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

int open_regular(const char *root, const char *path, int flags, struct stat *st)
{
	int place, fd;

	place = open_place(root, path, flags | O_PATH | O_CLOEXEC);
	if (place < 0)
		return place;
	if (fstat(place, st))
		fd = -errno;
	else if (!S_ISREG(st->st_mode))
		fd = -EPERM;
	else
		fd = reopen(place);
	close(place);
	return fd;
}

uint32_t file_owner(uint32_t uid, uint32_t mode)
{
	return mode & S_IWOTH ? FILE_OF_ANYBODY : uid;
}

int open_directory(const char *root, const char *path)
{
	return open_place(root, path, O_PATH | O_CLOEXEC | O_DIRECTORY);
}

int regular__read(struct buf *b, const char *path, size_t limit)
{
	struct stat st;
	int fd = open_regular("", path, 0, &st), err;

	if (fd < 0)
		return fd;
	err = buf__read_fd(b, fd, limit);
	close(fd);
	return err;
}

const char *regular__strerror(int err)
{
	return err == -EPERM ? "not a regular file" : strerror(-err);
}
