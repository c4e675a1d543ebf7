// SPDX-License-Identifier: BSD-2-Clause
/* Periods of events, and weights of samples that were lost. */
#include "print/sampled.h"

#include <string.h>

uint64_t sampled__period(const struct profile_event *e, bool weights)
{
	if (e->period)
		return e->period;
	if (weights && !strcmp(e->unit, "ns") && e->hz)
		return 1000000000 / e->hz;
	return weights && e->samples && e->weight >= e->samples ? e->weight / e->samples : 1;
}

uint64_t sampled__lost_weight(const struct profile_event *e, const struct loss *loss)
{
	if (!strcmp(loss->name, "passed_over"))
		return e->passed_over;
	return e->samples ? (unsigned __int128)loss->n * e->weight / e->samples : 0;
}
