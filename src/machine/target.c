// SPDX-License-Identifier: BSD-2-Clause
/* Parses and checks the conditions of a run, but for -G: that is in target_cgroups.c. */
#include "machine/target.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/parse.h"
#include "base/why.h"
#include "machine/cpus.h"

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
		return why__refuse(why, -EINVAL,
				   "%s: '%s' is no list of numbers such as 17 or 17,42", option,
				   text);
	for (i = 0; i < n && !err; i++) {
		snprintf(path, sizeof(path), "/proc/%u", list[i]);
		if (!list[i] || access(path, F_OK)) {
			err = why__refuse(why, -ENOENT, "%s: there is no %s %u", option, what,
					  list[i]);
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
	return why__refuse(
		why, -EINVAL,
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

int target__add_cpus(struct target *t, const char *text, struct buf *why)
{
	uint32_t bad;
	int err;

	free(t->cpus);
	err = cpus__parse("", text, &t->cpus, &t->nr_cpus, &bad);
	switch (err) {
	case -EINVAL:
		return why__refuse(why, err, "-C: '%s' is no list of CPUs such as 0,2-5 or 0-15:2",
				   text);
	case -ERANGE:
		return why__refuse(why, -ENOENT, "-C: '%s', but this machine's last CPU is %u",
				   text, bad);
	case -ENODEV:
		return why__refuse(why, -ENOENT, "-C: CPU %u is not online", bad);
	default:
		return err;
	}
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
		return why__refuse(why, -ENOENT, "-u: there is no user '%s'", text);
	t->uid = pw->pw_uid;
	return 0;
}

int target__set_comm(struct target *t, const char *text, struct buf *why)
{
	t->by_comm = true;
	if (glob__compile(&t->comm, text))
		return why__refuse(why, -EINVAL, "--comm: '%s' is no pattern of 1 to 62 characters",
				   text);
	return 0;
}

bool target__selects(const struct target *t)
{
	return t->nr_pids || t->nr_tids || t->nr_cgroups || t->some_cpus || t->by_uid ||
	       t->by_comm || t->command;
}

int target__finish(struct target *t, struct buf *why)
{
	int err = t->command ? check_pid_namespace(t, "-- CMD", why) : 0;

	if (err)
		return err;
	t->some_cpus = t->cpus;
	if (t->cpus)
		return 0;
	err = cpus__online("", &t->cpus, &t->nr_cpus);
	if (err)
		return why__refuse(why, err, "cannot read /sys/devices/system/cpu/online: %s",
				   strerror(-err));
	return 0;
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
