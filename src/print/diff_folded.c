// SPDX-License-Identifier: BSD-2-Clause
/* Stacks with the samples of both sides. */
#include "model/overlay.h"
#include "model/profile.h"
#include "print/diff.h"
#include "print/folded.h"

int print__diff_folded(FILE *f, const struct diff_page *page)
{
	const struct profile *const sides[2] = { page->sides[0].p, page->sides[1].p };
	const uint32_t events[2] = { page->sides[0].event, page->sides[1].event };
	const double a = (double)page->d->sides[0].samples, b = (double)page->d->sides[1].samples;
	struct profile *overlay;
	int err = overlay__new(&overlay, sides, events);

	if (!err)
		err = print__folded_pair(f, overlay, page->d->opts.absolute ? 1 : b / a);
	profile__free(overlay);
	return err;
}
