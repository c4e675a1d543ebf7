// SPDX-License-Identifier: BSD-2-Clause
/* Sizes the maps of one object, fills its read-only configuration, and loads it. */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "object/bpf.h"
#include "probe/func_session.h"

enum {
	STACK_WORDS = 40, /* room for a usual stack */
	KEYS_DEFAULT = 2048,
	TASKS_DEFAULT = 2048,
};

static bool is_matched(const struct pair *p)
{
	return function__is_matched(p->functions);
}

/* The programs' configuration: also sets p->object.tables.first, the words of a key. */
static struct func_cfg func_cfg(struct pair *p, const struct func_opts *opts)
{
	const struct func_probe *f = p->functions;
	bool is_function =
		f->entry && f->leave && sites__are_function(&f->entry->site, &f->leave->site);
	bool has_cookies = sites__has_cookies(p->entry_way) && sites__has_cookies(p->leave_way);
	struct func_cfg cfg = {
		.task.by = opts->by | (opts->by & BY_USTACK ? BY_PID : 0),
		.nr_by = f->nr_by,
		.by_ret = f->by_ret,
		.filter_ret = f->filter_ret,
		.nr_events = opts->nr_events,
		.source = f->number,
		.has_cookie = p->nr_functions > 1 || (f->exits && has_cookies),
		.is_user = is_function && site__is_user(&f->entry->site),
		.is_kernel = is_function && site__is_kernel(&f->entry->site),
		.is_session = p->entry_way == SITES_SESSION,
		.decoded = f->exits != NULL,
		.place = f->place,
		.has_account = function__has_account(f, opts),
		.caller = is_function && site__is_kernel(&f->entry->site) && opts->by & BY_KSTACK &&
			  opts->max_stack == 1,
		.buckets = opts->buckets,
		.bucket_of = opts->bucket_of,
		.linear = opts->linear,
		.min_ns = opts->min_ns,
		.match_entry = f->match[0],
		.match_return = f->match[1],
	};

	p->object.tables.first = SAMPLE_KEY_WORDS;
	for (size_t i = 0; i < f->nr_by; i++) {
		cfg.by[i] = f->by[i];
		cfg.by[i].at = p->object.tables.first++;
	}
	cfg.bucket_at = p->object.tables.first;
	p->object.tables.first += opts->buckets != BUCKETS_NONE;
	for (size_t i = 0; i < opts->nr_events; i++)
		cfg.counters[i] = opts->events[i].counter;
	return cfg;
}

/* Sizes the map of tasks, or those of calls in progress. */
static int size_rooms(struct pair *p, uint32_t room)
{
	int err;

	if (is_matched(p))
		return bpf_map__set_max_entries(p->skel->maps.starts, room);
	if (!function__is_deep(p->functions))
		return bpf_map__set_max_entries(p->skel->maps.tasks, room);
	err = bpf_map__set_max_entries(p->skel->maps.accounts, room);
	if (!err)
		err = bpf_map__set_max_entries(p->skel->maps.call_stacks, room);
	return err ? err : bpf_map__set_max_entries(p->skel->maps.call_frames, room);
}

static int size_tables(struct pair *p, const struct func_opts *opts)
{
	struct tables_opts tables = {
		.max_keys = opts->max_keys ? opts->max_keys : KEYS_DEFAULT,
		.max_words = p->object.tables.first + 2 * opts->max_stack,
		.key_words = TABLE_RECORD_WORDS + p->object.tables.first,
		.lanes = pair__is_preempted(p) ? TABLE_LANES : 1,
		.nr_values = FUNC_VALUES + opts->nr_events * FUNC_EVENT_VALUES,
		.exemplars = opts->exemplars,
	};
	uint32_t nr_cpus;
	int err;

	if (is_matched(p))
		tables.nr_values = FUNC_TIME + 1;
	else if (!function__has_account(p->functions, opts))
		tables.nr_values = FUNC_SELF_TIME + 1;
	if (opts->by & (BY_KSTACK | BY_USTACK))
		tables.key_words += STACK_WORDS;
	err = tables__size(&p->object.tables, &tables, p->skel->obj);
	if (err)
		return err;
	nr_cpus = p->object.tables.nr_places / p->object.tables.cfg.lanes;
	err = bpf_map__set_max_entries(p->skel->maps.scratch, p->object.tables.nr_places);
	if (!err)
		err = bpf_map__set_max_entries(p->skel->maps.inside, nr_cpus);
	if (!err)
		err = bpf_map__set_max_entries(p->skel->maps.counters, nr_cpus * FUNC_EVENTS);
	return err ? err : size_rooms(p, opts->max_tasks ? opts->max_tasks : TASKS_DEFAULT);
}

/* Shares maps: a task has one account for all functions; a start may be hit at several places. */
static int share(const struct pair *p, const struct pair *with)
{
	struct {
		struct bpf_map *map, *of;
	} maps[] = {
		{ p->skel->maps.tasks, with->skel->maps.tasks },
		{ p->skel->maps.starts, with->skel->maps.starts },
		{ p->skel->maps.accounts, with->skel->maps.accounts },
		{ p->skel->maps.call_stacks, with->skel->maps.call_stacks },
		{ p->skel->maps.call_frames, with->skel->maps.call_frames },
		{ p->skel->maps.inside, with->skel->maps.inside },
		{ p->skel->maps.counters, with->skel->maps.counters },
	};
	int err = targets__share(p->skel->obj, with->skel->obj);

	if (!err)
		err = unwind_maps__share(p->skel->obj, with->skel->obj);
	for (size_t i = 0; i < ARRAY_SIZE(maps) && !err; i++)
		err = bpf_map__reuse_fd(maps[i].map, bpf_map__fd(maps[i].of));
	return err;
}

/* Sets all that is decided before loading: programs, read-only data, sizes, shared maps. */
static int prepare(struct func *c, struct pair *p, const struct func_opts *opts)
{
	int err = pair__choose_programs(c, p, opts);

	p->skel->rodata->cfg = func_cfg(p, opts);
	p->skel->rodata->stack = bpf__stack_cfg(p->object.tables.first, opts->max_stack, opts->by);
	if (p->functions->filter)
		memcpy((void *)&p->skel->rodata->filter, p->functions->filter,
		       sizeof(*p->functions->filter));
	pair__place_fields(p, opts);
	if (!err)
		err = size_tables(p, opts);
	if (!err)
		err = targets__prepare(p->skel->obj, opts->target, opts->command, true, true);
	if (!err)
		err = unwind_maps__prepare(p->skel->obj, &p->skel->rodata->stack,
					   &(struct unwind_room){ .bytes = opts->unwind_bytes });
	if (!err && c->nr_pairs)
		err = share(p, c->pairs[0]);
	return err;
}

int pair__load(struct func *c, struct pair *p, const struct func_opts *opts, struct buf *why)
{
	int err = 0;

	p->skel = func_bpf__open();
	if (!p->skel)
		err = -errno;
	if (!err)
		err = prepare(c, p, opts);
	if (!err)
		err = func_bpf__load(p->skel);
	if (!err)
		err = tables__map(&p->object.tables, p->skel->obj);
	if (!err && !c->nr_pairs)
		err = targets__fill(p->skel->obj, opts->target);
	if (!err)
		p->object.on = (uint32_t *)&p->skel->bss->control.on;
	return err ? bpf__explain_load(why, err, "--keys") : 0;
}
