// SPDX-License-Identifier: BSD-2-Clause
/* Writes a run's targets into maps and read-only data, and attaches fork, exec and exit. */
#include "object/targets.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

#include "object/bpf.h"

enum { TARGETS_MAX = 16384 }; /* processes followed at once, children included */

static const char *const followers[] = { "target_fork", "target_exec", "target_exit" };

static struct bpf_map *map_of(const struct bpf_object *obj, const char *name)
{
	return bpf_object__find_map_by_name(obj, name);
}

static int leave_out(const struct bpf_object *obj, const char *program)
{
	return bpf_program__set_autoload(bpf_object__find_program_by_name(obj, program), false);
}

static int choose_cpus(uint64_t *cpus, const struct target *t)
{
	for (size_t i = 0; i < t->nr_cpus; i++) {
		if (t->cpus[i] >= TARGET_CPUS)
			return -E2BIG;
		cpus[t->cpus[i] / 64] |= 1ull << t->cpus[i] % 64;
	}
	return 0;
}

int targets__prepare(const struct bpf_object *obj, const struct target *t, pid_t command, bool idle,
		     bool any_cpu)
{
	struct target_cfg *cfg = bpf__variable(obj, "target");
	struct target_glob *comm = bpf__variable(obj, "target_comm");
	bool tasks = t->nr_pids || t->nr_tids || t->command;
	bool follow = t->inherit && (t->nr_pids || t->command);
	bool by_cpu = any_cpu && t->some_cpus;
	int err = by_cpu ? choose_cpus(bpf__variable(obj, "target_cpus"), t) : 0;

	if (err)
		return err;
	_Static_assert(sizeof(comm->accepts) == sizeof(t->comm.accepts), "a word for each byte");
	*cfg = (struct target_cfg){
		.filter_pid = t->nr_pids || t->command,
		.filter_tid = t->nr_tids > 0,
		.filter_uid = t->by_uid,
		.filter_comm = t->by_comm,
		.idle = idle,
		.uid = t->uid,
		.command = command,
		.filter_cpu = by_cpu,
	};
	for (size_t i = 0; i < t->nr_cgroups; i++)
		cfg->cgroup_levels |= 1ull << t->cgroups[i].level;
	memcpy(comm->accepts, t->comm.accepts, sizeof(comm->accepts));
	comm->stars = t->comm.stars;
	comm->end = t->comm.end;

	if (!follow)
		err = leave_out(obj, "target_fork");
	if (!err && !t->command)
		err = leave_out(obj, "target_exec");
	if (!err && !tasks)
		err = leave_out(obj, "target_exit");
	if (!err)
		err = bpf_map__set_max_entries(map_of(obj, "targets"),
					       tasks ? TARGETS_MAX + t->nr_pids + t->nr_tids : 1);
	if (!err)
		err = bpf_map__set_max_entries(map_of(obj, "cgroups"),
					       t->nr_cgroups ? t->nr_cgroups : 1);
	return err;
}

static int reuse(const struct bpf_object *obj, const struct bpf_object *with, const char *name)
{
	return bpf_map__reuse_fd(map_of(obj, name), bpf_map__fd(map_of(with, name)));
}

int targets__continue(const struct bpf_object *obj, const struct bpf_object *with)
{
	int err = reuse(obj, with, "targets");

	return err ? err : reuse(obj, with, "cgroups");
}

int targets__share(const struct bpf_object *obj, const struct bpf_object *with)
{
	int err = targets__continue(obj, with);

	for (size_t i = 0; i < ARRAY_SIZE(followers) && !err; i++)
		err = leave_out(obj, followers[i]);
	return err;
}

int targets__within(const struct bpf_object *obj, int fd)
{
	struct target_cfg *cfg = bpf__variable(obj, "target");

	if (!fd)
		return 0;
	cfg->within = 1;
	return bpf_map__reuse_fd(map_of(obj, "within"), fd);
}

int targets__fill(const struct bpf_object *obj, const struct target *t)
{
	const uint32_t *ids = t->nr_tids ? t->tids : t->pids;
	size_t nr = t->nr_tids ? t->nr_tids : t->nr_pids;
	uint8_t one = 1;
	int err = 0;

	for (size_t i = 0; !err && i < nr; i++)
		err = bpf_map_update_elem(bpf_map__fd(map_of(obj, "targets")), &ids[i], &one,
					  BPF_ANY);
	for (size_t i = 0; !err && i < t->nr_cgroups; i++)
		err = bpf_map_update_elem(bpf_map__fd(map_of(obj, "cgroups")), &t->cgroups[i].id,
					  &one, BPF_ANY);
	return err;
}

int targets__follow(struct targets_links *l, const struct bpf_object *obj, struct buf *why)
{
	int err = 0;

	_Static_assert(ARRAY_SIZE(l->links) == ARRAY_SIZE(followers), "one for each");
	for (size_t i = 0; i < ARRAY_SIZE(followers) && !err; i++)
		err = bpf__follow(&l->links[i], bpf_object__find_program_by_name(obj, followers[i]),
				  why);
	return err;
}

void targets__unfollow(struct targets_links *l)
{
	for (size_t i = 0; i < ARRAY_SIZE(l->links); i++)
		bpf_link__destroy(l->links[i]);
	*l = (struct targets_links){};
}

bool targets__is_follower(const struct bpf_program *program)
{
	for (size_t i = 0; i < ARRAY_SIZE(followers); i++)
		if (!strcmp(bpf_program__name(program), followers[i]))
			return true;
	return false;
}

enum targets_told targets__told(const struct bpf_object *obj, int *fd)
{
	const struct target_cfg *cfg = bpf__variable(obj, "target");

	*fd = -1;
	if (!cfg->filter_pid && !cfg->filter_tid)
		return cfg->cgroup_levels || cfg->filter_uid || cfg->filter_comm
			       ? TARGETS_BY_OTHER_MEANS
			       : TARGETS_ALL;
	*fd = bpf_map__fd(map_of(obj, "targets"));
	return TARGETS_BY_ID;
}

uint64_t targets__dropped(const struct bpf_object *obj)
{
	const volatile struct target_control *control = bpf__variable(obj, "target_control");

	return control->children_dropped;
}
