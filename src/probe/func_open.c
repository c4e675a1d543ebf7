// SPDX-License-Identifier: BSD-2-Clause
/* Groups functions that can share an object, tries the ways to attach it, cheapest first. */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "probe/func_session.h"

enum {
	TRAMPOLINES_MOST = 8
}; /* more functions than these use multi links: each trampoline takes an object */

static bool same_place(const struct perf_event_spec *a, const struct perf_event_spec *b)
{
	const struct perf_site *x = &a->site, *y = &b->site;

	return x->kind == y->kind &&
	       (!site__is_user(x) || (x->home && y->home && !strcmp(x->home, y->home)));
}

/* One object can serve both: only their numbers differ, which cookies tell. */
static bool are_alike(const struct func_probe *a, const struct func_probe *b)
{
	return b->entry && b->leave && !a->exits == !b->exits && a->place == b->place &&
	       same_place(a->entry, b->entry) && same_place(a->leave, b->leave) &&
	       a->nr_by == b->nr_by && a->by_ret == b->by_ret && a->filter_ret == b->filter_ret &&
	       !memcmp(a->by, b->by, sizeof(a->by)) &&
	       !memcmp(a->match, b->match, sizeof(a->match)) &&
	       (a->filter == b->filter ||
		(a->filter && b->filter && !memcmp(a->filter, b->filter, sizeof(*a->filter))));
}

/* Not optional: either all exits of a function are probed, or it is left out. */
static struct sites_probe exit_probe(const struct func_probe *f, const struct func_exit *e)
{
	uint64_t cookie = f->number;

	if (e->unsure)
		cookie |= FUNC_COOKIE_UNSURE;
	if (e->jump)
		cookie |= FUNC_COOKIE_JUMP;
	if (e->condition >= 0)
		cookie |= FUNC_COOKIE_BRANCH | (uint64_t)e->condition << FUNC_COOKIE_CONDITION;
	return (struct sites_probe){ e->event, cookie, false };
}

static size_t nr_probes(const struct pair *p, bool leave)
{
	size_t nr = 0;

	for (size_t i = 0; i < p->nr_functions; i++)
		nr += leave && p->functions[i].exits ? p->functions[i].nr_exits : 1;
	return nr;
}

static int attach_end(struct pair *p, bool leave, const struct sites_opts *opts, struct buf *why)
{
	struct sites_probe *probes = calloc(nr_probes(p, leave), sizeof(*probes));
	size_t nr = 0;
	int err;

	if (!probes)
		return -ENOMEM;
	for (size_t i = 0; i < p->nr_functions; i++) {
		const struct func_probe *f = &p->functions[i];

		for (size_t n = 0; leave && n < f->nr_exits; n++)
			probes[nr++] = exit_probe(f, &f->exits[n]);
		if (!leave || !f->exits)
			probes[nr++] = (struct sites_probe){ leave ? f->leave : f->entry, f->number,
							     f->optional };
	}
	err = sites__attach(
		leave ? &p->leave_sites : &p->entry_sites, leave ? p->leave_way : p->entry_way,
		bpf_program__fd(leave ? p->leave : p->entry), false, probes, nr, opts, why);
	free(probes);
	return err;
}

/* Attaches returns first, so that a call whose entry is seen has its return seen. */
static int attach(struct pair *p, const struct func_opts *opts, struct buf *why)
{
	struct sites_opts sites = { opts->env, opts->target, NULL, NULL };
	int err = 0;

	if (p->leave && p->entry_way != SITES_SESSION)
		err = attach_end(p, true, &sites, why);
	/* For entries alone: a function that cannot be probed is told once. */
	sites.skipped = opts->skipped;
	sites.arg = opts->arg;
	return err || !p->entry ? err : attach_end(p, false, &sites, why);
}

/* The cheapest way to attach a probe, among @from and those behind it. */
static enum sites_way choose_way(const struct func_probe *f, bool leave, enum sites_way from)
{
	if (leave ? !f->leave : !f->entry)
		return SITES_WAYS;
	for (enum sites_way way = from; way < SITES_WAYS; way++)
		if (pair__has_way(f, leave, way))
			return way;
	return SITES_RAW; /* a raw tracepoint has no other */
}

void pair__close(struct pair *p)
{
	sites__detach(&p->entry_sites);
	sites__detach(&p->leave_sites);
	unwind_maps__unmap(&p->object.unwind);
	tables__unmap(&p->object.tables);
	func_bpf__destroy(p->skel);
	free(p);
}

void func__drop_pair(struct func *c)
{
	pair__close(c->pairs[--c->nr_pairs]);
}

static int open_pair(struct func *c, const struct func_opts *opts,
		     const struct func_probe *functions, size_t nr, enum sites_way from,
		     struct buf *why)
{
	struct pair *p = calloc(1, sizeof(*p));
	int err;

	if (!p)
		return -ENOMEM;
	p->functions = functions;
	p->nr_functions = nr;
	p->entry_way = choose_way(functions, false, from);
	p->leave_way = choose_way(functions, true, from);
	err = pair__load(c, p, opts, why);
	if (!err)
		err = array__grow(&c->pairs, &c->cap_pairs, c->nr_pairs + 1);
	if (err) {
		pair__close(p);
		return err;
	}
	/* The caller attaches it, once the counters are open. */
	c->pairs[c->nr_pairs++] = p;
	return 0;
}

static bool is_final(int err)
{
	return err == -ENOMEM || err == -EPERM || err == -EACCES || err == -EMFILE ||
	       err == -ENFILE;
}

/*
 * The perf events of each CPU that the programs read at entries and returns. They are pinned: a
 * task may migrate during a call, and the difference of two readings of multiplexed events would
 * mean nothing.
 */
static int open_counters(struct func *c, const struct func_opts *opts, struct buf *why)
{
	const struct perf_event_spec *events[FUNC_EVENTS] = {};
	const struct cpu_counters_opts counters = {
		.events = events,
		.nr_events = opts->nr_events,
		.per_cpu = FUNC_EVENTS,
	};
	int err;

	for (size_t e = 0; e < opts->nr_events; e++)
		if (opts->events[e].counter == FUNC_COUNTER_PERF)
			events[e] = opts->events[e].event;
	err = cpu_counters__open(&c->counters, &counters, why);
	return err ? err
		   : cpu_counters__put(&c->counters, bpf_map__fd(c->pairs[0]->skel->maps.counters));
}

/* Loads and attaches; counters are opened with the first pair. */
static int try_pair(struct func *c, const struct func_opts *opts,
		    const struct func_probe *functions, size_t nr, enum sites_way from,
		    struct buf *why)
{
	int err = open_pair(c, opts, functions, nr, from, why);

	if (err)
		return err;
	if (c->nr_pairs == 1)
		err = open_counters(c, opts, why);
	if (!err)
		err = attach(c->pairs[c->nr_pairs - 1], opts, why);
	if (!err)
		return 0;
	if (c->nr_pairs == 1)
		cpu_counters__close(&c->counters);
	func__drop_pair(c);
	return err;
}

static int refuse_branches(const struct func_probe *f, struct buf *why)
{
	return buf__printf(why,
			   "'%s': it is left by conditional jumps, which probes tell apart since "
			   "Linux 5.15",
			   f->entry->name)
		       ? -ENOMEM
		       : -EOPNOTSUPP;
}

static int open_one_by_one(struct func *c, const struct func_opts *opts, const struct func_probe *f,
			   size_t nr, struct buf *why)
{
	struct buf first = {};
	int err = 0;

	for (size_t i = 0; i < nr && !err; i++) {
		buf__clear(why);
		err = function__needs_cookies(f + i)
			      ? refuse_branches(f + i, why)
			      : try_pair(c, opts, f + i, 1, SITES_EVENT, why);
		if (!err || !f[i].optional || is_final(err))
			continue;
		if (opts->skipped)
			opts->skipped(opts->arg, f[i].entry, err);
		if (!first.len && why->data && buf__puts(&first, why->data))
			break;
		err = 0;
	}
	/* Nothing could be probed: tells why the first function could not. */
	if (!err && !c->nr_pairs) {
		buf__clear(why);
		err = buf__puts(why, first.data ? first.data : "no function could be probed")
			      ? -ENOMEM
			      : -ENOENT;
	}
	buf__free(&first);
	return err;
}

/* Some exits are jumps, which programs tell from returns by their cookies. */
static bool has_jumps(const struct func_probe *f)
{
	for (size_t i = 0; i < f->nr_exits; i++)
		if (f->exits[i].jump)
			return true;
	return false;
}

static int open_group(struct func *c, const struct func_opts *opts, const struct func_probe *f,
		      size_t nr, struct buf *why)
{
	int err;

	for (enum sites_way from = SITES_RAW; from < SITES_EVENT; from++) {
		/* Skips ways that neither probe takes, and links where no cookies are needed. */
		if ((choose_way(f, false, from) != from && choose_way(f, true, from) != from) ||
		    from == SITES_TRAMPOLINE || (from == SITES_LINKS && nr == 1 && !has_jumps(f)))
			continue;
		buf__clear(why);
		err = try_pair(c, opts, f, nr, from, why);
		if (!err || is_final(err))
			return err;
	}
	return open_one_by_one(c, opts, f, nr, why);
}

/*
 * Opens functions by trampoline, from the first on, as long as they have one: the cheapest way, one
 * object for each. *nr: how many. Not with kernel stacks, which need registers to begin from.
 */
static int open_trampolines(struct func *c, const struct func_opts *opts,
			    const struct func_probe *f, size_t len, size_t *nr, struct buf *why)
{
	*nr = 0;
	if (!c->has_trampolines || len > TRAMPOLINES_MOST || opts->by & BY_KSTACK)
		return 0;
	while (*nr < len && pair__has_way(f + *nr, false, SITES_TRAMPOLINE)) {
		int err = try_pair(c, opts, f + *nr, 1, SITES_TRAMPOLINE, why);

		if (err == -ENOMEM)
			return err;
		if (err) {
			log__debug("%s", why->data ? why->data : "no trampoline");
			c->has_trampolines = false;
			break;
		}
		(*nr)++;
	}
	buf__clear(why);
	return 0;
}

static bool has_links(const struct func_probe *f)
{
	return pair__has_way(f, false, SITES_LINKS) && pair__has_way(f, true, SITES_LINKS);
}

int func__open_pairs(struct func *c, const struct func_opts *opts, struct buf *why)
{
	const struct func_probe *f = opts->functions;
	size_t i, len, done;
	int err = 0;

	for (i = 0; i < opts->nr_functions && !err; i += len) {
		for (len = 1; has_links(&f[i]) && i + len < opts->nr_functions &&
			      are_alike(&f[i], &f[i + len]);)
			len++;
		err = open_trampolines(c, opts, &f[i], len, &done, why);
		if (!err && done < len)
			err = open_group(c, opts, &f[i + done], len - done, why);
	}
	return err;
}
