// SPDX-License-Identifier: BSD-2-Clause
/* Lists folders and reads files of sysfs's PMUs; checks the names that paths are made of. */
#include "event/pmu_sysfs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	NAMES_MAX = 1 << 16,
	/* A file of sysfs has no more than a page; pages have up to 64 KB. */
	FILE_BYTES_MAX = 1 << 16,
};

static bool is_name(const char *s)
{
	return *s && strcmp(s, ".") && !strchr(s, '/') && !strstr(s, "..");
}

/* Any of the parts may be NULL, from the end on. */
static int make_path(char path[PATH_MAX], const char *root, const char *pmu, const char *dir,
		     const char *file)
{
	const char *const parts[] = { pmu, dir, file };
	int len = snprintf(path, PATH_MAX, "%s/sys/bus/event_source/devices", root);

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (!parts[i])
			continue;
		if (!is_name(parts[i]))
			return -EINVAL;
		if (len < PATH_MAX)
			len += snprintf(path + len, PATH_MAX - len, "/%s", parts[i]);
	}
	return len < PATH_MAX ? 0 : -ENAMETOOLONG;
}

static int compare_names(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

static int add_name(char ***names, size_t *nr, size_t *cap, const char *name)
{
	if (*nr == NAMES_MAX)
		return -EFBIG;
	if (array__grow(names, cap, *nr + 1))
		return -ENOMEM;
	(*names)[*nr] = strdup(name);
	return (*names)[*nr] ? ++*nr, 0 : -ENOMEM;
}

int pmu_sysfs__list(const char *root, const char *pmu, const char *dir, char ***names, size_t *nr)
{
	struct dirent *entry;
	char path[PATH_MAX];
	size_t cap = 0;
	DIR *folder;
	int err;

	*names = NULL;
	*nr = 0;
	err = make_path(path, root, pmu, dir, NULL);
	if (err)
		return err;
	folder = opendir(path);
	if (!folder)
		return -errno;
	for (errno = 0; !err && (entry = readdir(folder)); errno = 0)
		if (is_name(entry->d_name))
			err = add_name(names, nr, &cap, entry->d_name);
	if (!err)
		err = -errno;
	closedir(folder);
	if (err) {
		pmu_sysfs__free(*names, *nr);
		*names = NULL;
		*nr = 0;
	} else if (*nr) {
		qsort(*names, *nr, sizeof(**names), compare_names);
	}
	return err;
}

void pmu_sysfs__free(char **names, size_t nr)
{
	while (nr)
		free(names[--nr]);
	free(names);
}

int pmu_sysfs__read(const char *root, const char *pmu, const char *dir, const char *file,
		    struct buf *out)
{
	char path[PATH_MAX];
	int err = make_path(path, root, pmu, dir, file);

	buf__clear(out);
	if (!err)
		err = buf__read_file(out, path, FILE_BYTES_MAX);
	if (err)
		return err;
	if (memchr(out->data, '\0', out->len))
		return -EBADMSG;
	while (out->len && isspace((unsigned char)out->data[out->len - 1]))
		out->data[--out->len] = '\0';
	return 0;
}
