// SPDX-License-Identifier: BSD-2-Clause
/* Reads what /proc has of one process: stat, cmdline, its owner. */
#include "live/procfs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/utf8.h"

enum {
	STAT_BYTES = 4096,
	KERNEL_THREAD = 0x00200000, /* PF_KTHREAD, include/linux/sched.h */
};

/* "42 (comm) S 1 42 42 0 -1 4194304 ...\n" */
static int parse_stat(struct process *one, const char *text)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	unsigned parent, flags;
	size_t len;

	if (!open || !close || close < open ||
	    sscanf(close + 1, " %*c %u %*d %*d %*d %*d %u", &parent, &flags) != 2)
		return -ENOENT;
	len = close - open - 1;
	if (len >= sizeof(one->comm))
		len = sizeof(one->comm) - 1;
	memcpy(one->comm, open + 1, len);
	one->parent = parent;
	one->is_kernel = flags & KERNEL_THREAD;
	return 0;
}

static int read_part(struct buf *text, const char *proc, uint32_t pid, const char *part,
		     size_t limit)
{
	char path[PATH_MAX];
	int err;

	buf__clear(text);
	snprintf(path, sizeof(path), "%s/%u/%s", proc, pid, part);
	err = buf__read_file(text, path, limit);
	/* A file that goes on behind @limit is fine: its beginning is enough. */
	if (err == -EFBIG)
		return 0;
	return err && err != -ENOMEM ? -ENOENT : err;
}

/* Makes one line of the arguments in @text, which end in NULs. */
static int make_line(struct buf *text)
{
	struct buf line = {};
	int err = utf8__put_line(&line, text->data, text->len, PROCFS_COMMAND_BYTES);

	buf__clear(text);
	if (!err)
		err = buf__put(text, line.data, line.len);
	buf__free(&line);
	return err;
}

int procfs__process(struct process *one, struct buf *text, const char *proc, uint32_t pid)
{
	char path[PATH_MAX];
	struct stat st;
	int err;

	*one = (struct process){ .pid = pid };
	snprintf(path, sizeof(path), "%s/%u", proc, pid);
	/* The owner of the folder is the effective user, of others' files in it may be root. */
	if (stat(path, &st))
		return -ENOENT;
	one->uid = st.st_uid;
	err = read_part(text, proc, pid, "stat", STAT_BYTES);
	if (!err)
		err = parse_stat(one, text->data);
	if (!err && one->is_kernel)
		buf__clear(text);
	else if (!err)
		err = read_part(text, proc, pid, "cmdline", PROCFS_COMMAND_BYTES);
	if (!err)
		err = make_line(text);
	one->command = err ? NULL : text->data;
	return err;
}
