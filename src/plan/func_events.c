// SPDX-License-Identifier: BSD-2-Clause
/* Checks the events of a call session, and gives each a counter and a metric. */
#include "plan/func_events.h"

#include <errno.h>

#include "base/why.h"

static enum func_counter counter_of(const struct perf_event_attr *attr)
{
	if (attr->type != PERF_TYPE_SOFTWARE)
		return FUNC_COUNTER_PERF;
	switch (attr->config) {
	case PERF_COUNT_SW_CPU_CLOCK:
	case PERF_COUNT_SW_TASK_CLOCK:
		return FUNC_COUNTER_TIME;
	case PERF_COUNT_SW_CONTEXT_SWITCHES:
		return FUNC_COUNTER_SWITCHES;
	case PERF_COUNT_SW_CPU_MIGRATIONS:
		return FUNC_COUNTER_MIGRATIONS;
	default:
		return FUNC_COUNTER_PERF;
	}
}

static int check(const struct perf_event_spec *ev, enum func_counter counter, struct buf *why)
{
	if (ev->hz || ev->period)
		return why__refuse(why, -EINVAL,
				   "'%s': each event of a call is counted; leave out the "
				   "rate",
				   ev->name);
	if (ev->group >= 0)
		return why__refuse(why, -EINVAL,
				   "'%s': events are counted each by itself; leave out the "
				   "{ }",
				   ev->name);
	if (ev->for_cpus)
		return why__refuse(why, -EINVAL,
				   "'%s' counts for several CPUs at once, and knows no call; "
				   "`pmutrace stat` has it",
				   ev->name);
	if (counter != FUNC_COUNTER_PERF && (ev->attr.exclude_kernel || ev->attr.exclude_user))
		return why__refuse(why, -EINVAL,
				   "'%s': of a call it is counted as a whole; leave out what "
				   "is behind the name",
				   ev->name);
	return 0;
}

static void add_metric(struct func_plan *p, const char *name, const char *unit)
{
	p->metrics[p->nr_metrics++] = (struct profile_metric){ .name = name, .unit = unit };
}

static int add_event(struct func_plan *p, const struct perf_event_spec *ev, struct buf *why)
{
	enum func_counter counter = counter_of(&ev->attr);
	struct buf *self = &p->self[p->nr_events];
	int err = check(ev, counter, why);

	if (!err)
		err = buf__printf(self, "%s:self", ev->name);
	if (err)
		return err;
	p->events[p->nr_events++] = (struct func_event){ counter, ev };
	add_metric(p, ev->name, ev->unit);
	add_metric(p, self->data, ev->unit);
	return 0;
}

int func_plan__events(struct func_plan *p, const struct perf_events *events, struct buf *why)
{
	int err = 0;

	add_metric(p, "time", "ns");
	if (p->known == FUNC_KNOWS_TIME)
		return 0;
	add_metric(p, "self", "ns");
	if (p->known == FUNC_KNOWS_SELF_TIME)
		return 0;
	add_metric(p, "on-cpu", "ns");
	add_metric(p, "off-cpu", "ns");
	if (events && events->nr > FUNC_EVENTS)
		return why__refuse(why, -EINVAL, "%zu events: at most %d for a call",
				   (size_t)events->nr, FUNC_EVENTS);
	for (size_t i = 0; events && i < events->nr && !err; i++)
		err = add_event(p, &events->items[i], why);
	return err;
}
