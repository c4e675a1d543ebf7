// SPDX-License-Identifier: BSD-2-Clause
/* Creates a file with a lock, renames it when it is whole; removes those of the dead. */
#include "serve/out_part.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static const char HEAD[] = ".pmutrace-", TAIL[] = ".part";

enum { HEX = 12, TRIES = 100 };

static void make_name(struct out_part *p, unsigned i)
{
	uint64_t some = 0;

	if (getrandom(&some, sizeof(some), GRND_NONBLOCK) < 0)
		some = (uint64_t)getpid() << 32 | i << 16;
	snprintf(p->name, sizeof(p->name), "%s%012llx%s", HEAD, (unsigned long long)(some >> 16),
		 TAIL);
}

int out_part__begin(struct out_part *p, int dir, mode_t mode)
{
	*p = (struct out_part){ .dir = dir, .fd = -1 };
	for (unsigned i = 0; i < TRIES && p->fd < 0; i++) {
		make_name(p, i);
		p->fd = openat(dir, p->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			       mode);
		if (p->fd < 0 && errno != EEXIST)
			break;
	}
	if (p->fd < 0) {
		p->name[0] = '\0';
		return -errno;
	}
	/* Who looks for dead ones may have it in this moment: then it is removed, and not shown. */
	if (flock(p->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return -ENOENT;
	return 0;
}

int out_part__write(struct out_part *p, const void *bytes, size_t len)
{
	const char *at = bytes;

	while (len) {
		const ssize_t n = write(p->fd, at, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		at += n;
		len -= n;
	}
	return 0;
}

/* Where a file system has no rename that replaces nothing: a second name, and one less. */
static int show_by_link(const struct out_part *p, const char *name)
{
	if (linkat(p->dir, p->name, p->dir, name, 0))
		return -errno;
	return unlinkat(p->dir, p->name, 0) ? -errno : 0;
}

int out_part__show(struct out_part *p, const char *name)
{
	int err = renameat2(p->dir, p->name, p->dir, name, RENAME_NOREPLACE) ? -errno : 0;

	if (err == -EINVAL || err == -ENOSYS)
		err = show_by_link(p, name);
	if (!err)
		p->name[0] = '\0';
	return err;
}

void out_part__end(struct out_part *p)
{
	if (p->name[0])
		(void)unlinkat(p->dir, p->name, 0);
	if (p->fd >= 0)
		close(p->fd);
	*p = (struct out_part){ .fd = -1 };
}

static bool is_part(const char *name)
{
	const size_t head = sizeof(HEAD) - 1;

	return strlen(name) == head + HEX + sizeof(TAIL) - 1 && !strncmp(name, HEAD, head) &&
	       strspn(name + head, "0123456789abcdef") == HEX && !strcmp(name + head + HEX, TAIL);
}

void out_part__remove_dead(int dir, const char *name)
{
	struct stat st;
	int fd;

	if (!is_part(name))
		return;
	fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	    !flock(fd, LOCK_EX | LOCK_NB))
		(void)unlinkat(dir, name, 0);
	close(fd);
}
