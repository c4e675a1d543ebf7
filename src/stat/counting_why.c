// SPDX-License-Identifier: BSD-2-Clause
/* Turns errno values of perf_event_open(2) and missing counts into sentences for the user. */
#include "stat/counting_why.h"

#include <errno.h>
#include <stdlib.h>

#include "perf/open.h"

/* Events of the list that were opened together with this one. */
static size_t group_size(const struct perf_events *l, size_t event)
{
	size_t nr = 0;

	for (size_t i = 0; i < l->nr; i++)
		nr += l->items[i].group == l->items[event].group;
	return nr;
}

/* With perf_event_paranoid above 2, which Debian and Ubuntu have, CAP_PERFMON does not help. */
static const char *or_perfmon(const char *words)
{
	return perf_sysctl("perf_event_paranoid", -1) > 2 ? "" : words;
}

static int explain(const struct counting_why *w, size_t event, int err, struct buf *why)
{
	const struct perf_event_spec *spec = &w->events->items[event];
	size_t fit = counters__group_fit(w->counters, event);

	if (err == -ENODATA && spec->for_cpus)
		return buf__printf(why,
				   "'%s' counts for several CPUs at once, not for tasks: use -a",
				   spec->name);
	if (err == -ENOSPC && fit)
		return buf__printf(why,
				   "its group of %zu needs more counters than the PMU has, which "
				   "are enough for the first %zu; make it smaller",
				   group_size(w->events, event), fit);
	if (err == -ENOSPC && spec->attr.type == PERF_TYPE_BREAKPOINT)
		return buf__puts(why, "the CPU has no breakpoint left");
	if (err == -EXDEV)
		return buf__puts(why, "does not go with the others of its group: it is of another "
				      "PMU, or needs the same counter");
	if ((err == -EACCES || err == -EPERM) && !perf_is_privileged() &&
	    perf_counts_kernel_only(&spec->attr))
		return buf__printf(why,
				   "'%s' happens in the kernel only, and without it would count 0: "
				   "run as root%s, or lower kernel.perf_event_paranoid (it is %ld)",
				   spec->name, or_perfmon(", with CAP_PERFMON"),
				   perf_sysctl("perf_event_paranoid", -1));
	return perf_open__explain(why, err, counters__attr(w->counters, event), spec->name,
				  READER_PERSON);
}

int counting_why__nowhere(const struct counting_why *w, size_t event, struct buf *why)
{
	int err = counters__error(w->counters, event);

	return err ? explain(w, event, err, why) : 0;
}

/* Parts of the target that one error kept from being counted. */
struct refused {
	int err;
	size_t event; /* the first that failed with it */
	size_t nr;
	uint32_t last; /* part that was added last */
};

struct tally {
	struct refused *items;
	size_t nr, cap;
	size_t nr_parts; /* of the target, that existed at the open */
	bool any;	 /* some event is open */
};

static int add_refused(struct tally *t, int err, size_t event, uint32_t part)
{
	struct refused *r = t->items, *end = t->items + t->nr;
	int full;

	while (r < end && r->err != err)
		r++;
	if (r < end) {
		r->nr += r->last != part;
		r->last = part;
		return 0;
	}
	full = array__grow(&t->items, &t->cap, t->nr + 1);
	if (!full)
		t->items[t->nr++] = (struct refused){ err, event, 1, part };
	return full;
}

/* What opening the event's parts at a place has said. *wanted: it is meant for that place. */
static int tally_place(struct tally *t, const struct counting_why *w, size_t event, size_t place,
		       bool *wanted)
{
	for (size_t i = event; i < w->events->nr; i++) {
		int err = counters__error_at(w->counters, i, place);

		if (w->events->items[i].part_of != event || err == -ENODATA || err == -ESRCH)
			continue;
		*wanted = true;
		t->any = t->any || !err;
		err = err ? add_refused(t, err, i, w->places->part[place]) : 0;
		if (err)
			return err;
	}
	return 0;
}

static int tally(struct tally *t, const struct counting_why *w, size_t event)
{
	const struct places *p = w->places;
	bool wanted = false;
	int err = 0;

	for (size_t i = 0; i < p->nr && !err; i++) {
		if (i && p->part[i] != p->part[i - 1]) {
			t->nr_parts += wanted;
			wanted = false;
		}
		err = tally_place(t, w, event, i, &wanted);
	}
	t->nr_parts += wanted;
	return err;
}

static int put_refused(const struct counting_why *w, const struct tally *t, const struct refused *r,
		       struct buf *why)
{
	int err = buf__printf(why, "%s%zu of %zu %s could not be counted: ", why->len ? "; " : "",
			      r->nr, t->nr_parts,
			      t->nr_parts == 1 ? w->places->part_name : w->places->parts_name);

	if (err)
		return err;
	if ((r->err == -EACCES || r->err == -EPERM) && !perf_is_privileged())
		return buf__printf(why, "no permission (run as root%s)",
				   or_perfmon(", or with CAP_PERFMON"));
	return explain(w, r->event, r->err, why);
}

int counting_why__lacks(const struct counting_why *w, size_t event, struct buf *why)
{
	struct tally t = {};
	int err = tally(&t, w, event);

	for (size_t i = 0; i < t.nr && t.any && !err; i++)
		err = put_refused(w, &t, &t.items[i], why);
	free(t.items);
	return err;
}

enum count_state counting_why__state(int err)
{
	switch (err) {
	case -EACCES:
	case -EPERM:
		return COUNT_NO_PERMISSION;
	case -ESRCH:
	case -ENOSPC: /* no counter is left, or no breakpoint */
	case 0:	      /* open elsewhere */
		return COUNT_NOT_COUNTED;
	default:
		return COUNT_NOT_SUPPORTED;
	}
}

/* Each distinct reason once, with the events that have it. */
static int put_reasons(const struct counts *c, struct buf *why)
{
	int err = c->nr_events > 1 ? buf__puts(why, "none of the events can be counted:") : 0;

	if (c->nr_events == 1)
		return buf__puts(why, c->events[0].why ? c->events[0].why : "");
	for (size_t i = 0; i < c->nr_events && !err; i++) {
		const char *reason = c->events[i].why;
		size_t first = 0;

		while (c->events[first].why != reason)
			first++;
		if (!reason || first < i)
			continue;
		for (size_t k = i; k < c->nr_events && !err; k++)
			if (c->events[k].why == reason)
				err = buf__printf(why, "%s%s", k == i ? "\n  " : ", ",
						  c->events[k].name);
		if (!err)
			err = buf__printf(why, ": %s", reason);
	}
	return err;
}

int counting_why__nothing(const struct counting_why *w, const struct counts *counts, bool command,
			  struct buf *why)
{
	bool supported = false;
	int first = 0, err;

	for (size_t i = 0; i < w->events->nr; i++) {
		err = counters__error(w->counters, i);
		if (!err || counters__group_fit(w->counters, i))
			return 0;
		if (!first)
			first = err;
		supported = supported || counting_why__state(err) != COUNT_NOT_SUPPORTED;
	}
	if (command && !supported)
		return 0;
	err = put_reasons(counts, why);
	return err ? err : first == -EINVAL ? -ENOTSUP : first;
}

int counting_why__uncounted(const struct counting_why *w, size_t event,
			    const struct event_count *total, struct buf *why)
{
	const struct perf_event_spec *ev = &w->events->items[event];

	if (ev->attr.pinned)
		return buf__puts(why, "pinned, but the PMU had no counter for it; without :D it "
				      "would share one");
	if (total->enabled_ns && ev->group >= 0)
		return buf__printf(why,
				   "its group of %zu was never on the PMU: it needs more counters "
				   "than are free; make it smaller",
				   group_size(w->events, event));
	if (total->enabled_ns)
		return buf__puts(why, "the PMU never had a counter for it: others use them all (is "
				      "the NMI watchdog on?)");
	return 0;
}
