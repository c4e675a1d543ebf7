// SPDX-License-Identifier: BSD-2-Clause
/* Parses -e, -F and -c of commands that sample; chooses events where there is no -e. */
#include "cmd/events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/why.h"
#include "columns/shade.h"
#include "lookup/resolve.h"
#include "perf/open.h"
#include "probe/sample.h"

/* Of our own, which name no program. */
static int add(struct perf_events *e, const char *specs, struct buf *why)
{
	return perf_events__parse(e, &resolve_env, specs, why);
}

/*
 * BPF programs of our kind attach to events that overflow; tracepoints and probes are hits.
 * @groups: there may be one, of which the leader is sampled.
 */
static int check(const struct perf_events *e, bool groups, struct buf *why)
{
	for (size_t i = 0; i < e->nr; i++) {
		const struct perf_event_spec *ev = &e->items[i];
		const char *reason = NULL;

		if (ev->attr.type == PERF_TYPE_TRACEPOINT || ev->text)
			reason = "only hardware, software, cache, raw, PMU and breakpoint events "
				 "have a rate; 'pmutrace stat' counts this one";
		else if (ev->for_cpus)
			reason = "it counts for several CPUs at once, and knows no code that ran";
		else if (ev->group >= 0 && !groups)
			reason = "events are sampled each by itself: leave out the { }";
		if (reason && buf__printf(why, "cannot sample '%s': %s", ev->name, reason))
			return -ENOMEM;
		if (reason)
			return -EINVAL;
	}
	return 0;
}

bool events__is_here(const struct perf_event_attr *attr, int cpu)
{
	int fd = perf_open(attr, -1, cpu, -1);

	if (fd >= 0)
		close(fd);
	return fd != -ENOENT && fd != -EOPNOTSUPP && fd != -ENODEV && fd != -EINVAL;
}

/* Cycles where there is a PMU, else cpu-clock, which is announced. */
static int add_default(struct perf_events *e, int cpu, struct buf *why)
{
	struct perf_event_attr attr;
	int err = add(e, "cycles", why);

	if (err)
		return err;
	attr = e->items[0].attr;
	attr.freq = 1;
	attr.sample_freq = DEFAULT_HZ;
	if (events__is_here(&attr, cpu))
		return 0;
	log__notice("no hardware PMU here: sampling cpu-clock instead of cycles");
	perf_events__truncate(e, 0);
	return add(e, "cpu-clock", why);
}

int events__default_counted(struct perf_events *out, int cpu, bool *has_pmu, struct buf *why)
{
	static const char *const names[] = { "cycles", "instructions", "cache-misses" };
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names) && !err; i++) {
		err = add(out, names[i], why);
		if (!err && !events__is_here(&out->items[out->nr - 1].attr, cpu))
			perf_events__truncate(out, out->nr - 1);
	}
	*has_pmu = out->nr;
	if (err || out->nr)
		return err;
	return add(out, "page-faults,context-switches", why);
}

/* The rate of each event: its own, else -F or -c, else the default; within the system's limit. */
static void set_rates(struct perf_events *e, const struct event_opts *o)
{
	long limit = perf_sysctl("perf_event_max_sample_rate", 100000);
	bool clamped = false;

	for (size_t i = 0; i < e->nr; i++) {
		struct perf_event_spec *ev = &e->items[i];

		if (!ev->hz && !ev->period) {
			ev->period = o->period;
			ev->hz = o->period ? 0 : o->hz ? o->hz : DEFAULT_HZ;
		}
		if (limit > 0 && ev->hz > (uint64_t)limit) {
			ev->hz = limit;
			clamped = true;
		}
	}
	if (clamped)
		log__notice("rate lowered to %ld Hz: sysctl kernel.perf_event_max_sample_rate",
			    limit);
}

/* @groups: one may be a group. */
static int parse(const struct event_opts *o, int cpu, struct lookup_reader *lookups, bool groups,
		 struct perf_events *out, struct buf *why)
{
	const struct perf_event_env env = resolve__by(lookups);
	int err = 0;

	if (o->hz && o->period) {
		return why__refuse(why, -EINVAL,
				   "-F and -c cannot be combined: a rate or a period");
	}
	if (!o->specs.nr)
		err = o->by_default ? add(out, o->by_default, why) : add_default(out, cpu, why);
	for (size_t i = 0; i < o->specs.nr && !err; i++)
		err = perf_events__parse(out, &env, o->specs.items[i], why);
	return err ? err : check(out, groups, why);
}

static int check_number(size_t nr, size_t max, struct buf *why)
{
	if (nr > max)
		return why__refuse(why, -EINVAL, "%zu events: at most %zu in one run", nr, max);
	return 0;
}

int event_opts__parse(const struct event_opts *o, int cpu, size_t max,
		      struct lookup_reader *lookups, struct perf_events *out, struct buf *why)
{
	int err = parse(o, cpu, lookups, false, out, why);

	if (!err)
		err = check_number(out->nr, max, why);
	if (!err)
		set_rates(out, o);
	return err;
}

/* Puts the members of the group, all but its leader, behind the other events. */
static int part_members(struct perf_events *e, size_t *nr_members, struct buf *why)
{
	const int group = e->items[0].group;
	struct perf_event_spec *members = calloc(e->nr, sizeof(*members));
	size_t nr = 0;

	if (!members)
		return -ENOMEM;
	*nr_members = 0;
	for (size_t i = 0; i < e->nr; i++) {
		if (i && group >= 0 && e->items[i].group == group)
			members[(*nr_members)++] = e->items[i];
		else
			e->items[nr++] = e->items[i];
	}
	memcpy(e->items + nr, members, *nr_members * sizeof(*members));
	free(members);
	for (size_t i = nr; i < e->nr; i++)
		if (e->items[i].has_rate || e->items[i].hz || e->items[i].period)
			return why__refuse(
				why, -EINVAL,
				"'%s' has a rate of its own: of a group the first event is "
				"sampled, the others are counted at its samples",
				e->items[i].name);
	for (size_t i = 1; i < nr; i++)
		if (e->items[i].group >= 0)
			return why__refuse(why, -EINVAL,
					   "the group { } of '%s': only the first event has one: "
					   "it is sampled, the others are counted at its samples",
					   e->items[i].name);
	return 0;
}

struct color_events {
	struct perf_events *events;
	size_t nr_sampled;
	const struct perf_event_env *env;
};

/* An event of the formula becomes a member, with the leader's modifiers, unless it is there. */
static int add_member(void *arg, const char *name, struct buf *why)
{
	const struct color_events *c = arg;
	const struct perf_event_spec *leader = c->events->items;
	const char *wanted = perf_event__modifiers(leader->name);
	const bool is_bare = !*perf_event__modifiers(name);
	struct buf spec = {};
	int err;

	/* The leader is called by its name alone, too. */
	if (!strcmp(leader->name, name) || perf_event__is_bare_name(leader->name, name))
		return 0;
	for (size_t i = c->nr_sampled; i < c->events->nr; i++) {
		const char *member = c->events->items[i].name;

		if (!strcmp(member, name) || (perf_event__is_bare_name(member, name) &&
					      !strcmp(perf_event__modifiers(member), wanted)))
			return 0;
	}
	err = buf__puts(&spec, name);
	if (!err && is_bare && *wanted)
		err = buf__printf(&spec, "%s%s", name[strlen(name) - 1] == '/' ? "" : ":", wanted);
	if (!err)
		err = perf_events__parse(c->events, c->env, spec.data, why);
	buf__free(&spec);
	return err;
}

int event_opts__parse_group(const struct event_opts *o, int cpu, struct lookup_reader *lookups,
			    const char *color, struct perf_events *out, size_t *nr_members,
			    struct buf *why)
{
	const struct perf_event_env env = resolve__by(lookups);
	struct color_events members = { .events = out, .env = &env };
	int err = parse(o, cpu, lookups, true, out, why);

	if (!err)
		err = part_members(out, nr_members, why);
	if (err)
		return err;
	members.nr_sampled = out->nr - *nr_members;
	if (color)
		err = shade__needs(color, add_member, &members, why);
	*nr_members = out->nr - members.nr_sampled;
	if (!err)
		err = check_number(members.nr_sampled, SAMPLE_EVENTS, why);
	if (!err && *nr_members > SAMPLE_MEMBERS)
		return why__refuse(why, -EINVAL, "%zu events in the group: at most %d in one run",
				   1 + *nr_members, SAMPLE_GROUP);
	if (err)
		return err;
	set_rates(out, o);
	for (size_t i = members.nr_sampled; i < out->nr; i++)
		out->items[i].hz = out->items[i].period = 0;
	return 0;
}

void event_opts__free(struct event_opts *o)
{
	free((void *)o->specs.items);
}
