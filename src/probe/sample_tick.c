// SPDX-License-Identifier: BSD-2-Clause
/* Samples in the scheduler's tick: finds it, and holds what it saw against the accounting. */
#include "probe/sample_tick.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/why.h"
#include "machine/tick.h"
#include "object/bpf.h"
#include "perf/open.h"
#include "probe/kernel_rules.h"
#include "probe/sample_session.h"
#include "probe/witness.h"
#include "sym/kernel_data.h"

static const uint64_t SECOND_NS = 1000000000;

static int refuse(struct buf *why, const char *reason)
{
	return why__refuse(why, -EOPNOTSUPP,
			   "cannot sample in the scheduler's tick: %s: --source cpu-clock", reason);
}

enum { BASES, TIMER, REGS, VARIABLES };

static const char *const variables[VARIABLES] = { "hrtimer_bases", "tick_cpu_sched", "__irq_regs" };

/* 0; -ENOENT: the BTF has no per-CPU variables, as before pahole 1.22 or so; another -errno. */
static int find_in_btf(uint64_t *at)
{
	struct btf *btf = btf__load_vmlinux_btf();
	int err = btf ? 0 : -errno;

	for (int i = 0; i < VARIABLES && !err; i++) {
		const int64_t offset = bpf__offset_in(btf, ".data..percpu", variables[i]);

		err = offset < 0 ? offset : 0;
		at[i] = offset;
	}
	btf__free(btf);
	return err;
}

/* Where the kernel's per-CPU variables are, from hrtimer_bases on. */
static int find_variables(struct tick_cfg *cfg, struct buf *why)
{
	uint64_t at[VARIABLES];
	int err = find_in_btf(at);

	if (err && err != -ENOENT)
		return bpf__explain_load(why, err, NULL);
	if (err)
		err = kernel_data__find("/proc/kallsyms", variables, at, VARIABLES);
	if (err == -ENOMEM)
		return err;
	if (err)
		return refuse(why, "neither this kernel's BTF nor /proc/kallsyms tells where its "
				   "per-CPU variables hrtimer_bases, tick_cpu_sched and __irq_regs "
				   "are");
	cfg->timer = at[TIMER] - at[BASES];
	cfg->regs = at[REGS] - at[BASES];
	return 0;
}

/* Stacks of the kernel are followed in the program, where there are rules that it knows. */
static int prepare_kernel(struct sampler *s, const struct sampler_opts *opts)
{
	int err = 0;
#if defined(__x86_64__)
	struct orc_cfg *orc = &s->skel->rodata->orc;

	if (opts->by & BY_KSTACK)
		err = kernel_rules__find("/proc/kallsyms", orc);
	if (!err)
		err = bpf_map__set_max_entries(s->skel->maps.orc_places,
					       s->object.tables.nr_places);
	if (!err)
		err = bpf_map__set_max_entries(s->skel->maps.orc_counts,
					       s->object.tables.nr_places);
	orc->verify = opts->verify_unwind;
#else
	(void)s;
	(void)opts;
#endif
	return err;
}

static uint32_t nr_rules(const struct sampler *s)
{
#if defined(__x86_64__)
	return s->skel->rodata->orc.nr;
#else
	(void)s;
	return 0;
#endif
}

/* Of a sampler that is loaded: who may not load one, or not see where rules are, knows by now. */
static int check_kernel(const struct sampler *s, const struct sampler_opts *opts, struct buf *why)
{
	if (nr_rules(s) || !opts->verify_unwind || opts->by & BY_USTACK)
		return 0;
	return why__refuse(why, -EOPNOTSUPP,
			   "--verify-unwind: nothing to verify: this kernel has no unwind rules "
			   "of its own (ORC), or hides where they are (/proc/kallsyms)");
}

void sample_tick__check(const struct sampler *s, struct unwind_check *check)
{
#if defined(__x86_64__)
	struct unwind_check_kernel *k = &check->kernel;
	struct orc_counts counts;

	k->is_known = s->skel->rodata->orc.nr && s->skel->rodata->orc.verify;
	for (uint32_t i = 0; k->is_known && i < s->object.tables.nr_places; i++) {
		if (bpf_map__lookup_elem(s->skel->maps.orc_counts, &i, sizeof(i), &counts,
					 sizeof(counts), 0))
			continue;
		k->same += counts.same;
		k->different += counts.different;
		k->left += counts.left;
	}
#else
	(void)s;
	(void)check;
#endif
}

bool sample_tick__is_of(const struct perf_event_spec *ev)
{
	return ev->attr.type == PERF_TYPE_SOFTWARE && ev->attr.config == PERF_COUNT_SW_CPU_CLOCK;
}

static struct tick_rate rate_of(const struct sampler *s)
{
	const uint64_t hz = sampler__spec(s, 0).hz;

	return (struct tick_rate){ .each = hz * s->tick_ns, .sample_ns = SECOND_NS / hz };
}

int sample_tick__prepare(struct sampler *s, const struct sampler_opts *opts, struct buf *why)
{
	const struct perf_event_spec *ev = opts->events;
	const uint64_t tick_ns = tick__period_ns();
	struct tick_cfg cfg = {
		.exclude = (ev->attr.exclude_user ? SAMPLE_NO_USER : 0) |
			   (ev->attr.exclude_kernel ? SAMPLE_NO_KERNEL : 0),
		.kernel_most = perf_sysctl("perf_event_max_stack", 127),
	};
	int err;

	if (opts->nr_events != 1 || opts->nr_members || opts->idle || !sample_tick__is_of(ev) ||
	    !ev->hz || ev->hz > tick__hz())
		return -EINVAL;
	if (!tick__is_timer())
		return refuse(why, "timers have no high resolution on this machine");
	err = find_variables(&cfg, why);
	if (err)
		return err;
	s->tick_ns = tick_ns;
	s->skel->rodata->tick = cfg;
	err = prepare_kernel(s, opts);
	if (err)
		return err;
	s->skel->bss->tick_rates[0] = rate_of(s);
	s->object.on = bpf__variable(s->skel->obj, "tick_on");
	return bpf_map__set_max_entries(s->skel->maps.ticks, s->object.tables.nr_places);
}

static int map_ticks(struct sampler *s)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	const size_t bytes = s->nr_times * sizeof(*s->ticks);
	void *at;

	s->ticks_bytes = (bytes + page - 1) / page * page;
	at = mmap(NULL, s->ticks_bytes, PROT_READ, MAP_SHARED, bpf_map__fd(s->skel->maps.ticks), 0);
	if (at == MAP_FAILED)
		return -errno;
	s->ticks = at;
	return 0;
}

static bool has_ticked(const struct sampler *s)
{
	for (size_t c = 0; c < s->nr_times; c++)
		if (__atomic_load_n(&s->ticks[c].ticks, __ATOMIC_RELAXED))
			return true;
	return false;
}

/* A CPU that has something to do has ticks, and this one has. */
static int await_tick(const struct sampler *s, struct buf *why)
{
	enum { PATIENCE_TICKS = 12 };
	const uint64_t until_ns = clock__now_ns() + PATIENCE_TICKS * s->tick_ns;

	bool late;

	/* The time first: a tick may take the CPU away from us for longer than all our patience. */
	do {
		late = clock__now_ns() > until_ns;
		if (has_ticked(s))
			return 0;
	} while (!late);
	return refuse(why, "it does not come as a timer of this kernel");
}

int sample_tick__open(struct sampler *s, const struct sampler_opts *opts, struct buf *why)
{
	int err = check_kernel(s, opts, why);

	if (!err)
		err = sampler__list_cpus(s, opts->target);
	if (!err)
		err = map_ticks(s);
	if (!err)
		err = bpf__follow(&s->tick, s->skel->progs.sample_tick, why);
	return err ? err : await_tick(s, why);
}

void sample_tick__close(struct sampler *s)
{
	bpf_link__destroy(s->tick);
	if (s->ticks)
		munmap(s->ticks, s->ticks_bytes);
}

static uint64_t busy_ticks(const struct sampler *s, size_t c)
{
	return __atomic_load_n(&s->ticks[s->cpus[c].cpu].busy, __ATOMIC_RELAXED);
}

/* The rate that is not in force is made ready, and comes into force as a whole. */
int sample_tick__spare(struct sampler *s)
{
	struct sample_bpf__bss *bss = s->skel->bss;
	const uint32_t next = !(bss->tick_rate_now & 1);

	bss->tick_rates[next] = rate_of(s);
	__atomic_store_n(&bss->tick_rate_now, next, __ATOMIC_RELEASE);
	if (s->started)
		__atomic_store_n(s->object.on, s->thrift.nr_events != 0, __ATOMIC_RELEASE);
	return 0;
}

/*
 * Ticks are read before the kernel's accounting at the start and after it at every look: what comes
 * in between looks like a tick too many, never like one that is missing.
 */
int sample_tick__start(struct sampler *s)
{
	int err;

	for (size_t c = 0; c < s->nr_cpus; c++)
		s->cpus[c].ticks_before = busy_ticks(s, c);
	err = sampler__take_times(s);
	s->started = true;
	for (size_t c = 0; c < s->nr_cpus && !err; c++) {
		s->cpus[c].before = s->times[s->cpus[c].cpu];
		s->cpus[c].looked_ns = s->times_ns;
	}
	return err;
}

/* The time since the last look, if the CPU was online then and is now. */
static void take_time(struct sampler *s, size_t c)
{
	const struct cputime *now = &s->times[s->cpus[c].cpu];
	struct sample_cpu *cpu = &s->cpus[c];
	struct sample_place *p = &s->places[c];

	if (now->online && cpu->before.online) {
		if (s->thrift.nr_events)
			p->enabled_ns += s->times_ns - cpu->looked_ns;
		p->running_ns = p->enabled_ns;
		cpu->busy_ns += now->task_ns - cpu->before.task_ns;
	}
	cpu->before = *now;
	cpu->looked_ns = s->times_ns;
}

static void hear_accounting(struct sampler *s, size_t c)
{
	const struct sample_cpu *cpu = &s->cpus[c];
	const uint64_t seen_ns = (busy_ticks(s, c) - cpu->ticks_before) * s->tick_ns;
	const uint64_t missing_ns = witness__without_tick(cpu->busy_ns, seen_ns);
	const struct witness_figures f = { .period = rate_of(s).sample_ns };
	struct sample_place *p = &s->places[c];

	log__debug("tick, CPU %u: tasks ran for %llu ns by the accounting, for %llu by ticks; "
		   "%llu missing; %llu ticks in all, %llu not told to the program",
		   (unsigned)cpu->cpu, (unsigned long long)cpu->busy_ns,
		   (unsigned long long)seen_ns, (unsigned long long)missing_ns,
		   (unsigned long long)s->ticks[cpu->cpu].ticks,
		   (unsigned long long)bpf__missed(bpf_program__fd(s->skel->progs.sample_tick)));
	witness__tally(&p->passed, &f, missing_ns);
}

int sample_tick__look(struct sampler *s)
{
	int err = sampler__take_times(s);

	for (size_t c = 0; c < s->nr_cpus && !err; c++) {
		take_time(s, c);
		hear_accounting(s, c);
	}
	return err;
}
