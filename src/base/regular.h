/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sym/regular.h - open what a stranger may have put there, if it is a plain file.
 */
#ifndef PMUTRACE_BASE_REGULAR_H
#define PMUTRACE_BASE_REGULAR_H

#include <sys/stat.h>

#include "base/array.h"

/**
 * open_regular() - open a file for reading
 * @root:  directory that absolute paths and symbolic links start from ("/proc/123/root");
 *	   nothing outside of it is reached. "" for our own
 * @flags: O_NOFOLLOW or 0
 * @st:    of the opened file
 *
 * The file is looked at before it is opened: opening a device or a pipe may act or block.
 *
 * Return: a file descriptor; -EPERM: not a regular file; another -errno.
 */
int open_regular(const char *root, const char *path, int flags, struct stat *st) must_check;

#endif
