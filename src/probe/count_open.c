// SPDX-License-Identifier: BSD-2-Clause
/*
 * Decides which probes share an object, and tries the ways to attach them.
 *
 * Functions that are alike share one where the kernel attaches a program to many of them, and where
 * it does not a program each. Tracepoints share two at most: those that need nothing of their
 * records by raw tracepoints, which cost half as much when they are hit and no grace period when
 * they are closed (perf_trace_event_unreg(), kernel/trace/trace_event_perf.c: 40 ms each), the
 * others by perf events. System calls are at once (count_calls.c).
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "object/bpf.h"
#include "probe/count_session.h"

/* From so many system calls on a program that runs at all system calls is cheaper. */
enum { CALLS_AT_ONCE = 4 };

static bool same_file(const struct perf_site *a, const struct perf_site *b)
{
	bool user = a->kind == SITE_UPROBE || a->kind == SITE_URETPROBE || a->kind == SITE_USDT;

	return !user || (a->home && b->home && !strcmp(a->home, b->home));
}

/* One program can serve both: only their numbers differ. */
static bool are_alike(const struct count_probe *a, const struct count_probe *b)
{
	const struct perf_site *x = &a->event->site, *y = &b->event->site;

	return x->kind == y->kind && x->at_entry == y->at_entry && same_file(x, y) &&
	       count_probe__same_shape(a, b);
}

/* Errors with which no other way would work either. */
static bool is_final(int err)
{
	return err == -ENOMEM || err == -EPERM || err == -EACCES;
}

/* Attaches one program to @nr probes of the hook, from the @from-th on. */
static int attach(struct hook *k, size_t from, size_t nr, const struct count_opts *opts,
		  struct buf *why)
{
	const struct sites_opts sites = { opts->env, opts->target, opts->skipped, opts->arg };
	struct sites_probe *probes = calloc(nr, sizeof(*probes));
	int prog_fd, err = probes ? 0 : -ENOMEM;

	for (size_t i = 0; i < nr && !err; i++)
		probes[i] = (struct sites_probe){ k->probes[from + i]->event,
						  k->probes[from + i]->number,
						  k->probes[from + i]->optional };
	if (!err) {
		err = hook__program(k, from, opts, &prog_fd);
		if (err)
			err = bpf__explain_load(why, err, NULL);
	}
	if (!err)
		err = sites__attach(&k->sites, k->way, prog_fd, k->is_event, probes, nr, &sites,
				    why);
	free(probes);
	return err;
}

/* How many probes one program serves, from the @from-th of the hook on. */
static size_t one_program(const struct hook *k, size_t from)
{
	size_t nr = 1;

	if (sites__has_cookies(k->way))
		return k->nr_probes;
	while (k->way == SITES_EVENT && !k->probes[from]->optional && from + nr < k->nr_probes &&
	       k->probes[from + nr]->number == k->probes[from]->number &&
	       count_probe__same_shape(k->probes[from + nr], k->probes[from]))
		nr++;
	return nr;
}

/*
 * Attaches the hook's probes. Those that cannot be probed are left out: @pending, one for each
 * probe, stays true of them, to be tried in other ways; or, with NULL, optional ones are told. At
 * least one has to work.
 */
static int attach_each(struct hook *k, const struct count_opts *opts, bool *pending,
		       struct buf *why)
{
	struct buf first = {}; /* why the first one was refused */
	bool any = false;
	size_t len;
	int err = 0;

	for (size_t i = 0; i < k->nr_probes && !err; i += len) {
		len = one_program(k, i);
		err = attach(k, i, len, opts, why);
		any |= !err;
		if (!err && pending)
			pending[i] = false;
		if (!err || is_final(err) || !(pending || k->probes[i]->optional))
			continue;
		if (!pending && opts->skipped)
			opts->skipped(opts->arg, k->probes[i]->event, err);
		err = first.len || !why->data ? 0 : buf__puts(&first, why->data);
		buf__clear(why);
	}
	if (!err && !any)
		err = buf__puts(why, first.data ? first.data : "nothing could be probed") ? -ENOMEM
											  : -ENOENT;
	buf__free(&first);
	return err;
}

/* Loads and attaches an object for some probes, one way. @pending: as above. */
static int open_hook(struct count *h, const struct count_opts *opts,
		     const struct count_probe *const *probes, size_t nr, enum sites_way way,
		     bool *pending, struct buf *why)
{
	struct hook *k;
	int err = hook__new(&k, probes, nr);

	if (!err) {
		k->way = way;
		err = hook__load(h, k, opts, why);
	}
	if (!err)
		err = attach_each(k, opts, pending, why);
	if (!err)
		err = count__add_hook(h, k);
	if (err)
		hook__close(k);
	return err;
}

/*
 * The kernel goes through all places that it can trace for each function, and through the program
 * once more before 5.15: 20 to 40 ms.
 */
static void tell_slow(const struct count_probe *probe, size_t nr, enum sites_way way)
{
	enum { MANY = 50 };

	if (nr >= MANY && site__is_kernel(&probe->event->site) && way == SITES_EVENT)
		log__notice("%zu functions are attached one by one, which may take long: from 5.18 "
			    "on kernels have a link for many",
			    nr);
}

/* Opens probes by the first way that works; if none does, @why is from the last. */
static int open_group(struct count *h, const struct count_opts *opts,
		      const struct count_probe *const *probes, size_t nr, struct buf *why)
{
	int err = -ENOENT;

	for (enum sites_way way = SITES_RAW; way < SITES_WAYS; way++) {
		if (!hook__has_way(probes[0], way) || (way == SITES_LINKS && nr == 1))
			continue;
		buf__clear(why);
		tell_slow(probes[0], nr, way);
		err = open_hook(h, opts, probes, nr, way, NULL, why);
		if (!err || is_final(err))
			return err;
	}
	return err;
}

/* Has the kernel count a probe, without a program, if it can: then *done. */
static int open_count(struct count *h, const struct count_opts *opts,
		      const struct count_probe *probe, bool *done)
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

/* Which probes are not open yet; and some of them, picked by choose(). */
struct pending {
	bool *is; /* by number in count_opts */
	const struct count_probe **some;
	bool *still; /* of each of these: not open yet */
};

static size_t choose(struct pending *p, const struct count_opts *opts,
		     bool (*wanted)(const struct count_probe *))
{
	size_t nr = 0;

	for (size_t i = 0; i < opts->nr_probes; i++)
		if (p->is[i] && wanted(&opts->probes[i])) {
			p->still[nr] = true;
			p->some[nr++] = &opts->probes[i];
		}
	return nr;
}

static void settle(struct pending *p, const struct count_opts *opts, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		p->is[p->some[i] - opts->probes] = p->still[i];
}

static bool is_raw(const struct count_probe *p)
{
	return p->event->site.kind == SITE_TRACEPOINT && hook__has_way(p, SITES_RAW);
}

static bool is_tracepoint(const struct count_probe *p)
{
	return p->event->site.kind == SITE_TRACEPOINT;
}

/* After a failure the probes are opened one by one, unless that is bound to fail, too. */
static int leave(const char *what, int err, struct buf *why)
{
	if (!err || is_final(err))
		return err;
	log__debug("%s one by one: %s", what, why->len ? why->data : strerror(-err));
	buf__clear(why);
	return 0;
}

static int open_calls(struct count *h, struct pending *p, const struct count_opts *opts,
		      struct buf *why)
{
	size_t nr = choose(p, opts, count_probe__is_call);
	int err;

	if (nr < CALLS_AT_ONCE)
		return 0;
	err = count__open_calls(h, opts, p->some, nr, why);
	for (size_t i = 0; i < nr; i++)
		p->still[i] = err;
	settle(p, opts, nr);
	return leave("system calls", err, why);
}

static int open_tracepoints(struct count *h, struct pending *p, const struct count_opts *opts,
			    enum sites_way way, struct buf *why)
{
	size_t nr = choose(p, opts, way == SITES_RAW ? is_raw : is_tracepoint);
	int err;

	if (nr < 2)
		return 0;
	err = open_hook(h, opts, p->some, nr, way, p->still, why);
	if (!err)
		settle(p, opts, nr);
	return leave(way == SITES_RAW ? "raw tracepoints" : "tracepoints", err, why);
}

static int open_rest(struct count *h, struct pending *p, const struct count_opts *opts,
		     struct buf *why)
{
	size_t len;
	int err = 0;

	for (size_t i = 0; i < opts->nr_probes && !err; i += len) {
		const struct count_probe *probe = &opts->probes[i];

		len = 1;
		if (!p->is[i])
			continue;
		while (hook__has_way(probe, SITES_LINKS) && i + len < opts->nr_probes &&
		       are_alike(probe, probe + len))
			len++;
		for (size_t n = 0; n < len; n++)
			p->some[n] = probe + n;
		err = open_group(h, opts, p->some, len, why);
		if (err && probe->optional && is_tracepoint(probe) && !is_final(err)) {
			if (opts->skipped)
				opts->skipped(opts->arg, probe->event, err);
			buf__clear(why);
			err = 0;
		}
	}
	return err;
}

static int open_all(struct count *h, struct pending *p, const struct count_opts *opts,
		    struct buf *why)
{
	int err = open_calls(h, p, opts, why);

	if (!err)
		err = open_tracepoints(h, p, opts, SITES_RAW, why);
	for (size_t i = 0; i < opts->nr_probes && !err; i++) {
		bool done;

		if (!p->is[i])
			continue;
		err = open_count(h, opts, &opts->probes[i], &done);
		p->is[i] = !done;
	}
	if (!err)
		err = open_tracepoints(h, p, opts, SITES_EVENT, why);
	return err ? err : open_rest(h, p, opts, why);
}

int count__open_all(struct count *h, const struct count_opts *opts, struct buf *why)
{
	struct pending p = {
		.is = malloc(opts->nr_probes * sizeof(*p.is)),
		.some = calloc(opts->nr_probes, sizeof(*p.some)),
		.still = calloc(opts->nr_probes, sizeof(*p.still)),
	};
	int err = p.is && p.some && p.still ? 0 : -ENOMEM;

	if (!err) {
		memset(p.is, true, opts->nr_probes * sizeof(*p.is));
		err = open_all(h, &p, opts, why);
	}
	free(p.is);
	free(p.some);
	free(p.still);
	return err;
}
