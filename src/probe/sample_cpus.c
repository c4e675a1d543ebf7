// SPDX-License-Identifier: BSD-2-Clause
/*
 * Perf events of a sampling session on CPUs that go offline and come back, and what they count.
 *
 * A CPU that goes offline takes its perf events off for good (perf_event_exit_cpu(),
 * kernel/events/core.c): when it is back they can be read, but stand still, and are opened again.
 *
 * How much of it was missed: from when the CPU was last known to be offline, or measured, until its
 * events are enabled; not more than the kernel's accounting says that it was busy since.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "machine/cpus.h"
#include "perf/open.h"
#include "object/attach.h"
#include "probe/sample_session.h"
#include "probe/witness.h"

static const uint64_t SECOND_NS = 1000000000;
static const uint64_t ONLINE_NS = 100 * 1000000ull; /* between readings of the list of CPUs */
static const uint64_t STILL_NS = 1000 * 1000000ull; /* between looks at events: these wake CPUs */
/* A CPU that is away is waited for: while samples are taken, and at the end. */
static const uint64_t AWHILE_NS = 200 * 1000000ull;
static const uint64_t LAST_NS = 1000 * 1000000ull;

int sampler__list_cpus(struct sampler *s, const struct target *target)
{
	uint32_t possible;
	int err = cpus__possible("", &possible);

	if (err)
		return err;
	s->times_fd = cputime__open("");
	if (s->times_fd < 0)
		return s->times_fd;
	s->nr_times = possible;
	s->nr_cpus = target->some_cpus ? target->nr_cpus : possible;
	s->cpus = calloc(s->nr_cpus + 1, sizeof(*s->cpus));
	s->times = calloc(possible, sizeof(*s->times));
	s->online = calloc(possible, sizeof(*s->online));
	s->places = calloc(s->nr_cpus * s->nr_events + 1, sizeof(*s->places));
	for (size_t c = 0; s->cpus && c < s->nr_cpus; c++) {
		s->cpus[c].cpu = target->some_cpus ? target->cpus[c] : c;
		for (size_t i = 0; i < SAMPLE_MEMBERS; i++)
			s->cpus[c].members[i] = -1;
	}
	for (size_t i = 0; s->places && i < s->nr_cpus * s->nr_events; i++)
		s->places[i].fd = -1;
	return s->cpus && s->times && s->online && s->places ? 0 : -ENOMEM;
}

static int map_fired(struct sampler *s)
{
	size_t page = sysconf(_SC_PAGESIZE), bytes = s->nr_times * s->nr_events;
	void *at;

	bytes = (bytes * sizeof(*s->fired) + page - 1) / page * page;
	at = mmap(NULL, bytes, PROT_READ, MAP_SHARED, bpf_map__fd(s->skel->maps.fired), 0);
	if (at == MAP_FAILED)
		return -errno;
	s->fired = at;
	s->fired_bytes = bytes;
	return 0;
}

int sampler__open_cpus(struct sampler *s, const struct target *target, struct buf *why)
{
	int err = sampler__list_cpus(s, target);

	if (!err)
		err = map_fired(s);
	for (size_t c = 0; c < s->nr_cpus && !err; c++)
		err = sampler__open_cpu(s, c, why);
	return err;
}

void sampler__close_cpus(struct sampler *s)
{
	for (size_t c = 0; s->cpus && s->places && c < s->nr_cpus; c++)
		sampler__close_cpu(s, c);
	if (s->times_fd >= 0)
		close(s->times_fd);
	if (s->fired)
		munmap(s->fired, s->fired_bytes);
	free(s->places);
	free(s->times);
	free(s->online);
	free(s->cpus);
}

/* Of the first @nr_events. */
static int for_each_fd(struct sampler *s, size_t nr_events, int (*fn)(int fd))
{
	for (size_t i = 0; i < nr_events * s->nr_cpus; i++) {
		int fd = s->places[i].fd, err = fd < 0 ? 0 : fn(fd);

		if (err)
			return err;
	}
	return 0;
}

int sampler__take_times(struct sampler *s)
{
	s->times_ns = clock__now_ns();
	return cputime__read(s->times_fd, s->times, s->nr_times);
}

int sampler__enable_cpus(struct sampler *s)
{
	int err = sampler__take_times(s);

	if (err)
		return err;
	for (size_t c = 0; c < s->nr_cpus; c++)
		sampler__begin_cpu(s, c);
	err = for_each_fd(s, s->thrift.nr_events, perf_enable);
	s->online_ns = s->still_ns = clock__now_ns();
	for (size_t c = 0; c < s->nr_cpus; c++)
		s->cpus[c].measured_ns = s->online_ns;
	s->started = true;
	return err;
}

void sampler__begin_cpu(struct sampler *s, size_t c)
{
	struct sample_cpu *cpu = &s->cpus[c];

	cpu->before = s->times[cpu->cpu];
	cpu->last_busy_ns = 0;
	cpu->looked_ns = cpu->measured_ns = s->times_ns;
	cpu->enabled_ns = sampler__place(s, 0, c)->now_enabled_ns;
}

int sampler__disable_cpus(struct sampler *s)
{
	return for_each_fd(s, s->nr_events, perf_disable);
}

/* Samples to be expected in a time: by the rate asked for, or else by the rate so far. */
static uint64_t samples_of(const struct sampler *s, size_t event, size_t c, uint64_t ns)
{
	const struct perf_event_spec ev = sampler__spec(s, event);
	const struct sample_place *p = sampler__place(s, event, c);
	const struct sample_fired *f = &s->fired[s->cpus[c].cpu * s->nr_events + event];
	unsigned __int128 samples;

	if (ev.hz)
		samples = (unsigned __int128)ns * ev.hz / SECOND_NS;
	else if (witness__is_clock(&ev) && ev.period)
		samples = ns / ev.period;
	else
		samples = p->enabled_ns ? (unsigned __int128)f->samples * ns / p->enabled_ns : 0;
	return samples ? samples : 1; /* not known is not none */
}

/* Counts samples as lost that the CPU, now online, may have had since measured_ns. */
static void miss(struct sampler *s, size_t c, uint64_t now_ns)
{
	struct sample_cpu *cpu = &s->cpus[c];
	uint64_t missed_ns = now_ns > cpu->measured_ns ? now_ns - cpu->measured_ns : 0;
	uint64_t busy_ns = s->times[cpu->cpu].busy_ns - cpu->before.busy_ns;

	if (missed_ns > busy_ns)
		missed_ns = busy_ns;
	for (size_t e = 0; e < s->thrift.nr_events && missed_ns; e++)
		sampler__place(s, e, c)->away += samples_of(s, e, c, missed_ns);
}

/* Opens a CPU's events anew; the old ones stand still since it was offline. */
static int reopen_cpu(struct sampler *s, size_t c)
{
	struct buf why = {};
	int err = sampler__renew_cpu(s, c, &why);

	if (!err && !sampler__is_open(s, c))
		return 0;
	if (!err)
		err = sampler__take_times(s);
	if (err)
		log__debug("CPU %u: its events cannot be opened: %s", (unsigned)s->cpus[c].cpu,
			   why.len ? why.data : strerror(-err));
	buf__free(&why);
	if (err) {
		sampler__close_cpu(s, c); /* tried again later; until then samples are lost */
		return err == -ENOMEM ? err : 0;
	}
	miss(s, c, s->times_ns);
	sampler__begin_cpu(s, c);
	return 0;
}

/*
 * Whether the events were on the CPU all the time up to @now_ns, a moment before their counts were
 * read; to be called after that. If not, it was offline between two looks: the events were enabled
 * for less time than has passed from behind the last read to before this one. In between this
 * thread may have had to wait for a CPU. The slack is for clocks that disagree.
 */
static bool is_measured(struct sampler *s, size_t c, uint64_t now_ns)
{
	struct sample_cpu *cpu = &s->cpus[c];
	const struct sample_place *first = sampler__place(s, 0, c);
	uint64_t passed_ns = now_ns > cpu->measured_ns ? now_ns - cpu->measured_ns : 0;
	uint64_t enabled_ns = first->now_enabled_ns - cpu->enabled_ns;

	if (s->thrift.nr_events && first->fd >= 0 &&
	    enabled_ns + passed_ns / 16 + CPUTIME_TICK_NS < passed_ns)
		return false;
	cpu->measured_ns = clock__now_ns();
	cpu->enabled_ns = first->now_enabled_ns;
	return true;
}

static int mend_cpu(struct sampler *s, size_t c, bool is_online, bool look_whether_still)
{
	uint64_t now_ns = clock__now_ns();
	int err = 0;

	if (!is_online) {
		err = sampler__read_cpu(s, c);
		sampler__close_cpu(s, c);
		s->cpus[c].measured_ns = now_ns;
		return err;
	}
	if (!sampler__is_open(s, c))
		return reopen_cpu(s, c);
	if (!look_whether_still)
		return 0;
	err = sampler__read_cpu(s, c);
	return err || is_measured(s, c, now_ns) ? err : reopen_cpu(s, c);
}

int sampler__mend_cpus(struct sampler *s)
{
	uint64_t now_ns = clock__now_ns();
	bool still = now_ns - s->still_ns >= STILL_NS;
	int err = 0;

	if (s->session.stopped || now_ns - s->online_ns < ONLINE_NS)
		return 0;
	s->online_ns = now_ns;
	if (still)
		s->still_ns = now_ns;
	/* No free file descriptor: tried again later. */
	if (cpus__are_online("", s->online, s->nr_times))
		return 0;
	for (size_t c = 0; c < s->nr_cpus && !err; c++)
		err = mend_cpu(s, c, s->online[s->cpus[c].cpu], still);
	return err;
}

/* The time that a CPU was not idle since the last look, as the kernel measured it. */
static uint64_t busy_since(const struct sample_cpu *cpu, const struct cputime *now, uint64_t now_ns)
{
	uint64_t passed_ns = now_ns - cpu->looked_ns;
	uint64_t other_ns =
		now->idle_ns - cpu->before.idle_ns + now->stolen_ns - cpu->before.stolen_ns;

	return passed_ns > other_ns ? passed_ns - other_ns : 0;
}

static void add_busy(struct sampler *s, size_t c)
{
	struct sample_cpu *cpu = &s->cpus[c];
	const uint64_t ns = busy_since(cpu, &s->times[cpu->cpu], s->times_ns);

	cpu->busy_ns += ns;
	cpu->last_busy_ns = ns;
	for (size_t e = s->thrift.nr_events; e < s->nr_events; e++)
		sampler__place(s, e, c)->off_ns += ns;
	cpu->before = s->times[cpu->cpu];
	cpu->looked_ns = s->times_ns;
}

/* Of a clock whose rate has changed. */
static uint64_t slowest_ns(const struct sampler *s, const struct perf_event_spec *ev)
{
	if (!s->most_halvings)
		return 0;
	return ev->hz ? SECOND_NS / sampler__halved(ev->hz, s->most_halvings)
		      : sampler__doubled(ev->period, s->most_halvings);
}

static struct witness_figures figures_of(const struct sampler *s, size_t event, size_t c)
{
	const struct perf_event_spec *ev = &s->events[event];
	const struct sample_place *p = sampler__place(s, event, c);

	return (struct witness_figures){
		.fired = s->fired[s->cpus[c].cpu * s->nr_events + event],
		.counted = p->counted + p->now_counted,
		.running_ns = p->running_ns + p->now_running_ns,
		.busy_ns = s->cpus[c].busy_ns - p->off_ns,
		.openings = p->openings,
		.hz = sampler__spec(s, event).hz,
		.period = sampler__doubled(ev->period, s->most_halvings),
		.slowest_ns = slowest_ns(s, ev),
	};
}

static uint64_t missing_of(const struct sampler *s, size_t event, const struct witness_figures *f)
{
	return witness__missing(witness__kind(&s->events[event]), f);
}

static void hear_witness(struct sampler *s, size_t event, size_t c)
{
	const struct witness_figures f = figures_of(s, event, c);
	const uint64_t missing = missing_of(s, event, &f);

	log__debug(
		"%s, CPU %u: counted %llu, CPU busy for %llu ns; %llu samples, %llu of them busy, "
		"of %llu; %llu missing",
		s->events[event].name, (unsigned)s->cpus[c].cpu, (unsigned long long)f.counted,
		(unsigned long long)f.busy_ns, (unsigned long long)f.fired.samples,
		(unsigned long long)f.fired.busy, (unsigned long long)f.fired.periods,
		(unsigned long long)missing);
	witness__tally(&sampler__place(s, event, c)->passed, &f, missing);
}

/* By what is known now: has a clock of that CPU lost samples that were not told yet? */
static bool misses(const struct sampler *s, size_t c)
{
	for (size_t e = 0; e < s->thrift.nr_events; e++) {
		const struct witness_figures f = figures_of(s, e, c);

		if (witness__kind(&s->events[e]) == WITNESS_BUSY &&
		    missing_of(s, e, &f) > sampler__place(s, e, c)->passed.in_unit)
			return true;
	}
	return false;
}

/* What the CPU was there for since its last look, by the kernel's accounting. */
static uint64_t present_since(const struct sample_cpu *cpu, const struct cputime *now)
{
	const uint64_t then_ns = cpu->before.idle_ns + cpu->before.busy_ns;
	const uint64_t now_ns = now->idle_ns + now->busy_ns;

	return now_ns > then_ns ? now_ns - then_ns : 0;
}

/*
 * Of the time up to the last look, by times read at @now_ns. What was stolen after that look is the
 * time since in which the CPU was not there: that is known to two ticks.
 */
static void take_off_stolen(struct sampler *s, size_t c, uint64_t now_ns)
{
	struct sample_cpu *cpu = &s->cpus[c];
	const struct cputime *now = &s->times[cpu->cpu];
	const uint64_t known_ns = cpu->looked_ns + present_since(cpu, now) + 2 * CPUTIME_TICK_NS;
	const uint64_t after_ns = now_ns > known_ns ? now_ns - known_ns : 0;
	uint64_t late_ns;

	if (!now->online || now->stolen_ns <= cpu->before.stolen_ns + after_ns)
		return;
	late_ns = now->stolen_ns - cpu->before.stolen_ns - after_ns;
	if (late_ns > cpu->last_busy_ns)
		late_ns = cpu->last_busy_ns;
	cpu->before.stolen_ns += late_ns;
	cpu->last_busy_ns -= late_ns;
	cpu->busy_ns -= late_ns;
	for (size_t e = s->thrift.nr_events; e < s->nr_events; e++)
		sampler__place(s, e, c)->off_ns -= late_ns;
}

/*
 * Misses samples that it may not have lost: by the times read last the CPU has not run for two
 * ticks since its last look, and what was stolen before that may not be accounted.
 */
static bool is_in_doubt(const struct sampler *s, size_t c)
{
	const struct sample_cpu *cpu = &s->cpus[c];
	const struct cputime *now = &s->times[cpu->cpu];

	return sampler__is_open(s, c) && cpu->looked_ns == s->times_ns && now->online &&
	       misses(s, c) && present_since(cpu, now) < 2 * CPUTIME_TICK_NS;
}

/*
 * What a hypervisor takes the kernel accounts when the CPU is back, with its next tick or the one
 * after it: this thread may be awake before, on another CPU. Of a CPU that stays away the loss is
 * told.
 */
static int await_stolen(struct sampler *s)
{
	static const struct timespec two_ticks = { .tv_nsec = 2 * CPUTIME_TICK_NS };
	const uint64_t until_ns = clock__now_ns() + (s->session.stopped ? LAST_NS : AWHILE_NS);
	int err = 0;

	while (!err && clock__now_ns() < until_ns) {
		size_t in_doubt = 0;
		uint64_t now_ns;

		while (in_doubt < s->nr_cpus && !is_in_doubt(s, in_doubt))
			in_doubt++;
		if (in_doubt == s->nr_cpus)
			break;
		nanosleep(&two_ticks, NULL);
		now_ns = clock__now_ns();
		err = cputime__read(s->times_fd, s->times, s->nr_times);
		for (size_t c = 0; c < s->nr_cpus && !err; c++)
			if (s->cpus[c].looked_ns == s->times_ns)
				take_off_stolen(s, c, now_ns);
	}
	return err;
}

/*
 * Reads counts and times before samples: what comes in between looks like a sample too many, never
 * like a lost one.
 */
static int look_at(struct sampler *s, size_t c)
{
	int err = sampler__read_cpu(s, c);

	if (!err && sampler__is_open(s, c)) {
		if (is_measured(s, c, s->times_ns)) {
			add_busy(s, c);
		} else if (s->session.stopped) {
			miss(s, c, s->times_ns);
		} else {
			err = reopen_cpu(s, c);
		}
	}
	return err;
}

int sampler__look(struct sampler *s)
{
	int err = 0;

	for (size_t c = 0; c < s->nr_cpus && !err; c++)
		err = look_at(s, c);
	if (!err)
		err = await_stolen(s);
	for (size_t e = 0; e < s->thrift.nr_events && !err; e++)
		for (size_t c = 0; c < s->nr_cpus; c++)
			hear_witness(s, e, c);
	return err;
}
