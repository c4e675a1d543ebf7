// SPDX-License-Identifier: BSD-2-Clause
/* The part of model/counts.h about one value: scaling, sums, repetitions. */
#include <math.h>

#include "model/counts.h"

const char *count_state__name(enum count_state s)
{
	switch (s) {
	case COUNT_COUNTED:
		return "counted";
	case COUNT_MULTIPLEXED:
		return "multiplexed";
	case COUNT_NOT_COUNTED:
		return "not-counted";
	case COUNT_NOT_SUPPORTED:
		return "not-supported";
	case COUNT_NO_PERMISSION:
		return "no-permission";
	}
	return "not-counted";
}

uint64_t event_count__scale(uint64_t raw, uint64_t enabled_ns, uint64_t running_ns)
{
	unsigned __int128 n = (unsigned __int128)raw * enabled_ns + running_ns / 2;

	if (!running_ns)
		return 0;
	n /= running_ns;
	return n > UINT64_MAX ? UINT64_MAX : (uint64_t)n;
}

static uint64_t at_most(uint64_t n, uint64_t most)
{
	return n < most ? n : most;
}

void event_count__bound(struct event_count *c, uint64_t most_ns)
{
	c->enabled_ns = at_most(c->enabled_ns, most_ns);
	c->running_ns = at_most(c->running_ns, c->enabled_ns);
}

static uint64_t take_later(uint64_t now, uint64_t *last)
{
	uint64_t more = now > *last ? now - *last : 0;

	*last += more;
	return more;
}

void event_count__since(struct event_count *c, struct event_count *last)
{
	bool went_back = c->enabled_ns < last->enabled_ns || c->running_ns < last->running_ns;

	c->raw = take_later(c->raw, &last->raw);
	c->enabled_ns = take_later(c->enabled_ns, &last->enabled_ns);
	c->running_ns = take_later(c->running_ns, &last->running_ns);
	if (went_back)
		c->enabled_ns = c->running_ns = 0;
}

void event_count__settle(struct event_count *c)
{
	c->value = 0;
	c->state = COUNT_NOT_COUNTED;
	c->running_ns = at_most(c->running_ns, c->enabled_ns);
	if (!c->running_ns && (c->enabled_ns || !c->raw))
		return;
	c->value = c->raw;
	c->state = COUNT_COUNTED;
	if (c->running_ns == c->enabled_ns)
		return;
	c->value = event_count__scale(c->raw, c->enabled_ns, c->running_ns);
	c->state = COUNT_MULTIPLEXED;
}

bool event_count__has_value(const struct event_count *c)
{
	return c->state <= COUNT_MULTIPLEXED;
}

static uint64_t add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

void event_count__add(struct event_count *sum, const struct event_count *c)
{
	bool has = event_count__has_value(sum), adds = event_count__has_value(c);

	sum->enabled_ns = add(sum->enabled_ns, c->enabled_ns);
	sum->running_ns = add(sum->running_ns, c->running_ns);
	if (adds) {
		sum->raw = has ? add(sum->raw, c->raw) : c->raw;
		sum->value = has ? add(sum->value, c->value) : c->value;
	}
	if (has == adds)
		sum->state = sum->state > c->state ? sum->state : c->state;
	else if (adds)
		sum->state = c->state;
	if (event_count__has_value(sum) && sum->running_ns < sum->enabled_ns)
		sum->state = COUNT_MULTIPLEXED;
}

void counts_runs__add(struct counts_runs *r, double value)
{
	double from_old = value - r->mean;

	r->n++;
	r->mean += from_old / r->n;
	r->m2 += from_old * (value - r->mean);
}

double counts_runs__stddev(const struct counts_runs *r)
{
	return r->n < 2 ? 0 : sqrt(r->m2 / (r->n - 1));
}

/* The 0.975 quantile of Student's t. Beyond the table: Abramowitz and Stegun 26.7.5. */
static double student_t(unsigned df)
{
	static const float t[] = {
		12.706f, 4.303f, 3.182f, 2.776f, 2.571f, 2.447f, 2.365f, 2.306f, 2.262f, 2.228f,
		2.201f,	 2.179f, 2.160f, 2.145f, 2.131f, 2.120f, 2.110f, 2.101f, 2.093f, 2.086f,
		2.080f,	 2.074f, 2.069f, 2.064f, 2.060f, 2.056f, 2.052f, 2.048f, 2.045f, 2.042f,
	};
	const double z = 1.959963984540054, z3 = z * z * z, z5 = z3 * z * z;

	if (df <= ARRAY_SIZE(t))
		return (double)t[df - 1];
	return z + (z3 + z) / (4.0 * df) + (5 * z5 + 16 * z3 + 3 * z) / (96.0 * df * df);
}

double counts_runs__ci95(const struct counts_runs *r)
{
	return r->n < 2 ? 0 : student_t(r->n - 1) * counts_runs__stddev(r) / sqrt(r->n);
}
