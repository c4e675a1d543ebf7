// SPDX-License-Identifier: BSD-2-Clause
/* Both sides as a page, and which of its functions have changed for sure. */
#include <errno.h>
#include <stdlib.h>

#include "base/buf.h"
#include "model/overlay.h"
#include "model/profile.h"
#include "print/diff.h"
#include "print/flame/html.h"

/* "A: old.pmut", "B: new-1.pmut and 3 more" */
static int name_side(struct buf *b, const struct diff_side *side, char letter)
{
	int err = buf__printf(b, "%c: %s", letter, side->files[0]);

	if (!err && side->nr_files > 1)
		err = buf__printf(b, " and %zu more", side->nr_files - 1);
	return err;
}

/* By frame of the overlay. 0 or -ENOMEM. */
static int find_sure(bool *sure, const struct profile *overlay, struct difference *d)
{
	const size_t nr = d->names.nr;
	bool *changed = calloc(nr + 1, sizeof(*changed));
	uint32_t function;
	int err = 0;

	if (!changed)
		return -ENOMEM;
	for (size_t i = 0; i < d->nr; i++)
		changed[d->rows[i].function] = d->rows[i].verdict == VERDICT_CHANGED;
	for (uint32_t i = 0; i < overlay->nr_frames && !err; i++) {
		err = tally_names__of(&d->names, overlay, i, &function);
		sure[i] = !err && function < nr && changed[d->same[function]];
	}
	free(changed);
	return err;
}

int print__diff_html(FILE *f, const struct diff_page *page)
{
	const struct profile *const sides[2] = { page->sides[0].p, page->sides[1].p };
	const uint32_t events[2] = { page->sides[0].event, page->sides[1].event };
	struct buf texts[2] = {};
	struct profile *overlay;
	bool *sure = NULL;
	int err = overlay__new(&overlay, sides, events);

	for (int side = 0; side < 2 && !err; side++)
		err = name_side(&texts[side], &page->sides[side], side ? 'B' : 'A');
	if (!err) {
		sure = calloc(overlay->nr_frames + 1, sizeof(*sure));
		err = sure ? find_sure(sure, overlay, page->totals) : -ENOMEM;
	}
	if (!err) {
		const char *const names[2] = { texts[0].data, texts[1].data };
		const struct html_opts opts = { .command = "diff", .sides = names, .sure = sure };

		err = print__html(f, overlay, &opts);
	}
	profile__free(overlay);
	free(sure);
	buf__free(&texts[0]);
	buf__free(&texts[1]);
	return err;
}
