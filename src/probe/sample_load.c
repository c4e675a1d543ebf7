// SPDX-License-Identifier: BSD-2-Clause
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "perf/cpus.h"
#include "perf/open.h"
#include "probe/bpf.h"
#include "probe/sample_session.h"

enum {
	TARGETS_MAX = 16384, /* processes followed at once, children included */
	WORDS_PER_STACK = 64,
	STACKS_MIN = 256,
	STACKS_MAX = 1 << 20,
	STACKS_BY_PERIOD = 4096, /* the rate is unknown */
};

/* Half a second of samples, each with a stack of its own: drained when that is half full. */
static uint32_t stacks_by_rate(const struct sampler_opts *opts)
{
	uint64_t want = 0, stacks = STACKS_MIN;

	for (size_t i = 0; i < opts->nr_events; i++)
		want += opts->events[i].hz ? opts->events[i].hz / 2 : STACKS_BY_PERIOD;
	while (stacks < want && stacks < STACKS_MAX)
		stacks *= 2;
	return stacks;
}

static uint32_t bits_for(uint32_t n)
{
	uint32_t bits = 3;

	while (1u << bits < n && bits < 31)
		bits++;
	return bits;
}

static void size_tables(struct sample_tables *t, const struct sampler_opts *opts)
{
	uint64_t words;

	t->max_stacks = opts->max_stacks ? opts->max_stacks : stacks_by_rate(opts);
	if (t->max_stacks > STACKS_MAX)
		t->max_stacks = STACKS_MAX;
	/* Three quarters empty even when full: SAMPLE_PROBES always suffice. */
	t->slot_bits = bits_for(t->max_stacks * 4);
	words = (uint64_t)t->max_stacks * WORDS_PER_STACK;
	t->chunks = (words + SAMPLE_CHUNK_WORDS - 1) / SAMPLE_CHUNK_WORDS;
}

static uint64_t user_code_mask(void)
{
#if defined(__aarch64__)
	return (1ull << 48) - 1; /* the rest may be a pointer authentication code */
#else
	return UINT64_MAX;
#endif
}

static struct sample_cfg make_cfg(const struct sampler_opts *opts, const struct sample_tables *t)
{
	const struct target *target = opts->target;
	long kernel_max = perf_sysctl("perf_event_max_stack", 127);
	struct sample_cfg cfg = {
		.slot_bits = t->slot_bits,
		.chunks = t->chunks,
		.max_stacks = t->max_stacks,
		.max_stack = opts->max_stack,
		.user_stack = opts->user_stack,
		.kernel_stack = opts->kernel_stack,
		.by_tid = opts->by_tid,
		.by_comm = opts->by_comm,
		.by_cgroup = opts->by_cgroup,
		.idle = opts->idle,
		.filter_pid = target->nr_pids || target->command,
		.filter_tid = target->nr_tids > 0,
		.filter_uid = target->by_uid,
		.filter_comm = target->by_comm,
		.uid = target->uid,
		.command = opts->command,
		.code_mask = user_code_mask(),
	};

	/* One more than wanted, where the kernel allows it: then a cut can be seen. */
	cfg.kernel_max = opts->max_stack + 1 < kernel_max ? opts->max_stack + 1 : kernel_max;
	for (size_t i = 0; i < target->nr_cgroups; i++)
		cfg.cgroup_levels |= 1ull << target->cgroups[i].level;
	if (getrandom(&cfg.seed, sizeof(cfg.seed), GRND_NONBLOCK) != sizeof(cfg.seed))
		cfg.seed = (uintptr_t)t ^ getpid();
	return cfg;
}

struct bpf_program *sampler__program(const struct sampler *s, size_t event)
{
	char name[BPF_OBJ_NAME_LEN];

	snprintf(name, sizeof(name), "sample_event_%u", (unsigned)event);
	return bpf_object__find_program_by_name(s->skel->obj, name);
}

static int choose_programs(struct sampler *s, const struct sampler_opts *opts)
{
	const struct target *t = opts->target;
	bool follow = t->inherit && (t->nr_pids || t->command);
	int err = 0;

	for (size_t i = opts->nr_events; !err && i < SAMPLE_EVENTS; i++)
		err = bpf_program__set_autoload(sampler__program(s, i), false);
	if (!err && !follow)
		err = bpf_program__set_autoload(s->skel->progs.target_fork, false);
	if (!err && !t->command)
		err = bpf_program__set_autoload(s->skel->progs.target_exec, false);
	if (!err && !t->nr_pids && !t->nr_tids && !t->command)
		err = bpf_program__set_autoload(s->skel->progs.target_exit, false);
	return err;
}

static int size_maps(struct sampler *s, const struct sampler_opts *opts)
{
	const struct target *t = opts->target;
	uint32_t cpus = s->tables.nr_cpus, regions = cpus * SAMPLE_GENERATIONS;
	bool tasks = t->nr_pids || t->nr_tids || t->command;
	struct {
		struct bpf_map *map;
		uint64_t entries;
	} sizes[] = {
		{ s->skel->maps.cpus, cpus },
		{ s->skel->maps.scratch, cpus },
		{ s->skel->maps.slots, (uint64_t)regions << s->tables.slot_bits },
		{ s->skel->maps.store, (uint64_t)regions * s->tables.chunks },
		{ s->skel->maps.targets, tasks ? TARGETS_MAX + t->nr_pids + t->nr_tids : 1 },
		{ s->skel->maps.cgroups, t->nr_cgroups ? t->nr_cgroups : 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		int err = sizes[i].entries > INT32_MAX
				  ? -E2BIG
				  : bpf_map__set_max_entries(sizes[i].map, sizes[i].entries);

		if (err)
			return err;
	}
	return 0;
}

static int fill_targets(struct sampler *s, const struct target *t)
{
	const uint32_t *ids = t->nr_tids ? t->tids : t->pids;
	size_t nr = t->nr_tids ? t->nr_tids : t->nr_pids;
	uint8_t one = 1;
	int err = 0;

	for (size_t i = 0; !err && i < nr; i++)
		err = bpf_map_update_elem(bpf_map__fd(s->skel->maps.targets), &ids[i], &one,
					  BPF_ANY);
	for (size_t i = 0; !err && i < t->nr_cgroups; i++)
		err = bpf_map_update_elem(bpf_map__fd(s->skel->maps.cgroups), &t->cgroups[i].id,
					  &one, BPF_ANY);
	return err;
}

int sampler__load(struct sampler *s, const struct sampler_opts *opts, struct buf *why)
{
	const struct glob *comm = &opts->target->comm;
	int err = cpus__possible("", &s->tables.nr_cpus);

	s->skel = err ? NULL : sample_bpf__open();
	if (!s->skel) {
		err = err ? err : -errno;
		goto out_explain;
	}
	size_tables(&s->tables, opts);
	s->skel->rodata->cfg = make_cfg(opts, &s->tables);
	_Static_assert(sizeof(s->skel->rodata->comm_accepts) == sizeof(comm->accepts),
		       "one byte each");
	memcpy((void *)s->skel->rodata->comm_accepts, comm->accepts, sizeof(comm->accepts));
	s->skel->rodata->comm_stars = comm->stars;
	s->skel->rodata->comm_end = comm->end;
	err = choose_programs(s, opts);
	if (!err)
		err = size_maps(s, opts);
	if (!err)
		err = sample_bpf__load(s->skel);
	if (!err)
		err = sample_tables__map(&s->tables, bpf_map__fd(s->skel->maps.cpus),
					 bpf_map__fd(s->skel->maps.slots),
					 bpf_map__fd(s->skel->maps.store));
	if (!err)
		err = fill_targets(s, opts->target);
	if (!err)
		return 0;

out_explain:
	if (err == -E2BIG && opts->max_stacks)
		return buf__puts(why, "--stacks: too large for this number of CPUs") ? -ENOMEM
										     : err;
	return bpf__explain_load(why, err) ? -ENOMEM : err;
}
