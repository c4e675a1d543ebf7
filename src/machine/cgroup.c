// SPDX-License-Identifier: BSD-2-Clause
/* Finds the cgroup2 mount, and opens cgroup folders by their ids to read their paths. */
#include "machine/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/idmap.h"
#include "base/strtab.h"

enum { HANDLE_KERNFS = 0xfe }; /* FILEID_KERNFS, include/linux/exportfs.h */

struct cgroups {
	char mount[PATH_MAX];
	int mount_fd; /* -1: no hierarchy */
	struct strtab *paths;
	struct idmap by_id;
};

int cgroup2__mount(char *path, size_t size)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct mntent *m;
	int err = -ENOENT;

	if (!mounts)
		return -errno;
	while ((m = getmntent(mounts))) {
		if (strcmp(m->mnt_type, "cgroup2"))
			continue;
		err = (size_t)snprintf(path, size, "%s", m->mnt_dir) < size ? 0 : -ENAMETOOLONG;
		break;
	}
	endmntent(mounts);
	return err;
}

int cgroups__open(struct cgroups **out)
{
	struct cgroups *c = calloc(1, sizeof(*c));

	*out = NULL;
	if (!c)
		return -ENOMEM;
	c->mount_fd = -1;
	c->paths = strtab__new();
	if (!c->paths) {
		cgroups__close(c);
		return -ENOMEM;
	}
	if (!cgroup2__mount(c->mount, sizeof(c->mount)))
		c->mount_fd = open(c->mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	*out = c;
	return 0;
}

void cgroups__close(struct cgroups *c)
{
	if (!c)
		return;
	if (c->mount_fd >= 0)
		close(c->mount_fd);
	strtab__free(c->paths);
	idmap__free(&c->by_id);
	free(c);
}

/* Length of the path in @path, or 0. */
static size_t look_up(const struct cgroups *c, uint64_t id, char *path, size_t size)
{
	union {
		struct file_handle handle;
		char bytes[sizeof(struct file_handle) + sizeof(id)];
	} h = { .handle = { .handle_bytes = sizeof(id), .handle_type = HANDLE_KERNFS } };
	size_t under = strlen(c->mount);
	char link[64];
	ssize_t len;
	int fd;

	if (c->mount_fd < 0)
		return 0;
	memcpy(h.handle.f_handle, &id, sizeof(id));
	fd = open_by_handle_at(c->mount_fd, &h.handle, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return 0;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, path, size - 1);
	close(fd);
	if (len < (ssize_t)under || strncmp(path, c->mount, under))
		return 0;
	path[len] = '\0';
	memmove(path, path + under, len - under + 1);
	if (!path[0])
		strcpy(path, "/");
	return strlen(path);
}

const char *cgroups__path(struct cgroups *c, uint64_t id)
{
	char path[PATH_MAX];
	uint32_t string;
	size_t len;

	if (idmap__get(&c->by_id, id, &string))
		return strtab__get(c->paths, string);
	len = look_up(c, id, path, sizeof(path));
	if (!len)
		len = snprintf(path, sizeof(path), "[cgroup %llu]", (unsigned long long)id);
	if (strtab__add(c->paths, path, len, &string) || idmap__set(&c->by_id, id, string))
		return "[cgroup]";
	return strtab__get(c->paths, string);
}

int cgroups__find(const struct cgroups *c, uint64_t id, char *path, size_t size)
{
	return look_up(c, id, path, size) ? 0 : -ENOENT;
}
