// SPDX-License-Identifier: BSD-2-Clause
/* Life of a counting session: open, start, stop. */
#include "probe/count.h"

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
#include "probe/count_session.h"

int count__open(struct count **out, const struct count_opts *opts, struct buf *why)
{
	struct targets_parts targets;
	struct count *h;
	int err;

	*out = NULL;
	if (!opts->nr_probes || !opts->max_stack || opts->max_stack > STACK_MAX_FRAMES)
		return -EINVAL;
	h = calloc(1, sizeof(*h));
	if (!h)
		return -ENOMEM;
	files__raise_limit(SIZE_MAX);
	h->selects = target__selects(opts->target) || opts->probes->filter || opts->within_fd;
	err = count__open_all(h, opts, why);
	if (!err && h->nr_hooks) {
		targets = hook__targets(h->hooks[0]);
		err = targets__follow(&h->followers, &targets, why);
	}
	if (err) {
		count__close(h);
		return err;
	}
	*out = h;
	return 0;
}

void count__close(struct count *h)
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

static int for_each_event(struct count *h, int (*fn)(int fd))
{
	int err = 0;

	for (size_t i = 0; i < h->nr_hooks; i++)
		for (size_t n = 0; h->hooks[i]->is_event && n < h->hooks[i]->sites.nr_fds && !err;
		     n++)
			err = fn(h->hooks[i]->sites.fds[n]);
	return err;
}

static void turn(struct count *h, bool on)
{
	for (size_t i = 0; i < h->nr_hooks; i++)
		__atomic_store_n(&h->hooks[i]->skel->bss->control.on, on, __ATOMIC_RELEASE);
}

int count__start(struct count *h)
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

int count__stop(struct count *h)
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

static int count_start(void *session)
{
	return count__start(session);
}

static int count_stop(void *session)
{
	return count__stop(session);
}

static int count_poll(void *session, const struct sampler_fns *fns)
{
	return count__poll(session, fns);
}

static int count_flush(void *session, const struct sampler_fns *fns)
{
	return count__flush(session, fns);
}

static unsigned count_patience_ms(const void *session)
{
	return count__patience_ms(session);
}

static uint64_t count_seen(const void *session)
{
	return count__seen(session);
}

static void count_losses(const void *session, struct losses *out)
{
	static const struct loss texts[COUNT_LOST_NR] = {
		[TABLE_LOST_SLOTS] = { "keys_full", "no room for another key", "--keys N", false,
				       0 },
		[TABLE_LOST_STORE] = { "store_full", "no room for another key's fields", "--keys N",
				       false, 0 },
		[TABLE_LOST_MAP] = { "no_cpu", "no memory for this CPU", NULL, false, 0 },
		[TABLE_LOST_BUSY] = { "interrupted", "hit while another was being counted", NULL,
				      false, 0 },
		[COUNT_LOST_MISSED] = { "missed", "the kernel did not run the program", NULL, false,
					0 },
		[COUNT_LOST_FILTER] = { "filter_unreadable",
					"what --filter compares could not be read", NULL, false,
					0 },
		[COUNT_LOST_MEASURE] = { "value_unreadable", "the value could not be read", NULL,
					 false, 0 },
	};
	static const struct loss unreadable = { "field_unreadable",
						"fields that could not be read are 0 or empty",
						NULL, true, 0 };
	struct count_stats stats;

	count__stats(session, &stats);
	out->seen = stats.seen;
	for (unsigned i = 0; i < COUNT_LOST_NR; i++)
		session__add_loss(out, texts[i], stats.lost[i]);
	session__add_loss(out, unreadable, stats.fields_unreadable);
}

static void count_tell(const void *session)
{
	struct count_stats stats;

	count__stats(session, &stats);
	if (stats.missed_by_any)
		log__notice("the kernel left out %llu hits of any task, while a program of the "
			    "same kind was running; how many of them were wanted is not known",
			    (unsigned long long)stats.missed_by_any);
	session__tell_dropped(stats.children_dropped);
}

static int count_times(const void *session, uint32_t source, uint64_t *enabled_ns,
		       uint64_t *running_ns)
{
	return count__times(session, source, enabled_ns, running_ns);
}

static void count_close(void *session)
{
	count__close(session);
}

int count__session(struct session *s, const struct count_opts *opts, struct buf *why)
{
	static const struct session_fns fns = {
		.start = count_start,
		.stop = count_stop,
		.poll = count_poll,
		.flush = count_flush,
		.patience_ms = count_patience_ms,
		.seen = count_seen,
		.losses = count_losses,
		.tell = count_tell,
		.times = count_times,
		.close = count_close,
	};
	struct count *hits;
	int err = count__open(&hits, opts, why);

	*s = (struct session){ .fns = err ? NULL : &fns, .impl = hits };
	return err;
}
