// SPDX-License-Identifier: BSD-2-Clause
/* "bash" and "libc" -> paths. Source: ld.so(8), ldconfig(8). */
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/regular.h"
#include "base/why.h"
#include "lookup/library_dirs.h"
#include "lookup/lookup.h"
#include "sym/maps.h"

#if defined(__x86_64__)
#define OUR_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OUR_MACHINE EM_AARCH64
#endif

#define MAPS_BYTES_MAX (64u << 20)

enum { LIBRARIES_MAX = 64 };

struct library {
	char *path; /* without the root */
	dev_t dev;
	ino_t inode;
};

struct search {
	const struct lookup_places *places;
	const char *name;
	size_t stem; /* bytes of the name in front of ".so"; 0: the name is a whole one */
	struct library found[LIBRARIES_MAX];
	size_t nr;
};

static bool is_whole_name(const char *name)
{
	return strstr(name, ".so.") || strstr(name, ".so-");
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "libssl.so.3" is "libssl" and "libssl.so"; "libssl.so.3.debug" is neither. */
static bool is_named(const struct search *s, const char *file)
{
	const char *rest = file + s->stem;

	if (!s->stem)
		return !strcmp(file, s->name);
	if (strncmp(file, s->name, s->stem) || strncmp(rest, ".so", 3))
		return false;
	return !rest[3] ||
	       (rest[3] == '.' && rest[4] && !rest[4 + strspn(rest + 4, "0123456789.")]);
}

/*
 * A library for this machine; "libc.so" of developers is a script of the linker. Its header alone
 * is looked at, without a library's help: whose file it is, is not known.
 */
static bool is_ours(const char *root, const char *path, struct stat *st)
{
	const uint16_t one = 1;
	const unsigned char data = *(const unsigned char *)&one ? ELFDATA2LSB : ELFDATA2MSB;
	int fd = open_regular(root, path, 0, st);
	Elf64_Ehdr h = {};
	bool ours = fd >= 0 && pread(fd, &h, sizeof(h), 0) == sizeof(h) &&
		    !memcmp(h.e_ident, ELFMAG, SELFMAG) && h.e_ident[EI_CLASS] == ELFCLASS64 &&
		    h.e_ident[EI_DATA] == data && h.e_type == ET_DYN && h.e_machine == OUR_MACHINE;

	if (fd >= 0)
		close(fd);
	return ours;
}

/* A name in one directory hides the same name in those after it. */
static int add_library(struct search *s, const char *path)
{
	struct stat st;
	char *copy;
	size_t i;

	for (i = 0; i < s->nr; i++)
		if (!strcmp(base_name(s->found[i].path), base_name(path)))
			return 0;
	if (s->nr == LIBRARIES_MAX || !is_ours(s->places->root, path, &st))
		return 0;
	copy = strdup(path);
	if (!copy)
		return -ENOMEM;
	s->found[s->nr++] = (struct library){ .path = copy, .dev = st.st_dev, .inode = st.st_ino };
	return 0;
}

static int by_length(const void *a, const void *b)
{
	const char *x = ((const struct library *)a)->path, *y = ((const struct library *)b)->path;
	size_t x_len = strlen(x), y_len = strlen(y);

	return x_len != y_len ? (x_len > y_len) - (x_len < y_len) : strcmp(x, y);
}

static bool is_same_file(const struct library *a, const struct library *b)
{
	return a->dev == b->dev && a->inode == b->inode;
}

/* Links to one file are one library, under its shortest name. */
static void merge_links(struct search *s)
{
	size_t i, k, kept = 0;

	qsort(s->found, s->nr, sizeof(s->found[0]), by_length);
	for (i = 0; i < s->nr; i++) {
		for (k = 0; k < kept && !is_same_file(&s->found[i], &s->found[k]); k++)
			;
		if (k < kept)
			free(s->found[i].path);
		else
			s->found[kept++] = s->found[i];
	}
	s->nr = kept;
}

/* What this process uses is what most others use. */
static int search_maps(struct search *s)
{
	struct buf text = {};
	struct maps_line line;
	char path[PATH_MAX];
	const char *at;
	size_t len;
	int err;

	if (!s->places->maps)
		return 0;
	err = buf__read_file(&text, s->places->maps, MAPS_BYTES_MAX);
	at = text.data;
	len = text.len;
	while (!err && !s->nr && maps__next(&at, &len, &line)) {
		if (!line.executable || !line.name_len || line.name_len >= sizeof(path))
			continue;
		memcpy(path, line.name, line.name_len);
		path[line.name_len] = '\0';
		if (*path == '/' && is_named(s, base_name(path)))
			err = add_library(s, path);
	}
	buf__free(&text);
	return err == -ENOMEM ? err : 0;
}

static int search_dir(const char *dir, void *arg)
{
	struct search *s = arg;
	char path[PATH_MAX];
	struct dirent *e;
	int err = 0;
	DIR *d;

	/* The first directory that has a whole name is it, as for ld.so. */
	if (!s->stem) {
		if (s->nr || snprintf(path, sizeof(path), "%s/%s", dir, s->name) >= PATH_MAX)
			return 0;
		return add_library(s, path);
	}
	if (snprintf(path, sizeof(path), "%s%s", s->places->root, dir) >= PATH_MAX)
		return 0;
	d = opendir(path);
	if (!d)
		return 0;
	while (!err && (e = readdir(d)))
		if (is_named(s, e->d_name) &&
		    snprintf(path, sizeof(path), "%s/%s", dir, e->d_name) < PATH_MAX)
			err = add_library(s, path);
	closedir(d);
	return err;
}

static int find_library(struct search *s)
{
	const char *dot_so = strstr(s->name, ".so");
	int err;

	if (!is_whole_name(s->name))
		s->stem = dot_so && !dot_so[3] ? (size_t)(dot_so - s->name) : strlen(s->name);
	err = search_maps(s);
	if (err || s->nr)
		return err;
	err = library_dirs__each(s->places->root, search_dir, s);
	merge_links(s);
	return err;
}

/* 1: found; 0; -ENOMEM. */
static int find_program(const struct lookup_places *places, const char *name, struct buf *path)
{
	const char *dir = places->path_env;
	char candidate[PATH_MAX];
	struct stat st;
	int n, err;

	for (; dir; dir = *dir ? dir + 1 : NULL) {
		n = strcspn(dir, ":");
		err = snprintf(candidate, sizeof(candidate), "%.*s/%s", n ? n : 1, n ? dir : ".",
			       name);
		dir += n;
		if (err >= PATH_MAX || stat(candidate, &st) || !S_ISREG(st.st_mode) ||
		    access(candidate, X_OK))
			continue;
		err = buf__puts(path, candidate);
		return err ? err : 1;
	}
	return 0;
}

static int no_library(const struct search *s, struct buf *why)
{
	return why__refuse(why, -ENOENT,
			   "'%s' is neither a program in PATH nor a library in the usual "
			   "directories; say its path, as in /usr/bin/%s",
			   s->name, s->name);
}

static int several(struct search *s, struct buf *why)
{
	int err = buf__printf(why, "'%s' may be ", s->name);
	size_t i;

	for (i = 0; !err && i < s->nr; i++)
		err = buf__printf(why, "%s%s",
				  !i		   ? ""
				  : i + 1 == s->nr ? " or "
						   : ", ",
				  s->found[i].path);
	if (!err)
		err = buf__puts(why, ": say which");
	return err ? err : -ENOTUNIQ;
}

static int check_path(const char *name, struct buf *path, struct buf *why)
{
	struct stat st;
	int err;

	if (!stat(name, &st) && S_ISREG(st.st_mode))
		return buf__puts(path, name);
	err = errno;
	if (!stat(name, &st)) {
		return why__refuse(why, -EPERM, "%s is not a regular file", name);
	}
	if (buf__printf(why, "cannot open %s: %s", name, strerror(err)))
		return -ENOMEM;
	return -err;
}

int lookup__path_in(const struct lookup_places *places, const char *name, struct buf *path,
		    struct buf *why)
{
	struct search s = { .places = places, .name = name };
	size_t i;
	int err;

	if (strchr(name, '/'))
		return check_path(name, path, why);
	if (!*name)
		return no_library(&s, why);
	err = find_program(places, name, path);
	if (err)
		return err < 0 ? err : 0;
	err = find_library(&s);
	if (!err && !s.nr)
		err = no_library(&s, why);
	else if (!err && s.nr > 1)
		err = several(&s, why);
	else if (!err)
		err = buf__puts(path, s.found[0].path);
	for (i = 0; i < s.nr; i++)
		free(s.found[i].path);
	return err;
}

/* The kernel's text interface for probes takes no others. */
static int make_absolute(struct buf *path)
{
	struct buf relative = *path;
	char *here;
	int err;

	if (path->data[0] == '/')
		return 0;
	here = getcwd(NULL, 0);
	if (!here)
		return -errno;
	*path = (struct buf){};
	err = buf__printf(path, "%s/%s", here,
			  strncmp(relative.data, "./", 2) ? relative.data : relative.data + 2);
	free(here);
	buf__free(&relative);
	return err;
}

int lookup__path(const char *name, struct buf *path, struct buf *why)
{
	const struct lookup_places ours = {
		.root = "",
		.path_env = getenv("PATH"),
		.maps = "/proc/self/maps",
	};

	int err = lookup__path_in(&ours, name, path, why);

	return err ? err : make_absolute(path);
}
