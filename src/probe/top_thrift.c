// SPDX-License-Identifier: BSD-2-Clause
/* Less than all is counted, and all again: threads, events, anything. */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "object/bpf.h"
#include "probe/top_session.h"

static int turn_all(struct top *t)
{
	int err = 0;

	for (uint32_t cpu = 0; cpu < t->object.tables.nr_places && !err; cpu++)
		err = top__turn_events(t, cpu);
	return err;
}

/* Those that are not counted now. */
static uint32_t off_bits(const struct top *t)
{
	uint32_t bits = 0;

	for (size_t e = t->thrift.nr_events; e < t->nr_events; e++)
		bits |= 1u << e;
	return bits;
}

/* Does any event count by counters of its own? */
static bool counts(const struct top *t)
{
	for (size_t e = 0; e < t->thrift.nr_events; e++)
		if (t->how[e] == TOP_COUNTER_PERF)
			return true;
	return false;
}

static void set_off(struct top *t)
{
	__atomic_store_n(&t->skel->bss->control.off, off_bits(t), __ATOMIC_RELAXED);
}

/*
 * Counters of events that are to be off stand still before they are charged for the last time;
 * those that were off are read before they count on. What was counted in between is nobody's.
 */
static int change_events(struct top *t, size_t nr)
{
	const bool fewer = nr < t->thrift.nr_events;
	bool was_off;
	int err = 0;

	if (fewer) {
		t->thrift.nr_events = nr;
		err = turn_all(t);
	}
	if (!err)
		err = top__charge(t);
	was_off = !counts(t);
	t->thrift.nr_events = nr;
	set_off(t);
	if (!err && !fewer)
		err = turn_all(t);
	/* While none counts nobody sees that a CPU was away, and took its events off for good. */
	return err || fewer || !was_off ? err : top__renew_all(t);
}

static void set_on(struct top *t, bool on)
{
	__atomic_store_n(t->object.on, on, __ATOMIC_RELEASE);
}

/*
 * Whoever runs is charged up to now, and nobody after that. A program that returns at once at each
 * of a million switches a second is more than nothing: it is taken off.
 */
static int pause_charging(struct top *t)
{
	int err = top__charge(t);

	set_on(t, false);
	if (!err)
		err = top__fence(t);
	bpf_link__destroy(t->on_switch);
	t->on_switch = NULL;
	for (uint32_t cpu = 0; cpu < t->object.tables.nr_places && !err; cpu++)
		err = top__forget_task(t, cpu);
	return err;
}

static int go_on(struct top *t)
{
	struct buf why = {};
	int err = bpf__follow(&t->on_switch, t->skel->progs.top_switch, &why);

	if (err)
		log__debug("%s", why.len ? why.data : strerror(-err));
	buf__free(&why);
	set_on(t, !err);
	return err ? err : top__charge(t);
}

bool top__may_be_off(const struct session *session, size_t event)
{
	return container_of(session, struct top, session)->how[event] == TOP_COUNTER_PERF;
}

int top__spare(struct session *session, const struct top_thrift *thrift)
{
	struct top *t = container_of(session, struct top, session);
	const struct top_thrift before = t->thrift;
	int err = 0;

	if (thrift->nr_events > t->nr_events)
		return -EINVAL;
	if (thrift->paused && !before.paused)
		err = pause_charging(t);
	t->thrift.paused = thrift->paused;
	t->thrift.less = thrift->less;
	__atomic_store_n(&t->skel->bss->control.less, thrift->less, __ATOMIC_RELAXED);
	if (!err && thrift->nr_events != before.nr_events)
		err = change_events(t, thrift->nr_events);
	if (!err && before.paused && !thrift->paused)
		err = go_on(t);
	return err;
}
