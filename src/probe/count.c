// SPDX-License-Identifier: BSD-2-Clause
/* What a counting session does in its own way: objects by probe, totals, counts of the kernel. */
#include "probe/count.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/log.h"
#include "perf/open.h"
#include "object/attach.h"
#include "object/bpf.h"
#include "probe/count_session.h"

static struct count *count_of(const struct session *s)
{
	return container_of(s, struct count, session);
}

static struct object *count_object(const struct session *s, size_t i)
{
	const struct count *h = count_of(s);

	return i < h->nr_hooks ? &h->hooks[i]->object : NULL;
}

static uint64_t count_missed(const struct session *s, const struct object *o)
{
	const struct hook *k = container_of(o, struct hook, object);
	uint64_t missed = bpf__missed(bpf_program__fd(k->program)) + sites__missed(&k->sites);

	(void)s;
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

static int count_start(struct session *s)
{
	struct count *h = count_of(s);
	int err = for_each_event(h, perf_enable);

	for (size_t i = 0; i < h->nr_counts && !err; i++)
		err = counters__enable(h->counts[i]->counters);
	return err;
}

static int count_stop(struct session *s)
{
	struct count *h = count_of(s);
	int err = for_each_event(h, perf_disable);

	for (size_t i = 0; i < h->nr_counts && !err; i++) {
		err = counters__disable(h->counts[i]->counters);
		counters__tell_programs(h->counts[i]->counters);
	}
	return err;
}

/* What is counted without a key. */
static int count_rest(struct session *s, const struct rows_reader *reader)
{
	struct count *h = count_of(s);
	int err = 0;

	for (size_t i = 0; i < h->nr_hooks && !err; i++)
		if (h->hooks[i]->object.has_no_keys)
			err = hook__poll_totals(h->hooks[i], reader);
	for (size_t i = 0; i < h->nr_counts && !err; i++) {
		struct kernel_count *c = h->counts[i];

		err = kernel_count__read(c);
		if (!err)
			err = count__report(c->number, c->seen, &c->reported, reader);
	}
	return err;
}

static uint64_t count_rest_seen(const struct session *s)
{
	const struct count *h = count_of(s);
	uint64_t sum = 0;

	for (size_t i = 0; i < h->nr_hooks; i++)
		if (h->hooks[i]->object.has_no_keys)
			sum += hook__total(h->hooks[i]);
	/* Where a count cannot be read now, the last reading stands. */
	for (size_t i = 0; i < h->nr_counts; i++) {
		int err = kernel_count__read(h->counts[i]);

		if (err)
			log__debug("a count could not be read: %s", strerror(-err));
		sum += h->counts[i]->seen;
	}
	return sum;
}

void count__stats(const struct session *s, struct count_stats *out)
{
	const struct count *h = count_of(s);

	*out = (struct count_stats){ .nr_places = h->nr_counts };
	for (size_t i = 0; i < h->nr_counts; i++)
		out->seen += h->counts[i]->reported;
	if (h->nr_hooks)
		out->children_dropped = targets__dropped(h->hooks[0]->skel->obj);
	for (size_t i = 0; i < h->nr_hooks; i++) {
		const volatile struct count_control *control = &h->hooks[i]->skel->bss->control;
		const struct hook *k = h->hooks[i];
		uint64_t seen, lost[TABLE_LOST_NR];

		tables__stats(&k->object.tables, &seen, lost);
		if (k->object.has_no_keys)
			seen = hook__reported(k);
		out->seen += seen + control->filter_unreadable + control->measure_unreadable;
		for (unsigned n = 0; n < TABLE_LOST_NR; n++)
			out->lost[n] += lost[n];
		if (h->selects) {
			out->missed_by_any += k->object.missed;
		} else {
			out->seen += k->object.missed;
			out->lost[COUNT_LOST_MISSED] += k->object.missed;
		}
		out->lost[COUNT_LOST_FILTER] += control->filter_unreadable;
		out->lost[COUNT_LOST_MEASURE] += control->measure_unreadable;
		out->fields_unreadable += control->fields_unreadable;
		out->nr_places += k->sites.nr_places;
	}
}

static void count_losses(const struct session *s, struct losses *out)
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

	count__stats(s, &stats);
	out->seen = stats.seen;
	session__add_losses(out, texts, stats.lost, COUNT_LOST_NR);
	session__add_loss(out, unreadable, stats.fields_unreadable);
}

static void count_tell(const struct session *s)
{
	struct count_stats stats;

	count__stats(s, &stats);
	if (stats.missed_by_any)
		log__notice("the kernel left out %llu hits of any task, while a program of the "
			    "same kind was running; how many of them were wanted is not known",
			    (unsigned long long)stats.missed_by_any);
	session__tell_dropped(stats.children_dropped);
}

static int count_times(const struct session *s, uint32_t number, uint64_t *enabled_ns,
		       uint64_t *running_ns)
{
	const struct count *h = count_of(s);
	int err = 0;

	for (size_t i = 0; i < h->nr_hooks && !err; i++)
		if (h->hooks[i]->is_event && h->hooks[i]->number == number)
			err = attach__times(h->hooks[i]->sites.fds, h->hooks[i]->sites.nr_fds,
					    enabled_ns, running_ns);
	return err;
}

static void count_close(struct session *s)
{
	struct count *h = count_of(s);

	targets__unfollow(&h->followers);
	for (size_t i = 0; i < h->nr_hooks; i++)
		hook__close(h->hooks[i]);
	free(h->hooks);
	for (size_t i = 0; i < h->nr_counts; i++)
		kernel_count__close(h->counts[i]);
	free(h->counts);
	free(h);
}

const struct session_fns count__fns = {
	.object = count_object,
	.start = count_start,
	.stop = count_stop,
	.rest = count_rest,
	.rest_seen = count_rest_seen,
	.missed = count_missed,
	.losses = count_losses,
	.tell = count_tell,
	.times = count_times,
	.close = count_close,
};

int count__open(struct session **out, const struct count_opts *opts, struct buf *why)
{
	struct count *h;
	int err;

	*out = NULL;
	if (!opts->nr_probes || !opts->max_stack || opts->max_stack > STACK_MAX_FRAMES)
		return -EINVAL;
	h = calloc(1, sizeof(*h));
	if (!h)
		return -ENOMEM;
	h->session.fns = &count__fns;
	files__raise_limit(SIZE_MAX);
	h->selects = target__selects(opts->target) || opts->probes->filter || opts->within_fd;
	err = count__open_all(h, opts, why);
	if (!err && h->nr_hooks && h->hooks[0]->skel->rodata->stack.unwind)
		err = unwind_maps__map(&h->hooks[0]->object.unwind, h->hooks[0]->skel->obj,
				       h->hooks[0]->skel->rodata->stack.code_mask);
	if (!err && h->nr_hooks)
		err = targets__follow(&h->followers, h->hooks[0]->skel->obj, why);
	if (err) {
		count_close(&h->session);
		return err;
	}
	*out = &h->session;
	return 0;
}
