// SPDX-License-Identifier: BSD-2-Clause
/* Says in a sentence how functions stand to a limit, and what it takes to know. */
#include <math.h>

#include "base/buf.h"
#include "print/diff.h"
#include "print/escape.h"

/* Of a comparison without good variances: how to get them. */
static const char *how_to_know(const struct difference *d)
{
	if (d->contrast.has_units)
		return "what one stretch of time does, the next one does, too, all through these "
		       "runs: "
		       "longer ones, or at least 4 files a side are needed";
	if (d->sides[0].of == TALLY_RUNS)
		return "at least 4 files a side are needed";
	return "captures of profile --windows 100ms, or at least 4 files a side are needed";
}

static int put_name(struct buf *b, const struct diff_page *page)
{
	const char *name = tally_names__name(&page->d->names, page->limit->row->function);

	return escape__plain(b, *name ? name : "[unknown]");
}

static int put_above(struct buf *b, const struct diff_page *page)
{
	const struct difference_limit *l = page->limit;
	const struct contrast_rate *r = &l->row->r;
	const double limit = 100 * page->limit_opts->limit;
	int err = put_name(b, page);

	if (!err && r->rate[0] > 0)
		err = buf__printf(b, ": %+.1f %%, which is above %g %%",
				  100 * (r->rate[1] / r->rate[0] - 1), limit);
	else if (!err)
		err = buf__printf(b, ": was not there before, which is above %g %%", limit);
	if (!err && l->nr_above > 1)
		err = buf__printf(b, "; so are %zu more functions", l->nr_above - 1);
	return err;
}

/* "1.4", "30": nobody knows it better. */
static int put_times(struct buf *b, double times)
{
	return buf__printf(b, times < 10 ? "%.1f" : "%.0f", times);
}

static int put_cure(struct buf *b, const struct diff_page *page)
{
	const struct difference_limit *l = page->limit;
	int err;

	if (!difference__is_sure(page->d, page->limit->row))
		return buf__printf(b, "; %s", how_to_know(page->d));
	if (!isfinite(l->visible))
		return buf__puts(b, "; it has too few samples in A");
	err = buf__printf(b, "; only more than %+.1f %% would have been found", 100 * l->visible);
	if (err || !isfinite(l->times))
		return err;
	if (l->times <= 1)
		return buf__printf(b, ", and it is near the limit");
	err = buf__puts(b, "; about ");
	if (!err)
		err = put_times(b, l->times);
	return err ? err
		   : buf__printf(b, " times as long runs, or as many, would find %+g %%",
				 200 * page->limit_opts->limit);
}

static int put_undecided(struct buf *b, const struct diff_page *page)
{
	const struct difference_limit *l = page->limit;
	const double limit = 100 * page->limit_opts->limit;
	int err = buf__printf(b, "cannot tell whether ");

	if (!err && page->limit_opts->function)
		err = put_name(b, page);
	else if (!err)
		err = buf__printf(b, "%zu of %zu functions with %g %% of the samples or more are",
				  l->nr_undecided, l->nr_looked_at, 100 * DIFFERENCE_LIMIT_SHARE);
	if (!err)
		err = buf__printf(b, "%s above %g %%", page->limit_opts->function ? " is" : "",
				  limit);
	if (!err && !page->limit_opts->function && difference__is_sure(page->d, page->limit->row)) {
		err = buf__puts(b, ", least of ");
		if (!err)
			err = put_name(b, page);
	}
	return err ? err : put_cure(b, page);
}

int print__diff_limit(struct buf *b, const struct diff_page *page)
{
	const struct difference_limit *l = page->limit;
	const double limit = 100 * page->limit_opts->limit;

	if (l->nr_above)
		return put_above(b, page);
	if (l->nr_undecided)
		return put_undecided(b, page);
	return buf__printf(b, "no function%s is above %g %%",
			   page->limit_opts->function ? " of that name"
						      : " with 1 % of the samples or more",
			   limit);
}
