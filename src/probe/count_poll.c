// SPDX-License-Identifier: BSD-2-Clause
/* Reads what a session has counted: keys and counts, totals, losses, times. */
#include <string.h>

#include "base/log.h"
#include "probe/attach.h"
#include "probe/bpf.h"
#include "probe/grace.h"
#include "probe/count_session.h"

enum { PATIENCE_MS = 100 }; /* while nothing fills up */

int count__report(uint32_t number, uint64_t seen, uint64_t *reported, const struct sampler_fns *fns)
{
	struct sample_key key = { .stack.source = number };
	struct sample_stack stack = { .key = &key };
	uint64_t n = seen - *reported;
	uint32_t handle;
	int err;

	if (!n)
		return 0;
	err = fns->stack(fns->arg, &stack, &handle);
	if (!err)
		err = fns->count(fns->arg, &stack, handle, n, n, NULL);
	*reported = seen;
	return err;
}

static int poll_counts(struct count *h, const struct sampler_fns *fns)
{
	int err = 0;

	for (size_t i = 0; i < h->nr_counts && !err; i++) {
		struct kernel_count *c = h->counts[i];

		err = kernel_count__read(c);
		if (!err)
			err = count__report(c->number, c->seen, &c->reported, fns);
	}
	return err;
}

int count__poll(struct count *h, const struct sampler_fns *fns)
{
	int err = 0;

	for (size_t i = 0; i < h->nr_hooks && !err; i++) {
		struct hook *k = h->hooks[i];

		if (!k->is_total)
			err = keyed__poll(&k->keyed, h->stopped, fns);
		else if (h->stopped)
			err = hook__poll_totals(k, fns);
	}
	return err || !h->stopped ? err : poll_counts(h, fns);
}

static int drain_hook(struct hook *k, const struct sampler_fns *fns)
{
	return k->is_total ? hook__poll_totals(k, fns) : keyed__drain(&k->keyed, fns);
}

int count__flush(struct count *h, const struct sampler_fns *fns)
{
	bool wait = false;
	int err = 0;

	for (size_t i = 0; i < h->nr_hooks; i++) {
		if (h->hooks[i]->is_total)
			continue;
		keyed__flip(&h->hooks[i]->keyed);
		wait = true;
	}
	if (wait)
		err = grace__wait();
	if (!err)
		err = fns->closed(fns->arg);
	for (size_t i = 0; i < h->nr_hooks && !err; i++)
		err = drain_hook(h->hooks[i], fns);
	return err ? err : poll_counts(h, fns);
}

unsigned count__patience_ms(const struct count *h)
{
	unsigned least = PATIENCE_MS;

	for (size_t i = 0; i < h->nr_hooks; i++)
		if (tables__patience_ms(&h->hooks[i]->keyed.tables) < least)
			least = tables__patience_ms(&h->hooks[i]->keyed.tables);
	return least;
}

void count__stats(const struct count *h, struct count_stats *out)
{
	*out = (struct count_stats){ .nr_places = h->nr_counts };
	for (size_t i = 0; i < h->nr_counts; i++)
		out->seen += h->counts[i]->reported;
	if (h->nr_hooks)
		out->children_dropped = h->hooks[0]->skel->bss->target_control.children_dropped;
	for (size_t i = 0; i < h->nr_hooks; i++) {
		const volatile struct count_control *control = &h->hooks[i]->skel->bss->control;
		const struct hook *k = h->hooks[i];
		uint64_t seen, lost[TABLE_LOST_NR];

		tables__stats(&k->keyed.tables, &seen, lost);
		if (k->is_total)
			seen = hook__reported(k);
		out->seen += seen + control->filter_unreadable + control->measure_unreadable;
		for (unsigned n = 0; n < TABLE_LOST_NR; n++)
			out->lost[n] += lost[n];
		if (h->selects) {
			out->missed_by_any += k->missed;
		} else {
			out->seen += k->missed;
			out->lost[COUNT_LOST_MISSED] += k->missed;
		}
		out->lost[COUNT_LOST_FILTER] += control->filter_unreadable;
		out->lost[COUNT_LOST_MEASURE] += control->measure_unreadable;
		out->fields_unreadable += control->fields_unreadable;
		out->nr_places += k->sites.nr_places;
	}
}

uint64_t count__seen(const struct count *h)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < h->nr_hooks; i++)
		sum += h->hooks[i]->is_total ? hook__total(h->hooks[i])
					     : tables__seen(&h->hooks[i]->keyed.tables);
	/* Where a count cannot be read now, the last reading stands. */
	for (size_t i = 0; i < h->nr_counts; i++) {
		int err = kernel_count__read(h->counts[i]);

		if (err)
			log__debug("a count could not be read: %s", strerror(-err));
		sum += h->counts[i]->seen;
	}
	return sum;
}

int count__times(const struct count *h, uint32_t number, uint64_t *enabled_ns, uint64_t *running_ns)
{
	int err = 0;

	*enabled_ns = *running_ns = 0;
	for (size_t i = 0; i < h->nr_hooks && !err; i++)
		if (h->hooks[i]->is_event && h->hooks[i]->number == number)
			err = attach__times(h->hooks[i]->sites.fds, h->hooks[i]->sites.nr_fds,
					    enabled_ns, running_ns);
	return err;
}
