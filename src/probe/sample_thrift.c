// SPDX-License-Identifier: BSD-2-Clause
/* Less than all is measured, and all again: rates, halves of stacks, events. */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "perf/open.h"
#include "probe/sample_session.h"
#include "probe/sample_tick.h"
#include "probe/witness.h"

/*
 * The timer of a clock gets another period by an ioctl(2), but its samples go on telling the one
 * that it was opened with (hw.last_period, kernel/events/core.c): it is opened anew.
 */
static bool has_clock(const struct sampler *s)
{
	for (size_t e = 0; e < s->nr_events; e++)
		if (witness__is_clock(&s->events[e]))
			return true;
	return false;
}

/* Goes on adjusting its period, to another rate. */
static int set_rates(struct sampler *s, size_t c)
{
	int err = 0;

	for (size_t e = 0; e < s->nr_events && !err; e++) {
		struct sample_place *p = sampler__place(s, e, c);
		const struct perf_event_spec ev = sampler__spec(s, e);

		if (p->fd < 0)
			continue;
		err = perf_set_period(p->fd, ev.hz ? ev.hz : ev.period);
		p->openings++; /* what was counted of a period is in no sample */
	}
	return err;
}

static int turn_events(struct sampler *s, size_t c)
{
	int err = 0;

	for (size_t e = 0; e < s->nr_events && s->started && !err; e++) {
		const int fd = sampler__place(s, e, c)->fd;

		if (fd >= 0)
			err = e < s->thrift.nr_events ? perf_enable(fd) : perf_disable(fd);
	}
	return err;
}

/* A CPU on which that fails has no events until sampler__mend_cpus() finds that out. */
static int spare_cpu(struct sampler *s, size_t c, bool renew, bool is_other_rate)
{
	struct buf why = {};
	int err;

	if (renew)
		err = sampler__renew_cpu(s, c, &why);
	else
		err = is_other_rate ? set_rates(s, c) : 0;
	if (!err && !renew)
		err = turn_events(s, c);
	if (err) {
		log__debug("CPU %u: its events cannot be changed: %s", (unsigned)s->cpus[c].cpu,
			   why.len ? why.data : strerror(-err));
		sampler__close_cpu(s, c);
	}
	buf__free(&why);
	return err == -ENOMEM || err == -EINVAL ? err : 0;
}

static int spare_events(struct sampler *s, const struct sampler_thrift *before);

/*
 * The kernel takes no such rate any more: it has lowered kernel.perf_event_max_sample_rate since.
 * All goes on at the rate that it was.
 */
static int keep_rate(struct sampler *s, const struct sampler_thrift *before)
{
	struct sampler_thrift refused = s->thrift;

	log__notice("the kernel takes no more than %ld samples a second by now "
		    "(kernel.perf_event_max_sample_rate): the rate stays as it was",
		    perf_sysctl("perf_event_max_sample_rate", 0));
	s->thrift.halvings = before->halvings;
	refused.nr_events = 0; /* events that were closed are opened */
	return spare_events(s, &refused);
}

static int spare_events(struct sampler *s, const struct sampler_thrift *before)
{
	const bool is_other_rate = before->halvings != s->thrift.halvings;
	/* What has become of CPUs in a pause nobody has seen: events there may be dead. */
	const bool goes_on = !before->nr_events && s->thrift.nr_events;
	const bool renew = goes_on || (is_other_rate && has_clock(s));
	int err = 0;

	for (size_t c = 0; c < s->nr_cpus && !err; c++)
		if (sampler__is_open(s, c))
			err = spare_cpu(s, c, renew, is_other_rate);
	if (!err)
		err = sampler__take_times(s);
	/* Time in which events were off, or being opened, is no time of theirs. */
	for (size_t c = 0; c < s->nr_cpus && !err; c++)
		if (sampler__is_open(s, c) && renew) {
			err = sampler__read_cpu(s, c);
			sampler__begin_cpu(s, c);
		}
	return err;
}

static bool is_same(const struct sampler_thrift *a, const struct sampler_thrift *b)
{
	return a->halvings == b->halvings && a->less == b->less && a->nr_events == b->nr_events;
}

/* What was counted and lost up to now, by what was measured up to now. */
static int look(struct sampler *s)
{
	int err;

	if (!s->started || s->session.stopped)
		return 0;
	if (s->tick)
		return sample_tick__look(s);
	err = sampler__take_times(s);
	return err ? err : sampler__look(s);
}

int sampler__spare(struct session *session, const struct sampler_thrift *thrift)
{
	struct sampler *s = container_of(session, struct sampler, session);
	const struct sampler_thrift before = s->thrift;
	int err;

	if (thrift->halvings > SAMPLER_HALVINGS || thrift->nr_events > s->nr_events)
		return -EINVAL;
	if (is_same(thrift, &before))
		return 0;
	err = look(s);
	if (err)
		return err;
	s->thrift = *thrift;
	if (s->most_halvings < thrift->halvings)
		s->most_halvings = thrift->halvings;
	__atomic_store_n(&s->skel->bss->sample_less,
			 thrift->less | (thrift->nr_events ? 0 : SAMPLE_PAUSED), __ATOMIC_RELAXED);
	if (s->session.stopped)
		return 0;
	if (s->tick)
		return sample_tick__spare(s);
	err = spare_events(s, &before);
	return err == -EINVAL && thrift->halvings < before.halvings ? keep_rate(s, &before) : err;
}

unsigned sampler__halvings(const struct session *session)
{
	return container_of(session, struct sampler, session)->thrift.halvings;
}
