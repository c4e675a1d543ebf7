// SPDX-License-Identifier: BSD-2-Clause
/* Chooses between cpu-clock's own interrupts and the scheduler's tick; refuses what it cannot. */
#include "cmd/profile_source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/why.h"
#include "machine/cpus.h"
#include "machine/tick.h"
#include "probe/sample_tick.h"

int profile_source__parse(const char *word, struct event_opts *events, enum sampler_source *out,
			  struct buf *why)
{
	*out = SAMPLER_EVENTS;
	if (!word)
		return 0;
	events->by_default = "cpu-clock";
	if (!strcmp(word, "cpu-clock"))
		return 0;
	if (strcmp(word, "tick"))
		return why__refuse(why, -EINVAL, "--source: unknown '%s'; known: tick cpu-clock",
				   word);
	*out = SAMPLER_TICK;
	return 0;
}

int profile_source__check(const char *word, const struct perf_events *events, struct buf *why)
{
	for (size_t i = 0; i < events->nr; i++)
		if (!sample_tick__is_of(&events->items[i]))
			return why__refuse(why, -EINVAL,
					   "--source %s is of cpu-clock, not of '%s': leave out "
					   "--source",
					   word, events->items[i].name);
	if (events->nr > 1)
		return why__refuse(why, -EINVAL, "--source %s is of one event, not of %zu", word,
				   events->nr);
	return 0;
}

/* Those of the target's CPUs that go without: a list as in sysfs into @text. *nr: how many. */
static int list_tickless(const struct target *target, struct buf *text, size_t *nr)
{
	uint32_t *cpus;
	size_t nr_cpus;
	int err = cpus__tickless("", &cpus, &nr_cpus);

	*nr = 0;
	if (err)
		return err;
	for (size_t i = 0; i < nr_cpus && !err; i++)
		for (size_t k = 0; k < target->nr_cpus && !err; k++)
			if (cpus[i] == target->cpus[k])
				err = buf__printf(text, "%s%u", (*nr)++ ? "," : "",
						  (unsigned)cpus[i]);
	free(cpus);
	return err;
}

static int check_cpus(const struct target *target, struct buf *why)
{
	struct buf list = {};
	size_t nr;
	int err = list_tickless(target, &list, &nr);

	if (!err && nr == target->nr_cpus)
		err = why__refuse(why, -EOPNOTSUPP,
				  "--source tick: CPUs %s have no tick while they run one task "
				  "(nohz_full): --source cpu-clock",
				  list.data);
	buf__free(&list);
	return err;
}

int profile_source__check_tick(const struct perf_event_spec *ev, bool idle,
			       const struct target *target, struct buf *why)
{
	const unsigned hz = tick__hz();

	if (ev->period)
		return why__refuse(why, -EINVAL,
				   "--source tick has a rate (-F), and no period: --source "
				   "cpu-clock");
	if (ev->hz > hz)
		return why__refuse(why, -EINVAL,
				   "--source tick: the tick comes %u times a second, not %llu: a "
				   "lower -F, or --source cpu-clock",
				   hz, (unsigned long long)ev->hz);
	if (idle)
		return why__refuse(why, -EINVAL,
				   "--source tick: an idle CPU has no tick that --idle could be "
				   "about: --source cpu-clock");
	return check_cpus(target, why);
}

void profile_source__tell(const struct target *target)
{
	struct buf list = {};
	size_t nr;

	log__notice("samples are taken in the scheduler's tick, which comes %u times a second: "
		    "what is in step with it is seen too often or never, as by top(1)",
		    tick__hz());
	if (!list_tickless(target, &list, &nr) && nr)
		log__notice("CPU%s %s: without a tick while one task runs there (nohz_full), whose "
			    "time is told as lost: --source cpu-clock sees it",
			    nr == 1 ? "" : "s", list.data);
	buf__free(&list);
}
