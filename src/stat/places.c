// SPDX-License-Identifier: BSD-2-Clause
/* Lists where counters are opened for a target (tasks, CPUs, cgroups), and the row of each. */
#include "stat/places.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/strtab.h"
#include "machine/cpus.h"
#include "machine/tasks.h"

static bool is_by_cpu(enum counts_by by)
{
	return by == COUNTS_BY_CPU || by == COUNTS_BY_CORE || by == COUNTS_BY_SOCKET;
}

static int keep_string(struct places *p, const char *s, const char **out)
{
	uint32_t id;
	int err = strtab__add(p->strings, s, strlen(s), &id);

	if (!err)
		*out = strtab__get(p->strings, id);
	return err;
}

/* Fills in the key's part that comes from the CPU: its number, core or socket. */
static int key_of_cpu(struct counts_key *key, enum counts_by by, int cpu)
{
	uint32_t core, socket;
	int err;

	if (!is_by_cpu(by))
		return 0;
	if (by == COUNTS_BY_CPU) {
		key->cpu = cpu;
		return 0;
	}
	err = cpus__topology("", cpu, &core, &socket);
	if (err)
		return err;
	key->socket = socket;
	if (by == COUNTS_BY_CORE)
		key->core = core;
	return 0;
}

static bool is_same(const struct counts_key *a, const struct counts_key *b)
{
	/* Strings are interned. */
	return a->comm == b->comm && a->cgroup == b->cgroup && a->pid == b->pid &&
	       a->tid == b->tid && a->cpu == b->cpu && a->core == b->core && a->socket == b->socket;
}

static uint64_t hash_key(const struct counts_key *k)
{
	uint64_t h = hash_u64((uint64_t)k->pid << 32 | k->tid);

	h = hash_u64(h ^ ((uint64_t)k->cpu << 32 | k->core));
	return hash_u64(h ^ (uintptr_t)k->cgroup ^ (uint64_t)k->socket << 48);
}

/* The row of a key, added if there is none yet. */
static int find_row(struct places *p, const struct counts_key *key, uint32_t *row)
{
	uint64_t h = hash_key(key);
	int err;

	while (idmap__get(&p->known, h, row)) {
		if (is_same(&p->rows[*row], key))
			return 0;
		h++;
	}
	err = array__grow(&p->rows, &p->cap_rows, p->nr_rows + 1);
	if (!err)
		err = idmap__set(&p->known, h, p->nr_rows);
	if (err)
		return err;
	p->rows[p->nr_rows] = *key;
	*row = p->nr_rows++;
	return 0;
}

static int add(struct places *p, const struct counter_place *at, const struct counts_key *key,
	       enum counts_by by)
{
	struct counts_key k = *key;
	int err = at->cpu >= 0 ? key_of_cpu(&k, by, at->cpu) : 0;

	if (!err)
		err = array__grow(&p->at, &p->cap_at, p->nr + 1);
	if (!err)
		err = array__grow(&p->row, &p->cap_row, p->nr + 1);
	if (!err)
		err = array__grow(&p->part, &p->cap_part, p->nr + 1);
	if (!err)
		err = find_row(p, &k, &p->row[p->nr]);
	if (err)
		return err;
	p->part[p->nr] = at->cpu;
	p->at[p->nr++] = *at;
	return 0;
}

static void name_parts(struct places *p, const char *one, const char *many)
{
	p->part_name = one;
	p->parts_name = many;
}

/* All places from @first on are of one part of the target. */
static void join(struct places *p, size_t first, uint32_t part)
{
	while (first < p->nr)
		p->part[first++] = part;
}

/* A place for each CPU of the target, or one for all of them. */
static int add_cpus(struct places *p, const struct target *t, enum counts_by by, pid_t pid,
		    int cgroup_fd, const struct counts_key *key)
{
	struct counter_place at = { .pid = pid, .cpu = -1, .cgroup_fd = cgroup_fd };
	int err = 0;

	if (pid >= 0 && cgroup_fd < 0 && !is_by_cpu(by) && !t->some_cpus)
		return add(p, &at, key, by);
	for (size_t i = 0; i < t->nr_cpus && !err; i++) {
		at.cpu = t->cpus[i];
		err = add(p, &at, key, by);
	}
	return err;
}

static int add_cgroups(struct places *p, const struct target *t, enum counts_by by)
{
	int err = 0;

	name_parts(p, "cgroup", "cgroups");
	p->cgroup_fds = calloc(t->nr_cgroups, sizeof(*p->cgroup_fds));
	if (!p->cgroup_fds)
		return -ENOMEM;
	for (size_t i = 0; i < t->nr_cgroups && !err; i++) {
		struct counts_key key = {};
		size_t first = p->nr;
		int fd = open(t->cgroups[i].path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (fd < 0)
			return -errno;
		p->cgroup_fds[p->nr_cgroup_fds++] = fd;
		if (by == COUNTS_BY_CGROUP)
			err = keep_string(p, t->cgroups[i].path + t->cgroups[i].mount_len,
					  &key.cgroup);
		if (!err && key.cgroup && !*key.cgroup)
			key.cgroup = "/";
		if (!err)
			err = add_cpus(p, t, by, -1, fd, &key);
		join(p, first, i);
	}
	return err;
}

static bool is_wanted(const struct target *t, const struct task *task)
{
	if (t->by_uid && task->uid != t->uid)
		return false;
	return !t->by_comm || glob__matches(&t->comm, task->comm);
}

static int add_tasks(struct places *p, const struct target *t, enum counts_by by,
		     const struct tasks *tasks)
{
	bool threads = by == COUNTS_BY_THREAD || t->nr_tids;
	int err = 0;

	name_parts(p, threads ? "thread" : "process", threads ? "threads" : "processes");

	for (size_t i = 0; i < tasks->nr && !err; i++) {
		const struct task *task = &tasks->items[i];
		struct counts_key key = {};
		size_t first = p->nr;

		if (!is_wanted(t, task))
			continue;
		if (by == COUNTS_BY_THREAD || by == COUNTS_BY_PROCESS) {
			key.pid = task->pid;
			err = keep_string(p, task->comm, &key.comm);
		}
		if (by == COUNTS_BY_THREAD)
			key.tid = task->tid;
		if (!err)
			err = add_cpus(p, t, by, task->tid, -1, &key);
		join(p, first, threads ? task->tid : task->pid);
	}
	return err;
}

/* Threads that run now. */
static int find_tasks(struct tasks *tasks, const struct target *t)
{
	int err = 0;

	for (size_t i = 0; i < t->nr_pids && !err; i++)
		err = tasks__add_process(tasks, "/proc", t->pids[i]);
	for (size_t i = 0; i < t->nr_tids && !err; i++)
		err = tasks__add_thread(tasks, "/proc", t->tids[i]);
	if (!err && !t->nr_pids && !t->nr_tids)
		err = tasks__add_process(tasks, "/proc", 0);
	return err;
}

/* A process has one name, that of its first thread. */
static void name_processes(struct tasks *tasks)
{
	const struct task *first = NULL;

	for (size_t i = 0; i < tasks->nr; i++) {
		struct task *task = &tasks->items[i];

		if (task->pid == task->tid)
			first = task;
		else if (first && first->pid == task->pid)
			memcpy(task->comm, first->comm, sizeof(task->comm));
	}
}

static int refuse(struct buf *why, int err, const char *text)
{
	int full = buf__puts(why, text);

	return full ? full : err;
}

static int find(struct places *p, const struct target *t, enum counts_by by, pid_t command,
		struct buf *why)
{
	const struct counts_key everything = {};
	bool tasks_wanted = t->nr_pids || t->nr_tids || t->by_uid || t->by_comm ||
			    by == COUNTS_BY_THREAD || by == COUNTS_BY_PROCESS;
	struct tasks tasks = {};
	int err;

	if (by == COUNTS_BY_CGROUP && !t->nr_cgroups)
		return refuse(why, -EINVAL, "--per-cgroup: name the cgroups with -G");
	if (t->nr_cgroups && (tasks_wanted || command))
		return refuse(why, -EINVAL,
			      "-G cannot be combined with tasks here: it counts all of a cgroup");
	if (command && (by == COUNTS_BY_THREAD || by == COUNTS_BY_PROCESS))
		return refuse(why, -EINVAL,
			      "--per-thread and --per-process need tasks that run already: -p, -t "
			      "or -a");
	if (command)
		return add_cpus(p, t, by, command, -1, &everything);
	if (t->nr_cgroups)
		return add_cgroups(p, t, by);
	if (!tasks_wanted)
		return add_cpus(p, t, by, -1, -1, &everything);
	err = find_tasks(&tasks, t);
	if (by == COUNTS_BY_PROCESS)
		name_processes(&tasks);
	if (!err)
		err = add_tasks(p, t, by, &tasks);
	tasks__free(&tasks);
	if (!err && !p->nr)
		err = refuse(why, -ESRCH, "no such tasks are running");
	return err;
}

/* How many CPUs each row adds up: what perf shows beside a core or socket. */
static int count_cpus(struct places *p, const struct target *t)
{
	uint32_t *last = calloc(p->nr_rows + 1, sizeof(*last)); /* CPU + 1 */

	if (!last)
		return -ENOMEM;
	for (size_t k = 0; k < t->nr_cpus; k++) {
		for (size_t i = 0; i < p->nr; i++) {
			uint32_t row = p->row[i];

			if (p->at[i].cpu != (int)t->cpus[k] || last[row] == t->cpus[k] + 1)
				continue;
			last[row] = t->cpus[k] + 1;
			p->rows[row].nr_cpus++;
		}
	}
	free(last);
	return 0;
}

int places__find(struct places *p, const struct target *t, enum counts_by by, pid_t command,
		 struct buf *why)
{
	int err;

	*p = (struct places){ .strings = strtab__new() };
	name_parts(p, "CPU", "CPUs");
	err = p->strings ? find(p, t, by, command, why) : -ENOMEM;
	if (!err)
		err = count_cpus(p, t);
	if (err)
		places__free(p);
	return err;
}

void places__free(struct places *p)
{
	for (size_t i = 0; i < p->nr_cgroup_fds; i++)
		close(p->cgroup_fds[i]);
	free(p->cgroup_fds);
	free(p->at);
	free(p->row);
	free(p->part);
	free(p->rows);
	idmap__free(&p->known);
	strtab__free(p->strings);
	*p = (struct places){};
}
