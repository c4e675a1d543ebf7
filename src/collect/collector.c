// SPDX-License-Identifier: BSD-2-Clause
#include "collect/collector.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "perf/cgroup.h"

static const uint64_t SURVEY_NS = 5 * 1000000;	       /* of each poll, for older processes */
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
	struct cgroups *cgroups; /* names of ids; NULL when not asked for */
	unsigned by;
	bool kernel_loaded;
	uint64_t start_ns, polled_ns;
	uint64_t flaws[NR_FLAWS];
	uint32_t note_truncated, note_unreadable; /* frames */
	uint32_t *frames;			  /* of the stack at hand, innermost first */
};

static int note(struct profile *p, const char *text, uint32_t *frame)
{
	struct frame f = { .kind = FRAME_NOTE };
	int err = profile__string(p, text, strlen(text), &f.name);

	return err ? err : profile__frame(p, &f, frame);
}

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
	c->frames = malloc(2 * (SAMPLE_MAX_STACK + 1) * sizeof(*c->frames));
	if (c->profile && c->frames)
		err = note(c->profile, "[truncated]", &c->note_truncated);
	if (!err)
		err = note(c->profile, "[unreadable]", &c->note_unreadable);
	if (!err && opts->by & BY_CGROUP)
		err = cgroups__open(&c->cgroups);
	if (!err)
		err = add_events(c, &sampler);
	/* The rings first: a process that begins in between is then known. */
	if (!err)
		err = tracker__open(&c->tracker, &track, why);
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
	tracker__close(c->tracker);
	cgroups__close(c->cgroups);
	profile__free(c->profile);
	free(c->frames);
	free(c);
}

int collector__start(struct collector *c)
{
	c->start_ns = clock__now_ns();
	return sampler__start(c->sampler);
}

/* The profile's frame of a name; found once for each, then remembered in its cookie. */
static int frame_of(struct collector *c, struct sym_frame *s, uint32_t *frame)
{
	static const enum frame_kind kinds[] = {
		[SYM_USER] = FRAME_USER,
		[SYM_KERNEL] = FRAME_KERNEL,
		[SYM_JIT] = FRAME_JIT,
	};
	struct frame f = { .kind = kinds[s->kind] };
	int err;

	if (s->cookie != UINT32_MAX) {
		*frame = s->cookie;
		return 0;
	}
	err = profile__string(c->profile, s->name, strlen(s->name), &f.name);
	if (!err)
		err = profile__string(c->profile, s->module, strlen(s->module), &f.module);
	if (!err)
		err = profile__frame(c->profile, &f, &s->cookie);
	*frame = s->cookie;
	return err;
}

static int name_kernel(struct collector *c, const struct sample_stack *s, size_t *depth)
{
	struct sym_frame *sym;

	for (uint16_t i = 0; i < s->key->nr_kernel; i++) {
		int err = namer__kernel(tracker__namer(c->tracker), s->kernel[i], i > 0, &sym);

		if (!err)
			err = frame_of(c, sym, &c->frames[(*depth)++]);
		if (err)
			return err;
	}
	if (s->key->flaws & SAMPLE_KERNEL_TRUNCATED)
		c->frames[(*depth)++] = c->note_truncated;
	return 0;
}

static int name_user(struct collector *c, const struct sample_stack *s, size_t *depth, bool *gone)
{
	struct namer *namer = tracker__namer(c->tracker);
	struct process *proc;
	struct sym_frame *sym;
	size_t known;
	int err;

	if (!s->key->nr_user)
		return 0;
	err = procs__find(tracker__procs(c->tracker), s->key->tgid, s->first_ns, &proc);
	if (err)
		return err;
	*gone = proc->gone;
	known = *depth + 1;
	for (uint16_t i = 0; i < s->key->nr_user; i++) {
		err = namer__user(namer, proc, s->first_ns, s->user[i], i > 0, &sym);
		if (!err)
			err = frame_of(c, sym, &c->frames[(*depth)++]);
		if (err)
			return err;
		if (sym->module[0])
			known = *depth;
	}
	/* Where frame pointers lead nowhere, the last word read was no return address. */
	if (s->key->flaws & SAMPLE_USER_BROKEN && !proc->gone)
		*depth = known;
	if (s->key->flaws & SAMPLE_USER_TRUNCATED)
		c->frames[(*depth)++] = c->note_truncated;
	if (s->key->flaws & SAMPLE_USER_UNREADABLE)
		c->frames[(*depth)++] = c->note_unreadable;
	return 0;
}

static int comm_frame(struct collector *c, const struct sample_key *key, uint32_t *frame)
{
	struct frame f = { .kind = FRAME_COMM };
	size_t len = strnlen(key->comm, SAMPLE_COMM_LEN);
	int err;

	if (c->by & BY_COMM)
		err = profile__string(c->profile, len ? key->comm : "[no name]", len ? len : 9,
				      &f.name);
	else
		err = profile__string(c->profile, "[any]", 5, &f.name);
	return err ? err : profile__frame(c->profile, &f, frame);
}

/* A handle is the stack's node, and whether its process was gone before it could be looked at. */
enum { HANDLE_GONE = 1u << 31 };

static int take_stack(void *arg, const struct sample_stack *s, uint32_t *handle)
{
	struct collector *c = arg;
	uint32_t frame, node;
	bool gone = false;
	size_t depth = 0;
	int err;

	err = name_kernel(c, s, &depth);
	if (!err)
		err = name_user(c, s, &depth, &gone);
	if (!err)
		err = comm_frame(c, s->key, &frame);
	if (!err)
		err = profile__child(c->profile, 0, frame, &node);
	while (!err && depth)
		err = profile__child(c->profile, node, c->frames[--depth], &node);
	if (!err && node & HANDLE_GONE)
		err = -E2BIG;
	if (!err)
		*handle = node | (gone ? HANDLE_GONE : 0);
	return err;
}

static void count_flaws(struct collector *c, const struct sample_stack *s, bool gone,
			uint64_t samples)
{
	for (unsigned i = 0; i < FLAW_GONE; i++)
		if (s->key->flaws & 1u << i)
			c->flaws[i] += samples;
	if (gone)
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
	struct row_key key = { .event = s->key->event, .stack = handle & ~HANDLE_GONE };
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
	count_flaws(c, s, handle & HANDLE_GONE, samples);
	return profile__add(c->profile, &key, samples, weight);
}

/* Once, while there is time; kernel frames that came before have read them already. */
static int load_kernel_names(struct collector *c)
{
	int err = c->kernel_loaded ? 0 : namer__load_kernel(tracker__namer(c->tracker));

	c->kernel_loaded = true;
	if (err == -EACCES)
		log__notice("kernel functions have no names: addresses are hidden (sysctl "
			    "kernel.kptr_restrict=0, or CAP_SYSLOG)");
	else if (err && err != -ENOMEM)
		log__notice("kernel functions have no names: /proc/kallsyms: %s", strerror(-err));
	return err == -ENOMEM ? err : 0;
}

int collector__poll(struct collector *c)
{
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
	if (!err && done && c->by & BY_KSTACK)
		err = load_kernel_names(c);
	if (!err && now > REMEMBER_NS)
		procs__forget(tracker__procs(c->tracker), now - REMEMBER_NS);
	return err;
}

unsigned collector__patience_ms(const struct collector *c)
{
	return sampler__patience_ms(c->sampler);
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
	if (tracker__nr_lost(c->tracker))
		log__notice("%llu process events were lost: some functions may have no name",
			    (unsigned long long)tracker__nr_lost(c->tracker));
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
	if (!err && c->by & BY_KSTACK)
		err = load_kernel_names(c);
	for (size_t i = 0; !err && i < c->profile->nr_events; i++)
		err = sampler__times(c->sampler, i, &c->profile->events[i].enabled_ns,
				     &c->profile->events[i].running_ns);
	fill_losses(c);
	return err;
}

struct tracker *collector__tracker(struct collector *c)
{
	return c->tracker;
}

const struct profile *collector__profile(const struct collector *c)
{
	return c->profile;
}

uint64_t collector__seen(const struct collector *c)
{
	struct sampler_stats stats;

	sampler__stats(c->sampler, &stats);
	return stats.seen;
}
