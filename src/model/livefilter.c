// SPDX-License-Identifier: BSD-2-Clause
/* Parses the conditions of a live view, and checks tasks against them. */
#include "model/livefilter.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/parse.h"
#include "base/why.h"

struct user {
	char *name; /* as typed */
	bool is_number;
	uint32_t uid;
};

struct cgroup {
	char *pattern; /* from "/" on; owned */
	bool is_id;
	uint64_t id;
};

struct livefilter {
	const struct processes *processes;
	uint32_t *pids, *tids;
	size_t nr_pids, nr_tids;
	struct user *users;
	size_t nr_users, cap_users;
	struct glob *comms;
	size_t nr_comms, cap_comms;
	struct cgroup *cgroups;
	size_t nr_cgroups, cap_cgroups;
};

struct livefilter *livefilter__new(const struct processes *p)
{
	struct livefilter *f = calloc(1, sizeof(*f));

	if (f)
		f->processes = p;
	return f;
}

void livefilter__free(struct livefilter *f)
{
	if (!f)
		return;
	while (f->nr_users)
		free(f->users[--f->nr_users].name);
	while (f->nr_cgroups)
		free(f->cgroups[--f->nr_cgroups].pattern);
	free(f->pids);
	free(f->tids);
	free(f->users);
	free(f->comms);
	free(f->cgroups);
	free(f);
}

static int add_ids(uint32_t **ids, size_t *nr, const char *text, const char *option,
		   struct buf *why)
{
	uint32_t *list;
	size_t n, cap = *nr;
	int err = parse__list(text, INT_MAX, &list, &n);

	if (err == -ENOMEM)
		return err;
	if (err)
		return why__refuse(why, -EINVAL,
				   "%s: '%s' is no list of numbers such as 17 or 17,42", option,
				   text);
	err = array__grow(ids, &cap, *nr + n);
	if (!err) {
		memcpy(*ids + *nr, list, n * sizeof(*list));
		*nr += n;
	}
	free(list);
	return err;
}

int livefilter__add_pids(struct livefilter *f, const char *text, struct buf *why)
{
	return add_ids(&f->pids, &f->nr_pids, text, "-p", why);
}

int livefilter__add_tids(struct livefilter *f, const char *text, struct buf *why)
{
	return add_ids(&f->tids, &f->nr_tids, text, "-t", why);
}

int livefilter__add_user(struct livefilter *f, const char *text, struct buf *why)
{
	struct user user = {};
	uint64_t uid;
	int err;

	if (!*text)
		return why__refuse(why, -EINVAL, "-u: '%s' is no user", text);
	err = array__grow(&f->users, &f->cap_users, f->nr_users + 1);
	if (err)
		return err;
	user.is_number = !parse__u64(text, 0, UINT32_MAX - 1, &uid);
	user.uid = user.is_number ? uid : 0;
	user.name = strdup(text);
	if (!user.name)
		return -ENOMEM;
	f->users[f->nr_users++] = user;
	return 0;
}

int livefilter__add_comm(struct livefilter *f, const char *text, struct buf *why)
{
	int err = array__grow(&f->comms, &f->cap_comms, f->nr_comms + 1);

	if (err)
		return err;
	if (glob__compile(&f->comms[f->nr_comms], text))
		return why__refuse(why, -EINVAL, "--comm: '%s' is no pattern of 1 to 62 characters",
				   text);
	f->nr_comms++;
	return 0;
}

/* "/sys/fs/cgroup/a/", "a" -> "/a" */
static char *make_pattern(const char *text)
{
	static const char mount[] = "/sys/fs/cgroup";
	size_t under = strlen(mount), len;
	char *pattern;

	if (!strncmp(text, mount, under) && (text[under] == '/' || !text[under]))
		text += under;
	text += strspn(text, "/");
	len = strlen(text);
	while (len && text[len - 1] == '/')
		len--;
	pattern = malloc(len + 2);
	if (!pattern)
		return NULL;
	pattern[0] = '/';
	memcpy(pattern + 1, text, len);
	pattern[len + 1] = '\0';
	return pattern;
}

static int add_cgroup(struct livefilter *f, const char *text, struct buf *why)
{
	struct cgroup cg = {};
	int err;

	if (!*text || strlen(text) >= PATH_MAX)
		return why__refuse(why, -EINVAL, "-G: '%s' is no path of a cgroup", text);
	err = array__grow(&f->cgroups, &f->cap_cgroups, f->nr_cgroups + 1);
	if (err)
		return err;
	cg.is_id = !parse__u64(text, 0, UINT64_MAX, &cg.id);
	cg.pattern = make_pattern(text);
	if (!cg.pattern)
		return -ENOMEM;
	f->cgroups[f->nr_cgroups++] = cg;
	return 0;
}

int livefilter__add_cgroups(struct livefilter *f, const char *text, struct buf *why)
{
	char *names = strdup(text), *rest = names, *name;
	int err = names ? 0 : -ENOMEM;

	while (!err && (name = strsep(&rest, ",")))
		err = add_cgroup(f, name, why);
	free(names);
	return err;
}

bool livefilter__selects(const struct livefilter *f)
{
	return f->nr_pids || f->nr_tids || f->nr_users || f->nr_comms || f->nr_cgroups;
}

static bool has_id(const uint32_t *ids, size_t nr, uint32_t id)
{
	for (size_t i = 0; i < nr; i++)
		if (ids[i] == id)
			return true;
	return !nr;
}

static bool is_of_users(const struct livefilter *f, const struct process *one)
{
	const char *name;

	if (!f->nr_users)
		return true;
	if (!one)
		return false;
	name = processes__user(f->processes, one->uid);
	for (size_t i = 0; i < f->nr_users; i++)
		if ((f->users[i].is_number && f->users[i].uid == one->uid) ||
		    (name && !strcmp(f->users[i].name, name)))
			return true;
	return false;
}

static bool is_called(const struct livefilter *f, const struct live_task *t)
{
	for (size_t i = 0; i < f->nr_comms; i++)
		if (glob__matches(&f->comms[i], t->comm))
			return true;
	return !f->nr_comms;
}

/* The path itself, or one above it. */
static bool matches_path(const char *pattern, const char *path)
{
	char part[PATH_MAX];
	size_t len = strlen(path);

	if (!strcmp(pattern, "/"))
		return true;
	if (len >= sizeof(part))
		return false;
	memcpy(part, path, len + 1);
	for (char *end = part + len; end > part; end = strrchr(part, '/')) {
		*end = '\0';
		if (!fnmatch(pattern, part, 0))
			return true;
	}
	return false;
}

/* @path is @above, or below it. */
static bool is_below(const char *above, const char *path)
{
	size_t len = strlen(above);

	if (!strcmp(above, "/"))
		return true;
	return !strncmp(above, path, len) && (!path[len] || path[len] == '/');
}

static bool is_in_cgroup(const struct livefilter *f, const struct cgroup *cg, uint64_t id)
{
	const char *path = processes__cgroup_path(f->processes, id), *above;

	if (cg->is_id && cg->id == id)
		return true;
	if (!path)
		return false;
	above = cg->is_id ? processes__cgroup_path(f->processes, cg->id) : NULL;
	return (above && is_below(above, path)) || matches_path(cg->pattern, path);
}

static bool is_in_cgroups(const struct livefilter *f, uint64_t id)
{
	for (size_t i = 0; i < f->nr_cgroups; i++)
		if (is_in_cgroup(f, &f->cgroups[i], id))
			return true;
	return !f->nr_cgroups;
}

bool livefilter__wants(const struct livefilter *f, const struct live_task *t)
{
	const struct process *one;

	if (!livefilter__selects(f))
		return true;
	if (!t->tgid || !has_id(f->pids, f->nr_pids, t->tgid) ||
	    !has_id(f->tids, f->nr_tids, t->tid) || !is_called(f, t))
		return false;
	one = processes__find(f->processes, t->tgid);
	return is_of_users(f, one) && is_in_cgroups(f, t->cgroup);
}

static bool wants(const void *arg, const struct live_task *t)
{
	return livefilter__wants(arg, t);
}

struct live_filter livefilter__of(const struct livefilter *f)
{
	return (struct live_filter){ .wants = wants, .arg = f };
}
