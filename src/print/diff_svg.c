// SPDX-License-Identifier: BSD-2-Clause
/* Both sides as a flame graph. */
#include "print/diff_sides.h"
#include "print/flame/sides.h"
#include "print/flame/svg.h"

/*
 * What a sample of a side counts: its share; or one in so many seconds, or runs. What samples stand
 * for is not in the stacks of both sides.
 */
static double scale_of(const struct difference *d, int side)
{
	const struct unit_tally *t = &d->sides[side];
	double of = d->per_run ? t->nr_runs : (double)t->duration_ns / 1e9;

	if (!d->opts.absolute)
		return 1.0 / (double)t->samples;
	return 1 / of;
}

int print__diff_svg(FILE *f, const struct diff_page *page)
{
	const struct difference *d = page->totals;
	struct diff_sides s = {};
	int err = diff_sides__open(&s, page);
	const struct svg_sides sides = {
		.names = s.names,
		.scale = { scale_of(d, 0), scale_of(d, 1) },
		.unit = !d->opts.absolute ? NULL
			: d->per_run	  ? " samples a run"
					  : " samples/s",
		.sure = s.sure,
	};
	const struct svg_opts opts = { .sides = &sides, .title = "What differs between A and B" };

	if (!err)
		err = print__svg(f, s.overlay, &opts);
	diff_sides__free(&s);
	return err;
}
