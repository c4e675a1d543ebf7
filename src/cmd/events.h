/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd/events.h - the event options of sampling commands: -e, -F, -c; events without them.
 */
#ifndef PMUTRACE_CMD_EVENTS_H
#define PMUTRACE_CMD_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/opt.h"
#include "event/event.h"

enum { DEFAULT_HZ = 99 }; /* not 100: stay out of step with timers */

struct event_opts {
	struct opt_strs specs;
	uint64_t hz, period;
	const char *by_default; /* what -e is without it; NULL: cycles, or else cpu-clock */
};

#define EVENT_AT(type, member, field) (offsetof(type, member) + offsetof(struct event_opts, field))

/* clang-format off */
#define EVENT_OPTIONS(type, member) \
	{ OPT_HEAD, .help = "Events" }, \
	{ OPT_STRS, 'e', "events", "EV,..", EVENT_AT(type, member, specs), \
	  "what to sample (cycles, else cpu-clock)" }, \
	{ OPT_COUNT, 'F', "freq", "HZ", EVENT_AT(type, member, hz), \
	  "samples per second per CPU (99)" }, \
	{ OPT_COUNT, 'c', "count", "PERIOD", EVENT_AT(type, member, period), \
	  "one sample every PERIOD events" }
/* clang-format on */

/**
 * event_opts__parse() - events with their rates
 * @cpu: one to try the default event on; without a PMU it becomes cpu-clock, with a notice
 * @max: more events than that are refused
 * @lookups: reads programs that events name; or NULL
 *
 * Return: 0; -EINVAL with @why; -ENOMEM.
 */
int event_opts__parse(const struct event_opts *o, int cpu, size_t max,
		      struct lookup_reader *lookups, struct perf_events *out,
		      struct buf *why) must_check;

/**
 * event_opts__parse_group() - events, of which the first may be a group: "{cycles,instructions}"
 * @color: a formula (columns/shade.h), whose events are members of the group as well, unless they
 *	are there, with the modifiers of its leader; or NULL
 * @out: those that are sampled, then the group's members, which have no rate: *nr_members
 *
 * At most SAMPLE_EVENTS and SAMPLE_MEMBERS. As event_opts__parse().
 */
int event_opts__parse_group(const struct event_opts *o, int cpu, struct lookup_reader *lookups,
			    const char *color, struct perf_events *out, size_t *nr_members,
			    struct buf *why) must_check;

/* The event is known to the kernel and the hardware. It need not be permitted. */
bool events__is_here(const struct perf_event_attr *attr, int cpu);

/*
 * What is counted where -e is not given: cycles, instructions and cache-misses, as far as the PMU
 * has them; without a PMU (!*has_pmu) page-faults and context-switches. @cpu: one to try on. 0 or
 * -errno with @why.
 */
int events__default_counted(struct perf_events *out, int cpu, bool *has_pmu,
			    struct buf *why) must_check;
void event_opts__free(struct event_opts *o);

#endif
