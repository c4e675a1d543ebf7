// SPDX-License-Identifier: BSD-2-Clause
/* Matches the functions of two sides, compares their rates, and sorts what came of it. */
#include "model/difference.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/strtab.h"
#include "base/why.h"

int difference__begin(struct difference *d)
{
	return tally_names__new(&d->names);
}

int difference__add(struct difference *d, int side, const struct profile *p, uint32_t event,
		    double scale)
{
	const struct tally_opts o = { .unit = d->opts.unit,
				      .by_time = d->opts.absolute,
				      .total = d->opts.total,
				      .scale = scale };

	return unit_tally__add(&d->sides[side], &d->names, p, event, &o);
}

double difference__grain(const struct difference *d, int side)
{
	const struct unit_tally *t = &d->sides[side];

	return d->of_weights && t->samples ? (double)t->weight / (double)t->samples : 1;
}

bool difference__of_samples(const struct difference *d)
{
	return d->sides[0].of == TALLY_SAMPLES || d->sides[1].of == TALLY_SAMPLES;
}

bool difference__is_sure(const struct difference *d, const struct difference_row *row)
{
	return d->contrast.has_units && !row->r.is_dependent;
}

/* What of a name is on one side only; two of them, one of each side, are one function. */
struct lonely {
	uint32_t function[2];
	uint32_t nr; /* functions of this name, on any side */
	bool is_on[2];
};

/* @same: of each function the one that stands for it. */
static int match_by_name(struct difference *d, uint64_t (*samples)[2], uint32_t *same)
{
	struct lonely *lonely = calloc(strtab__nr(d->names.strings) + 1, sizeof(*lonely));

	if (!lonely)
		return -ENOMEM;
	for (size_t i = 0; i < d->names.nr; i++) {
		struct lonely *of = &lonely[d->names.items[i].name];

		same[i] = i;
		if (!samples[i][0] && !samples[i][1])
			continue;
		of->nr++;
		for (int side = 0; side < 2; side++) {
			if (samples[i][side] && !samples[i][!side]) {
				of->function[side] = i;
				of->is_on[side] = true;
			}
		}
	}
	for (size_t i = 0; i < d->names.nr; i++) {
		const struct lonely *of = &lonely[d->names.items[i].name];

		if (of->nr == 2 && of->is_on[0] && of->is_on[1] &&
		    d->names.items[of->function[0]].kind == d->names.items[of->function[1]].kind)
			same[of->function[1]] = of->function[0];
	}
	free(lonely);
	return 0;
}

static void sum_samples(const struct difference *d, uint64_t (*samples)[2])
{
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < d->sides[side].nr_parts; i++) {
			const struct tally_part *part = &d->sides[side].parts[i];

			samples[part->function][side] += part->samples;
		}
}

/* A command stands above all that it does: it is no function that calls others. */
static bool is_shown(const struct difference *d, size_t function)
{
	return !d->opts.total || d->names.items[function].kind != FRAME_COMM;
}

/* A row for each function; @row_of: of each function, or UINT32_MAX. *nr_columns: of the units. */
static int add_rows(struct difference *d, uint64_t (*samples)[2], const uint32_t *same,
		    uint32_t *row_of, size_t *nr_columns)
{
	d->rows = calloc(d->names.nr + 1, sizeof(*d->rows));
	*nr_columns = 0;
	if (!d->rows)
		return -ENOMEM;
	for (size_t i = 0; i < d->names.nr; i++)
		if (same[i] != i) {
			samples[same[i]][0] += samples[i][0];
			samples[same[i]][1] += samples[i][1];
		}
	for (size_t i = 0; i < d->names.nr; i++) {
		struct difference_row *row = &d->rows[d->nr];
		const uint64_t both = samples[i][0] + samples[i][1];

		row_of[i] = UINT32_MAX;
		if (same[i] != i || !both || !is_shown(d, i))
			continue;
		row_of[i] = d->nr++;
		*row = (struct difference_row){
			.function = i,
			.column = UINT32_MAX,
			.samples = { samples[i][0], samples[i][1] },
			.r.variance = { NAN, NAN },
			.verdict = VERDICT_TOO_FEW,
		};
		if (both >= DIFFERENCE_SAMPLES_LEAST)
			row->column = (*nr_columns)++;
	}
	for (size_t i = 0; i < d->names.nr; i++)
		row_of[i] = row_of[same[i]];
	return 0;
}

/* Of a run that does not tell its time, the units are parts of it. */
static double time_of(const struct difference *d, const struct unit_tally *t,
		      const uint32_t *in_run, const struct tally_piece *unit)
{
	return d->per_run ? 1.0 / in_run[unit->run] : unit->seconds;
}

static int fill_units(struct difference *d, int side, const uint32_t *row_of, size_t nr_columns)
{
	const struct unit_tally *t = &d->sides[side];
	struct units *u = &d->units[side];
	uint32_t *in_run = calloc(t->nr_runs + 1, sizeof(*in_run));
	int err = in_run ? units__new(u, t->nr_units, nr_columns) : -ENOMEM;

	u->in_time = t->of == TALLY_WINDOWS;
	for (size_t i = 0; i < t->nr_units && !err; i++)
		in_run[t->units[i].run]++;
	for (size_t i = 0; i < t->nr_units && !err; i++) {
		u->run[i] = t->units[i].run;
		u->exposure[i] = d->opts.absolute ? time_of(d, t, in_run, &t->units[i])
						  : (double)t->units[i].samples;
	}
	for (size_t i = 0; i < t->nr_parts && !err; i++) {
		const struct tally_part *part = &t->parts[i];
		const uint32_t row = row_of[part->function];
		const double n = (double)(d->of_weights ? part->weight : part->samples);

		if (row == UINT32_MAX)
			continue;
		d->rows[row].r.rate[side] += n;
		if (d->rows[row].column != UINT32_MAX)
			u->sums[part->unit * nr_columns + d->rows[row].column] += (float)n;
	}
	free(in_run);
	return err;
}

static enum verdict judge(const struct difference *d, const struct difference_row *row)
{
	const double change = row->r.rate[1] - row->r.rate[0];
	const double half = d->contrast.critical * contrast_rate__error(&row->r, 1);

	if (!(fabs(change) > half))
		return VERDICT_CANNOT_TELL;
	return difference__is_sure(d, row) ? VERDICT_CHANGED : VERDICT_UNSURE;
}

/* Sums in units have the digits of a float: enough for what they differ by, not for a rate. */
static void take_rates(struct difference *d)
{
	const double exposure[2] = { units__exposure(&d->units[0]), units__exposure(&d->units[1]) };

	for (size_t i = 0; i < d->nr; i++) {
		struct difference_row *row = &d->rows[i];

		row->r.rate[0] /= exposure[0];
		row->r.rate[1] /= exposure[1];
		if (row->column == UINT32_MAX)
			continue;
		for (int side = 0; side < 2; side++)
			row->r.variance[side] = d->contrast.rates[row->column].variance[side];
		row->r.is_dependent = d->contrast.rates[row->column].is_dependent;
		row->verdict = judge(d, row);
	}
}

static double size_of(const struct difference_row *row)
{
	if (row->verdict <= VERDICT_UNSURE)
		return fabs(row->r.rate[1] - row->r.rate[0]);
	return row->r.rate[0] > row->r.rate[1] ? row->r.rate[0] : row->r.rate[1];
}

/* Those of which nobody can tell stand behind, the largest first. */
static int compare_rows(const void *a, const void *b, void *difference)
{
	const struct difference_row *x = a, *y = b;
	const double of_x = size_of(x), of_y = size_of(y);
	const struct difference *d = difference;
	int names;

	if (x->verdict != y->verdict &&
	    (x->verdict < VERDICT_CANNOT_TELL || y->verdict < VERDICT_CANNOT_TELL))
		return x->verdict < y->verdict ? -1 : 1;
	if (of_x != of_y)
		return of_x > of_y ? -1 : 1;
	names = strcmp(tally_names__name(&d->names, x->function),
		       tally_names__name(&d->names, y->function));
	return names ? names : (x->function > y->function) - (x->function < y->function);
}

static int check_sides(struct difference *d, struct buf *why)
{
	const struct unit_tally *a = &d->sides[0], *b = &d->sides[1];

	for (int side = 0; side < 2; side++)
		if (!d->sides[side].samples)
			return why__refuse(why, -EPROTO, "%c has no samples to compare",
					   "AB"[side]);
	if (!d->opts.absolute)
		return 0;
	d->of_weights = a->has_weights && b->has_weights;
	d->per_run = !a->duration_ns && !b->duration_ns;
	if (!a->duration_ns == !b->duration_ns)
		return 0;
	return why__refuse(
		why, -EPROTO,
		"--absolute: %c does not tell how long it was measured, and has no rates",
		"AB"[!b->duration_ns]);
}

static int match_and_fill(struct difference *d)
{
	uint64_t(*samples)[2] = calloc(d->names.nr + 1, sizeof(*samples));
	uint32_t *same = calloc(d->names.nr + 1, sizeof(*same));
	uint32_t *row_of = calloc(d->names.nr + 1, sizeof(*row_of));
	int err = samples && same && row_of ? 0 : -ENOMEM;
	size_t nr_columns;

	if (!err) {
		sum_samples(d, samples);
		err = match_by_name(d, samples, same);
	}
	if (!err)
		err = add_rows(d, samples, same, row_of, &nr_columns);
	for (int side = 0; side < 2 && !err; side++)
		err = fill_units(d, side, row_of, nr_columns);
	free(samples);
	free(row_of);
	d->same = same;
	return err;
}

int difference__compare(struct difference *d, struct buf *why)
{
	struct contrast_opts o = { .is_share = !d->opts.absolute,
				   .no_units = difference__of_samples(d) };
	int err = check_sides(d, why);

	if (!err)
		err = match_and_fill(d);
	for (int side = 0; side < 2; side++)
		o.grain[side] = difference__grain(d, side);
	if (!err)
		err = contrast__new(&d->contrast, d->units, &o);
	if (err)
		return err;
	take_rates(d);
	qsort_r(d->rows, d->nr, sizeof(*d->rows), compare_rows, d);
	return 0;
}

void difference__free(struct difference *d)
{
	for (int side = 0; side < 2; side++) {
		unit_tally__free(&d->sides[side]);
		units__free(&d->units[side]);
	}
	contrast__free(&d->contrast);
	tally_names__free(&d->names);
	free(d->rows);
	free(d->same);
	d->rows = NULL;
	d->same = NULL;
	d->nr = 0;
}
