// SPDX-License-Identifier: BSD-2-Clause
/* Sizes the maps of a sampling session, fills its configuration, and loads its programs. */
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>

#include "perf/open.h"
#include "object/bpf.h"
#include "probe/sample_session.h"
#include "probe/sample_tick.h"
#include "probe/witness.h"

enum {
	WORDS_PER_STACK = 64,
	STACKS_MIN = 256,
	STACKS_MAX = 1 << 20,
	STACKS_BY_PERIOD = 4096, /* the rate is unknown */
};

/* Half a second of samples, each with a stack of its own: drained when that is half full. */
static uint32_t stacks_by_rate(const struct sampler_opts *opts)
{
	uint64_t want = 0, stacks = STACKS_MIN;

	for (size_t i = 0; i < opts->nr_events; i++)
		want += opts->events[i].hz ? opts->events[i].hz / 2 : STACKS_BY_PERIOD;
	while (stacks < want && stacks < STACKS_MAX)
		stacks *= 2;
	return stacks;
}

static int size_tables(struct sampler *s, const struct sampler_opts *opts)
{
	uint64_t wanted = opts->max_stacks ? opts->max_stacks : stacks_by_rate(opts);
	struct tables_opts tables = {
		.max_keys = wanted < STACKS_MAX ? wanted : STACKS_MAX,
		.key_words = WORDS_PER_STACK,
		.max_words = SAMPLE_KEY_WORDS + 2 * opts->max_stack,
		.nr_values = opts->nr_members,
	};

	return tables__size(&s->object.tables, &tables, s->skel->obj);
}

/* Those of events that there are; or the tick's, which is there instead of them. */
static int choose_programs(struct sampler *s, const struct sampler_opts *opts, struct buf *why)
{
	const bool in_tick = opts->source == SAMPLER_TICK;
	int err = bpf_program__set_autoload(s->skel->progs.sample_tick, in_tick);

	for (size_t i = in_tick ? 0 : opts->nr_events; !err && i < SAMPLE_EVENTS; i++)
		err = bpf_program__set_autoload(sampler__program(s, i), false);
	return err || !in_tick ? err : sample_tick__prepare(s, opts, why);
}

/* Sizes the maps by which passed-over samples are counted, and those of clocks are taken. */
static int prepare_witness(struct sampler *s, const struct sampler_opts *opts)
{
	uint32_t nr = s->object.tables.nr_places * opts->nr_events; /* a place is a CPU */
	bool has_clock = false;
	int err = bpf_map__set_max_entries(s->skel->maps.fired, nr);

	for (size_t i = 0; i < opts->nr_events && opts->source == SAMPLER_EVENTS; i++)
		has_clock |= witness__is_clock(&opts->events[i]);
	s->skel->rodata->clock_rescue = has_clock;
	if (!err)
		err = bpf_map__set_max_entries(s->skel->maps.clocks, nr);
	return err ? err : bpf_program__set_autoload(s->skel->progs.sample_rescue, has_clock);
}

/* Members of the group, and what they had counted, by CPU. */
static int size_members(struct sampler *s, const struct sampler_opts *opts)
{
	const uint32_t nr = s->object.tables.nr_places;
	int err;

	if (!opts->nr_members)
		return 0;
	err = bpf_map__set_max_entries(s->skel->maps.members, nr * SAMPLE_GROUP);
	return err ? err : bpf_map__set_max_entries(s->skel->maps.member_counts, nr);
}

/*
 * Events of the kernel that are a task's doing; what hardware counts, clocks and tracepoints may
 * count in idle, too.
 */
static uint32_t not_in_idle(const struct sampler_opts *opts)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < opts->nr_members; i++) {
		const struct perf_event_attr *a = &opts->events[opts->nr_events + i].attr;

		if (a->type == PERF_TYPE_SOFTWARE && a->config != PERF_COUNT_SW_CPU_CLOCK &&
		    a->config != PERF_COUNT_SW_TASK_CLOCK && a->config != PERF_COUNT_SW_DUMMY &&
		    a->config != PERF_COUNT_SW_BPF_OUTPUT)
			bits |= 1u << i;
	}
	return bits;
}

/* Samples of a second on a CPU; of events without a rate, as if it was a hundred. */
static uint64_t samples_per_second(const struct sampler_opts *opts)
{
	enum { OF_NO_RATE = 100 };
	uint64_t nr = 0;

	for (size_t i = 0; i < opts->nr_events; i++)
		nr += opts->events[i].hz ? opts->events[i].hz : OF_NO_RATE;
	return nr;
}

static uint64_t between(uint64_t least, uint64_t n, uint64_t most)
{
	return n < least ? least : n > most ? most : n;
}

static uint32_t power_of_two(uint64_t most)
{
	uint32_t n = 1;

	while (n * 2ull <= most)
		n *= 2;
	return n;
}

/*
 * Room for copies of stacks on each of @places: for an eighth of a second of samples, which is
 * several times as long as it takes until they are fetched; eight times as many if all stacks are
 * copied. Of their stacks 32 pages each, and one that is copied as a whole; of all CPUs together
 * 64 MB, and 16 of what else belongs to a copy, but for 4 copies on each.
 */
static struct unwind_room room_by_rate(const struct sampler_opts *opts, uint32_t places)
{
	enum {
		COPIES_MIN = 4,
		COPIES_MAX = 256,
		COPIES_PER_SECOND = 8,
		VERIFIED_MIN = 64,
		VERIFIED_MAX = 512,
		PAGES_EACH = 32,
		PAGES_MAX = (64 << 20) / UNWIND_COPY_PAGE_BYTES,
		ALL_MAX = (16 << 20) / sizeof(struct unwind_copy),
	};
	const uint64_t hz = samples_per_second(opts);
	struct unwind_room room = { .bytes = opts->unwind_bytes, .places = places };
	uint64_t pages;

	room.copies = between(COPIES_MIN, hz / COPIES_PER_SECOND, COPIES_MAX);
	pages = (uint64_t)room.copies * PAGES_EACH + UNWIND_COPY_PAGES;
	if (opts->verify_unwind) {
		room.copies = between(VERIFIED_MIN, hz, VERIFIED_MAX);
		pages = (uint64_t)room.copies * UNWIND_VERIFIED_PAGES;
	}
	if (room.copies > ALL_MAX / places)
		room.copies = between(COPIES_MIN, ALL_MAX / places, VERIFIED_MAX);
	/* Of 4 pages even on 4,096 CPUs. */
	room.copy_pages = power_of_two(between(4, pages, PAGES_MAX / places));
	return room;
}

/* Sets all that is decided before loading: programs, read-only data, sizes. */
static int prepare(struct sampler *s, const struct sampler_opts *opts, struct buf *why)
{
	const struct bpf_object *obj = s->skel->obj;
	const struct sampler *before =
		opts->before ? container_of(opts->before, struct sampler, session) : NULL;
	struct unwind_room room = {};
	int err = size_tables(s, opts);

	/* Without a free descriptor nobody knows how many places there are. */
	if (!err)
		room = room_by_rate(opts, s->object.tables.nr_places);
	if (!err)
		err = targets__prepare(obj, opts->target, opts->command, opts->idle,
				       opts->source == SAMPLER_TICK);
	if (!err)
		err = targets__within(obj, opts->within_fd);
	if (!err && before)
		err = targets__continue(obj, before->skel->obj);
	if (!err)
		err = bpf_map__set_max_entries(s->skel->maps.scratch, s->object.tables.nr_places);
	if (!err)
		err = prepare_witness(s, opts);
	if (!err)
		err = size_members(s, opts);
	if (!err)
		err = choose_programs(s, opts, why);
	s->skel->rodata->stack = bpf__stack_cfg(SAMPLE_KEY_WORDS, opts->max_stack, opts->by);
	if (!err)
		err = unwind_maps__prepare(s->skel->obj, &s->skel->rodata->stack, &room);
	s->skel->rodata->stack.verify = opts->verify_unwind && s->skel->rodata->stack.unwind;
	s->object.tables.first = SAMPLE_KEY_WORDS;
	s->skel->rodata->cfg = (struct sample_cfg){
		.by = opts->by | BY_PID,
		.measures_cost = opts->measures_cost,
		.nr_events = opts->nr_events,
		.nr_members = opts->nr_members,
		.not_in_idle = not_in_idle(opts),
	};
	return err;
}

int sampler__load(struct sampler *s, const struct sampler_opts *opts, struct buf *why)
{
	int err = 0;

	s->skel = sample_bpf__open();
	if (!s->skel)
		err = -errno;
	else
		err = prepare(s, opts, why);
	if (!err)
		err = sample_bpf__load(s->skel);
	if (!err)
		err = tables__map(&s->object.tables, s->skel->obj);
	if (!err && s->skel->rodata->stack.unwind)
		err = unwind_maps__map(&s->object.unwind, s->skel->obj,
				       s->skel->rodata->stack.code_mask);
	if (!err && !opts->before)
		err = targets__fill(s->skel->obj, opts->target);
	if (!err || why->len)
		return err;
	if (err == -E2BIG && opts->max_stacks)
		return buf__puts(why, "--stacks: too large for this number of CPUs") ? -ENOMEM
										     : err;
	return bpf__explain_load(why, err, "--stacks");
}
