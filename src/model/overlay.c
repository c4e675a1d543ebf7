// SPDX-License-Identifier: BSD-2-Clause
/* Copies the stacks of two profiles into one. */
#include "model/overlay.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "model/profile.h"
#include "model/profile_copy.h"

static int add_side(struct profile *to, const struct profile *from, uint32_t event, bool is_second)
{
	uint32_t *frames = calloc(from->nr_frames + 1, sizeof(*frames));
	uint32_t *nodes = calloc(from->nr_nodes, sizeof(*nodes));
	int err = frames && nodes ? 0 : -ENOMEM;

	for (size_t i = 0; i < from->nr_frames && !err; i++)
		err = profile_copy__frame(to, from, i, false, &frames[i]);
	for (size_t i = 1; i < from->nr_nodes && !err; i++)
		err = profile__child(to, nodes[from->nodes[i].parent], frames[from->nodes[i].frame],
				     &nodes[i]);
	for (size_t i = 0; i < from->nr_rows && !err; i++) {
		const struct row *row = &from->rows[i];
		const struct row_key key = { .stack = nodes[row->key.stack] };

		if (row->key.event == event)
			err = profile__add(to, &key, row->samples, is_second ? row->samples : 0,
					   NULL);
	}
	free(frames);
	free(nodes);
	return err;
}

/* What is there by now, and was not before. */
static int end_side(struct profile *to, const struct profile *from, int side)
{
	struct losses lost = from->losses;
	int err = 0;

	to->losses.seen += lost.seen;
	to->losses.kept += lost.kept;
	to->losses.untold |= lost.untold;
	for (unsigned i = 0; i < lost.nr && !err; i++) {
		err = profile__keep_loss(to, &lost.by[i]);
		if (!err)
			losses__add(&to->losses, &lost.by[i]);
	}
	return err ? err : profile__close_window(to, (uint64_t)side + 1);
}

int overlay__new(struct profile **out, const struct profile *const sides[2],
		 const uint32_t events[2])
{
	struct profile_event event;
	struct profile *p;
	uint32_t id;
	int err;

	*out = NULL;
	if (events[0] >= sides[0]->nr_events || events[1] >= sides[1]->nr_events)
		return -EINVAL;
	event = (struct profile_event){ .name = sides[0]->events[events[0]].name, .unit = "" };
	p = profile__new();
	if (!p)
		return -ENOMEM;
	err = profile__event(p, &event, &id);
	for (int side = 0; side < 2 && !err; side++) {
		err = add_side(p, sides[side], events[side], side);
		if (!err)
			err = end_side(p, sides[side], side);
	}
	if (err)
		profile__free(p);
	else
		*out = p;
	return err;
}
