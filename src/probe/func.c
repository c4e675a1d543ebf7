// SPDX-License-Identifier: BSD-2-Clause
/* Life of a session that measures calls: open, start, poll, stop, and its statistics. */
#include "probe/func.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>

#include "base/files.h"
#include "base/log.h"
#include "probe/bpf.h"
#include "probe/func_session.h"
#include "probe/grace.h"

void pair__close(struct pair *p)
{
	sites__detach(&p->entry_sites);
	sites__detach(&p->leave_sites);
	tables__unmap(&p->keyed.tables);
	func_bpf__destroy(p->skel);
	free(p);
}

void func__drop_pair(struct func *c)
{
	pair__close(c->pairs[--c->nr_pairs]);
}

static int follow_tasks(struct func *c, struct buf *why)
{
	const struct targets_parts targets = pair__targets(c->pairs[0]);
	const struct func_bpf *skel = c->pairs[0]->skel;
	int err = targets__follow(&c->followers, &targets, why);

	if (!err)
		err = bpf__follow(&c->on_switch, skel->progs.func_switch, why);
	if (!err)
		err = bpf__follow(&c->on_exec, skel->progs.func_exec, why);
	if (!err)
		err = bpf__follow(&c->on_exit, skel->progs.func_exit, why);
	return err;
}

/* Attaches probes to Go's scheduler: goroutines going on threads (@on), or off them. */
static int follow_goroutines(struct func *c, const struct func_opts *opts, bool on, struct buf *why)
{
	const struct sites_opts sites = { opts->env, opts->target, NULL, NULL };
	const struct func_bpf *skel = c->pairs[0]->skel;
	struct sites_probe *probes = calloc(opts->nr_switches + 1, sizeof(*probes));
	size_t nr = 0;
	int err;

	if (!probes)
		return -ENOMEM;
	for (size_t i = 0; i < opts->nr_switches; i++)
		if (opts->switches[i].on == on)
			probes[nr++] = (struct sites_probe){ opts->switches[i].event, 0, false };
	err = sites__attach(on ? &c->on_sites : &c->off_sites, SITES_EVENT,
			    bpf_program__fd(on ? skel->progs.deep_go_on : skel->progs.deep_go_off),
			    false, probes, nr, &sites, why);
	free(probes);
	return err;
}

int func__open(struct func **out, const struct func_opts *opts, struct buf *why)
{
	struct func *c;
	int err;

	*out = NULL;
	if (!opts->nr_functions || opts->nr_events > FUNC_EVENTS || !opts->max_stack ||
	    opts->max_stack > STACK_MAX_FRAMES)
		return -EINVAL;
	c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->has_trampolines = true;
	files__raise_limit(SIZE_MAX);
	err = func__open_pairs(c, opts, why);
	if (!err)
		err = follow_tasks(c, why);
	if (!err && opts->nr_switches)
		err = follow_goroutines(c, opts, true, why);
	if (!err && opts->nr_switches)
		err = follow_goroutines(c, opts, false, why);
	if (err) {
		func__close(c);
		return err;
	}
	*out = c;
	return 0;
}

void func__close(struct func *c)
{
	if (!c)
		return;
	sites__detach(&c->on_sites);
	sites__detach(&c->off_sites);
	targets__unfollow(&c->followers);
	bpf_link__destroy(c->on_switch);
	bpf_link__destroy(c->on_exec);
	bpf_link__destroy(c->on_exit);
	while (c->nr_pairs)
		func__drop_pair(c);
	free(c->pairs);
	cpu_counters__close(&c->counters);
	free(c);
}

static uint64_t missed_by(const struct pair *p)
{
	return p->entry ? bpf__missed(bpf_program__fd(p->entry)) + sites__missed(&p->entry_sites)
			: 0;
}

static void turn(struct func *c, bool on)
{
	for (size_t i = 0; i < c->nr_pairs; i++)
		__atomic_store_n(&c->pairs[i]->skel->bss->control.on, on, __ATOMIC_RELEASE);
}

int func__start(struct func *c)
{
	for (size_t i = 0; i < c->nr_pairs; i++)
		c->pairs[i]->missed_before = missed_by(c->pairs[i]);
	turn(c, true);
	return 0;
}

int func__stop(struct func *c)
{
	turn(c, false);
	c->stopped = true;
	return grace__wait();
}

int func__poll(struct func *c, const struct sampler_fns *fns)
{
	int err = 0;

	for (size_t i = 0; i < c->nr_pairs && !err; i++)
		err = keyed__poll(&c->pairs[i]->keyed, c->stopped, fns);
	return err;
}

int func__flush(struct func *c, const struct sampler_fns *fns)
{
	int err;

	for (size_t i = 0; i < c->nr_pairs; i++)
		keyed__flip(&c->pairs[i]->keyed);
	err = grace__wait();
	if (!err)
		err = fns->closed(fns->arg);
	for (size_t i = 0; i < c->nr_pairs && !err; i++)
		err = keyed__drain(&c->pairs[i]->keyed, fns);
	return err;
}

unsigned func__patience_ms(const struct func *c)
{
	unsigned least = tables__patience_ms(&c->pairs[0]->keyed.tables);

	for (size_t i = 1; i < c->nr_pairs; i++)
		if (tables__patience_ms(&c->pairs[i]->keyed.tables) < least)
			least = tables__patience_ms(&c->pairs[i]->keyed.tables);
	return least;
}

/* Adds a pair's calls in the tables and losses; calls in progress are counted apart. */
static void add_stats(struct func_stats *out, const struct pair *p)
{
	const volatile struct func_control *control = &p->skel->bss->control;
	uint64_t seen, lost[TABLE_LOST_NR];

	tables__stats(&p->keyed.tables, &seen, lost);
	out->seen += seen;
	for (unsigned i = 0; i < TABLE_LOST_NR; i++)
		out->lost[i] += lost[i];
	for (unsigned i = TABLE_LOST_NR; i < FUNC_LOST_NR; i++) {
		out->lost[i] += control->lost[i];
		out->seen += control->lost[i];
	}
	out->unmatched += control->unmatched;
	out->short_calls += control->short_calls;
	out->missed += missed_by(p) - p->missed_before;
}

uint64_t func__seen(const struct func *c)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < c->nr_pairs; i++)
		sum += tables__seen(&c->pairs[i]->keyed.tables);
	return sum;
}

static uint64_t count_on_stacks(int map)
{
	struct func_stack_key key, *last = NULL;
	struct func_stack stack;
	uint64_t sum = 0;

	while (!bpf_map_get_next_key(map, last, &key)) {
		last = &key;
		if (!bpf_map_lookup_elem(map, &key, &stack))
			sum += stack.depth;
	}
	return sum;
}

static uint64_t count_of_tasks(int map)
{
	struct func_task *t = malloc(sizeof(*t));
	uint64_t id, *last = NULL, sum = 0;

	while (t && !bpf_map_get_next_key(map, last, &id)) {
		last = &id;
		if (!bpf_map_lookup_elem(map, &id, t))
			sum += t->account.depth;
	}
	free(t);
	return sum;
}

/* Of calls told apart by `match`: each start in the map is a call in progress. */
static uint64_t count_starts(int map)
{
	uint64_t id, *last = NULL, sum = 0;

	while (!bpf_map_get_next_key(map, last, &id)) {
		last = &id;
		sum++;
	}
	return sum;
}

static uint64_t count_unfinished(const struct func *c)
{
	const struct func_bpf *skel = c->pairs[0]->skel;

	if (function__is_matched(c->pairs[0]->functions))
		return count_starts(bpf_map__fd(skel->maps.starts));
	if (function__is_deep(c->pairs[0]->functions))
		return count_on_stacks(bpf_map__fd(skel->maps.call_stacks));
	return count_of_tasks(bpf_map__fd(skel->maps.tasks));
}

void func__stats(const struct func *c, struct func_stats *out)
{
	*out = (struct func_stats){
		.children_dropped = c->pairs[0]->skel->bss->target_control.children_dropped,
		.unfinished = count_unfinished(c),
	};
	for (size_t i = 0; i < c->nr_pairs; i++)
		add_stats(out, c->pairs[i]);
}

static int func_start(void *session)
{
	return func__start(session);
}

static int func_stop(void *session)
{
	return func__stop(session);
}

static int func_poll(void *session, const struct sampler_fns *fns)
{
	return func__poll(session, fns);
}

static int func_flush(void *session, const struct sampler_fns *fns)
{
	return func__flush(session, fns);
}

static unsigned func_patience_ms(const void *session)
{
	return func__patience_ms(session);
}

static uint64_t func_seen(const void *session)
{
	return func__seen(session);
}

static void func_losses(const void *session, struct losses *out)
{
	static const struct loss texts[FUNC_LOST_NR] = {
		[TABLE_LOST_SLOTS] = { "keys_full", "no room for another key", "--keys N", false,
				       0 },
		[TABLE_LOST_STORE] = { "store_full", "no room for another key's fields", "--keys N",
				       false, 0 },
		[TABLE_LOST_MAP] = { "no_cpu", "no memory for this CPU", NULL, false, 0 },
		[TABLE_LOST_BUSY] = { "interrupted", "returned while another was being counted",
				      NULL, false, 0 },
		[FUNC_LOST_DEPTH] = { "too_deep", "more than 32 measured calls in each other",
				      "--any-depth", false, 0 },
		[FUNC_LOST_TASKS] = { "tasks_full", "no room for another task", "--tasks N", false,
				      0 },
		[FUNC_LOST_NO_RETURN] = { "no_return", "left without a return (longjmp, exception)",
					  NULL, false, 0 },
		[FUNC_LOST_EXEC] = { "exec", "the program was replaced meanwhile", NULL, false, 0 },
		[FUNC_LOST_EXIT] = { "exit", "the thread ended meanwhile", NULL, false, 0 },
		[FUNC_LOST_COUNTER] = { "counter_unreadable", "an event could not be read", NULL,
					false, 0 },
		[FUNC_LOST_FILTER] = { "filter_unreadable",
				       "what --filter compares could not be read", NULL, false, 0 },
		[FUNC_LOST_SWITCH] = { "switch_untold",
				       "the kernel did not report a context switch of its task",
				       NULL, false, 0 },
		[FUNC_LOST_NESTED] = { "nested",
				       "called by an interrupt while another call was noted", NULL,
				       false, 0 },
		[FUNC_LOST_REPLACED] = { "replaced", "replaced by a later start before they ended",
					 NULL, false, 0 },
		[FUNC_LOST_RACED] = { "raced", "begun or ended by several CPUs at once", NULL,
				      false, 0 },
		[FUNC_LOST_MATCH] = { "match_unreadable", "what --match compares could not be read",
				      NULL, false, 0 },
	};
	struct func_stats stats;

	func__stats(session, &stats);
	out->seen = stats.seen;
	for (unsigned i = 0; i < FUNC_LOST_NR; i++)
		session__add_loss(out, texts[i], stats.lost[i]);
}

/* Calls that are no losses, and in no row: they began or ended at another time. */
static void func_tell(const void *session)
{
	struct func_stats stats;

	func__stats(session, &stats);
	if (stats.unfinished)
		log__notice("%llu call%s had not returned at the end",
			    (unsigned long long)stats.unfinished, stats.unfinished == 1 ? "" : "s");
	if (stats.unmatched)
		log__notice("%llu return%s of calls that had begun before, that a filter left out "
			    "or that are lost",
			    (unsigned long long)stats.unmatched, stats.unmatched == 1 ? "" : "s");
	if (stats.short_calls)
		log__notice("%llu call%s shorter than --only-slow",
			    (unsigned long long)stats.short_calls,
			    stats.short_calls == 1 ? " was" : "s were");
	if (stats.missed)
		log__notice("the kernel left out %llu calls of any task, while a program of the "
			    "same kind was running; how many of them were wanted is not known",
			    (unsigned long long)stats.missed);
	session__tell_dropped(stats.children_dropped);
}

/* Events that are counted all the time have no times of their own. */
static int func_times(const void *session, uint32_t source, uint64_t *enabled_ns,
		      uint64_t *running_ns)
{
	(void)session;
	(void)source;
	*enabled_ns = *running_ns = 0;
	return 0;
}

static void func_close(void *session)
{
	func__close(session);
}

int func__session(struct session *s, const struct func_opts *opts, struct buf *why)
{
	static const struct session_fns fns = {
		.start = func_start,
		.stop = func_stop,
		.poll = func_poll,
		.flush = func_flush,
		.patience_ms = func_patience_ms,
		.seen = func_seen,
		.losses = func_losses,
		.tell = func_tell,
		.times = func_times,
		.close = func_close,
	};
	struct func *calls;
	int err = func__open(&calls, opts, why);

	*s = (struct session){ .fns = err ? NULL : &fns, .impl = calls };
	return err;
}
