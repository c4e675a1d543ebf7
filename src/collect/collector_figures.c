// SPDX-License-Identifier: BSD-2-Clause
/* What a profile says of how it came about: losses and flaws, cost, times of events, rates. */
#include <string.h>

#include "collect/collector_state.h"

static const struct loss flaw_texts[COLLECTOR_FLAWS] = {
	{ "user_truncated", "user stacks cut at the depth limit", "--max-stack N", true, 0 },
	{ "user_unreadable", "user stacks in memory that was not resident", NULL, true, 0 },
	{ "no_frame_pointer", "user stacks end early in code built without frame pointers", NULL,
	  true, 0 },
	{ "kernel_truncated", "kernel stacks cut at the depth limit",
	  "--max-stack N and sysctl kernel.perf_event_max_stack", true, 0 },
	{ "kernel_failed", "kernel stacks that could not be read", NULL, true, 0 },
	{ "no_unwind_rule", "user stacks end early in code without unwind rules or frame pointers",
	  NULL, true, 0 },
	{ "bad_unwind_rule", "user stacks end early at an unwind rule that leads nowhere", NULL,
	  true, 0 },
	{ "code_unknown",
	  "user stacks by frame pointer, for the rules of their code were not there", NULL, true,
	  0 },
	{ "stack_left_out", "stacks, or a half of them, left out to keep --max-overhead", NULL,
	  true, 0 },
	{ "process_gone", "user stacks of processes that ended before they could be looked at",
	  NULL, true, 0 },
	{ "names_late", "stacks with addresses whose names were still being looked up", NULL, true,
	  0 },
};

static const struct loss full_text = { "memory_full", "no memory for new rows and stacks",
				       "--max-memory SIZE", false, 0 };

/* Adds flaws of stacks to the session's losses (@sums), with the option that would have helped. */
void collector__fill_losses(struct collector *c, struct losses *sums)
{
	struct losses *l = &c->profile->losses;
	struct loss loss;

	for (unsigned i = 0; i < COLLECTOR_FLAWS; i++) {
		loss = flaw_texts[i];
		loss.n = c->flaws[i];
		if (loss.n)
			losses__add(sums, &loss);
	}
	loss = full_text;
	loss.n = c->room.nr_full;
	if (loss.n)
		losses__add(sums, &loss);
	sums->kept = l->kept;
	*l = *sums;
	losses__subtract(l, &c->before);
}

void collector__fill_cost(struct collector *c)
{
	c->profile->own_ns = session__own_ns(c->session) - c->own_before_ns;
}

int collector__fill_times(struct collector *c)
{
	int err = 0;

	for (size_t i = 0; i < c->profile->nr_events && !err; i++) {
		struct profile_event *ev = &c->profile->events[i];

		ev->enabled_ns = ev->running_ns = 0;
		for (uint32_t n = 0; c->probes && n < c->nr_probes && !err; n++)
			if (c->probes[n].event == i) {
				uint64_t enabled_ns, running_ns;

				err = session__times(c->session, n, &enabled_ns, &running_ns);
				ev->enabled_ns += enabled_ns;
				ev->running_ns += running_ns;
			}
		if (!c->probes)
			err = session__times(c->session, i, &ev->enabled_ns, &ev->running_ns);
		ev->enabled_ns -= c->enabled_before[i];
		ev->running_ns -= c->running_before[i];
		ev->passed_over = session__passed_over(c->session, i) - c->passed_before[i];
	}
	return err;
}

void collector__set_rates(struct collector *c, struct profile *p)
{
	const unsigned halvings = sampler__halvings(c->session);

	for (uint32_t i = 0; i < c->nr_sampled; i++) {
		p->events[i].hz = sampler__halved(c->sampled[i].hz, halvings);
		p->events[i].period = sampler__doubled(c->sampled[i].period, halvings);
	}
}

/* As of profiles that are added up: samples of several rates have none. */
static void mix_rates(struct collector *c)
{
	for (uint32_t i = 0; i < c->nr_sampled; i++)
		c->profile->events[i].hz = c->profile->events[i].period = 0;
}

int collector__spare(struct collector *c, const struct sampler_thrift *thrift)
{
	const unsigned halvings = sampler__halvings(c->session);
	const int err = sampler__spare(c->session, thrift);

	if (err)
		return err;
	c->halvings = thrift->halvings;
	c->is_paused = !thrift->nr_events;
	c->no_user_now = thrift->less & BY_USTACK || c->is_paused;
	if (c->start_ns && halvings != sampler__halvings(c->session))
		mix_rates(c);
	else if (!c->start_ns)
		collector__set_rates(c, c->profile);
	return 0;
}

uint64_t collector__own_ns(const struct collector *c)
{
	return session__own_ns(c->session);
}
