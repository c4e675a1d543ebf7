// SPDX-License-Identifier: BSD-2-Clause
/* Reads /etc/ld.so.conf and what it includes; has the table of the usual directories. */
#include "lookup/library_dirs.h"

#include <glob.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"

#define CONF "/etc/ld.so.conf"

enum { CONF_BYTES_MAX = 1 << 20 };

static const char *const usual[] = {
#if defined(__x86_64__)
	"/lib/x86_64-linux-gnu",
	"/usr/lib/x86_64-linux-gnu",
#elif defined(__aarch64__)
	"/lib/aarch64-linux-gnu",
	"/usr/lib/aarch64-linux-gnu",
#endif
	"/lib64",
	"/usr/lib64",
	"/lib",
	"/usr/lib",
	"/usr/local/lib",
};

struct walk {
	const char *root;
	library_dirs_fn *fn;
	void *arg;
};

static int read_conf(const struct walk *w, const char *path, bool follow);

/* "include PATTERN": relative to /etc. What is included includes nothing more in practice. */
static int include(const struct walk *w, const char *pattern)
{
	char path[PATH_MAX];
	glob_t files;
	int err = 0;
	size_t i;

	if (snprintf(path, sizeof(path), "%s%s%s", w->root, *pattern == '/' ? "" : "/etc/",
		     pattern) >= PATH_MAX)
		return 0;
	if (glob(path, 0, NULL, &files))
		return 0;
	for (i = 0; !err && i < files.gl_pathc; i++)
		err = read_conf(w, files.gl_pathv[i], false);
	globfree(&files);
	return err;
}

static int read_line(const struct walk *w, char *line, bool follow)
{
	size_t len;

	line[strcspn(line, "#")] = '\0';
	line += strspn(line, " \t\r");
	for (len = strlen(line); len && strchr(" \t\r/", line[len - 1]); len--)
		line[len - 1] = '\0';
	if (*line == '/')
		return w->fn(line, w->arg);
	if (follow && !strncmp(line, "include", 7) && strchr(" \t", line[7]) && line[7])
		return include(w, line + 8 + strspn(line + 8, " \t"));
	return 0;
}

static int read_conf(const struct walk *w, const char *path, bool follow)
{
	char *line, *rest;
	struct buf text = {};
	int err = buf__read_file(&text, path, CONF_BYTES_MAX);

	rest = err ? NULL : text.data;
	err = 0;
	while (!err && (line = strsep(&rest, "\n")))
		err = read_line(w, line, follow);
	buf__free(&text);
	return err;
}

int library_dirs__each(const char *root, library_dirs_fn *fn, void *arg)
{
	const struct walk w = { .root = root, .fn = fn, .arg = arg };
	char conf[PATH_MAX];
	size_t i;
	int err = 0;

	if (snprintf(conf, sizeof(conf), "%s" CONF, root) < PATH_MAX)
		err = read_conf(&w, conf, true);
	for (i = 0; !err && i < ARRAY_SIZE(usual); i++)
		err = fn(usual[i], arg);
	return err;
}
