// SPDX-License-Identifier: BSD-2-Clause
/* Writes what was sampled in an interval of a recording; and losses, which both parts have. */
#include <errno.h>

#include "base/strtab.h"
#include "tape/livefile_state.h"

void livefile__put_losses(struct livefile *l, const struct losses *losses)
{
	put_u32(l, losses->nr);
	for (unsigned i = 0; i < losses->nr; i++) {
		const struct loss *loss = &losses->by[i];

		put_text(l, loss->name);
		put_text(l, loss->text);
		put_text(l, loss->cure);
		put_u32(l, (loss->cure ? LIVEREAD_CURE : 0) | (loss->flaw ? LIVEREAD_FLAW : 0));
		put_u64(l, loss->n);
	}
}

static void put_number(struct livefile *l, size_t nr, size_t most)
{
	if (!l->err && nr > most)
		l->err = -EFBIG;
	put_u32(l, nr);
}

static void put_sampled_events(struct livefile *l, const struct profile *p)
{
	put_number(l, p->nr_events, LIVEREAD_EVENTS_SAMPLED_MAX);
	for (size_t i = 0; i < p->nr_events; i++) {
		const struct profile_event *e = &p->events[i];

		put_text(l, e->name);
		put_text(l, e->unit);
		put_u64(l, e->hz);
		put_u64(l, e->period);
		put_u64(l, e->enabled_ns);
		put_u64(l, e->running_ns);
	}
}

/* String 0 is empty in every profile: it is not written. */
static void put_strings(struct livefile *l, const struct strtab *strings)
{
	put_number(l, strtab__nr(strings) - 1, LIVEREAD_SAMPLES_MAX);
	for (uint32_t i = 1; i < strtab__nr(strings); i++)
		put_text(l, strtab__get(strings, i));
}

static void put_stacks(struct livefile *l, const struct profile *p)
{
	put_number(l, p->nr_frames, LIVEREAD_SAMPLES_MAX);
	for (size_t i = 0; i < p->nr_frames; i++) {
		put_u32(l, p->frames[i].name);
		put_u32(l, p->frames[i].module);
		put_u32(l, p->frames[i].kind);
	}
	put_number(l, p->nr_nodes - 1, LIVEREAD_SAMPLES_MAX);
	for (size_t i = 1; i < p->nr_nodes; i++) {
		put_u32(l, p->nodes[i].parent);
		put_u32(l, p->nodes[i].frame);
	}
}

static void put_rows(struct livefile *l, const struct profile *p)
{
	put_number(l, p->nr_rows, LIVEREAD_SAMPLES_MAX);
	for (size_t i = 0; i < p->nr_rows; i++) {
		const struct row *r = &p->rows[i];

		if (!l->err && profile__stack(p, r->key.stack, NULL, 0) > LIVEREAD_DEPTH_MAX)
			l->err = -EFBIG;
		put_u32(l, r->key.event);
		put_u32(l, r->key.pid);
		put_u32(l, r->key.tid);
		put_u32(l, r->key.cgroup);
		put_u32(l, r->key.stack);
		put_u64(l, r->samples);
		put_u64(l, r->weight);
	}
}

void livefile__put_profile(struct livefile *l, const struct profile *p)
{
	size_t part = begin_part(l, LIVEREAD_PROFILE);

	/* The format has no room for the data of probes. */
	if (!l->err && (p->nr_fields || p->nr_metrics || p->by & ~LIVEREAD_BY))
		l->err = -EINVAL;
	put_u64(l, p->duration_ns);
	put_u32(l, p->nr_cpus);
	put_u32(l, p->by);
	put_u64(l, p->losses.seen);
	put_u64(l, p->losses.kept);
	put_strings(l, p->strings);
	livefile__put_losses(l, &p->losses);
	put_sampled_events(l, p);
	put_stacks(l, p);
	put_rows(l, p);
	end_part(l, part);
}
