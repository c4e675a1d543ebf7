// SPDX-License-Identifier: BSD-2-Clause
/* Makes the path of a place out of a file's own and what the file says, and opens it. */
#include "elf/debug_places.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/allowance.h"
#include "base/regular.h"

#define DEBUG_DIR "/usr/lib/debug"

/* A path in pieces: all of @prefix, @dir_len bytes of @dir, all of @sub and @name. */
struct pieces {
	const char *prefix, *dir;
	size_t dir_len;
	const char *sub, *name;
};

int opener__open(const struct opener *o, const struct debug_place *place, unsigned nr)
{
	return o->open ? o->open(o->arg, o->file, place, nr) : -ENODATA;
}

/* Bytes of the path up to the last slash, that one included. */
static size_t dir_bytes(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 - path : 0;
}

static bool is_absolute(const char *name)
{
	return name && *name == '/';
}

/* The one place by build-id; @path: room for it. */
static int by_id(const struct debug_place *p, unsigned nr, char *path, size_t size,
		 struct pieces *out)
{
	size_t at;

	if (nr || p->id_len < 2 || p->id_len > PLACE_ID_BYTES)
		return -ENODATA;
	at = snprintf(path, size, DEBUG_DIR "/.build-id/%02x/", p->id[0]);
	for (size_t i = 1; i < p->id_len; i++)
		at += snprintf(path + at, size - at, "%02x", p->id[i]);
	snprintf(path + at, size - at, ".debug");
	*out = (struct pieces){ "", "", 0, "", path };
	return 0;
}

static int by_link(const char *file, const struct debug_place *p, unsigned nr, struct pieces *out)
{
	const struct pieces all[] = {
		{ "", file, dir_bytes(file), "", p->name },
		{ "", file, dir_bytes(file), ".debug/", p->name },
		{ DEBUG_DIR, file, dir_bytes(file), "", p->name },
	};

	if (nr >= ARRAY_SIZE(all) || !p->name || !*p->name || strchr(p->name, '/'))
		return -ENODATA;
	*out = all[nr];
	return 0;
}

static int alternate(const char *file, const struct debug_place *p, unsigned nr, struct pieces *out)
{
	const struct pieces all[] = {
		{ "", file, dir_bytes(file), "", p->name },
		{ DEBUG_DIR, file, dir_bytes(file), "", p->name },
		/* A debug file by build-id is two directories below. */
		{ DEBUG_DIR "/.build-id/00/", "", 0, "", p->name },
	};
	const bool absolute = is_absolute(p->name);

	if (!p->name || !*p->name || nr >= (absolute ? 1 : ARRAY_SIZE(all)))
		return -ENODATA;
	*out = absolute ? (struct pieces){ "", "", 0, "", p->name } : all[nr];
	return 0;
}

static int split(const char *file, const struct debug_place *p, unsigned nr, struct pieces *out)
{
	const char *dir = p->dir ? p->dir : "", *name = p->name ? p->name : "";
	const struct pieces all[] = {
		{ "", dir, strlen(dir), "/", name },
		{ "", file, dir_bytes(file), "", name },
		{ "", file, dir_bytes(file), "", name + dir_bytes(name) },
	};
	const struct pieces of_absolute[] = {
		{ "", "", 0, "", name },
		{ "", file, dir_bytes(file), "", name + dir_bytes(name) },
	};
	const bool absolute = is_absolute(name);

	if (!*name || nr >= (absolute ? ARRAY_SIZE(of_absolute) : ARRAY_SIZE(all)))
		return -ENODATA;
	*out = absolute ? of_absolute[nr] : all[nr];
	return 0;
}

static int find_pieces(const char *file, const struct debug_place *p, unsigned nr, char *room,
		       size_t size, struct pieces *out)
{
	switch (p->kind) {
	case PLACE_BY_ID:
		return by_id(p, nr, room, size, out);
	case PLACE_BY_LINK:
		return by_link(file, p, nr, out);
	case PLACE_ALT:
		return alternate(file, p, nr, out);
	case PLACE_SPLIT:
		return split(file, p, nr, out);
	case PLACE_PACKAGE:
		*out = (struct pieces){ "", file, strlen(file), "", ".dwp" };
		return nr ? -ENODATA : 0;
	case PLACE_BY_SERVER:
	case PLACE_KINDS:
		break;
	}
	return -ENODATA;
}

/* Is @root our own root? Then the same path need not be tried there a second time. */
static bool is_ours(const char *root)
{
	struct stat st, own;

	return !*root || (!stat(root, &st) && !stat("/", &own) && st.st_dev == own.st_dev &&
			  st.st_ino == own.st_ino);
}

/* May it speak for a file of that owner? */
static bool is_believed(const struct stat *st, uint32_t owner)
{
	return !allowance__is_for(st) || file_owner(st->st_uid, st->st_mode) == owner;
}

/* Numbers are pairs: each path below the process's root, then below ours. */
int debug_places__open(void *places, uint32_t file, const struct debug_place *place, unsigned nr)
{
	const struct debug_places *of = places;
	char path[PATH_MAX], room[sizeof(DEBUG_DIR) + 32 + 2 * PLACE_ID_BYTES];
	const bool below_ours = nr % 2;
	struct pieces p;
	struct stat st;
	int n, fd, err;

	(void)file;
	err = find_pieces(of->path, place, nr / 2, room, sizeof(room), &p);
	if (err)
		return err;
	n = snprintf(path, sizeof(path), "%s%.*s%s%s", p.prefix, (int)p.dir_len, p.dir, p.sub,
		     p.name);
	if (n < 0 || (size_t)n >= sizeof(path))
		return -ENAMETOOLONG;
	if (*path != '/' || (below_ours && is_ours(of->root)))
		return -ENOENT;
	fd = open_regular(below_ours ? "" : of->root, path, 0, &st);
	if (fd < 0 || of->any_owner || is_believed(&st, of->owner))
		return fd;
	close(fd);
	return -ENOENT;
}

int elf_alone(int fd)
{
	char magic[4];

	if (fd < 0 || (pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
		       !memcmp(magic, "\177ELF", sizeof(magic))))
		return fd;
	close(fd);
	return -ENOEXEC;
}
