// SPDX-License-Identifier: BSD-2-Clause
/* Divides a count by its partner: by role, group and modifiers, or by a clock. */
#include "model/metric.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "model/counts.h"

struct ratio {
	enum count_role of, per;
	const char *text;
	bool percent;
};

static const struct ratio ratios[] = {
	{ ROLE_INSTRUCTIONS, ROLE_CYCLES, "insn per cycle", false },
	{ ROLE_BRANCH_MISSES, ROLE_BRANCHES, "of all branches", true },
	{ ROLE_CACHE_MISSES, ROLE_CACHE_REFS, "of all cache refs", true },
	{ ROLE_STALLED_FRONT, ROLE_CYCLES, "frontend cycles idle", true },
	{ ROLE_STALLED_BACK, ROLE_CYCLES, "backend cycles idle", true },
	{ ROLE_L1D_LOAD_MISSES, ROLE_L1D_LOADS, "of all L1-dcache accesses", true },
	{ ROLE_L1I_LOAD_MISSES, ROLE_L1I_LOADS, "of all L1-icache accesses", true },
	{ ROLE_LLC_LOAD_MISSES, ROLE_LLC_LOADS, "of all LL-cache accesses", true },
	{ ROLE_DTLB_LOAD_MISSES, ROLE_DTLB_LOADS, "of all dTLB cache accesses", true },
	{ ROLE_ITLB_LOAD_MISSES, ROLE_ITLB_LOADS, "of all iTLB cache accesses", true },
};

const struct counts_runs *metric__runs(const struct counts *c, const struct event_count *values,
				       size_t i)
{
	return values == c->totals && c->runs[i].n ? &c->runs[i] : NULL;
}

double metric__number(const struct counts *c, const struct event_count *values, size_t i)
{
	const struct counts_runs *r = metric__runs(c, values, i);

	if (!event_count__has_value(&values[i]))
		return NAN;
	return (r ? r->mean : (double)values[i].value) * c->events[i].scale;
}

double metric__share(const struct event_count *c)
{
	if (!c->running_ns)
		return 0;
	return c->running_ns < c->enabled_ns ? (double)c->running_ns / (double)c->enabled_ns : 1;
}

static bool is_clock(const struct counts_event *e)
{
	return e->role == ROLE_TASK_CLOCK || e->role == ROLE_CPU_CLOCK;
}

/* Which modes were counted, one bit for each of "ukhGHI": "cycles:upp", "cpu/cycles/u". */
static unsigned modes_of(const char *name)
{
	static const char letters[] = "ukhGHI";
	const char *end = strrchr(name, '/'), *colon = strrchr(end ? end : name, ':'), *bit;
	unsigned modes = 0;

	if (colon)
		end = colon;
	if (!end)
		return 0;
	for (const char *s = end + 1; *s; s++) {
		bit = strchr(letters, *s);
		if (bit)
			modes |= 1u << (bit - letters);
	}
	return modes;
}

static bool were_together(const struct counts *c, const struct event_count *values, size_t i,
			  size_t j)
{
	const struct counts_event *a = &c->events[i], *b = &c->events[j];

	return a->group != COUNTS_NO_GROUP && a->group == b->group &&
	       values[i].state == values[j].state && modes_of(a->name) == modes_of(b->name);
}

/* The number of the event of that role that event @i can be divided by, or 0. */
static double partner(const struct counts *c, const struct event_count *values, size_t i,
		      enum count_role role)
{
	for (size_t j = 0; j < c->nr_events; j++)
		if (c->events[j].role == role && event_count__has_value(&values[j]) &&
		    were_together(c, values, i, j))
			return metric__number(c, values, j);
	return 0;
}

/* ns that a rate is for; 0 if there is a clock without a value. */
static double clock_ns(const struct counts *c, const struct event_count *values, size_t i,
		       bool *is_cpu)
{
	const size_t none = c->nr_events;
	size_t best = none;

	for (size_t j = 0; j < c->nr_events; j++) {
		const struct counts_event *e = &c->events[j];

		if (!is_clock(e) || !(e->software || were_together(c, values, i, j)))
			continue;
		if (best == none ||
		    (e->role == ROLE_TASK_CLOCK && c->events[best].role != ROLE_TASK_CLOCK))
			best = j;
	}
	*is_cpu = best != none;
	if (best == none)
		return (double)c->duration_ns;
	return event_count__has_value(&values[best]) ? metric__number(c, values, best) : 0;
}

static bool set(struct metric *out, double value, const char *text, int decimals, bool percent)
{
	*out = (struct metric){ value, text, decimals, percent };
	return isfinite(value);
}

static bool rate(const struct counts *c, const struct event_count *values, size_t i,
		 struct metric *out)
{
	static const char *const units[] = { "/sec", "K/sec", "M/sec", "G/sec" };
	double n = metric__number(c, values, i), ns;
	size_t unit = 0;
	bool is_cpu;

	ns = clock_ns(c, values, i, &is_cpu);
	if (!(ns > 0))
		return false;
	if (c->events[i].role == ROLE_CYCLES && is_cpu)
		return set(out, n / ns, "GHz", 3, false);
	n = n / ns * 1e9;
	while (n >= 1000 && unit + 1 < ARRAY_SIZE(units)) {
		n /= 1000;
		unit++;
	}
	return set(out, n, units[unit], 3, false);
}

bool metric__of(const struct counts *c, const struct event_count *values, size_t i,
		struct metric *out)
{
	const struct counts_event *e = &c->events[i];
	double n = metric__number(c, values, i), per;

	*out = (struct metric){};
	if (!event_count__has_value(&values[i]))
		return false;
	if (is_clock(e))
		return c->duration_ns &&
		       set(out, n / (double)c->duration_ns, "CPUs utilized", 3, false);
	for (size_t r = 0; r < ARRAY_SIZE(ratios); r++) {
		if (ratios[r].of != e->role)
			continue;
		per = partner(c, values, i, ratios[r].per);
		if (per > 0)
			return set(out, ratios[r].percent ? 100 * n / per : n / per, ratios[r].text,
				   2, ratios[r].percent);
	}
	return rate(c, values, i, out);
}

bool metric__second(const struct counts *c, const struct event_count *values, size_t i,
		    struct metric *out)
{
	double n = metric__number(c, values, i), per, front, back;

	*out = (struct metric){};
	if (!event_count__has_value(&values[i]))
		return false;
	switch (c->events[i].role) {
	case ROLE_BRANCH_MISSES:
	case ROLE_CACHE_MISSES:
		per = partner(c, values, i, ROLE_INSTRUCTIONS);
		return per > 0 && set(out, 1000 * n / per, "MPKI", 2, false);
	case ROLE_INSTRUCTIONS:
		front = partner(c, values, i, ROLE_STALLED_FRONT);
		back = partner(c, values, i, ROLE_STALLED_BACK);
		return n > 0 && (front > 0 || back > 0) &&
		       set(out, (front > back ? front : back) / n, "stalled cycles per insn", 2,
			   false);
	default:
		return false;
	}
}
