// SPDX-License-Identifier: BSD-2-Clause
/* Steps of a budget, as a sampler knows them. */
#include "cmd/profile_thrift.h"

#include <inttypes.h>

enum { HALVINGS = 6 };

/* Until the slowest event has one sample a second. */
static size_t nr_halvings(const struct profile_thrift *t)
{
	size_t nr = HALVINGS;

	for (size_t i = 0; i < t->nr_events; i++)
		while (t->events[i].hz && nr && !(t->events[i].hz >> nr))
			nr--;
	return nr;
}

void profile_thrift__add(const struct profile_thrift *t, struct overhead *o)
{
	overhead__add(o, BUDGET_RATE, nr_halvings(t));
	overhead__add(o, BUDGET_KEYS, !!(t->by & BY_USTACK) + !!(t->by & BY_KSTACK));
	overhead__add(o, BUDGET_EVENTS, t->nr_events - 1);
	overhead__add(o, BUDGET_PAUSE, 1);
}

/* "cpu-clock at 24 Hz, page-faults every 2" */
static int put_events(const struct profile_thrift *t, const struct sampler_thrift *now,
		      struct buf *text)
{
	int err = 0;

	for (size_t i = 0; i < now->nr_events && !err; i++) {
		const struct perf_event_spec *ev = &t->events[i];

		err = buf__printf(text, "%s%s %s%" PRIu64 "%s", i ? ", " : "", ev->name,
				  ev->hz ? "at " : "every ",
				  ev->hz ? sampler__halved(ev->hz, now->halvings)
					 : sampler__doubled(ev->period, now->halvings),
				  ev->hz ? " Hz" : "");
	}
	return err;
}

static int put_text(const struct profile_thrift *t, const struct sampler_thrift *now,
		    struct buf *text)
{
	int err;

	if (!now->nr_events)
		return buf__puts(text, "nothing is sampled until that is made up for");
	err = put_events(t, now, text);
	if (!err && now->less)
		err = buf__printf(text, ", without %s stacks",
				  now->less == (t->by & (BY_USTACK | BY_KSTACK)) ? "any"
				  : now->less & BY_USTACK			 ? "user"
										 : "kernel");
	for (size_t i = now->nr_events; i < t->nr_events && !err; i++)
		err = buf__printf(text, ", without %s", t->events[i].name);
	return err;
}

int profile_thrift__now(const struct profile_thrift *t, const struct overhead *o,
			struct sampler_thrift *out, struct buf *text)
{
	size_t keys = overhead__taken(o, BUDGET_KEYS);

	*out = (struct sampler_thrift){
		.halvings = (unsigned)overhead__taken(o, BUDGET_RATE),
		.nr_events = t->nr_events - overhead__taken(o, BUDGET_EVENTS),
	};
	if (keys && t->by & BY_USTACK) {
		out->less |= BY_USTACK;
		keys--;
	}
	if (keys)
		out->less |= BY_KSTACK;
	if (overhead__is_paused(o))
		out->nr_events = 0;
	return put_text(t, out, text);
}

int profile_thrift__open(const struct profile_thrift *t, const char *percent, struct run *r)
{
	double share;
	int err = overhead__parse(percent, &share, &r->why);

	if (!err)
		err = overhead__new(&r->overhead, share, r->command ? command__pid(r->command) : 0);
	if (!err)
		profile_thrift__add(t, r->overhead);
	return err;
}

int profile_thrift__heed(const struct profile_thrift *t, struct run *r)
{
	struct sampler_thrift now;
	struct buf text = {};
	int err = profile_thrift__now(t, r->overhead, &now, &text);

	if (!err)
		err = collector__spare(r->collector, &now);
	if (!err)
		overhead__tell(r->overhead, text.data);
	r->lost |= now.nr_events < t->nr_events;
	buf__free(&text);
	return err;
}
