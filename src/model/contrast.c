// SPDX-License-Identifier: BSD-2-Clause
/* Rates of two measurements, their variances, and a bootstrap of the largest difference. */
#include "model/contrast.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	LOOKED_AT = 32, /* largest sums whose neighbours are compared */
	ROUNDS_LEAST = 500,
};

/* Steps of the bootstrap that take about two seconds. */
#define STEPS_MAX 3e9

/* Of neighbours: beyond that a variance is none that could be made good. */
#define ALIKE_MOST 0.8

/* Half of what a single normal interval has: what is never gone below. */
#define CRITICAL_LEAST 2.5758

/* One side, reduced to the sums that are tested. */
struct deviations {
	size_t nr_units;
	float *of;	   /* [unit * nr + i] by which a unit moves the rate */
	float *squares;	   /* [i] of these, summed */
	float *signed_sum; /* [i] in the round that goes on */
	float *factor;	   /* [i] squares -> variance */
	float *least;	   /* [i] variance of counting alone */
};

static void deviations__free(struct deviations *d)
{
	free(d->of);
	free(d->squares);
	free(d->signed_sum);
	free(d->factor);
	free(d->least);
}

static int deviations__new(struct deviations *d, size_t nr_units, size_t nr)
{
	d->nr_units = nr_units;
	d->of = calloc(nr_units * nr + 1, sizeof(*d->of));
	d->squares = calloc(nr + 1, sizeof(*d->squares));
	d->signed_sum = calloc(nr + 1, sizeof(*d->signed_sum));
	d->factor = calloc(nr + 1, sizeof(*d->factor));
	d->least = calloc(nr + 1, sizeof(*d->least));
	return d->of && d->squares && d->signed_sum && d->factor && d->least ? 0 : -ENOMEM;
}

/* splitmix64 */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* What counting alone leaves open, with the rate that both sides have together. */
static double counting_variance(const struct contrast_opts *o, int side, double rate,
				double exposure)
{
	const double spread = o->is_share ? rate * (1 - rate) : rate;

	return exposure > 0 && spread > 0 ? spread * o->grain[side] / exposure : 0;
}

/* Sum of squares of the deviations of @i in the rate's own unit. */
static double squares_of(const struct units *u, size_t i, double rate, double exposure)
{
	double squares = 0;

	for (size_t unit = 0; unit < u->nr; unit++) {
		double x = (double)u->sums[unit * u->nr_sums + i] - rate * u->exposure[unit];

		squares += x * x;
	}
	return squares / (exposure * exposure);
}

/* Squares -> variance; what neighbours still have in common makes it larger. */
static double factor_of(const struct units *u, size_t i)
{
	const double alike = u->in_time ? units__autocorrelation(u, i) : 0;
	const double r = alike < ALIKE_MOST ? alike : ALIKE_MOST;

	return (double)u->nr / (double)(u->nr - 1) * (r > 0 ? (1 + r) / (1 - r) : 1);
}

static void estimate(struct contrast *c, const struct units sides[2], const struct contrast_opts *o)
{
	const double exposure[2] = { units__exposure(&sides[0]), units__exposure(&sides[1]) };

	for (size_t i = 0; i < c->nr; i++) {
		struct contrast_rate *r = &c->rates[i];
		const double sums[2] = { units__sum(&sides[0], i), units__sum(&sides[1], i) };
		const double both = (sums[0] + sums[1]) / (exposure[0] + exposure[1]);

		for (int side = 0; side < 2; side++) {
			const struct units *u = &sides[side];
			double variance = 0;

			r->rate[side] = exposure[side] > 0 ? sums[side] / exposure[side] : NAN;
			r->variance[side] = counting_variance(o, side, both, exposure[side]);
			if (c->has_units)
				variance = squares_of(u, i, r->rate[side], exposure[side]) *
					   factor_of(u, i);
			if (variance > r->variance[side])
				r->variance[side] = variance;
		}
	}
}

/*
 * Those that have a part in it: what resembles its neighbours no more than by chance is sure. If
 * most of what is large does so, the others may by chance not seem to, and nothing is.
 */
static void note_dependent(struct contrast *c, const struct units *u)
{
	size_t nr_large = 0, nr_dependent = 0;
	double most = 0;

	for (size_t i = 0; i < c->nr; i++)
		most = fmax(most, units__sum(u, i));
	for (int all = 0; all < 2; all++) {
		for (size_t i = 0; i < c->nr; i++) {
			const bool is_large = units__sum(u, i) > most / 20;
			const bool is_it = units__autocorrelation(u, i) > 0.5 / sqrt((double)u->nr);

			nr_large += is_large;
			nr_dependent += is_large && is_it;
			c->rates[i].is_dependent |= is_it || all;
		}
		if (2 * nr_dependent <= nr_large)
			break;
	}
	c->is_dependent = true;
}

static int take_deviations(struct deviations *d, const struct contrast *c, const struct units *u,
			   int side, const struct units sides[2], const struct contrast_opts *o)
{
	const double exposure = units__exposure(u);
	const double others = units__exposure(&sides[!side]);
	int err = deviations__new(d, u->nr, c->nr_tested);
	size_t at = 0;

	for (size_t i = 0; i < c->nr && !err; i++) {
		const struct contrast_rate *r = &c->rates[i];
		const double both =
			(r->rate[side] * exposure + r->rate[!side] * others) / (exposure + others);

		if (o->is_tested && !o->is_tested[i])
			continue;
		for (size_t unit = 0; unit < u->nr; unit++) {
			double x = (double)u->sums[unit * u->nr_sums + i] -
				   r->rate[side] * u->exposure[unit];

			d->of[unit * c->nr_tested + at] = (float)(x / exposure);
		}
		d->squares[at] = (float)squares_of(u, i, r->rate[side], exposure);
		d->factor[at] = (float)factor_of(u, i);
		d->least[at++] = (float)counting_variance(o, side, both, exposure);
	}
	return err;
}

static void flip_signs(struct deviations *d, size_t nr, uint64_t *state)
{
	uint64_t bits = 0;

	memset(d->signed_sum, 0, nr * sizeof(*d->signed_sum));
	for (size_t unit = 0; unit < d->nr_units; unit++) {
		const float *of = &d->of[unit * nr];
		float sign;

		if (unit % 64 == 0)
			bits = next_random(state);
		sign = bits >> unit % 64 & 1 ? 1 : -1;
		for (size_t i = 0; i < nr; i++)
			d->signed_sum[i] += sign * of[i];
	}
}

/* The variance that the units would have with these signs. */
static double variance_in_round(const struct deviations *d, size_t i)
{
	const double sum = (double)d->signed_sum[i];
	const double squares = (double)d->squares[i] - sum * sum / (double)d->nr_units;
	const double variance = squares * (double)d->factor[i];

	return variance > (double)d->least[i] ? variance : (double)d->least[i];
}

static double largest_in_round(const struct deviations d[2], size_t nr)
{
	double most = 0;

	for (size_t i = 0; i < nr; i++) {
		double variance = variance_in_round(&d[0], i) + variance_in_round(&d[1], i);
		double sum = (double)d[1].signed_sum[i] - (double)d[0].signed_sum[i];
		double square = variance > 0 ? sum * sum / variance : 0;

		if (square > most)
			most = square;
	}
	return sqrt(most);
}

static int compare_doubles(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int bootstrap(struct contrast *c, struct deviations d[2])
{
	const double steps = (double)(d[0].nr_units + d[1].nr_units) * (double)c->nr_tested;
	const double freedom = (double)(d[0].nr_units + d[1].nr_units) - 2;
	size_t rounds = CONTRAST_ROUNDS, at;
	uint64_t state = 1;
	double *largest;

	if (steps * CONTRAST_ROUNDS > STEPS_MAX)
		rounds = STEPS_MAX / steps > ROUNDS_LEAST ? (size_t)(STEPS_MAX / steps)
							  : ROUNDS_LEAST;
	largest = calloc(rounds, sizeof(*largest));
	if (!largest)
		return -ENOMEM;
	for (size_t round = 0; round < rounds; round++) {
		flip_signs(&d[0], c->nr_tested, &state);
		flip_signs(&d[1], c->nr_tested, &state);
		largest[round] = largest_in_round(d, c->nr_tested);
	}
	qsort(largest, rounds, sizeof(*largest), compare_doubles);
	at = (size_t)ceil(CONTRAST_CONFIDENCE * (double)rounds);
	/*
	 * Deviations of a few units have signs of a few patterns, and their distribution ends too
	 * early. A t of so many degrees of freedom is wider than a normal one by this factor.
	 */
	largest[at] *= sqrt(freedom / (freedom - 2));
	if (largest[at] > c->critical)
		c->critical = largest[at];
	free(largest);
	return 0;
}

/* Counting alone: all are normal; as many as there are by Sidak's inequality. */
static double normal_critical(size_t nr)
{
	const double each = -log(CONTRAST_CONFIDENCE) / (double)(nr ? nr : 1);
	double low = 0, high = 40;

	for (int i = 0; i < 100; i++) {
		double middle = (low + high) / 2;

		if (erfc(middle / sqrt(2)) > each)
			low = middle;
		else
			high = middle;
	}
	return high;
}

static int find_critical(struct contrast *c, const struct units sides[2],
			 const struct contrast_opts *o)
{
	struct deviations d[2] = {};
	int err = 0;

	for (int side = 0; side < 2 && !err; side++)
		err = take_deviations(&d[side], c, &sides[side], side, sides, o);
	if (!err)
		err = bootstrap(c, d);
	deviations__free(&d[0]);
	deviations__free(&d[1]);
	return err;
}

int contrast__new(struct contrast *c, struct units sides[2], const struct contrast_opts *o)
{
	*c = (struct contrast){ .nr = sides[0].nr_sums, .critical = CRITICAL_LEAST };
	c->rates = calloc(c->nr + 1, sizeof(*c->rates));
	if (!c->rates)
		return -ENOMEM;
	for (size_t i = 0; i < c->nr; i++)
		c->nr_tested += !o->is_tested || o->is_tested[i];
	for (int side = 0; side < 2; side++)
		units__join_dependent(&sides[side], LOOKED_AT);
	c->has_units = !o->no_units && sides[0].nr >= CONTRAST_UNITS_LEAST &&
		       sides[1].nr >= CONTRAST_UNITS_LEAST;
	estimate(c, sides, o);
	for (int side = 0; side < 2; side++)
		if (units__are_dependent(&sides[side], LOOKED_AT))
			note_dependent(c, &sides[side]);
	if (c->has_units)
		return find_critical(c, sides, o);
	c->critical = normal_critical(c->nr_tested);
	return 0;
}

void contrast__free(struct contrast *c)
{
	free(c->rates);
	*c = (struct contrast){};
}

double contrast_rate__error(const struct contrast_rate *r, double factor)
{
	return sqrt(r->variance[1] + factor * factor * r->variance[0]);
}
