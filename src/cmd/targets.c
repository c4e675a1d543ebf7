// SPDX-License-Identifier: BSD-2-Clause
/* Makes a target of the target options, and words of it for a headline. */
#include "cmd/targets.h"

#include <errno.h>
#include <stdlib.h>

#include "base/why.h"

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
		return why__refuse(why, -EINVAL, "-p and -t cannot be combined");
	if (command && tasks)
		return why__refuse(why, -EINVAL, "a command and -p or -t cannot be combined");
	if (o->all && (tasks || o->cgroups.nr || o->user || o->comm))
		return why__refuse(why, -EINVAL,
				   "-a means the whole machine: leave it out with other targets");
	t->inherit = !o->no_inherit;
	t->command = command && !o->all;
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

/* "WHAT 'a,b,c'" */
static int put_quoted(struct buf *out, const char *what, const char *const *words, size_t nr,
		      const char *between)
{
	int err = buf__printf(out, "%s'", what);

	for (size_t i = 0; i < nr && !err; i++)
		err = buf__printf(out, "%s%s", i ? between : "", words[i]);
	return err ? err : buf__puts(out, "'");
}

int target_opts__describe(const struct target_opts *o, const struct target *t, char **argv,
			  struct buf *out)
{
	size_t nr = 0;

	if (argv && t->command) {
		while (argv[nr])
			nr++;
		return put_quoted(out, "", (const char *const *)argv, nr, " ");
	}
	if (o->pids.nr)
		return put_quoted(out, "process id ", o->pids.items, o->pids.nr, ",");
	if (o->tids.nr)
		return put_quoted(out, "thread id ", o->tids.items, o->tids.nr, ",");
	if (o->cgroups.nr)
		return put_quoted(out, "cgroups ", o->cgroups.items, o->cgroups.nr, ",");
	if (t->by_comm)
		return put_quoted(out, "tasks named ", &o->comm, 1, "");
	if (t->by_uid)
		return put_quoted(out, "tasks of ", &o->user, 1, "");
	if (t->some_cpus)
		return put_quoted(out, "CPU(s) ", &o->cpus, 1, "");
	return buf__puts(out, "'system wide'");
}

void target_opts__free(struct target_opts *o)
{
	free((void *)o->pids.items);
	free((void *)o->tids.items);
	free((void *)o->cgroups.items);
}
