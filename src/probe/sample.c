// SPDX-License-Identifier: BSD-2-Clause
/* What a sampling session does in its own way: events on CPUs, and the losses of their samples. */
#include "probe/sample.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/log.h"
#include "perf/open.h"
#include "object/bpf.h"
#include "probe/sample_session.h"
#include "probe/sample_tick.h"

static struct sampler *sampler_of(const struct session *s)
{
	return container_of(s, struct sampler, session);
}

static struct object *sampler_object(const struct session *s, size_t i)
{
	return i ? NULL : &sampler_of(s)->object;
}

static int sampler_start(struct session *s)
{
	return sampler__enable_cpus(sampler_of(s));
}

static int sampler_stop(struct session *s)
{
	struct sampler *sampler = sampler_of(s);
	int err = sampler__take_times(sampler);

	/* Events are disabled by their own CPU: no program is running after that. */
	if (!err)
		err = sampler__disable_cpus(sampler);
	return err ? err : sampler__look(sampler);
}

static int tick_stop(struct session *s)
{
	return sample_tick__look(sampler_of(s));
}

static int tick_start(struct session *s)
{
	return sample_tick__start(sampler_of(s));
}

static int tick_before_flush(struct session *s)
{
	return s->stopped ? 0 : sample_tick__look(sampler_of(s));
}

static int sampler_before_poll(struct session *s)
{
	return sampler__mend_cpus(sampler_of(s));
}

static int sampler_before_flush(struct session *s)
{
	int err = s->stopped ? 0 : sampler__take_times(sampler_of(s));

	return err || s->stopped ? err : sampler__look(sampler_of(s));
}

void sampler__stats(const struct session *session, struct sampler_stats *out)
{
	const struct sampler *s = sampler_of(session);

	*out = (struct sampler_stats){
		.children_dropped = targets__dropped(s->skel->obj),
		.max_stacks = s->object.tables.cfg.max_keys,
		.nr_drains = s->object.tables.nr_drains,
	};
	tables__stats(&s->object.tables, &out->seen, out->lost);
	for (size_t i = 0; i < s->nr_events * s->nr_cpus; i++) {
		out->passed_over += s->places[i].passed.samples;
		out->away += s->places[i].away;
	}
	out->seen += s->object.unwind.nr_taken;
	out->seen += out->passed_over + out->away;
}

static void sampler_losses(const struct session *session, struct losses *out)
{
	const struct sampler *s = sampler_of(session);
	static const struct loss texts[TABLE_LOST_NR] = {
		[TABLE_LOST_SLOTS] = { "stacks_full", "no room for another stack", "--stacks N",
				       false, 0 },
		[TABLE_LOST_STORE] = { "store_full", "no room for another stack's frames",
				       "--stacks N", false, 0 },
		[TABLE_LOST_MAP] = { "no_cpu", "no memory for this CPU", NULL, false, 0 },
		[TABLE_LOST_BUSY] = { "interrupted", "taken while another was", NULL, false, 0 },
	};
	static const struct loss passed_over = { "passed_over", "missed by the kernel, of any task",
						 NULL, false, 0 };
	static const struct loss no_tick = { "passed_over", "of any task, without a tick",
					     "--source cpu-clock", false, 0 };
	static const struct loss away = {
		"cpu_away", "on CPUs that came online, until they were measured, of any task", NULL,
		false, 0
	};
	struct sampler_stats stats;

	sampler__stats(session, &stats);
	out->seen = stats.seen;
	session__add_losses(out, texts, stats.lost, TABLE_LOST_NR);
	session__add_loss(out, s->tick ? no_tick : passed_over, stats.passed_over);
	session__add_loss(out, away, stats.away);
}

static void sampler_tell(const struct session *s)
{
	struct sampler_stats stats;

	sampler__stats(s, &stats);
	session__tell_dropped(stats.children_dropped);
	log__debug("%u stacks per CPU between drains, drained %u times while running",
		   stats.max_stacks, stats.nr_drains);
}

static int sampler_times(const struct session *session, uint32_t event, uint64_t *enabled_ns,
			 uint64_t *running_ns)
{
	const struct sampler *s = sampler_of(session);

	/* Of members of the group those of its leader. */
	if (event >= s->nr_events)
		event = 0;
	for (size_t c = 0; c < s->nr_cpus; c++) {
		const struct sample_place *p = &s->places[event * s->nr_cpus + c];

		*enabled_ns += p->enabled_ns + p->now_enabled_ns;
		*running_ns += p->running_ns + p->now_running_ns;
	}
	return 0;
}

static uint64_t sampler_passed_over(const struct session *session, uint32_t event)
{
	const struct sampler *s = sampler_of(session);
	uint64_t sum = 0;

	/* What a leader has counted since is charged to its next sample. */
	if (event >= s->nr_events || (!event && s->nr_members))
		return 0;
	for (size_t c = 0; c < s->nr_cpus; c++)
		sum += s->places[event * s->nr_cpus + c].passed.in_unit;
	return sum;
}

static void tick_check(const struct session *s, struct unwind_check *check)
{
	sample_tick__check(sampler_of(s), check);
}

static void sampler_close(struct session *session)
{
	struct sampler *s = sampler_of(session);

	sampler__close_cpus(s);
	sample_tick__close(s);
	targets__unfollow(&s->followers);
	bpf_link__destroy(s->rescue);
	unwind_maps__unmap(&s->object.unwind);
	tables__unmap(&s->object.tables);
	sample_bpf__destroy(s->skel);
	free(s);
}

#define COMMON_FNS                                                                                 \
	.object = sampler_object, .losses = sampler_losses, .tell = sampler_tell,                  \
	.times = sampler_times, .passed_over = sampler_passed_over, .close = sampler_close

const struct session_fns sampler__fns = {
	COMMON_FNS,
	.start = sampler_start,
	.stop = sampler_stop,
	.before_poll = sampler_before_poll,
	.before_flush = sampler_before_flush,
};

static const struct session_fns of_tick = {
	COMMON_FNS,	     .start = tick_start,
	.stop = tick_stop,   .before_flush = tick_before_flush,
	.check = tick_check,
};

/* What fires. */
static int open_source(struct sampler *s, const struct sampler_opts *opts, struct buf *why)
{
	int err;

	if (opts->source == SAMPLER_TICK)
		return sample_tick__open(s, opts, why);
	err = bpf__follow(&s->rescue, s->skel->progs.sample_rescue, why);
	return err ? err : sampler__open_cpus(s, opts->target, why);
}

int sampler__open(struct session **out, const struct sampler_opts *opts, struct buf *why)
{
	struct sampler *s;
	int err;

	*out = NULL;
	if (!opts->nr_events || opts->nr_events > SAMPLE_EVENTS ||
	    opts->nr_members > SAMPLE_MEMBERS || !opts->max_stack ||
	    opts->max_stack > STACK_MAX_FRAMES)
		return -EINVAL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	files__raise_limit(SIZE_MAX); /* events x CPUs descriptors */
	s->session.fns = opts->source == SAMPLER_TICK ? &of_tick : &sampler__fns;
	s->times_fd = -1;
	s->events = opts->events;
	s->nr_events = opts->nr_events;
	s->nr_members = opts->nr_members;
	s->thrift.nr_events = opts->nr_events;
	err = sampler__load(s, opts, why);
	if (!err)
		err = targets__follow(&s->followers, s->skel->obj, why);
	if (!err)
		err = open_source(s, opts, why);
	if (err) {
		sampler_close(&s->session);
		return err;
	}
	*out = &s->session;
	return 0;
}
