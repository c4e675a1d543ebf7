// SPDX-License-Identifier: BSD-2-Clause
#include "probe/hits.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/log.h"
#include "perf/open.h"
#include "probe/attach.h"
#include "probe/bpf.h"
#include "probe/grace.h"
#include "probe/hits_session.h"

static bool same_file(const struct perf_site *a, const struct perf_site *b)
{
	bool user = a->kind == SITE_UPROBE || a->kind == SITE_URETPROBE || a->kind == SITE_USDT;

	return !user || (a->home && b->home && !strcmp(a->home, b->home));
}

/* One program can serve both: all but their numbers is the same. */
static bool are_alike(const struct hits_probe *a, const struct hits_probe *b)
{
	const struct perf_site *x = &a->event->site, *y = &b->event->site;

	return x->kind == y->kind && x->at_entry == y->at_entry && same_file(x, y) &&
	       a->nr_by == b->nr_by && !memcmp(a->by, b->by, sizeof(a->by)) &&
	       !memcmp(&a->measure, &b->measure, sizeof(a->measure)) &&
	       a->measure_signed == b->measure_signed &&
	       (a->filter == b->filter ||
		(a->filter && b->filter && !memcmp(a->filter, b->filter, sizeof(*a->filter))));
}

static int add_hook(struct hits *h, struct hook *k)
{
	int err = array__grow(&h->hooks, &h->cap_hooks, h->nr_hooks + 1);

	if (!err)
		h->hooks[h->nr_hooks++] = k;
	return err;
}

static int attach(struct hook *k, const struct hits_opts *opts, struct buf *why)
{
	const struct sites_opts sites = { opts->env, opts->target, opts->skipped, opts->arg };
	struct sites_probe *probes = calloc(k->nr_probes, sizeof(*probes));
	int err = probes ? 0 : -ENOMEM;

	for (size_t i = 0; i < k->nr_probes && !err; i++)
		probes[i] = (struct sites_probe){ k->probes[i].event, k->probes[i].number,
						  k->probes[i].optional };
	if (!err)
		err = sites__attach(&k->sites, k->way, bpf_program__fd(k->program), k->is_event,
				    probes, k->nr_probes, &sites, why);
	free(probes);
	return err;
}

static void close_hook(struct hook *k)
{
	sites__detach(&k->sites);
	tables__unmap(&k->keyed.tables);
	count_bpf__destroy(k->skel);
	free(k);
}

/* Loads and attaches an object for some probes, one way. */
static int open_hook(struct hits *h, const struct hits_opts *opts, const struct hits_probe *probes,
		     size_t nr, enum sites_way way, struct buf *why)
{
	struct hook *k = calloc(1, sizeof(*k));
	int err;

	if (!k)
		return -ENOMEM;
	k->probes = probes;
	k->nr_probes = nr;
	k->way = way;
	err = hook__load(h, k, opts, why);
	if (!err)
		err = attach(k, opts, why);
	if (!err)
		err = add_hook(h, k);
	if (err)
		close_hook(k);
	return err;
}

/* Several that are told apart have a program each, unless a link's cookies do that. */
static int open_one_by_one(struct hits *h, const struct hits_opts *opts,
			   const struct hits_probe *probes, size_t nr, struct buf *why)
{
	struct buf first = {}; /* what the first of them was refused for */
	size_t i, len;
	int err = 0;

	for (i = 0; i < nr && !err; i += len) {
		for (len = 1; !probes[i].optional && i + len < nr &&
			      probes[i + len].number == probes[i].number;)
			len++;
		err = open_hook(h, opts, probes + i, len, SITES_EVENT, why);
		if (err && probes[i].optional && err != -ENOMEM && err != -EPERM &&
		    err != -EACCES) {
			if (opts->skipped)
				opts->skipped(opts->arg, probes[i].event, err);
			err = first.len || !why->data ? 0 : buf__puts(&first, why->data);
			buf__clear(why);
		}
	}
	if (!err && !h->nr_hooks)
		err = buf__puts(why, first.data ? first.data : "no function could be probed")
			      ? -ENOMEM
			      : -ENOENT;
	buf__free(&first);
	return err;
}

/* The first way that works; what the last of them said is told. */
static int open_group(struct hits *h, const struct hits_opts *opts, const struct hits_probe *probes,
		      size_t nr, struct buf *why)
{
	int err = -ENOENT;

	for (enum sites_way way = SITES_RAW; way < SITES_EVENT; way++) {
		if (!hook__has_way(probes, way) || (way == SITES_LINKS && nr == 1))
			continue;
		buf__clear(why);
		err = open_hook(h, opts, probes, nr, way, why);
		if (!err || err == -ENOMEM || err == -EPERM || err == -EACCES)
			return err;
	}
	if (!hook__has_way(probes, SITES_EVENT))
		return err;
	buf__clear(why);
	return open_one_by_one(h, opts, probes, nr, why);
}

/* *done: it needs no program. */
static int open_count(struct hits *h, const struct hits_opts *opts, const struct hits_probe *probe,
		      bool *done)
{
	struct kernel_count *c;
	int err = kernel_count__can(probe, opts) ? 0 : -EOPNOTSUPP;

	if (!err)
		err = kernel_count__open(&c, probe, opts);
	*done = !err;
	if (err) {
		/* What a program refuses as well is told then. */
		if (err != -EOPNOTSUPP && err != -ENOMEM)
			log__debug("'%s' is counted by a program: the kernel's filter: %s",
				   probe->event->name, strerror(-err));
		return err == -ENOMEM ? err : 0;
	}
	err = array__grow(&h->counts, &h->cap_counts, h->nr_counts + 1);
	if (err)
		kernel_count__close(c);
	else
		h->counts[h->nr_counts++] = c;
	return err;
}

static int open_all(struct hits *h, const struct hits_opts *opts, struct buf *why)
{
	const struct hits_probe *p = opts->probes;
	bool done;
	size_t i, len;
	int err = 0;

	for (i = 0; i < opts->nr_probes && !err; i += len) {
		len = 1;
		err = open_count(h, opts, &p[i], &done);
		if (err || done)
			continue;
		for (; hook__has_way(&p[i], SITES_LINKS) && i + len < opts->nr_probes &&
		       are_alike(&p[i], &p[i + len]);)
			len++;
		err = open_group(h, opts, &p[i], len, why);
	}
	return err;
}

int hits__open(struct hits **out, const struct hits_opts *opts, struct buf *why)
{
	struct targets_parts targets;
	struct hits *h;
	int err;

	*out = NULL;
	if (!opts->nr_probes || !opts->max_stack || opts->max_stack > STACK_MAX_FRAMES)
		return -EINVAL;
	h = calloc(1, sizeof(*h));
	if (!h)
		return -ENOMEM;
	files__raise_limit(SIZE_MAX);
	h->selects = target__selects(opts->target) || opts->probes->filter || opts->within_fd;
	err = open_all(h, opts, why);
	if (!err && h->nr_hooks) {
		targets = hook__targets(h->hooks[0]);
		err = targets__follow(&h->followers, &targets, why);
	}
	if (err) {
		hits__close(h);
		return err;
	}
	*out = h;
	return 0;
}

void hits__close(struct hits *h)
{
	if (!h)
		return;
	targets__unfollow(&h->followers);
	for (size_t i = 0; i < h->nr_hooks; i++)
		close_hook(h->hooks[i]);
	free(h->hooks);
	for (size_t i = 0; i < h->nr_counts; i++)
		kernel_count__close(h->counts[i]);
	free(h->counts);
	free(h);
}

/* What the kernel has not let the program see since it was loaded. */
static uint64_t missed_by(const struct hook *k)
{
	return bpf__missed(k->program) + sites__missed(&k->sites);
}

static int for_each_event(struct hits *h, int (*fn)(int fd))
{
	int err = 0;

	for (size_t i = 0; i < h->nr_hooks; i++)
		for (size_t n = 0; h->hooks[i]->is_event && n < h->hooks[i]->sites.nr_fds && !err;
		     n++)
			err = fn(h->hooks[i]->sites.fds[n]);
	return err;
}

static void turn(struct hits *h, bool on)
{
	for (size_t i = 0; i < h->nr_hooks; i++)
		__atomic_store_n(&h->hooks[i]->skel->bss->control.on, on, __ATOMIC_RELEASE);
}

int hits__start(struct hits *h)
{
	int err = for_each_event(h, perf_enable);

	for (size_t i = 0; i < h->nr_hooks; i++)
		h->hooks[i]->missed_before = missed_by(h->hooks[i]);
	if (!err)
		turn(h, true);
	for (size_t i = 0; i < h->nr_counts && !err; i++)
		err = counters__enable(h->counts[i]->counters);
	return err;
}

int hits__stop(struct hits *h)
{
	int err;

	turn(h, false);
	err = for_each_event(h, perf_disable);
	for (size_t i = 0; i < h->nr_counts && !err; i++) {
		err = counters__disable(h->counts[i]->counters);
		counters__tell_programs(h->counts[i]->counters);
	}
	h->stopped = true;
	for (size_t i = 0; i < h->nr_hooks; i++)
		h->hooks[i]->missed = missed_by(h->hooks[i]) - h->hooks[i]->missed_before;
	/* Programs that saw the switch on may still be under way. */
	return err ? err : grace__wait();
}
