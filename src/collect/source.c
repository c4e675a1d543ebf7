// SPDX-License-Identifier: BSD-2-Clause
/* Samplers, hits and calls behind one table of functions; the texts of their losses. */
#include "collect/source.h"

#include "base/log.h"

static void add_loss(struct losses *l, struct loss loss, uint64_t n)
{
	loss.n = n;
	if (n)
		losses__add(l, &loss);
}

static void tell_dropped(uint64_t children)
{
	if (children)
		log__notice("%llu new processes were not followed: more than 16384 at once",
			    (unsigned long long)children);
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
	static const struct loss passed_over = { "passed_over",
						 "passed over by the kernel, of any task", NULL,
						 false, 0 };
	static const struct loss away = {
		"cpu_away", "on CPUs that came online, until they were measured, of any task", NULL,
		false, 0
	};
	struct sampler_stats stats;

	sampler__stats(session, &stats);
	out->seen = stats.seen;
	for (unsigned i = 0; i < TABLE_LOST_NR; i++)
		add_loss(out, texts[i], stats.lost[i]);
	add_loss(out, passed_over, stats.passed_over);
	add_loss(out, away, stats.away);
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
	tell_dropped(stats.children_dropped);
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

int source__open_sampler(struct source *s, const struct sampler_opts *opts, struct buf *why)
{
	static const struct source_fns fns = {
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

	*s = (struct source){ .fns = err ? NULL : &fns, .session = sampler };
	return err;
}

static int hits_start(void *session)
{
	return hits__start(session);
}

static int hits_stop(void *session)
{
	return hits__stop(session);
}

static int hits_poll(void *session, const struct sampler_fns *fns)
{
	return hits__poll(session, fns);
}

static int hits_flush(void *session, const struct sampler_fns *fns)
{
	return hits__flush(session, fns);
}

static unsigned hits_patience_ms(const void *session)
{
	return hits__patience_ms(session);
}

static uint64_t hits_seen(const void *session)
{
	return hits__seen(session);
}

static void hits_losses(const void *session, struct losses *out)
{
	static const struct loss texts[HITS_LOST_NR] = {
		[TABLE_LOST_SLOTS] = { "keys_full", "no room for another key", "--keys N", false,
				       0 },
		[TABLE_LOST_STORE] = { "store_full", "no room for another key's words", "--keys N",
				       false, 0 },
		[TABLE_LOST_MAP] = { "no_cpu", "no memory for this CPU", NULL, false, 0 },
		[TABLE_LOST_BUSY] = { "interrupted", "hit while another was being counted", NULL,
				      false, 0 },
		[HITS_LOST_MISSED] = { "missed", "the kernel did not run the program", NULL, false,
				       0 },
		[HITS_LOST_FILTER] = { "filter_unreadable",
				       "what --filter compares could not be read", NULL, false, 0 },
		[HITS_LOST_MEASURE] = { "value_unreadable", "the value could not be read", NULL,
					false, 0 },
	};
	static const struct loss unreadable = { "field_unreadable",
						"fields that could not be read are 0 or empty",
						NULL, true, 0 };
	struct hits_stats stats;

	hits__stats(session, &stats);
	out->seen = stats.seen;
	for (unsigned i = 0; i < HITS_LOST_NR; i++)
		add_loss(out, texts[i], stats.lost[i]);
	add_loss(out, unreadable, stats.fields_unreadable);
	if (stats.missed_by_any)
		log__notice("the kernel left out %llu hits of any task, while a program of the "
			    "same kind was running; how many of them were wanted is not known",
			    (unsigned long long)stats.missed_by_any);
	tell_dropped(stats.children_dropped);
}

static int hits_times(const void *session, uint32_t source, uint64_t *enabled_ns,
		      uint64_t *running_ns)
{
	return hits__times(session, source, enabled_ns, running_ns);
}

static void hits_close(void *session)
{
	hits__close(session);
}

int source__open_hits(struct source *s, const struct hits_opts *opts, struct buf *why)
{
	static const struct source_fns fns = {
		.start = hits_start,
		.stop = hits_stop,
		.poll = hits_poll,
		.flush = hits_flush,
		.patience_ms = hits_patience_ms,
		.seen = hits_seen,
		.losses = hits_losses,
		.times = hits_times,
		.close = hits_close,
	};
	struct hits *hits;
	int err = hits__open(&hits, opts, why);

	*s = (struct source){ .fns = err ? NULL : &fns, .session = hits };
	return err;
}

static int calls_start(void *session)
{
	return calls__start(session);
}

static int calls_stop(void *session)
{
	return calls__stop(session);
}

static int calls_poll(void *session, const struct sampler_fns *fns)
{
	return calls__poll(session, fns);
}

static int calls_flush(void *session, const struct sampler_fns *fns)
{
	return calls__flush(session, fns);
}

static unsigned calls_patience_ms(const void *session)
{
	return calls__patience_ms(session);
}

static uint64_t calls_seen(const void *session)
{
	return calls__seen(session);
}

static void calls_losses(const void *session, struct losses *out)
{
	static const struct loss texts[FUNC_LOST_NR] = {
		[TABLE_LOST_SLOTS] = { "keys_full", "no room for another key", "--keys N", false,
				       0 },
		[TABLE_LOST_STORE] = { "store_full", "no room for another key's words", "--keys N",
				       false, 0 },
		[TABLE_LOST_MAP] = { "no_cpu", "no memory for this CPU", NULL, false, 0 },
		[TABLE_LOST_BUSY] = { "interrupted", "returned while another was being counted",
				      NULL, false, 0 },
		[FUNC_LOST_DEPTH] = { "too_deep", "more than 32 measured calls in each other",
				      "--any-depth", false, 0 },
		[FUNC_LOST_TASKS] = { "tasks_full", "no room for another task", "--tasks N", false,
				      0 },
		[FUNC_LOST_NO_RETURN] = { "no_return", "left without a return (longjmp, exception)",
					  NULL, false, 0 },
		[FUNC_LOST_EXEC] = { "exec", "the program was replaced meanwhile", NULL, false, 0 },
		[FUNC_LOST_EXIT] = { "exit", "the thread ended meanwhile", NULL, false, 0 },
		[FUNC_LOST_COUNTER] = { "counter_unreadable", "an event could not be read", NULL,
					false, 0 },
		[FUNC_LOST_FILTER] = { "filter_unreadable",
				       "what --filter compares could not be read", NULL, false, 0 },
		[FUNC_LOST_SWITCH] = { "switch_untold",
				       "the kernel did not tell when its task was switched", NULL,
				       false, 0 },
		[FUNC_LOST_NESTED] = { "nested",
				       "called by an interrupt while another call was noted", NULL,
				       false, 0 },
		[FUNC_LOST_REPLACED] = { "replaced", "replaced by a later start before they ended",
					 NULL, false, 0 },
		[FUNC_LOST_RACED] = { "raced", "begun or ended by several CPUs at once", NULL,
				      false, 0 },
		[FUNC_LOST_MATCH] = { "match_unreadable", "what --match compares could not be read",
				      NULL, false, 0 },
	};
	struct calls_stats stats;

	calls__stats(session, &stats);
	out->seen = stats.seen;
	for (unsigned i = 0; i < FUNC_LOST_NR; i++)
		add_loss(out, texts[i], stats.lost[i]);
}

/* Calls that are in no row and yet no losses: unfinished, begun before the start, too short. */
static void calls_tell(const void *session)
{
	struct calls_stats stats;

	calls__stats(session, &stats);
	if (stats.unfinished)
		log__notice("%llu call%s had not returned at the end",
			    (unsigned long long)stats.unfinished, stats.unfinished == 1 ? "" : "s");
	if (stats.unmatched)
		log__notice("%llu return%s of calls that had begun before, that a filter left out "
			    "or that are lost",
			    (unsigned long long)stats.unmatched, stats.unmatched == 1 ? "" : "s");
	if (stats.short_calls)
		log__notice("%llu call%s shorter than --only-slow",
			    (unsigned long long)stats.short_calls,
			    stats.short_calls == 1 ? " was" : "s were");
	if (stats.missed)
		log__notice("the kernel left out %llu calls of any task, while a program of the "
			    "same kind was running; how many of them were wanted is not known",
			    (unsigned long long)stats.missed);
	tell_dropped(stats.children_dropped);
}

/* Events of calls are never multiplexed (of hardware: pinned): no times to scale counts by. */
static int calls_times(const void *session, uint32_t source, uint64_t *enabled_ns,
		       uint64_t *running_ns)
{
	(void)session;
	(void)source;
	*enabled_ns = *running_ns = 0;
	return 0;
}

static void calls_close(void *session)
{
	calls__close(session);
}

int source__open_calls(struct source *s, const struct calls_opts *opts, struct buf *why)
{
	static const struct source_fns fns = {
		.start = calls_start,
		.stop = calls_stop,
		.poll = calls_poll,
		.flush = calls_flush,
		.patience_ms = calls_patience_ms,
		.seen = calls_seen,
		.losses = calls_losses,
		.tell = calls_tell,
		.times = calls_times,
		.close = calls_close,
	};
	struct calls *calls;
	int err = calls__open(&calls, opts, why);

	*s = (struct source){ .fns = err ? NULL : &fns, .session = calls };
	return err;
}

void source__close(struct source *s)
{
	if (s->session)
		s->fns->close(s->session);
	*s = (struct source){};
}
