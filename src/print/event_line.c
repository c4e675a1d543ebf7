// SPDX-License-Identifier: BSD-2-Clause
/* Says of an event how many samples there are, and of the run what was lost, in half a line. */
#include "print/event_line.h"

#include <inttypes.h>
#include <stdbool.h>

#include "model/profile.h"

static bool has_flaws(const struct losses *l)
{
	for (unsigned i = 0; i < l->nr; i++)
		if (l->by[i].flaw && l->by[i].n)
			return true;
	return false;
}

static int put_losses(struct buf *b, const struct losses *l)
{
	uint64_t lost = losses__sum(l), known = l->kept + lost;
	int err = 0;

	if (known < l->seen)
		lost += l->seen - known;
	if (lost)
		err = buf__printf(b, "%" PRIu64 " lost", lost);
	else if (!l->untold)
		err = buf__puts(b, "nothing lost");
	if (!err && l->untold)
		err = buf__printf(b, "%swhat was lost before is not told", lost ? ", " : "");
	return err || !has_flaws(l) ? err : buf__puts(b, ", some incomplete");
}

int print__event_line(struct buf *b, const struct profile *p, uint32_t event, const char *noun)
{
	const struct profile_event *e = &p->events[event];
	int err = e->is_member ? buf__printf(b, "%s (%" PRIu64 " counted at the %ss of %s", e->name,
					     e->weight, noun, e->leader)
			       : buf__printf(b, "%s (%" PRIu64 " %ss", e->name, e->samples, noun);

	if (!err && e->in_tick)
		err = buf__puts(b, " in the tick");
	if (!err && e->running_ns < e->enabled_ns)
		err = buf__printf(b, ", counted %.1f %% of the time",
				  100.0 * (double)e->running_ns / (double)e->enabled_ns);
	if (!err)
		err = buf__puts(b, p->nr_events > 1 ? "; of all events " : ", ");
	if (!err)
		err = put_losses(b, &p->losses);
	return err ? err : buf__puts(b, ")");
}
