// SPDX-License-Identifier: BSD-2-Clause
#include "collect/collector.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "collect/stacks.h"
#include "perf/cgroup.h"

static const uint64_t SURVEY_NS = 5 * 1000000;	       /* of each poll, for older processes */
static const uint64_t NAMES_NS = 5 * 1000000;	       /* of each poll, for the kernel's names */
static const uint64_t REMEMBER_NS = 2000 * 1000000ull; /* ended processes, for late stacks */

/* Flaws by bit of enum sample_flaw, then one that only user space can find. */
enum { NR_FLAWS = 6, FLAW_GONE = 5 };

static const struct loss flaw_texts[NR_FLAWS] = {
	{ "user_truncated", "user stacks cut at the depth limit", "--max-stack N", true, 0 },
	{ "user_unreadable", "user stacks in memory that was not resident", NULL, true, 0 },
	{ "no_frame_pointer", "user stacks end early in code built without frame pointers", NULL,
	  true, 0 },
	{ "kernel_truncated", "kernel stacks cut at the depth limit",
	  "--max-stack N and sysctl kernel.perf_event_max_stack", true, 0 },
	{ "kernel_failed", "kernel stacks that could not be read", NULL, true, 0 },
	{ "process_gone", "user stacks of processes that ended before they could be looked at",
	  NULL, true, 0 },
};

struct collector {
	struct sampler *sampler;
	struct tracker *tracker;
	struct profile *profile;
	struct stacks *stacks;
	struct cgroups *cgroups; /* names of ids; NULL when not asked for */
	unsigned by;
	uint64_t start_ns, polled_ns;
	bool more_names; /* the kernel's names are being read */
	uint64_t flaws[NR_FLAWS];
};

static int add_events(struct collector *c, const struct sampler_opts *opts)
{
	for (size_t i = 0; i < opts->nr_events; i++) {
		struct profile_event ev = {
			.name = opts->events[i].name,
			.unit = opts->events[i].unit,
			.hz = opts->events[i].hz,
			.period = opts->events[i].period,
		};
		uint32_t id;
		int err = profile__event(c->profile, &ev, &id);

		if (err)
			return err;
	}
	return 0;
}

int collector__open(struct collector **out, const struct collector_opts *opts, struct buf *why)
{
	struct tracker_opts track = { .user = opts->by & BY_USTACK, .demangle = opts->demangle };
	struct sampler_opts sampler = opts->sampler;
	struct collector *c = calloc(1, sizeof(*c));
	int err = -ENOMEM;

	*out = NULL;
	if (!c)
		return -ENOMEM;
	c->by = opts->by;
	sampler.user_stack = opts->by & BY_USTACK;
	sampler.kernel_stack = opts->by & BY_KSTACK;
	sampler.by_tid = opts->by & BY_TID;
	sampler.by_comm = opts->by & BY_COMM;
	sampler.by_cgroup = opts->by & BY_CGROUP;

	c->profile = profile__new();
	if (c->profile)
		err = add_events(c, &sampler);
	if (!err && opts->by & BY_CGROUP)
		err = cgroups__open(&c->cgroups);
	/* The rings first: a process that begins in between is then known. */
	if (!err)
		err = tracker__open(&c->tracker, &track, why);
	if (!err)
		err = stacks__new(&c->stacks, c->profile, c->tracker, opts->by & BY_COMM);
	if (!err)
		err = sampler__open(&c->sampler, &sampler, why);
	if (err) {
		collector__close(c);
		return err;
	}
	c->profile->by = opts->by;
	c->profile->nr_cpus = sampler.target->nr_cpus;
	*out = c;
	return 0;
}

void collector__close(struct collector *c)
{
	if (!c)
		return;
	sampler__close(c->sampler);
	stacks__free(c->stacks);
	tracker__close(c->tracker);
	cgroups__close(c->cgroups);
	profile__free(c->profile);
	free(c);
}

int collector__start(struct collector *c)
{
	c->start_ns = clock__now_ns();
	return sampler__start(c->sampler);
}

static int take_stack(void *arg, const struct sample_stack *s, uint32_t *handle)
{
	struct collector *c = arg;

	return stacks__name(c->stacks, s, handle);
}

static void count_flaws(struct collector *c, uint16_t flaws, uint32_t handle, uint64_t samples)
{
	if (handle & STACK_BROKEN)
		flaws |= SAMPLE_USER_BROKEN;
	for (unsigned i = 0; i < FLAW_GONE; i++)
		if (flaws & 1u << i)
			c->flaws[i] += samples;
	if (handle & STACK_GONE)
		c->flaws[FLAW_GONE] += samples;
}

/* Stacks up to now are about to be shown: their processes first. */
static int catch_up(void *arg)
{
	struct collector *c = arg;

	return tracker__update(c->tracker, UINT64_MAX);
}

static int take_count(void *arg, const struct sample_stack *s, uint32_t handle, uint64_t samples,
		      uint64_t weight)
{
	struct collector *c = arg;
	struct row_key key = { .event = s->key->event, .stack = stacks__node(c->stacks, handle) };
	int err;

	if (s->key->event >= c->profile->nr_events)
		return -EBADMSG;
	if (c->by & BY_PID)
		key.pid = s->key->tgid;
	if (c->by & BY_TID)
		key.tid = s->key->tid;
	if (c->by & BY_CPU)
		key.cpu = s->cpu;
	if (c->by & BY_CGROUP) {
		const char *path = cgroups__path(c->cgroups, s->key->cgroup);

		err = profile__string(c->profile, path, strlen(path), &key.cgroup);
		if (err)
			return err;
	}
	c->profile->losses.kept += samples;
	count_flaws(c, s->key->flaws, handle, samples);
	return profile__add(c->profile, &key, samples, weight, NULL);
}

static int poll_all(void *arg)
{
	struct collector *c = arg;
	struct sampler_fns fns = { catch_up, take_stack, take_count, c };
	uint64_t now = clock__now_ns();
	bool done;
	int err;

	/*
	 * Processes first: a stack is named by what was known when it was taken. What is shown
	 * below was there at the last poll already: older than the moment taken here, unless
	 * the rings called twice within that time.
	 */
	err = tracker__update(c->tracker, now - TRACKER_LAG_NS);
	if (!err && now - c->polled_ns > TRACKER_LAG_NS) {
		c->polled_ns = now;
		err = sampler__poll(c->sampler, &fns);
	}
	if (!err)
		err = tracker__survey(c->tracker, SURVEY_NS, &done);
	if (!err)
		err = stacks__read_kernel(c->stacks, NAMES_NS, &c->more_names);
	if (!err && now > REMEMBER_NS)
		err = procs__forget(tracker__procs(c->tracker), now - REMEMBER_NS);
	return err;
}

static unsigned patience_ms(void *arg)
{
	enum { BETWEEN_NAMES_MS = 5 }; /* at most half of a CPU goes to them */
	struct collector *c = arg;
	unsigned ms = sampler__patience_ms(c->sampler);

	return c->more_names && ms > BETWEEN_NAMES_MS ? BETWEEN_NAMES_MS : ms;
}

static size_t ring_fds(void *arg, struct pollfd *fds, size_t max)
{
	struct collector *c = arg;

	return tracker__pollfds(c->tracker, fds, max);
}

static uint64_t samples_seen(void *arg)
{
	struct sampler_stats stats;
	struct collector *c = arg;

	sampler__stats(c->sampler, &stats);
	return stats.seen;
}

struct runloop_work collector__work(struct collector *c)
{
	return (struct runloop_work){ poll_all, patience_ms, ring_fds, samples_seen, c };
}

/* Names that are not there for a reason that somebody can mend. */
static void tell_missing_names(const struct collector *c)
{
	int err = namer__kernel_error(tracker__namer(c->tracker));

	if (err == -EACCES)
		log__notice("kernel functions have no names: addresses are hidden (sysctl "
			    "kernel.kptr_restrict=0, or CAP_SYSLOG)");
	else if (err)
		log__notice("kernel functions have no names: /proc/kallsyms: %s", strerror(-err));
	if (tracker__nr_lost(c->tracker))
		log__notice("%llu process events were lost: some functions may have no name",
			    (unsigned long long)tracker__nr_lost(c->tracker));
}

/* Losses of the kernel side and flaws of the stacks, with the option that would have helped. */
static void fill_losses(struct collector *c)
{
	static const struct loss texts[SAMPLE_LOST_NR] = {
		[SAMPLE_LOST_SLOTS] = { "stacks_full", "no room for another stack", "--stacks N",
					false, 0 },
		[SAMPLE_LOST_STORE] = { "store_full", "no room for another stack's frames",
					"--stacks N", false, 0 },
		[SAMPLE_LOST_MAP] = { "no_cpu", "no memory for this CPU", NULL, false, 0 },
	};
	struct losses *l = &c->profile->losses;
	struct sampler_stats stats;
	struct loss loss;

	sampler__stats(c->sampler, &stats);
	l->seen = stats.seen;
	for (unsigned i = 0; i < SAMPLE_LOST_NR; i++) {
		loss = texts[i];
		loss.n = stats.lost[i];
		if (loss.n)
			losses__add(l, &loss);
	}
	for (unsigned i = 0; i < NR_FLAWS; i++) {
		loss = flaw_texts[i];
		loss.n = c->flaws[i];
		if (loss.n)
			losses__add(l, &loss);
	}
	if (stats.children_dropped)
		log__notice("%llu new processes were not followed: more than 16384 at once",
			    (unsigned long long)stats.children_dropped);
	log__debug("%u stacks per CPU between drains, drained %u times while running",
		   stats.max_stacks, stats.nr_drains);
}

int collector__finish(struct collector *c)
{
	struct sampler_fns fns = { catch_up, take_stack, take_count, c };
	int err = sampler__stop(c->sampler);

	c->profile->duration_ns = clock__now_ns() - c->start_ns;
	if (!err)
		err = sampler__poll(c->sampler, &fns);
	if (!err)
		err = stacks__read_kernel(c->stacks, UINT64_MAX, &c->more_names);
	for (size_t i = 0; !err && i < c->profile->nr_events; i++)
		err = sampler__times(c->sampler, i, &c->profile->events[i].enabled_ns,
				     &c->profile->events[i].running_ns);
	fill_losses(c);
	tell_missing_names(c);
	return err;
}

const struct profile *collector__profile(const struct collector *c)
{
	return c->profile;
}
