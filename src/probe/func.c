// SPDX-License-Identifier: BSD-2-Clause
/* What a session that measures calls does in its own way: functions, tasks, unfinished calls. */
#include "probe/func.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>

#include "base/files.h"
#include "base/log.h"
#include "object/bpf.h"
#include "probe/func_session.h"

static struct func *func_of(const struct session *s)
{
	return container_of(s, struct func, session);
}

static struct object *func_object(const struct session *s, size_t i)
{
	const struct func *c = func_of(s);

	return i < c->nr_pairs ? &c->pairs[i]->object : NULL;
}

static uint64_t func_missed(const struct session *s, const struct object *o)
{
	const struct pair *p = container_of(o, struct pair, object);

	(void)s;
	return p->entry ? bpf__missed(bpf_program__fd(p->entry)) + sites__missed(&p->entry_sites)
			: 0;
}

/* Adds a pair's calls in the tables and losses; calls in progress are counted apart. */
static void add_stats(struct func_stats *out, const struct pair *p)
{
	const volatile struct func_control *control = &p->skel->bss->control;
	uint64_t seen, lost[TABLE_LOST_NR];

	tables__stats(&p->object.tables, &seen, lost);
	out->seen += seen;
	for (unsigned i = 0; i < TABLE_LOST_NR; i++)
		out->lost[i] += lost[i];
	for (unsigned i = TABLE_LOST_NR; i < FUNC_LOST_NR; i++) {
		out->lost[i] += control->lost[i];
		out->seen += control->lost[i];
	}
	out->unmatched += control->unmatched;
	out->short_calls += control->short_calls;
	out->missed += p->object.missed;
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

void func__stats(const struct session *s, struct func_stats *out)
{
	const struct func *c = func_of(s);

	*out = (struct func_stats){
		.children_dropped = targets__dropped(c->pairs[0]->skel->obj),
		.unfinished = count_unfinished(c),
	};
	for (size_t i = 0; i < c->nr_pairs; i++)
		add_stats(out, c->pairs[i]);
}

static void func_losses(const struct session *s, struct losses *out)
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

	func__stats(s, &stats);
	out->seen = stats.seen;
	session__add_losses(out, texts, stats.lost, FUNC_LOST_NR);
}

/* Calls that are no losses, and in no row: they began or ended at another time. */
static void func_tell(const struct session *s)
{
	struct func_stats stats;

	func__stats(s, &stats);
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

static int follow_tasks(struct func *c, struct buf *why)
{
	const struct func_bpf *skel = c->pairs[0]->skel;
	int err = targets__follow(&c->followers, skel->obj, why);

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

static void func_close(struct session *s)
{
	struct func *c = func_of(s);

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

/* Events that are counted all the time have no times of their own. */
const struct session_fns func__fns = {
	.object = func_object,
	.missed = func_missed,
	.losses = func_losses,
	.tell = func_tell,
	.close = func_close,
};

int func__open(struct session **out, const struct func_opts *opts, struct buf *why)
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
	c->session.fns = &func__fns;
	c->has_trampolines = true;
	files__raise_limit(SIZE_MAX);
	err = func__open_pairs(c, opts, why);
	if (!err && c->pairs[0]->skel->rodata->stack.unwind)
		err = unwind_maps__map(&c->pairs[0]->object.unwind, c->pairs[0]->skel->obj,
				       c->pairs[0]->skel->rodata->stack.code_mask);
	if (!err)
		err = follow_tasks(c, why);
	if (!err && opts->nr_switches)
		err = follow_goroutines(c, opts, true, why);
	if (!err && opts->nr_switches)
		err = follow_goroutines(c, opts, false, why);
	if (err) {
		func_close(&c->session);
		return err;
	}
	*out = &c->session;
	return 0;
}
