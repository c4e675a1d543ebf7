// SPDX-License-Identifier: BSD-2-Clause
/* top: checks -p -t -u --comm -G, and makes a filter of tasks of them. */
#include "cmd/top_filter.h"

#include <errno.h>
#include <string.h>

#include "machine/target.h"

/* A path has to exist. Patterns need not match anything yet, and ids are not looked up. */
static int check_cgroups(struct target *t, const char *text, struct buf *why)
{
	bool is_number = text[strspn(text, "0123456789,")] == '\0';

	return is_number || strpbrk(text, "*?[") ? 0 : target__add_cgroups(t, text, why);
}

static int check_all(const struct target_opts *o, struct target *t, struct buf *why)
{
	int err = 0;

	for (size_t i = 0; i < o->pids.nr && !err; i++)
		err = target__add_pids(t, o->pids.items[i], why);
	for (size_t i = 0; i < o->tids.nr && !err; i++)
		err = target__add_tids(t, o->tids.items[i], why);
	for (size_t i = 0; i < o->cgroups.nr && !err; i++)
		err = check_cgroups(t, o->cgroups.items[i], why);
	return !err && o->user ? target__set_user(t, o->user, why) : err;
}

static int add_all(struct livefilter *f, const struct opt_strs *texts, struct buf *why,
		   int (*add)(struct livefilter *f, const char *text, struct buf *why))
{
	int err = 0;

	for (size_t i = 0; i < texts->nr && !err; i++)
		err = add(f, texts->items[i], why);
	return err;
}

int top_filter__open(struct livefilter **out, const struct target_opts *o,
		     const struct processes *p, bool replay, struct buf *why)
{
	struct livefilter *f = livefilter__new(p);
	struct target existing = {};
	int err = f ? 0 : -ENOMEM;

	*out = NULL;
	if (!err)
		err = add_all(f, &o->pids, why, livefilter__add_pids);
	if (!err)
		err = add_all(f, &o->tids, why, livefilter__add_tids);
	if (!err)
		err = add_all(f, &o->cgroups, why, livefilter__add_cgroups);
	if (!err && o->user)
		err = livefilter__add_user(f, o->user, why);
	if (!err && o->comm)
		err = livefilter__add_comm(f, o->comm, why);
	if (!err && !replay)
		err = check_all(o, &existing, why);
	target__free(&existing);
	if (err) {
		livefilter__free(f);
		return err;
	}
	*out = f;
	return 0;
}
