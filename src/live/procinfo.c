// SPDX-License-Identifier: BSD-2-Clause
/* Looks up an interval's processes, ancestors, users and cgroups; forgets the ended. */
#include "live/procinfo.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/idmap.h"
#include "base/utf8.h"
#include "live/containers.h"
#include "live/procfs.h"
#include "machine/cgroup.h"

enum {
	LOOK_AGAIN = 256, /* every so many refreshes */
	SPARE = 256,	  /* so many more are no reason yet to look which have ended */
};

struct procinfo {
	struct procinfo_opts opts;
	struct cgroups *cgroups;
	struct buf text;
	uint32_t nr_refreshes;
	struct idmap looked;	     /* pids, in this refresh */
	struct idmap looked_cgroups; /* in this refresh */
	struct idmap asked_users;    /* ever: those without a name are not asked for again */
	struct idmap ended;	     /* pids, in the last interval */
	struct idmap linked;	     /* pids, in this refresh: with their ancestors */
	size_t nr_left, nr_left_cgroups;
};

int procinfo__open(struct procinfo **out, const struct procinfo_opts *opts)
{
	struct procinfo *i = calloc(1, sizeof(*i));
	int err = i ? cgroups__open(&i->cgroups) : -ENOMEM;

	*out = NULL;
	if (err) {
		procinfo__close(i);
		return err;
	}
	i->opts = *opts;
	*out = i;
	return 0;
}

void procinfo__close(struct procinfo *i)
{
	if (!i)
		return;
	cgroups__close(i->cgroups);
	buf__free(&i->text);
	idmap__free(&i->looked);
	idmap__free(&i->looked_cgroups);
	idmap__free(&i->asked_users);
	idmap__free(&i->ended);
	idmap__free(&i->linked);
	free(i);
}

/* *first: @key is new to @set, which has it now. 0 or -ENOMEM. */
static int is_first(struct idmap *set, uint64_t key, bool *first)
{
	uint32_t unused;

	*first = !idmap__get(set, key, &unused);
	return *first ? idmap__set(set, key, 0) : 0;
}

static int look_at_user(struct procinfo *i, struct processes *p, uint32_t uid)
{
	enum { MOST = 1 << 20 };
	struct passwd pw, *found = NULL;
	bool first;
	int err = is_first(&i->asked_users, uid, &first);

	if (err || !first)
		return err;
	buf__clear(&i->text);
	for (size_t room = 4096; room <= MOST; room *= 2) {
		err = buf__reserve(&i->text, room);
		if (err)
			return err;
		if (getpwuid_r(uid, &pw, i->text.data, i->text.cap, &found) != ERANGE)
			break;
	}
	return found ? processes__set_user(p, uid, pw.pw_name) : 0;
}

/* If its first thread has ended /proc has no command line any more: what was known is better. */
static bool has_lost_command(const struct process *known, const struct process *now)
{
	return known && known->command[0] && !now->command[0];
}

static int read_process(struct procinfo *i, struct processes *p, uint32_t pid, uint32_t *parent)
{
	struct process one;
	bool first;
	int err = is_first(&i->looked, pid, &first);

	*parent = 0;
	if (err || !first)
		return err;
	err = procfs__process(&one, &i->text, i->opts.proc, pid);
	if (!err && !has_lost_command(processes__find(p, pid), &one))
		err = processes__set(p, &one);
	if (!err && !i->opts.no_users)
		err = look_at_user(i, p, one.uid);
	if (!err)
		*parent = one.parent;
	return err == -ENOENT ? 0 : err;
}

/* Reads a process, then its ancestors up to the first that is known. */
static int read_family(struct procinfo *i, struct processes *p, uint32_t pid)
{
	int err;

	do
		err = read_process(i, p, pid, &pid);
	while (!err && pid && !processes__find(p, pid));
	return err;
}

static bool is_first_thread(const struct live_task *t)
{
	return !t->tid || t->tid == t->tgid; /* 0: threads are not told apart */
}

static bool is_stale(const struct procinfo *i, const struct process *one, const struct live_task *t)
{
	if (!one || one->uid == PROCESS_NO_USER || (one->pid + i->nr_refreshes) % LOOK_AGAIN == 0)
		return true;
	if (t->parent && t->parent != one->parent)
		return true;
	/* A new name. /proc has longer names of kernel workers, so that theirs always differ. */
	return is_first_thread(t) && !one->is_kernel && strncmp(one->comm, t->comm, LIVE_COMM);
}

/* What the interval tells of a process that could not be looked up. Its first thread names it. */
static int take_task(struct processes *p, const struct live_task *t)
{
	const struct process *known = processes__find(p, t->tgid);
	struct process one = { .pid = t->tgid, .parent = t->parent, .uid = PROCESS_NO_USER };

	if (known && known->uid != PROCESS_NO_USER)
		return 0;
	if (!t->parent || (known && !is_first_thread(t)))
		return 0;
	if (is_first_thread(t))
		memcpy(one.comm, t->comm, sizeof(one.comm));
	return processes__set(p, &one);
}

static int look_at_process(struct procinfo *i, struct processes *p, const struct live_task *t,
			   unsigned ends)
{
	const struct process *one = processes__find(p, t->tgid);
	int err = 0;

	if (ends & LIVE_PROCESS_ENDED)
		err = idmap__set(&i->ended, t->tgid, 0);
	else if (is_stale(i, one, t))
		err = read_family(i, p, t->tgid);
	return err ? err : take_task(p, t);
}

/* 0: none, or not known. */
static uint32_t parent_of(const struct processes *p, uint32_t pid)
{
	const struct process *one = processes__find(p, pid);

	return one ? one->parent : 0;
}

static bool lacks_parent(const struct processes *p, uint32_t pid)
{
	uint32_t parent = parent_of(p, pid);

	return parent && !processes__find(p, parent);
}

/*
 * Completes the ancestors of a process, up to the first. Those that only wait have not run, so that
 * nobody has looked whether their parent has ended and they have got another one; and the parents
 * of processes that have ended may be new.
 */
static int link_ancestors(struct procinfo *i, struct processes *p, uint32_t pid)
{
	int err = 0;

	for (; pid && !err; pid = parent_of(p, pid)) {
		bool first;

		err = is_first(&i->linked, pid, &first);
		if (err || !first)
			break;
		if (lacks_parent(p, pid))
			err = read_family(i, p, parent_of(p, pid));
		if (!err && lacks_parent(p, pid))
			err = read_family(i, p, pid);
	}
	return err;
}

/* The name of a cgroup: its path, or the container that the path is of. */
static int put_name(struct procinfo *i, struct buf *out, const char *path)
{
	struct buf name = {};
	struct container c;
	int err;

	if (!container__parse(path, &c))
		return buf__puts(out, path);
	err = containers__name(&name, i->opts.root, &c);
	if (!err || err == -ENOENT)
		err = container__put(out, &c, err ? NULL : name.data);
	buf__free(&name);
	return err;
}

static int look_at_cgroup(struct procinfo *i, struct processes *p, uint64_t id)
{
	struct buf name = {}, line = {};
	char path[PATH_MAX];
	bool first;
	int err;

	if (processes__cgroup(p, id))
		return 0;
	err = is_first(&i->looked_cgroups, id, &first);
	if (err || !first || cgroups__find(i->cgroups, id, path, sizeof(path)))
		return err;
	err = put_name(i, &name, path);
	/* Folders may have any name. */
	if (!err)
		err = utf8__put_line(&line, name.data, name.len, PATH_MAX);
	if (!err)
		err = processes__set_cgroup(p, id, path, line.data);
	buf__free(&name);
	buf__free(&line);
	return err;
}

static bool has_not_ended(void *arg, uint32_t pid)
{
	const struct procinfo *i = arg;
	uint32_t unused;

	return !idmap__get(&i->ended, pid, &unused);
}

static bool is_there(void *arg, uint32_t pid)
{
	const struct procinfo *i = arg;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%u", i->opts.proc, pid);
	return !access(path, F_OK);
}

static bool is_cgroup_there(void *arg, uint64_t id)
{
	const struct procinfo *i = arg;
	char path[PATH_MAX];

	return !cgroups__find(i->cgroups, id, path, sizeof(path));
}

/* Most processes are seen to end; the others are looked for once many are known. */
static void forget(struct procinfo *i, struct processes *p)
{
	if (i->opts.proc && processes__nr(p) > 2 * i->nr_left + SPARE) {
		processes__keep(p, is_there, i);
		i->nr_left = processes__nr(p);
	}
	if (processes__nr_cgroups(p) > 2 * i->nr_left_cgroups + SPARE) {
		processes__keep_cgroups(p, is_cgroup_there, i);
		i->nr_left_cgroups = processes__nr_cgroups(p);
	}
}

int procinfo__refresh(struct procinfo *i, const struct live *l, struct processes *p)
{
	int err = 0;

	if (i->ended.nr)
		processes__keep(p, has_not_ended, i);
	idmap__clear(&i->ended);
	idmap__clear(&i->looked);
	idmap__clear(&i->looked_cgroups);
	idmap__clear(&i->linked);
	forget(i, p);
	i->nr_refreshes++;
	for (size_t k = 0; k < live__nr_tasks(l) && !err; k++) {
		unsigned ends;
		const struct live_task *t = live__task(l, k, &ends);

		if (t->tgid && i->opts.proc)
			err = look_at_process(i, p, t, ends);
		if (!err)
			err = look_at_cgroup(i, p, t->cgroup);
	}
	for (size_t k = 0; i->opts.proc && k < live__nr_tasks(l) && !err; k++)
		err = link_ancestors(i, p, live__task(l, k, &(unsigned){ 0 })->tgid);
	return err;
}
