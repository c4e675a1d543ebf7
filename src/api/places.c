// SPDX-License-Identifier: BSD-2-Clause
/* A target -> places: the pids and CPUs that perf_event_open(2) takes. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/object.h"
#include "base/why.h"
#include "machine/cgroup.h"
#include "machine/cpus.h"
#include "machine/tasks.h"

static int add_place(struct pmutrace_events *e, pid_t pid, int cpu)
{
	int err = array__grow(&e->places, &e->cap_places, e->nr_places + 1);

	if (err)
		return err;
	e->places[e->nr_places++] = (struct counter_place){
		.pid = pid,
		.cpu = cpu,
		.cgroup_fd = e->cgroup_fd,
	};
	return 0;
}

/* On each of the CPUs, or, if there are none, on any. */
static int add_task(struct pmutrace_events *e, pid_t pid, const uint32_t *cpus, size_t nr)
{
	int err = nr ? 0 : add_place(e, pid, -1);

	for (size_t i = 0; i < nr && !err; i++)
		err = add_place(e, pid, (int)cpus[i]);
	return err;
}

static int add_process(struct pmutrace_events *e, pid_t pid, const uint32_t *cpus, size_t nr,
		       struct buf *why)
{
	struct tasks tasks = {};
	int err, full;

	err = tasks__add_process(&tasks, "/proc", pid);
	if (err == -ENOENT) {
		full = buf__printf(why, "there is no process %d", (int)pid);
		err = full ? full : -ESRCH;
	}
	for (size_t i = 0; i < tasks.nr && !err; i++)
		err = add_task(e, (pid_t)tasks.items[i].tid, cpus, nr);
	tasks__free(&tasks);
	return err;
}

static int open_cgroup(struct pmutrace_events *e, const char *path, struct buf *why)
{
	char mount[PATH_MAX] = "";
	struct buf full = {};
	int err = 0;

	if (!path || !*path) {
		return why__refuse(why, -EINVAL,
				   "a target of kind PMUTRACE_CGROUP needs its folder");
	}
	if (*path != '/') {
		err = cgroup2__mount(mount, sizeof(mount));
		if (err == -ENOENT && !buf__puts(why, "no cgroup2 hierarchy is mounted"))
			return err;
	}
	if (!err)
		err = buf__printf(&full, "%s%s%s", mount, *mount ? "/" : "", path);
	if (!err) {
		e->cgroup_fd = open(full.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (e->cgroup_fd < 0) {
			err = -errno;
			if (buf__printf(why, "cgroup '%s': %s", full.data, strerror(-err)))
				err = -ENOMEM;
		}
	}
	buf__free(&full);
	return err;
}

static int find_cpus(const struct pmutrace_target *t, bool all, uint32_t **cpus, size_t *nr,
		     struct buf *why)
{
	uint32_t bad;
	int err, full;

	if (!t->cpus)
		return all ? cpus__online("", cpus, nr) : 0;
	err = cpus__parse("", t->cpus, cpus, nr, &bad);
	switch (err) {
	case -EINVAL:
		full = buf__printf(why, "target.cpus: '%s' is no list such as 0,2-5 or 0-15:2",
				   t->cpus);
		return full ? full : err;
	case -ERANGE:
		full = buf__printf(why, "target.cpus: '%s', but this machine's last CPU is %u",
				   t->cpus, bad);
		return full ? full : -EINVAL;
	case -ENODEV:
		full = buf__printf(why, "target.cpus: '%s', but CPU %u is not online", t->cpus,
				   bad);
		return full ? full : err;
	default:
		return err;
	}
}

int events__find_places(struct pmutrace_events *e, const struct pmutrace_target *target,
			bool each_cpu, struct buf *why)
{
	static const struct pmutrace_target self = { .kind = PMUTRACE_SELF };
	const struct pmutrace_target *t = target ? target : &self;
	bool tasks = t->kind == PMUTRACE_SELF || t->kind == PMUTRACE_THREAD ||
		     t->kind == PMUTRACE_PROCESS;
	uint32_t *cpus = NULL;
	size_t nr = 0;
	int err = given__check("target", t->reserved, sizeof(t->reserved), why);

	if (!err)
		err = find_cpus(t, each_cpu || !tasks, &cpus, &nr, why);
	if (!err && t->kind == PMUTRACE_CGROUP)
		err = open_cgroup(e, t->cgroup, why);
	if (err)
		goto out_free;
	switch (t->kind) {
	case PMUTRACE_SELF:
		err = add_task(e, 0, cpus, nr);
		break;
	case PMUTRACE_THREAD:
		if (t->pid > 0) {
			err = add_task(e, t->pid, cpus, nr);
			break;
		}
		err = buf__printf(why, "%d is no thread id", (int)t->pid);
		err = err ? err : -EINVAL;
		break;
	case PMUTRACE_PROCESS:
		err = add_process(e, t->pid ? t->pid : getpid(), cpus, nr, why);
		break;
	case PMUTRACE_CPUS:
	case PMUTRACE_CGROUP:
		err = add_task(e, -1, cpus, nr);
		break;
	default:
		err = buf__printf(why, "there is no target of kind %d", (int)t->kind);
		err = err ? err : -EINVAL;
	}
out_free:
	free(cpus);
	return err;
}
