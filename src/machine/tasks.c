// SPDX-License-Identifier: BSD-2-Clause
/* Goes through /proc for threads, and reads their names and users. */
#include "machine/tasks.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"

/* The line "Tgid:\tN" of a thread's status: which process it is of. 0 if it has ended. */
static uint32_t process_of(const char *proc, uint32_t tid)
{
	struct buf text = {};
	char path[256], *line;
	uint32_t pid = 0;

	snprintf(path, sizeof(path), "%s/%u/status", proc, tid);
	if (!buf__read_file(&text, path, 65536) && (line = strstr(text.data, "\nTgid:")))
		pid = strtoul(line + 6, NULL, 10);
	buf__free(&text);
	return pid;
}

static int add(struct tasks *t, const char *proc, uint32_t pid, uint32_t tid)
{
	struct task task = { .pid = pid, .tid = tid };
	struct buf comm = {};
	char path[256];
	struct stat st;
	int err;

	snprintf(path, sizeof(path), "%s/%u/task/%u", proc, pid, tid);
	if (stat(path, &st))
		return -ENOENT;
	task.uid = st.st_uid;
	snprintf(path, sizeof(path), "%s/%u/task/%u/comm", proc, pid, tid);
	err = buf__read_file(&comm, path, 4096);
	if (!err && comm.len)
		snprintf(task.comm, sizeof(task.comm), "%.*s", (int)strcspn(comm.data, "\n"),
			 comm.data);
	buf__free(&comm);
	if (err)
		return err == -ENOMEM ? err : -ENOENT;
	err = array__grow(&t->items, &t->cap, t->nr + 1);
	if (!err)
		t->items[t->nr++] = task;
	return err;
}

int tasks__add_thread(struct tasks *t, const char *proc, uint32_t tid)
{
	uint32_t pid = process_of(proc, tid);

	return pid ? add(t, proc, pid, tid) : -ENOENT;
}

/* Calls @fn for each numbered folder in @path; those that vanish meanwhile are skipped. */
static int each_number(const char *path,
		       int (*fn)(struct tasks *t, const char *proc, uint32_t pid, uint32_t number),
		       struct tasks *t, const char *proc, uint32_t pid)
{
	DIR *dir = opendir(path);
	struct dirent *d;
	int err = 0;

	if (!dir)
		return -ENOENT;
	while (!err && (d = readdir(dir))) {
		if (!isdigit((unsigned char)d->d_name[0]))
			continue;
		err = fn(t, proc, pid, strtoul(d->d_name, NULL, 10));
		if (err == -ENOENT)
			err = 0;
	}
	closedir(dir);
	return err;
}

static int add_threads(struct tasks *t, const char *proc, uint32_t unused, uint32_t pid)
{
	char path[256];

	(void)unused;
	snprintf(path, sizeof(path), "%s/%u/task", proc, pid);
	return each_number(path, add, t, proc, pid);
}

int tasks__add_process(struct tasks *t, const char *proc, uint32_t pid)
{
	if (pid)
		return add_threads(t, proc, 0, pid);
	return each_number(proc, add_threads, t, proc, 0);
}

void tasks__free(struct tasks *t)
{
	free(t->items);
	*t = (struct tasks){};
}
