// SPDX-License-Identifier: BSD-2-Clause
/* Lists tracepoints that match a pattern; finds the nearest name for one that does not exist. */
#include "event/tracepoint.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/glob.h"
#include "base/parse.h"

enum { NAMES_MAX = 1 << 17 }; /* of one folder */

/* The folders in a folder. */
struct folders {
	char **items;
	size_t nr, cap;
};

static void folders__free(struct folders *n)
{
	for (size_t i = 0; i < n->nr; i++)
		free(n->items[i]);
	free(n->items);
	*n = (struct folders){};
}

static bool has_id(int dir_fd, const char *name)
{
	char path[300];

	/* Without an id it is of ftrace's own use ("ftrace:bprint"). */
	return (size_t)snprintf(path, sizeof(path), "%s/id", name) < sizeof(path) &&
	       !faccessat(dir_fd, path, F_OK, 0);
}

static bool is_folder(int dir_fd, const struct dirent *d)
{
	struct stat st;

	if (d->d_name[0] == '.')
		return false;
	if (d->d_type != DT_UNKNOWN)
		return d->d_type == DT_DIR;
	return !fstatat(dir_fd, d->d_name, &st, AT_SYMLINK_NOFOLLOW) && S_ISDIR(st.st_mode);
}

static int add_name(struct folders *n, const char *name)
{
	int err = n->nr < NAMES_MAX ? array__grow(&n->items, &n->cap, n->nr + 1) : -E2BIG;

	if (err)
		return err;
	n->items[n->nr] = strdup(name);
	if (!n->items[n->nr])
		return -ENOMEM;
	n->nr++;
	return 0;
}

/* Categories, or a category's tracepoints that match (NULL: all). @out is to be freed in any case.
 */
static int list_names(const char *tracefs, const char *category, const struct glob *g,
		      struct folders *out)
{
	struct buf path = {};
	struct dirent *d;
	DIR *dir = NULL;
	int err = buf__printf(&path, "%s/events/%s", tracefs, category ? category : "");

	if (err)
		return err;
	dir = opendir(path.data);
	err = dir ? 0 : -errno;
	buf__free(&path);
	if (!dir)
		return err;
	while (!err && (d = readdir(dir))) {
		if (!is_folder(dirfd(dir), d) || (g && !glob__matches(g, d->d_name)))
			continue;
		if (!category || has_id(dirfd(dir), d->d_name))
			err = add_name(out, d->d_name);
	}
	closedir(dir);
	return err;
}

static bool contains(const struct folders *n, const char *name)
{
	for (size_t i = 0; i < n->nr; i++)
		if (!strcmp(n->items[i], name))
			return true;
	return false;
}

static const char *nearest_of(const struct folders *n, const char *name)
{
	if (contains(n, name))
		return name;
	return nearest(name, (const char *const *)n->items, n->nr, sizeof(*n->items));
}

/* Another category that has exactly this name, or NULL. */
static const char *category_with(const char *tracefs, const struct folders *categories,
				 const char *name)
{
	const char *found = NULL;
	struct buf path = {};

	for (size_t i = 0; i < categories->nr && !found; i++) {
		buf__clear(&path);
		if (buf__printf(&path, "%s/events/%s/%s/id", tracefs, categories->items[i], name))
			break;
		if (!access(path.data, F_OK))
			found = categories->items[i];
	}
	buf__free(&path);
	return found;
}

/* "sys_enter_openat" of "openat": the n-th whose last words these are, or NULL. */
static const char *ending_with(const struct folders *n, const char *name, size_t nth)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < n->nr && len; i++) {
		size_t at = strlen(n->items[i]);

		if (at > len + 1 && n->items[i][at - len - 1] == '_' &&
		    !strcmp(n->items[i] + at - len, name) && !nth--)
			return n->items[i];
	}
	return NULL;
}

/* In this category. 1: something is; 0; -ENOMEM. */
static int suggest_longer(const char *tracefs, const char *category, const char *name,
			  struct buf *why)
{
	const char *first = NULL, *second;
	struct folders names = {};
	int err = 0;

	if (!list_names(tracefs, category, NULL, &names))
		first = ending_with(&names, name, 0);
	if (first) {
		second = ending_with(&names, name, 1);
		if (second && strcmp(first, second) > 0) {
			const char *third = first;

			first = second;
			second = third;
		}
		err = buf__printf(why, "; did you mean %s:%s", category, first);
		if (!err && second)
			err = buf__printf(why, " or %s:%s", category, second);
		if (!err)
			err = buf__puts(why, "?");
	}
	folders__free(&names);
	return err ? err : first != NULL;
}

static int suggest_in(const char *tracefs, const char *category, const char *name, struct buf *why)
{
	int err = suggest_longer(tracefs, category, name, why);

	if (!err)
		err = buf__printf(why, ": category '%s' has none like it", category);
	return err < 0 ? err : 0;
}

static int suggest(const char *tracefs, const struct folders *categories, const char *category,
		   const char *name, struct buf *why)
{
	const char *near_category = nearest_of(categories, category), *near_name = NULL;
	struct folders names = {};
	int err = 0;

	if (near_category && !list_names(tracefs, near_category, NULL, &names))
		near_name = nearest_of(&names, name);
	if (!near_name) {
		const char *other = category_with(tracefs, categories, name);

		near_category = other ? other : near_category;
		near_name = other ? name : NULL;
	}
	if (near_name)
		err = buf__printf(why, "; did you mean %s:%s?", near_category, near_name);
	else if (contains(categories, category))
		err = suggest_in(tracefs, category, name, why);
	else if (near_category)
		err = buf__printf(why, ": no category '%s'; did you mean %s?", category,
				  near_category);
	else
		err = buf__printf(why, ": no category '%s'", category);
	folders__free(&names);
	return err;
}

int tracepoint__explain_unknown(const char *tracefs, const char *category, const char *name,
				struct buf *why)
{
	struct folders categories = {};
	int err = list_names(tracefs, NULL, NULL, &categories), failed;

	if (err) {
		failed = buf__printf(why, "cannot read %s/events: %s", tracefs, strerror(-err));
	} else {
		err = -ENOENT;
		failed = buf__printf(why, "unknown tracepoint '%s:%s'", category, name);
		if (!failed)
			failed = suggest(tracefs, &categories, category, name, why);
	}
	folders__free(&categories);
	return failed ? failed : err;
}

int tracepoint__suggest(const char *tracefs, const char *name, struct buf *why)
{
	struct folders categories = {};
	const char *category = NULL;
	int err = 0;

	if (!strchr(name, '/') && !list_names(tracefs, NULL, NULL, &categories))
		category = category_with(tracefs, &categories, name);
	if (category)
		err = buf__printf(why, "; did you mean %s:%s?", category, name);
	else if (contains(&categories, "syscalls"))
		err = suggest_longer(tracefs, "syscalls", name, why);
	folders__free(&categories);
	return err < 0 ? err : 0;
}

static int compare_names(const void *a, const void *b)
{
	const struct tracepoint_name *x = a, *y = b;
	int order = strcmp(x->category, y->category);

	return order ? order : strcmp(x->name, y->name);
}

static int add_tracepoint(struct tracepoint_name **out, size_t *nr, size_t *cap,
			  const char *category, const char *name)
{
	size_t category_size = strlen(category) + 1, name_size = strlen(name) + 1;
	int err = array__grow(out, cap, *nr + 1);
	struct tracepoint_name *added;

	if (err)
		return err;
	added = &(*out)[*nr];
	added->category = malloc(category_size + name_size);
	if (!added->category)
		return -ENOMEM;
	added->name = added->category + category_size;
	memcpy(added->category, category, category_size);
	memcpy(added->name, name, name_size);
	++*nr;
	return 0;
}

/* All that match in one category. */
static int add_category(struct tracepoint_name **out, size_t *nr, size_t *cap, const char *tracefs,
			const char *category, const struct glob *name_glob)
{
	struct folders names = {};
	int err = list_names(tracefs, category, name_glob, &names);

	if (err == -ENOENT) /* its module went away */
		err = 0;
	for (size_t i = 0; i < names.nr && !err; i++)
		err = add_tracepoint(out, nr, cap, category, names.items[i]);
	folders__free(&names);
	return err;
}

static int compile_pattern(const char *pattern, struct glob *category, struct glob *name)
{
	const char *colon = strchr(pattern, ':');
	char *first;
	int err;

	if (!colon)
		return -EINVAL;
	first = strndup(pattern, colon - pattern);
	if (!first)
		return -ENOMEM;
	err = glob__compile(category, first);
	free(first);
	return err ? err : glob__compile(name, colon + 1);
}

int tracepoints__list(const char *tracefs, const char *pattern, struct tracepoint_name **out,
		      size_t *nr)
{
	struct glob category_glob, name_glob;
	struct folders categories = {};
	size_t cap = 0;
	int err;

	*out = NULL;
	*nr = 0;
	err = compile_pattern(pattern ? pattern : "*:*", &category_glob, &name_glob);
	if (!err)
		err = list_names(tracefs, NULL, &category_glob, &categories);
	for (size_t i = 0; i < categories.nr && !err; i++)
		err = add_category(out, nr, &cap, tracefs, categories.items[i], &name_glob);
	folders__free(&categories);
	if (err) {
		tracepoint_names__free(*out, *nr);
		*out = NULL;
		*nr = 0;
		return err;
	}
	if (*nr)
		qsort(*out, *nr, sizeof(**out), compare_names);
	return 0;
}

void tracepoint_names__free(struct tracepoint_name *names, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		free(names[i].category);
	free(names);
}
