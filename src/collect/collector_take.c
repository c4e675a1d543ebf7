// SPDX-License-Identifier: BSD-2-Clause
/* Profile after profile: what was collected so far is taken, and the next one begins. */
#include <errno.h>

#include "collect/collector_state.h"

/* Sessions tell sums since their start: those so far are subtracted in the next profile. */
static void begin_next(struct collector *c, const struct profile *taken)
{
	struct losses *before = &c->before;

	before->seen += taken->losses.seen;
	c->own_before_ns += taken->own_ns;
	for (unsigned i = 0; i < taken->losses.nr; i++)
		losses__add(before, &taken->losses.by[i]);
	for (size_t i = 0; i < taken->nr_events; i++) {
		c->enabled_before[i] += taken->events[i].enabled_ns;
		c->running_before[i] += taken->events[i].running_ns;
		c->passed_before[i] += taken->events[i].passed_over;
	}
	c->start_ns = c->flushed_ns;
}

/*
 * Stacks that were named keep their names from one profile to the next, as long as not many more
 * are kept than come: most come again.
 */
static bool keeps_stacks(const struct collector *c)
{
	enum { TIMES = 4, FEW = 1 << 15, ROOM_PART = 16 };
	const struct profile *p = c->profile;

	return !p->sealed && !p->nr_fields && !p->nr_metrics && !p->windows.nr &&
	       stacks__nr(c->stacks) <= FEW + TIMES * p->nr_rows &&
	       profile__bytes(p, 0) < c->room.max_bytes / ROOM_PART;
}

/* With stacks that are not kept. */
static int take_all(struct collector *c, struct profile **out)
{
	struct profile *fresh = profile__like(c->profile);
	struct stacks *stacks = NULL;
	int err = fresh ? stacks__new(&stacks, fresh, c->tracker, c->by) : -ENOMEM;

	if (err) {
		profile__free(fresh);
		return err;
	}
	namer__forget_cookies(tracker__namer(c->tracker));
	stacks__free(c->stacks);
	c->stacks = stacks;
	*out = c->profile;
	c->profile = fresh;
	return 0;
}

/* @out: NULL: nobody wants it. */
static int end_profile(struct collector *c, struct profile **out)
{
	const uint64_t begin_ns = c->profile->about.begin_ns + c->profile->duration_ns;
	const bool keeps = keeps_stacks(c);
	struct profile *taken = NULL;
	int err = 0;

	if (!keeps)
		err = take_all(c, &taken);
	else if (out)
		err = profile__copy(&taken, c->profile);
	if (err)
		return err;
	begin_next(c, keeps ? c->profile : taken);
	if (keeps)
		profile__begin_anew(c->profile);
	c->profile->about.begin_ns = begin_ns;
	if (c->nr_sampled)
		collector__set_rates(c, c->profile);
	if (out)
		*out = taken;
	else
		profile__free(taken);
	return 0;
}

int collector__take(struct collector *c, struct profile **out)
{
	*out = NULL;
	return end_profile(c, out);
}

int collector__restart(struct collector *c)
{
	int err = end_profile(c, NULL);

	return err ? err : collector__forget_many(c);
}

int collector__forget_many(struct collector *c)
{
	enum { FEW = 30000 /* some 3 MB */, TIMES = 4 };
	const size_t nr = collector__nr_names(c);

	if (!c->names_of_one)
		c->names_of_one = nr;
	if (nr <= FEW || nr <= TIMES * c->names_of_one)
		return 0;
	c->names_of_one = 0;
	return collector__forget_names(c);
}

size_t collector__nr_names(const struct collector *c)
{
	return namer__nr_names(tracker__namer(c->tracker));
}

int collector__forget_names(struct collector *c)
{
	return namer__forget(tracker__namer(c->tracker));
}
