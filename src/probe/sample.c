// SPDX-License-Identifier: BSD-2-Clause
/* Life of a sampling session: open, start, poll, stop, and its statistics. */
#include "probe/sample.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/log.h"
#include "perf/open.h"
#include "probe/bpf.h"
#include "probe/grace.h"
#include "probe/sample_session.h"

int sampler__open(struct sampler **out, const struct sampler_opts *opts, struct buf *why)
{
	struct targets_parts targets;
	struct sampler *s;
	int err;

	*out = NULL;
	if (!opts->nr_events || opts->nr_events > SAMPLE_EVENTS || !opts->max_stack ||
	    opts->max_stack > STACK_MAX_FRAMES)
		return -EINVAL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	files__raise_limit(SIZE_MAX); /* events x CPUs descriptors */
	s->times_fd = -1;
	s->events = opts->events;
	s->nr_events = opts->nr_events;
	err = sampler__load(s, opts, why);
	if (err) {
		sampler__close(s);
		return err;
	}
	targets = sampler__targets(s);
	err = targets__follow(&s->followers, &targets, why);
	if (!err)
		err = bpf__follow(&s->rescue, s->skel->progs.sample_rescue, why);
	if (!err)
		err = sampler__open_cpus(s, opts->target, why);
	if (err) {
		sampler__close(s);
		return err;
	}
	*out = s;
	return 0;
}

void sampler__close(struct sampler *s)
{
	if (!s)
		return;
	sampler__close_cpus(s);
	targets__unfollow(&s->followers);
	bpf_link__destroy(s->rescue);
	tables__unmap(&s->keyed.tables);
	sample_bpf__destroy(s->skel);
	free(s);
}

int sampler__start(struct sampler *s)
{
	return sampler__enable_cpus(s);
}

int sampler__stop(struct sampler *s)
{
	int err = sampler__take_times(s);

	/* Events are disabled by their own CPU: no program is running after that. */
	if (!err)
		err = sampler__disable_cpus(s);
	s->stopped = true;
	return err ? err : sampler__look(s);
}

int sampler__poll(struct sampler *s, const struct sampler_fns *fns)
{
	int err = sampler__mend_cpus(s);

	return err ? err : keyed__poll(&s->keyed, s->stopped, fns);
}

int sampler__flush(struct sampler *s, const struct sampler_fns *fns)
{
	int err;

	err = s->stopped ? 0 : sampler__take_times(s);
	if (!err && !s->stopped)
		err = sampler__look(s);
	if (err)
		return err;
	keyed__flip(&s->keyed);
	err = grace__wait();
	if (!err)
		err = fns->closed(fns->arg);
	return err ? err : keyed__drain(&s->keyed, fns);
}

unsigned sampler__patience_ms(const struct sampler *s)
{
	return tables__patience_ms(&s->keyed.tables);
}

void sampler__stats(const struct sampler *s, struct sampler_stats *out)
{
	*out = (struct sampler_stats){
		.own_ns = tables__own_ns(&s->keyed.tables),
		.children_dropped = s->skel->bss->target_control.children_dropped,
		.max_stacks = s->keyed.tables.cfg.max_keys,
		.nr_drains = s->keyed.tables.nr_drains,
	};
	tables__stats(&s->keyed.tables, &out->seen, out->lost);
	for (size_t i = 0; i < s->nr_events * s->nr_cpus; i++) {
		out->passed_over += s->places[i].passed;
		out->away += s->places[i].away;
	}
	out->seen += out->passed_over + out->away;
}

uint64_t sampler__passed_over(const struct sampler *s, size_t event)
{
	uint64_t sum = 0;

	for (size_t c = 0; c < s->nr_cpus; c++)
		sum += s->places[event * s->nr_cpus + c].passed_in_unit;
	return sum;
}

uint64_t sampler__seen(const struct sampler *s)
{
	return tables__seen(&s->keyed.tables);
}

int sampler__times(const struct sampler *s, size_t event, uint64_t *enabled_ns,
		   uint64_t *running_ns)
{
	*enabled_ns = *running_ns = 0;
	for (size_t c = 0; c < s->nr_cpus; c++) {
		const struct sample_place *p = &s->places[event * s->nr_cpus + c];

		*enabled_ns += p->enabled_ns + p->now_enabled_ns;
		*running_ns += p->running_ns + p->now_running_ns;
	}
	return 0;
}

static int sampler_start(void *session)
{
	return sampler__start(session);
}

static int sampler_stop(void *session)
{
	return sampler__stop(session);
}

static int sampler_poll(void *session, const struct sampler_fns *fns)
{
	return sampler__poll(session, fns);
}

static int sampler_flush(void *session, const struct sampler_fns *fns)
{
	return sampler__flush(session, fns);
}

static unsigned sampler_patience_ms(const void *session)
{
	return sampler__patience_ms(session);
}

static uint64_t sampler_seen(const void *session)
{
	return sampler__seen(session);
}

static void sampler_losses(const void *session, struct losses *out)
{
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
	static const struct loss away = {
		"cpu_away", "on CPUs that came online, until they were measured, of any task", NULL,
		false, 0
	};
	struct sampler_stats stats;

	sampler__stats(session, &stats);
	out->seen = stats.seen;
	for (unsigned i = 0; i < TABLE_LOST_NR; i++)
		session__add_loss(out, texts[i], stats.lost[i]);
	session__add_loss(out, passed_over, stats.passed_over);
	session__add_loss(out, away, stats.away);
}

static uint64_t sampler_own_ns(const void *session)
{
	struct sampler_stats stats;

	sampler__stats(session, &stats);
	return stats.own_ns;
}

static void sampler_tell(const void *session)
{
	struct sampler_stats stats;

	sampler__stats(session, &stats);
	session__tell_dropped(stats.children_dropped);
	log__debug("%u stacks per CPU between drains, drained %u times while running",
		   stats.max_stacks, stats.nr_drains);
}

static int sampler_times(const void *session, uint32_t source, uint64_t *enabled_ns,
			 uint64_t *running_ns)
{
	return sampler__times(session, source, enabled_ns, running_ns);
}

static uint64_t sampler_passed_over(const void *session, uint32_t source)
{
	return sampler__passed_over(session, source);
}

static void sampler_close(void *session)
{
	sampler__close(session);
}

int sampler__session(struct session *s, const struct sampler_opts *opts, struct buf *why)
{
	static const struct session_fns fns = {
		.start = sampler_start,
		.stop = sampler_stop,
		.poll = sampler_poll,
		.flush = sampler_flush,
		.patience_ms = sampler_patience_ms,
		.seen = sampler_seen,
		.losses = sampler_losses,
		.own_ns = sampler_own_ns,
		.tell = sampler_tell,
		.times = sampler_times,
		.passed_over = sampler_passed_over,
		.close = sampler_close,
	};
	struct sampler *sampler;
	int err = sampler__open(&sampler, opts, why);

	*s = (struct session){ .fns = err ? NULL : &fns, .impl = sampler };
	return err;
}
