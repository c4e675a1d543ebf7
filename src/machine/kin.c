// SPDX-License-Identifier: BSD-2-Clause
/* Goes through the children of a process, theirs, and so on; adds up their CPU clocks. */
#include "machine/kin.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"

/* Readers, senders, probes: more is a mistake, and is not looked at each second. */
enum { KIN_MAX = 256, STAT_BYTES = 4096, CHILDREN_BYTES = 64 * 1024 };

struct walk {
	struct kin *out;
	pid_t todo[KIN_MAX];
	size_t nr_todo;
	pid_t without;
};

static int own_clock_ns(pid_t pid, uint64_t *ns)
{
	clockid_t clock;
	struct timespec t;
	const int err = clock_getcpuclockid(pid, &clock);

	if (err)
		return -err;
	if (clock_gettime(clock, &t))
		return -errno;
	*ns = (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
	return 0;
}

/* Of children that the process has waited for; 0: not known. proc_pid_stat(5), fields 16 and 17. */
static uint64_t waited_for_ns(pid_t pid)
{
	const uint64_t tick_ns = 1000000000 / sysconf(_SC_CLK_TCK);
	int64_t user = 0, system = 0;
	struct buf text = {};
	char path[64];
	const char *behind;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (!buf__read_file(&text, path, STAT_BYTES) && text.len) {
		/* A name may hold anything: it ends at the last parenthesis. */
		behind = strrchr(text.data, ')');
		if (!behind || sscanf(behind,
				      ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u "
				      "%" SCNd64 " %" SCNd64,
				      &user, &system) != 2)
			user = system = 0;
	}
	buf__free(&text);
	return user + system > 0 ? (uint64_t)(user + system) * tick_ns : 0;
}

static void add_children(struct walk *w, const char *path)
{
	struct buf text = {};
	char *at, *end;

	/* A thread that has ended has left its children to another one. */
	if (buf__read_file(&text, path, CHILDREN_BYTES))
		buf__clear(&text);
	for (at = text.data; at; at = end) {
		const long pid = strtol(at, &end, 10);

		if (end == at)
			break;
		if (pid == w->without)
			continue;
		if (w->nr_todo < KIN_MAX)
			w->todo[w->nr_todo++] = (pid_t)pid;
		else
			w->out->is_complete = false;
	}
	buf__free(&text);
}

/* Children are listed by the thread that has started them. */
static void add_children_of(struct walk *w, pid_t pid)
{
	char path[300];
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	if (!tasks) /* it has ended */
		return;
	for (const struct dirent *e; (e = readdir(tasks));) {
		if (*e->d_name == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%s/children", (int)pid, e->d_name);
		add_children(w, path);
	}
	closedir(tasks);
}

int kin__look(struct kin *out, pid_t pid, pid_t without)
{
	struct walk w = { .out = out, .todo = { pid }, .nr_todo = 1, .without = without };

	*out = (struct kin){ .is_complete = !access("/proc/thread-self/children", R_OK) };
	for (size_t i = 0; i < w.nr_todo; i++) {
		uint64_t ns = 0;
		const int err = own_clock_ns(w.todo[i], &ns);

		if (err && !i)
			return err;
		if (err) /* it has ended, and its parent has its time */
			continue;
		out->nr++;
		out->cpu_ns += ns + waited_for_ns(w.todo[i]);
		add_children_of(&w, w.todo[i]);
	}
	return 0;
}
