// SPDX-License-Identifier: BSD-2-Clause
/* The part of machine/target.h about -G: paths, patterns and numbers. */
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/parse.h"
#include "base/why.h"
#include "machine/cgroup.h"
#include "machine/target.h"

enum { LEVELS_MAX = 63 }; /* a bit for each in bpf/target.wire.h */

/* @path: real, and below the mount. A cgroup that was added before is not added again. */
static int add_folder(struct target *t, const char *path, size_t mount_len, uint64_t id,
		      struct buf *why)
{
	struct target_cgroup cg = { .id = id, .mount_len = mount_len };
	int err;

	for (size_t i = 0; i < t->nr_cgroups; i++)
		if (t->cgroups[i].id == id)
			return 0;
	for (const char *c = path + mount_len; *c; c++)
		cg.level += *c == '/' && c[1];
	if (cg.level > LEVELS_MAX)
		return why__refuse(why, -EINVAL, "-G: '%s' is more than %d levels deep", path,
				   LEVELS_MAX);
	err = array__grow(&t->cgroups, &t->cap_cgroups, t->nr_cgroups + 1);
	if (err)
		return err;
	cg.path = strdup(path);
	if (!cg.path)
		return -ENOMEM;
	t->cgroups[t->nr_cgroups++] = cg;
	return 0;
}

/* Adds what matches at or below @path, in PATH_MAX bytes; what is below a match belongs to it. */
static int add_matching(struct target *t, char *path, size_t mount_len, const char *pattern,
			struct buf *why)
{
	size_t len = strlen(path);
	struct dirent *d;
	struct stat st;
	int err = 0;
	DIR *dir;

	if (!fnmatch(pattern, path[mount_len] ? path + mount_len : "/", 0))
		return stat(path, &st) ? 0 : add_folder(t, path, mount_len, st.st_ino, why);
	dir = opendir(path);
	if (!dir) /* it was removed, or is none of ours to look into */
		return 0;
	while (!err && (d = readdir(dir))) {
		if (d->d_type != DT_DIR || !strcmp(d->d_name, ".") || !strcmp(d->d_name, ".."))
			continue;
		if (len + 1 + strlen(d->d_name) >= PATH_MAX)
			continue;
		sprintf(path + len, "/%s", d->d_name);
		err = add_matching(t, path, mount_len, pattern, why);
		path[len] = '\0';
	}
	closedir(dir);
	return err;
}

static int add_pattern(struct target *t, const char *mount, const char *name, struct buf *why)
{
	char path[PATH_MAX], pattern[PATH_MAX + 1];
	size_t had = t->nr_cgroups;
	int err;

	snprintf(path, sizeof(path), "%s", mount);
	snprintf(pattern, sizeof(pattern), "/%s", name + strspn(name, "/"));
	err = add_matching(t, path, strlen(mount), pattern, why);
	if (!err && t->nr_cgroups == had)
		err = why__refuse(why, -ENOENT, "-G: no cgroup matches '%s'", name);
	return err;
}

/* By its id. -ENOENT, with @why untouched: there is none. */
static int add_id(struct target *t, const char *mount, uint64_t id, struct buf *why)
{
	char path[PATH_MAX], full[2 * PATH_MAX];
	struct cgroups *c;
	int err = cgroups__open(&c);

	if (err)
		return err;
	err = cgroups__find(c, id, path, sizeof(path));
	cgroups__close(c);
	if (err)
		return err;
	snprintf(full, sizeof(full), "%s%s", mount, path[1] ? path : "");
	return add_folder(t, full, strlen(mount), id, why);
}

/* "/sys/fs/cgroup/a" -> "/a"; what is not below the mount stays as it is. */
static const char *below(const char *mount, const char *path)
{
	size_t under = strlen(mount);

	return !strncmp(path, mount, under) && (path[under] == '/' || !path[under]) ? path + under
										    : path;
}

static int add_cgroup(struct target *t, const char *mount, const char *typed, struct buf *why)
{
	char path[2 * PATH_MAX], real[PATH_MAX];
	const char *name = below(mount, typed);
	struct stat st;
	uint64_t id;
	int err;

	snprintf(path, sizeof(path), "%.*s/%s", PATH_MAX, mount, name);
	if (realpath(path, real) && !stat(real, &st) && S_ISDIR(st.st_mode)) {
		if (below(mount, real) == real)
			return why__refuse(why, -EINVAL, "-G: '%s' is not below the cgroup2 mount",
					   typed);
		return add_folder(t, real, strlen(mount), st.st_ino, why);
	}
	if (strpbrk(name, "*?["))
		return add_pattern(t, mount, name, why);
	err = parse__u64(name, 0, UINT64_MAX, &id) ? -ENOENT : add_id(t, mount, id, why);
	if (err != -ENOENT)
		return err;
	return why__refuse(why, -ENOENT, "-G: there is no cgroup '%s' below the cgroup2 mount",
			   typed);
}

int target__add_cgroups(struct target *t, const char *text, struct buf *why)
{
	char mount[PATH_MAX], *names, *name, *rest;
	int err = cgroup2__mount(mount, sizeof(mount));

	if (err)
		return why__refuse(why, err, "-G: no cgroup2 hierarchy is mounted");
	names = strdup(text);
	if (!names)
		return -ENOMEM;
	for (rest = names; !err && (name = strsep(&rest, ","));)
		err = add_cgroup(t, mount, name, why);
	free(names);
	return err;
}
