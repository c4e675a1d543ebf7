// SPDX-License-Identifier: BSD-2-Clause
/* Holds rates of side B against a limit above those of side A. */
#include "model/difference_limit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "model/callers.h"

/* Standard errors by which a growth has to exceed what is told to be told in 5 of 6 cases. */
#define SURELY 1.0

struct check {
	struct difference_limit *l;
	struct difference *d;
	const struct difference_limit_opts *o;
	double farthest;
};

static bool is_meant(const struct check *c, const struct difference_row *row)
{
	const enum frame_kind kind = c->d->names.items[row->function].kind;

	if (!c->o->function)
		return kind != FRAME_COMM && kind != FRAME_NOTE;
	return kind != FRAME_COMM &&
	       callers__is_named(tally_names__name(&c->d->names, row->function), c->o->function);
}

static bool counts(const struct check *c, const struct difference_row *row)
{
	for (int side = 0; side < 2; side++)
		if ((double)row->samples[side] >=
		    DIFFERENCE_LIMIT_SHARE * (double)c->d->sides[side].samples)
			return true;
	return c->o->function;
}

/* Those of the name are looked at by themselves. */
static int find_critical(struct check *c)
{
	struct difference *d = c->d;
	struct contrast_opts o = { .is_share = !d->opts.absolute,
				   .no_units = difference__of_samples(d) };
	struct contrast of_name = {};
	bool *is_tested;
	int err;

	c->l->critical = d->contrast.critical;
	if (!c->o->function || !d->units[0].nr_sums)
		return 0;
	is_tested = calloc(d->units[0].nr_sums, sizeof(*is_tested));
	if (!is_tested)
		return -ENOMEM;
	for (size_t i = 0; i < d->nr; i++)
		if (d->rows[i].column != UINT32_MAX)
			is_tested[d->rows[i].column] = is_meant(c, &d->rows[i]);
	o.is_tested = is_tested;
	o.grain[0] = difference__grain(d, 0);
	o.grain[1] = difference__grain(d, 1);
	err = contrast__new(&of_name, d->units, &o);
	c->l->critical = of_name.critical;
	contrast__free(&of_name);
	free(is_tested);
	return err;
}

static void note_above(struct check *c, const struct difference_row *row, double by)
{
	if (!c->l->nr_above++ || by > c->farthest) {
		c->farthest = by;
		c->l->row = row;
	}
}

static void note_undecided(struct check *c, const struct difference_row *row, double half)
{
	const double a = row->r.rate[0], limit = c->o->limit;
	const double longer = (c->l->critical + SURELY) / c->l->critical;
	const double times = pow(half * longer / (limit * a), 2);

	c->l->nr_undecided++;
	if (c->l->nr_above || (c->l->row && !(times > c->l->times)))
		return;
	c->l->row = row;
	c->l->visible = a > 0 && isfinite(half) ? limit + half / a : NAN;
	c->l->times = a > 0 && isfinite(times) ? times : NAN;
}

static void check_row(struct check *c, const struct difference_row *row)
{
	const double factor = 1 + c->o->limit;
	const double above = row->r.rate[1] - factor * row->r.rate[0];
	const double half = c->l->critical * contrast_rate__error(&row->r, factor);
	const bool is_counted = counts(c, row);

	c->l->nr_looked_at += is_counted;
	if (difference__is_sure(c->d, row) && above > half)
		note_above(c, row, above);
	else if (is_counted && !(difference__is_sure(c->d, row) && above < -half))
		note_undecided(c, row, half);
}

int difference_limit__check(struct difference_limit *l, struct difference *d,
			    const struct difference_limit_opts *o)
{
	struct check c = { .l = l, .d = d, .o = o };
	bool is_there = false;
	int err;

	*l = (struct difference_limit){ .visible = NAN, .times = NAN };
	err = find_critical(&c);
	for (size_t i = 0; i < d->nr && !err; i++) {
		if (!is_meant(&c, &d->rows[i]))
			continue;
		is_there = true;
		check_row(&c, &d->rows[i]);
	}
	if (!err && o->function && !is_there)
		return -ENOENT;
	return err;
}
