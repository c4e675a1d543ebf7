// SPDX-License-Identifier: BSD-2-Clause
#include "perf/target.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/parse.h"
#include "perf/cgroup.h"
#include "perf/cpus.h"

static int __attribute__((format(printf, 3, 4)))
refuse(int err, struct buf *why, const char *fmt, ...)
{
	char text[PATH_MAX + 128];
	va_list ap;
	int full;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	full = buf__puts(why, text);
	return full ? full : err;
}

static int add_ids(uint32_t **ids, size_t *nr, const char *text, const char *option,
		   const char *what, struct buf *why)
{
	uint32_t *list;
	size_t n, cap = *nr, i;
	char path[64];
	int err = parse__list(text, INT_MAX, &list, &n);

	if (err == -ENOMEM)
		return err;
	if (err)
		return refuse(-EINVAL, why, "%s: '%s' is no list of numbers such as 17 or 17,42",
			      option, text);
	for (i = 0; i < n && !err; i++) {
		snprintf(path, sizeof(path), "/proc/%u", list[i]);
		if (!list[i] || access(path, F_OK)) {
			err = refuse(-ENOENT, why, "%s: there is no %s %u", option, what, list[i]);
			break;
		}
		cap = *nr;
		err = array__grow(ids, &cap, *nr + 1);
		if (!err)
			(*ids)[(*nr)++] = list[i];
	}
	free(list);
	return err;
}

bool target__in_pid_namespace(void)
{
	struct stat st;

	/* PROC_PID_INIT_INO, include/linux/proc_ns.h */
	return !stat("/proc/self/ns/pid", &st) && st.st_ino != 0xEFFFFFFCu;
}

static int check_pid_namespace(const struct target *t, const char *option, struct buf *why)
{
	if (t->own_pids || !target__in_pid_namespace())
		return 0;
	return refuse(-EINVAL, why,
		      "%s: not from inside a PID namespace: start the container with the host's "
		      "(--pid=host), or use -G or --comm",
		      option);
}

int target__add_pids(struct target *t, const char *text, struct buf *why)
{
	int err = check_pid_namespace(t, "-p", why);

	return err ? err : add_ids(&t->pids, &t->nr_pids, text, "-p", "process", why);
}

int target__add_tids(struct target *t, const char *text, struct buf *why)
{
	int err = check_pid_namespace(t, "-t", why);

	return err ? err : add_ids(&t->tids, &t->nr_tids, text, "-t", "thread", why);
}

static int add_cgroup(struct target *t, const char *mount, const char *name, struct buf *why)
{
	char path[2 * PATH_MAX], real[PATH_MAX];
	struct target_cgroup cg = {};
	size_t under = strlen(mount);
	struct stat st;
	int err;

	/* A full path, or one below the mount: "system.slice/ssh.service". */
	if (!strncmp(name, mount, under) && (name[under] == '/' || !name[under]))
		snprintf(path, sizeof(path), "%s", name);
	else
		snprintf(path, sizeof(path), "%.*s/%s", PATH_MAX, mount, name);
	if (!realpath(path, real) || stat(real, &st) || !S_ISDIR(st.st_mode))
		return refuse(-ENOENT, why, "-G: there is no cgroup '%s' below the cgroup2 mount",
			      name);
	if (strncmp(real, mount, under) || (real[under] && real[under] != '/'))
		return refuse(-EINVAL, why, "-G: '%s' is not below the cgroup2 mount", name);
	cg.id = st.st_ino;
	for (const char *c = real + under; *c; c++)
		cg.level += *c == '/' && c[1];
	if (cg.level > 63)
		return refuse(-EINVAL, why, "-G: '%s' is more than 63 levels deep", name);
	err = array__grow(&t->cgroups, &t->cap_cgroups, t->nr_cgroups + 1);
	if (err)
		return err;
	cg.path = strdup(real);
	if (!cg.path)
		return -ENOMEM;
	cg.mount_len = under;
	t->cgroups[t->nr_cgroups++] = cg;
	return 0;
}

int target__add_cgroups(struct target *t, const char *text, struct buf *why)
{
	char mount[PATH_MAX], *names, *name, *rest;
	int err = cgroup2__mount(mount, sizeof(mount));

	if (err)
		return refuse(err, why, "-G: no cgroup2 hierarchy is mounted");
	names = strdup(text);
	if (!names)
		return -ENOMEM;
	for (rest = names; !err && (name = strsep(&rest, ","));)
		err = add_cgroup(t, mount, name, why);
	free(names);
	return err;
}

int target__add_cpus(struct target *t, const char *text, struct buf *why)
{
	int err;

	free(t->cpus);
	err = parse__list(text, INT_MAX, &t->cpus, &t->nr_cpus);
	if (err && err != -ENOMEM)
		return refuse(-EINVAL, why, "-C: '%s' is no list of CPUs such as 0,2-5 or 0-15:2",
			      text);
	return err;
}

int target__set_user(struct target *t, const char *text, struct buf *why)
{
	struct passwd *pw;
	uint64_t uid;

	t->by_uid = true;
	if (!parse__u64(text, 0, UINT32_MAX - 1, &uid)) {
		t->uid = uid;
		return 0;
	}
	pw = getpwnam(text);
	if (!pw)
		return refuse(-ENOENT, why, "-u: there is no user '%s'", text);
	t->uid = pw->pw_uid;
	return 0;
}

int target__set_comm(struct target *t, const char *text, struct buf *why)
{
	t->by_comm = true;
	if (glob__compile(&t->comm, text))
		return refuse(-EINVAL, why, "--comm: '%s' is no pattern of 1 to 62 characters",
			      text);
	return 0;
}

int target__finish(struct target *t, struct buf *why)
{
	uint32_t *online;
	size_t nr, i, k;
	int err = t->command ? check_pid_namespace(t, "-- CMD", why) : 0;

	if (err)
		return err;
	err = cpus__online("", &online, &nr);
	if (err)
		return refuse(err, why, "cannot read /sys/devices/system/cpu/online: %s",
			      strerror(-err));
	t->some_cpus = t->cpus;
	if (!t->cpus) {
		t->cpus = online;
		t->nr_cpus = nr;
		return 0;
	}
	for (i = 0; i < t->nr_cpus && !err; i++) {
		for (k = 0; k < nr && online[k] != t->cpus[i]; k++)
			;
		if (k == nr)
			err = refuse(-ENOENT, why, "-C: CPU %u is not online", t->cpus[i]);
	}
	free(online);
	return err;
}

void target__free(struct target *t)
{
	free(t->pids);
	free(t->tids);
	for (size_t i = 0; i < t->nr_cgroups; i++)
		free(t->cgroups[i].path);
	free(t->cgroups);
	free(t->cpus);
	*t = (struct target){};
}
