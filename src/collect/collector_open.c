// SPDX-License-Identifier: BSD-2-Clause
/* Opens and closes a collector: profile, tracker, stacks, cgroups, and the session itself. */
#include <errno.h>
#include <stdlib.h>

#include "base/files.h"
#include "collect/collector_state.h"
#include "collect/here.h"

enum { NAMING_FILES = 24 }; /* an object, its debug file and theirs, a process's maps, .. */

static bool wants_container(const struct collector_opts *opts)
{
	for (size_t i = 0; i < opts->nr_fields; i++)
		if (opts->fields[i].from == ROWFIELD_CONTAINER)
			return true;
	return false;
}

static int add_sampled(struct collector *c, const struct sampler_opts *opts)
{
	int err = 0;

	c->nr_sampled = opts->nr_events;
	c->nr_members = opts->nr_members;
	c->sampled = opts->events;
	for (size_t i = 0; i < opts->nr_events + opts->nr_members && !err; i++) {
		struct profile_event ev = {
			.name = opts->events[i].name,
			.unit = opts->events[i].unit,
			.hz = opts->events[i].hz,
			.period = opts->events[i].period,
			.is_member = i >= opts->nr_events,
			.leader = opts->events->name,
			.in_tick = opts->source == SAMPLER_TICK,
		};
		uint32_t id;

		err = profile__event(c->profile, &ev, &id);
	}
	return err;
}

static int add_counted(struct collector *c, const struct collector_opts *opts)
{
	int err = 0;
	uint32_t id;

	c->probes = calloc(opts->nr_probes + 1, sizeof(*c->probes));
	if (!c->probes)
		return -ENOMEM;
	c->nr_probes = opts->nr_probes;
	for (size_t i = 0; i < opts->nr_probes; i++)
		c->probes[i] = opts->probes[i];
	for (size_t i = 0; i < opts->nr_events && !err; i++)
		err = profile__event(c->profile, &opts->events[i], &id);
	for (size_t i = 0; i < opts->nr_fields; i++)
		c->profile->names_event |=
			opts->fields[i].from == ROWFIELD_PROBE ||
			(opts->calls && opts->fields[i].from == ROWFIELD_FUNCTION);
	for (size_t i = 0; i < opts->nr_metrics && !err; i++)
		err = profile__metric(c->profile, &opts->metrics[i]);
	if (!err && opts->buckets)
		err = profile__set_buckets(c->profile, opts->buckets);
	return err ? err : rowfields__init(&c->fields, c->profile, opts->fields, opts->nr_fields);
}

static int open_session(struct collector *c, const struct collector_opts *opts, struct buf *why)
{
	const unsigned by = opts->by | (wants_container(opts) ? BY_CGROUP : 0);

	if (opts->calls) {
		struct func_opts calls = *opts->calls;

		calls.by |= by;
		return func__open(&c->session, &calls, why);
	} else if (opts->sampler) {
		struct sampler_opts sampler = *opts->sampler;

		sampler.by = opts->by;
		if (opts->before)
			sampler.before = opts->before->session;
		return sampler__open(&c->session, &sampler, why);
	} else {
		struct count_opts hits = *opts->hits;

		hits.by = by;
		return count__open(&c->session, &hits, why);
	}
}

static const struct target *target_of(const struct collector_opts *opts)
{
	return opts->sampler ? opts->sampler->target
	       : opts->hits  ? opts->hits->target
			     : opts->calls->target;
}

/* Stacks by rules: of processes that are asked for by number at once. */
static int open_unwinder(struct collector *c, const struct collector_opts *opts)
{
	const struct target *target = target_of(opts);
	const uint32_t max_stack = opts->sampler ? opts->sampler->max_stack
				   : opts->hits	 ? opts->hits->max_stack
						 : opts->calls->max_stack;
	int err = unwinder__open(&c->unwinder, session__unwind(c->session),
				 tracker__procs(c->tracker), tracker__namer(c->tracker), opts->jail,
				 c->verifier, max_stack);

	for (size_t i = 0; i < target->nr_pids && !err; i++)
		err = unwinder__expect(c->unwinder, target->pids[i]);
	return err;
}

static int open_profile(struct collector *c, const struct collector_opts *opts)
{
	int err;

	c->profile = profile__new();
	if (!c->profile)
		return -ENOMEM;
	err = opts->sampler ? add_sampled(c, opts->sampler) : add_counted(c, opts);
	if (!err)
		err = here__describe(c->profile);
	if (err)
		return err;
	c->profile->by = opts->by;
	c->profile->nr_cpus = target_of(opts)->nr_cpus;
	c->enabled_before = calloc(c->profile->nr_events + 1, sizeof(*c->enabled_before));
	c->running_before = calloc(c->profile->nr_events + 1, sizeof(*c->running_before));
	c->passed_before = calloc(c->profile->nr_events + 1, sizeof(*c->passed_before));
	return c->enabled_before && c->running_before && c->passed_before ? 0 : -ENOMEM;
}

int collector__open(struct collector **out, const struct collector_opts *opts, struct buf *why)
{
	struct tracker_opts track = {
		.user = opts->by & BY_USTACK || (opts->calls && opts->calls->by & BY_USTACK),
		.demangle = opts->demangle,
		.inlines = opts->inlines,
		.lines = opts->lines,
		.places = opts->places,
		.no_symbols = opts->no_symbols,
		.jail = opts->jail,
		.debuginfod = opts->debuginfod,
	};
	struct collector *c = calloc(1, sizeof(*c));
	int err;

	*out = NULL;
	if (!c)
		return -ENOMEM;
	c->by = opts->by;
	c->java = opts->java;
	c->room.max_bytes = opts->max_bytes ? opts->max_bytes : collector__default_bytes();
	track.symbol_bytes = collector__symbol_bytes(c);
	track.gather_ns = opts->gather_ns;
	track.late_max = opts->late_names ? collector__late_max(c) : 0;
	c->parts_code = track.user;
	err = open_profile(c, opts);
	if (!err && (opts->by & BY_CGROUP || wants_container(opts)))
		err = cgroups__open(&c->cgroups);
	/* The rings first: a process that begins in between is then known. */
	if (!err)
		err = tracker__open(&c->tracker, &track, why);
	if (!err && opts->by_interval && opts->by & BY_KSTACK)
		err = namer__read_kernel(tracker__namer(c->tracker));
	if (!err)
		err = stacks__new(&c->stacks, c->profile, c->tracker, opts->by);
	if (!err) {
		c->waiting = waiting__new(c->nr_members + c->profile->nr_metrics);
		err = c->waiting ? 0 : -ENOMEM;
	}
	if (!err)
		err = open_session(c, opts, why);
	if (!err && opts->measures_cost)
		err = session__measure_cost(c->session, why);
	if (!err && opts->sampler && opts->sampler->verify_unwind && opts->by & BY_USTACK)
		err = verifier__open(&c->verifier, opts->jail, opts->sampler->max_stack, why);
	if (!err && session__unwind(c->session))
		err = open_unwinder(c, opts);
	/* Later, names would be missing for want of a descriptor. */
	if (!err)
		err = files__check_room(track.user || opts->by & BY_KSTACK ? NAMING_FILES : 4);
	if (err) {
		collector__close(c);
		return err;
	}
	*out = c;
	return 0;
}

void collector__close(struct collector *c)
{
	if (!c)
		return;
	unwinder__close(c->unwinder);
	verifier__close(c->verifier);
	session__close(c->session);
	rowfields__free(&c->fields);
	free(c->probes);
	free(c->enabled_before);
	free(c->running_before);
	waiting__free(c->waiting);
	free(c->passed_before);
	stacks__free(c->stacks);
	tracker__close(c->tracker);
	cgroups__close(c->cgroups);
	profile__free(c->profile);
	free(c);
}
