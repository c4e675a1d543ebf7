// SPDX-License-Identifier: BSD-2-Clause
/* Lays both sides over one another, names them, and finds which functions have changed for sure. */
#include "print/diff_sides.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "model/overlay.h"
#include "model/profile.h"

static int name_side(struct buf *b, const struct diff_side *side, char letter)
{
	int err = buf__printf(b, "%c: ", letter);

	if (!err)
		err = utf8__put_valid(b, side->files[0], strlen(side->files[0]));
	if (!err && side->nr_files > 1)
		err = buf__printf(b, " and %zu more", side->nr_files - 1);
	return err;
}

/* By frame of the overlay. 0 or -ENOMEM. */
static int find_sure(int8_t *sure, const struct profile *overlay, struct difference *d)
{
	const size_t nr = d->names.nr;
	int8_t *changed = calloc(nr + 1, sizeof(*changed));
	uint32_t function;
	int err = 0;

	if (!changed)
		return -ENOMEM;
	for (size_t i = 0; i < d->nr; i++) {
		const struct difference_row *row = &d->rows[i];

		if (row->verdict == VERDICT_CHANGED)
			changed[row->function] = row->r.rate[1] < row->r.rate[0] ? -1 : 1;
	}
	for (uint32_t i = 0; i < overlay->nr_frames && !err; i++) {
		err = tally_names__of(&d->names, overlay, i, &function);
		sure[i] = !err && function < nr ? changed[d->same[function]] : 0;
	}
	free(changed);
	return err;
}

int diff_sides__open(struct diff_sides *s, const struct diff_page *page)
{
	const struct profile *const sides[2] = { page->sides[0].p, page->sides[1].p };
	const uint32_t events[2] = { page->sides[0].event, page->sides[1].event };
	int err = overlay__new(&s->overlay, sides, events);

	for (int side = 0; side < 2 && !err; side++) {
		err = name_side(&s->texts[side], &page->sides[side], side ? 'B' : 'A');
		s->names[side] = s->texts[side].data;
	}
	if (err)
		return err;
	s->sure = calloc(s->overlay->nr_frames + 1, sizeof(*s->sure));
	return s->sure ? find_sure(s->sure, s->overlay, page->totals) : -ENOMEM;
}

void diff_sides__free(struct diff_sides *s)
{
	profile__free(s->overlay);
	free(s->sure);
	buf__free(&s->texts[0]);
	buf__free(&s->texts[1]);
}
