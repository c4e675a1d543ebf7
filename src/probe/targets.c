// SPDX-License-Identifier: BSD-2-Clause
/* Writes a run's targets into maps and read-only data, and attaches fork, exec and exit. */
#include "probe/targets.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

#include "probe/bpf.h"

enum { TARGETS_MAX = 16384 }; /* processes followed at once, children included */

static int choose_cpus(const struct targets_parts *p, const struct target *t)
{
	for (size_t i = 0; p->cpus && t->some_cpus && i < t->nr_cpus; i++) {
		if (t->cpus[i] >= TARGET_CPUS)
			return -E2BIG;
		p->cpus[t->cpus[i] / 64] |= 1ull << t->cpus[i] % 64;
	}
	return 0;
}

int targets__prepare(const struct targets_parts *p, const struct target *t, pid_t command,
		     bool idle)
{
	bool tasks = t->nr_pids || t->nr_tids || t->command;
	bool follow = t->inherit && (t->nr_pids || t->command);
	int err = choose_cpus(p, t);

	if (err)
		return err;
	_Static_assert(sizeof(p->comm->accepts) == sizeof(t->comm.accepts), "a word for each byte");
	*p->cfg = (struct target_cfg){
		.filter_pid = t->nr_pids || t->command,
		.filter_tid = t->nr_tids > 0,
		.filter_uid = t->by_uid,
		.filter_comm = t->by_comm,
		.idle = idle,
		.uid = t->uid,
		.command = command,
		.filter_cpu = p->cpus && t->some_cpus,
	};
	for (size_t i = 0; i < t->nr_cgroups; i++)
		p->cfg->cgroup_levels |= 1ull << t->cgroups[i].level;
	memcpy(p->comm->accepts, t->comm.accepts, sizeof(p->comm->accepts));
	p->comm->stars = t->comm.stars;
	p->comm->end = t->comm.end;

	if (!follow)
		err = bpf_program__set_autoload(p->fork, false);
	if (!err && !t->command)
		err = bpf_program__set_autoload(p->exec, false);
	if (!err && !tasks)
		err = bpf_program__set_autoload(p->exit, false);
	if (!err)
		err = bpf_map__set_max_entries(p->targets,
					       tasks ? TARGETS_MAX + t->nr_pids + t->nr_tids : 1);
	if (!err)
		err = bpf_map__set_max_entries(p->cgroups, t->nr_cgroups ? t->nr_cgroups : 1);
	return err;
}

int targets__continue(const struct targets_parts *p, const struct targets_parts *with)
{
	int err = bpf_map__reuse_fd(p->targets, bpf_map__fd(with->targets));

	return err ? err : bpf_map__reuse_fd(p->cgroups, bpf_map__fd(with->cgroups));
}

int targets__share(const struct targets_parts *p, const struct targets_parts *with)
{
	struct bpf_program *programs[] = { p->fork, p->exec, p->exit };
	int err = targets__continue(p, with);

	for (size_t i = 0; i < ARRAY_SIZE(programs) && !err; i++)
		err = bpf_program__set_autoload(programs[i], false);
	return err;
}

int targets__within(const struct targets_parts *p, int fd)
{
	if (!fd)
		return 0;
	p->cfg->within = 1;
	return bpf_map__reuse_fd(p->within, fd);
}

int targets__fill(const struct targets_parts *p, const struct target *t)
{
	const uint32_t *ids = t->nr_tids ? t->tids : t->pids;
	size_t nr = t->nr_tids ? t->nr_tids : t->nr_pids;
	uint8_t one = 1;
	int err = 0;

	for (size_t i = 0; !err && i < nr; i++)
		err = bpf_map_update_elem(bpf_map__fd(p->targets), &ids[i], &one, BPF_ANY);
	for (size_t i = 0; !err && i < t->nr_cgroups; i++)
		err = bpf_map_update_elem(bpf_map__fd(p->cgroups), &t->cgroups[i].id, &one,
					  BPF_ANY);
	return err;
}

int targets__follow(struct targets_links *l, const struct targets_parts *p, struct buf *why)
{
	int err = bpf__follow(&l->fork, p->fork, why);

	if (!err)
		err = bpf__follow(&l->exec, p->exec, why);
	if (!err)
		err = bpf__follow(&l->exit, p->exit, why);
	return err;
}

void targets__unfollow(struct targets_links *l)
{
	bpf_link__destroy(l->fork);
	bpf_link__destroy(l->exec);
	bpf_link__destroy(l->exit);
	*l = (struct targets_links){};
}
