// SPDX-License-Identifier: BSD-2-Clause
/* Reads the part of events of an interval of a recording. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tape/liveread.h"
#include "tape/liveread_parts.h"

static enum count_state state_of(uint32_t why)
{
	return why == LIVEREAD_COUNTED	       ? COUNT_COUNTED
	       : why == LIVEREAD_NO_PERMISSION ? COUNT_NO_PERMISSION
	       : why == LIVEREAD_NOT_COUNTED   ? COUNT_NOT_COUNTED
					       : COUNT_NOT_SUPPORTED;
}

/* The texts of *e are to be freed, whatever is returned. */
static int take_event(struct liveread_state *s, struct cursor *c, struct live_event *e)
{
	int err = liveread__text(s, c, &e->name);
	uint32_t why;

	if (!err)
		err = liveread__text(s, c, &e->unit);
	why = cursor__u32(c);
	e->state = state_of(why);
	if (!err)
		err = liveread__text(s, c, &e->why);
	if (!err && !why) {
		free((void *)e->why);
		e->why = NULL;
	}
	e->group = (int32_t)cursor__u32(c);
	e->enabled_ns = cursor__u64(c);
	e->running_ns = cursor__u64(c);
	return err;
}

/* The factors of values (live_event.scale); without them they are 1. */
static int take_scales(struct cursor *c, struct live_event *events, uint32_t nr)
{
	for (uint32_t i = 0; i < nr && c->left; i++) {
		uint64_t bits = cursor__u64(c);

		memcpy(&events[i].scale, &bits, sizeof(bits));
		if (!isfinite(events[i].scale) || events[i].scale <= 0)
			return -EBADMSG;
	}
	return 0;
}

int liveread__events(struct liveread_state *s, struct cursor *c)
{
	uint32_t nr = cursor__u32(c), i;
	struct live_event *events;
	int err = 0;

	/* Uses have a value for each event, also for those that could not be counted. */
	if (nr > live__most_events(s->live))
		return -EBADMSG;
	events = calloc(nr + 1, sizeof(*events));
	if (!events)
		return -ENOMEM;
	for (i = 0; i < nr && !err; i++)
		err = take_event(s, c, &events[i]);
	if (!err)
		err = take_scales(c, events, nr);
	if (!err && !c->bad)
		err = live__set_events(s->live, events, nr);
	for (i = 0; i < nr; i++) {
		free((void *)events[i].name);
		free((void *)events[i].unit);
		free((void *)events[i].why);
	}
	free(events);
	return err;
}
