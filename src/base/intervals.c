// SPDX-License-Identifier: BSD-2-Clause
/* Works out the boundaries of -I, and leaves out one that falls on the run's end. */
#include "base/intervals.h"

/* A boundary this near to the end is the end: the run's own clock begins a little later. */
enum { SLACK_NS = 1000000 };

static void leave_out_the_end(struct intervals *i)
{
	if (i->next_ns >= i->end_ns || i->end_ns - i->next_ns < SLACK_NS)
		i->next_ns = UINT64_MAX;
}

void intervals__begin(struct intervals *i, uint64_t length_ns, uint64_t duration_ns,
		      uint64_t now_ns)
{
	*i = (struct intervals){
		.length_ns = length_ns,
		.next_ns = length_ns ? now_ns + length_ns : UINT64_MAX,
		.end_ns = duration_ns ? now_ns + duration_ns : UINT64_MAX,
	};
	leave_out_the_end(i);
}

bool intervals__due(const struct intervals *i, uint64_t now_ns)
{
	return i->next_ns != UINT64_MAX && now_ns >= i->next_ns;
}

void intervals__next(struct intervals *i)
{
	i->next_ns += i->length_ns;
	leave_out_the_end(i);
}

unsigned intervals__patience_ms(const struct intervals *i, uint64_t now_ns, unsigned most_ms)
{
	uint64_t left_ns;

	if (i->next_ns == UINT64_MAX)
		return most_ms;
	if (now_ns >= i->next_ns)
		return 0;
	left_ns = i->next_ns - now_ns;
	return left_ns / 1000000 < most_ms ? (left_ns + 999999) / 1000000 : most_ms;
}
