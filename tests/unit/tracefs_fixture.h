/* SPDX-License-Identifier: BSD-2-Clause */
/* A folder of a test's own with files in it, and the running kernel's tracefs. */
#ifndef PMUTRACE_TRACEFS_FIXTURE_H
#define PMUTRACE_TRACEFS_FIXTURE_H

#include <ftw.h>
#include <sched.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#define RUNNING_TRACEFS "/sys/kernel/tracing"

struct fixture {
	char dir[32];
};

static inline void fixture__open(struct fixture *f)
{
	strcpy(f->dir, "/tmp/tracefs_test.XXXXXX");
	assert_non_null(mkdtemp(f->dir));
}

static int fixture__remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline void fixture__close(struct fixture *f)
{
	nftw(f->dir, fixture__remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* A file with this text, and the folders above it; without a text: a folder. */
static inline void fixture__put(const struct fixture *f, const char *name, const char *text)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s%s", f->dir, name, text ? "" : "/");
	for (char *slash = path + strlen(f->dir) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	if (!text)
		return;
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fputs(text, file) < 0, 0);
	fclose(file);
}

/* The text of a file, NUL-terminated; up to 4095 bytes of it. */
static inline const char *fixture__text(const char *dir, const char *name, char text[4096])
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "r");
	assert_non_null(file);
	text[fread(text, 1, 4095, file)] = '\0';
	fclose(file);
	return text;
}

/* Mounted, for this process alone if it was not; or the test is skipped. */
static inline const char *running_tracefs(void)
{
	if (!access(RUNNING_TRACEFS "/events", R_OK | X_OK))
		return RUNNING_TRACEFS;
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("tracefs", RUNNING_TRACEFS, "tracefs", 0, NULL))
		skip();
	return RUNNING_TRACEFS;
}

#endif
