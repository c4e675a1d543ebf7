// SPDX-License-Identifier: BSD-2-Clause
/* Tries the places where files of debug information are put. */
#include "sym/inlines_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/regular.h"
#include "elf/debugfile.h"
#include "elf/elf_file.h"

enum { ID_BYTES_MAX = 64 };

/* @dir: its first @dir_len bytes, then the name. */
static int try_path(const struct inlines_files *f, const char *prefix, const char *dir,
		    size_t dir_len, const char *name)
{
	char path[PATH_MAX];
	struct stat st;
	int fd, n;

	n = snprintf(path, sizeof(path), "%s%.*s%s", prefix, (int)dir_len, dir, name);
	if (n < 0 || (size_t)n >= sizeof(path))
		return -ENAMETOOLONG;
	if (*path != '/')
		return -ENOENT;
	fd = open_regular(f->root, path, 0, &st);
	return fd < 0 && *f->root ? open_regular("", path, 0, &st) : fd;
}

/* Bytes of the path up to the last slash, that one included. */
static size_t dir_bytes(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 - path : 0;
}

static bool has_id(int fd, const struct inlines_wanted *w, struct allowance *run)
{
	unsigned char id[ID_BYTES_MAX];
	struct elf_from from;
	bool has = false;
	size_t len;

	if (elf_from__open(&from, fd, run)) {
		len = elf_file__build_id(from.elf, id, sizeof(id));
		has = len && len == w->id_len && !memcmp(id, w->id, len);
	}
	elf_from__close(&from);
	return has;
}

static int open_debug(const struct inlines_files *f, const struct inlines_wanted *w)
{
	unsigned char id[ID_BYTES_MAX];
	size_t len = elf_file__build_id(w->from->elf, id, sizeof(id));
	int fd = debugfile__open_by_id(f->root, id, len, f->run);

	return fd < 0 ? debugfile__open_by_link(f->root, f->path, w->from) : fd;
}

static int open_alt(const struct inlines_files *f, const struct inlines_wanted *w)
{
	int fd = debugfile__open_by_id(f->root, w->id, w->id_len, f->run);

	if (fd >= 0 || !w->id_len)
		return fd;
	if (*w->name == '/') {
		fd = try_path(f, "", "", 0, w->name);
	} else {
		fd = try_path(f, "", f->path, dir_bytes(f->path), w->name);
		if (fd < 0)
			fd = try_path(f, "/usr/lib/debug", f->path, dir_bytes(f->path), w->name);
		/* A debug file by build-id is two directories below /usr/lib/debug. */
		if (fd < 0)
			fd = try_path(f, "/usr/lib/debug/.build-id/00/", "", 0, w->name);
	}
	if (fd < 0 || has_id(fd, w, f->run))
		return fd;
	close(fd);
	return -ESTALE;
}

static int open_split(const struct inlines_files *f, const struct inlines_wanted *w)
{
	char dir[PATH_MAX];
	int fd, n;

	if (*w->name == '/') {
		fd = try_path(f, "", "", 0, w->name);
	} else {
		n = snprintf(dir, sizeof(dir), "%s/", w->dir ? w->dir : "");
		if (n < 0 || (size_t)n >= sizeof(dir))
			return -ENAMETOOLONG;
		fd = try_path(f, "", dir, n, w->name);
		if (fd < 0)
			fd = try_path(f, "", f->path, dir_bytes(f->path), w->name);
	}
	if (fd < 0)
		fd = try_path(f, "", f->path, dir_bytes(f->path), w->name + dir_bytes(w->name));
	return fd;
}

int inlines_files__open(void *files, const struct inlines_wanted *wanted)
{
	const struct inlines_files *f = files;

	switch (wanted->kind) {
	case INLINES_DEBUG:
		return open_debug(f, wanted);
	case INLINES_ALT:
		return open_alt(f, wanted);
	case INLINES_SPLIT:
		return open_split(f, wanted);
	case INLINES_PACKAGE:
		return try_path(f, "", f->path, strlen(f->path), ".dwp");
	}
	return -EINVAL;
}
