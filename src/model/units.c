// SPDX-License-Identifier: BSD-2-Clause
/* Sums over pieces of a measurement, and joins those that resemble their neighbours. */
#include "model/units.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_MAX = 64 };

int units__new(struct units *u, size_t nr, size_t nr_sums)
{
	*u = (struct units){ .nr = nr, .nr_sums = nr_sums };
	if (nr_sums && nr > SIZE_MAX / sizeof(*u->sums) / nr_sums)
		return -ENOMEM;
	u->exposure = calloc(nr + 1, sizeof(*u->exposure));
	u->run = calloc(nr + 1, sizeof(*u->run));
	u->sums = calloc(nr * nr_sums + 1, sizeof(*u->sums));
	return u->exposure && u->run && u->sums ? 0 : -ENOMEM;
}

void units__free(struct units *u)
{
	free(u->exposure);
	free(u->run);
	free(u->sums);
	*u = (struct units){};
}

double units__sum(const struct units *u, size_t i)
{
	double sum = 0;

	for (size_t unit = 0; unit < u->nr; unit++)
		sum += (double)u->sums[unit * u->nr_sums + i];
	return sum;
}

double units__exposure(const struct units *u)
{
	double sum = 0;

	for (size_t unit = 0; unit < u->nr; unit++)
		sum += u->exposure[unit];
	return sum;
}

double units__autocorrelation(const struct units *u, size_t i)
{
	const double exposure = units__exposure(u);
	const double rate = exposure > 0 ? units__sum(u, i) / exposure : 0;
	double squares = 0, products = 0, before = 0;

	for (size_t unit = 0; unit < u->nr; unit++) {
		double x = (double)u->sums[unit * u->nr_sums + i] - rate * u->exposure[unit];

		if (unit && u->run[unit] == u->run[unit - 1])
			products += x * before;
		squares += x * x;
		before = x;
	}
	/* Deviations from their own mean are alike by -1/n if they are independent. */
	return squares > 0 ? products / squares + 1 / (double)u->nr : 0;
}

/* The @nr largest sums, largest first; fewer if there are not so many. */
static size_t find_largest(const struct units *u, size_t *largest, size_t nr)
{
	double sums[LARGEST_MAX] = {};
	size_t found = 0, at;

	for (size_t i = 0; i < u->nr_sums; i++) {
		const double sum = units__sum(u, i);

		if (sum <= 0 || (found == nr && sum <= sums[nr - 1]))
			continue;
		at = found < nr ? found++ : nr - 1;
		for (; at && sums[at - 1] < sum; at--) {
			sums[at] = sums[at - 1];
			largest[at] = largest[at - 1];
		}
		sums[at] = sum;
		largest[at] = i;
	}
	return found;
}

bool units__are_dependent(const struct units *u, size_t nr)
{
	/* Of n independent ones it is about normal, with a variance of 1/n. */
	const double deviation = 1 / sqrt((double)u->nr);
	size_t largest[LARGEST_MAX] = {}, found;
	double sum = 0;

	if (!u->in_time || u->nr < 2)
		return false;
	found = find_largest(u, largest, nr < LARGEST_MAX ? nr : LARGEST_MAX);
	for (size_t i = 0; i < found; i++) {
		double r = units__autocorrelation(u, largest[i]);

		if (r > 2.5 * deviation)
			return true;
		sum += r;
	}
	return found && sum / (double)found > deviation / 2;
}

/*
 * What one unit has too much the next one has too little: what goes round in less than a unit's
 * time and a half. Joined, they differ less. Sums count as much as they are large: of the others
 * one or another looks so by chance.
 */
static bool are_alternating(const struct units *u, size_t nr)
{
	size_t largest[LARGEST_MAX] = {}, found;
	double sums = 0, products = 0;

	if (!u->in_time || u->nr < 2)
		return false;
	found = find_largest(u, largest, nr < LARGEST_MAX ? nr : LARGEST_MAX);
	for (size_t i = 0; i < found; i++) {
		const double sum = units__sum(u, largest[i]);

		products += sum * units__autocorrelation(u, largest[i]);
		sums += sum;
	}
	return found && products / sums < -2.5 / sqrt((double)u->nr);
}

/* The last one of a run with an odd number of units joins the pair before it. */
static void join_pairs(struct units *u)
{
	size_t to = 0, in_run = 0;

	for (size_t unit = 0; unit < u->nr; unit++) {
		const bool is_first = !unit || u->run[unit] != u->run[unit - 1];
		const bool is_last = unit + 1 == u->nr || u->run[unit + 1] != u->run[unit];
		const size_t n = u->nr_sums;

		in_run = is_first ? 0 : in_run + 1;
		if (in_run % 2 || (is_last && !is_first)) {
			for (size_t i = 0; i < n; i++)
				u->sums[(to - 1) * n + i] += u->sums[unit * n + i];
			u->exposure[to - 1] += u->exposure[unit];
			continue;
		}
		memmove(&u->sums[to * n], &u->sums[unit * n], n * sizeof(*u->sums));
		u->exposure[to] = u->exposure[unit];
		u->run[to++] = u->run[unit];
	}
	u->nr = to;
}

void units__join_dependent(struct units *u, size_t nr)
{
	while ((u->nr / 2 >= UNITS_JOINED_LEAST && units__are_dependent(u, nr)) ||
	       (u->nr / 2 >= UNITS_ALTERNATING_LEAST && are_alternating(u, nr)))
		join_pairs(u);
}
