// SPDX-License-Identifier: BSD-2-Clause
/* Life of a counting session: open, start, stop. */
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
	err = hits__open_all(h, opts, why);
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
		hook__close(h->hooks[i]);
	free(h->hooks);
	for (size_t i = 0; i < h->nr_counts; i++)
		kernel_count__close(h->counts[i]);
	free(h->counts);
	free(h);
}

/* Hits for which the kernel has not run the programs since they were loaded. */
static uint64_t missed_by(const struct hook *k)
{
	uint64_t missed = bpf__missed(bpf_program__fd(k->program)) + sites__missed(&k->sites);

	for (size_t i = 0; i < k->nr_clones; i++)
		missed += bpf__missed(k->clones[i]);
	return missed;
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
	/* Programs that have read `on` before may still be running. */
	return err ? err : grace__wait();
}
