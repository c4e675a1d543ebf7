// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/targets.h"

#include <errno.h>
#include <stdlib.h>

static int refuse(struct buf *why, const char *text)
{
	int err = buf__puts(why, text);

	return err ? err : -EINVAL;
}

static int add_all(struct target *t, const struct opt_strs *texts, struct buf *why,
		   int (*add)(struct target *t, const char *text, struct buf *why))
{
	int err = 0;

	for (size_t i = 0; i < texts->nr && !err; i++)
		err = add(t, texts->items[i], why);
	return err;
}

int target_opts__parse(const struct target_opts *o, bool command, struct target *t, struct buf *why)
{
	bool tasks = o->pids.nr || o->tids.nr;
	int err;

	if (o->pids.nr && o->tids.nr)
		return refuse(why, "-p and -t cannot be combined");
	if (command && tasks)
		return refuse(why, "a command and -p or -t cannot be combined");
	if (o->all && (tasks || command || o->cgroups.nr || o->user || o->comm))
		return refuse(why, "-a means the whole machine: leave it out with other targets");
	t->inherit = !o->no_inherit;
	t->command = command;
	err = add_all(t, &o->pids, why, target__add_pids);
	if (!err)
		err = add_all(t, &o->tids, why, target__add_tids);
	if (!err)
		err = add_all(t, &o->cgroups, why, target__add_cgroups);
	if (!err && o->cpus)
		err = target__add_cpus(t, o->cpus, why);
	if (!err && o->user)
		err = target__set_user(t, o->user, why);
	if (!err && o->comm)
		err = target__set_comm(t, o->comm, why);
	return err ? err : target__finish(t, why);
}

void target_opts__free(struct target_opts *o)
{
	free((void *)o->pids.items);
	free((void *)o->tids.items);
	free((void *)o->cgroups.items);
}
