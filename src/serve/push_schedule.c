// SPDX-License-Identifier: BSD-2-Clause
/* Spreads windows, backs off (exponentially, with full jitter), and spreads what has waited. */
#include "serve/push_schedule.h"

#define SECOND	    1000000000ull
#define PAUSE_MAX   (300 * SECOND)
#define LEVEL_MAX   (600 * SECOND)
#define ASKED_MAX   3600
#define DOUBLED_MAX 9 /* 512 s is more than the longest pause */

/* A part of @limit, as @random is one of 2^64. */
static uint64_t part_of(uint64_t limit, uint64_t random)
{
	return (unsigned __int128)limit * random >> 64;
}

void push_schedule__begin(struct push_schedule *s, uint64_t window_ns, uint64_t number)
{
	*s = (struct push_schedule){ .spread_ns = part_of(window_ns, number) };
}

void push_schedule__set_work(struct push_schedule *s, bool has_work, uint64_t now_ns)
{
	if (has_work && !s->has_work && s->due_ns < now_ns + s->spread_ns)
		s->due_ns = now_ns + s->spread_ns;
	s->has_work = has_work;
}

/* The last one goes when the time is over, with all that has come meanwhile. */
void push_schedule__arrived(struct push_schedule *s, uint64_t now_ns, uint64_t nr)
{
	uint64_t outage_ns = s->failures ? now_ns - s->failing_ns : 0;

	if (outage_ns > LEVEL_MAX)
		outage_ns = LEVEL_MAX;
	if (s->level_ns < now_ns + outage_ns)
		s->level_ns = now_ns + outage_ns;
	s->failures = 0;
	s->due_ns = nr && s->level_ns > now_ns ? now_ns + (s->level_ns - now_ns) / nr : 0;
}

void push_schedule__failed(struct push_schedule *s, uint64_t now_ns, uint64_t retry_after_s,
			   uint64_t random)
{
	uint64_t limit = SECOND << (s->failures < DOUBLED_MAX ? s->failures : DOUBLED_MAX);
	uint64_t pause;

	if (!s->failures++)
		s->failing_ns = now_ns;
	if (limit > PAUSE_MAX)
		limit = PAUSE_MAX;
	if (retry_after_s > ASKED_MAX)
		retry_after_s = ASKED_MAX;
	pause = retry_after_s
			? retry_after_s * SECOND + part_of(retry_after_s * SECOND / 10, random)
			: part_of(limit, random);
	s->due_ns = now_ns + pause;
}

void push_schedule__hurry(struct push_schedule *s)
{
	s->spread_ns = 0;
	s->level_ns = 0;
	if (!s->failures)
		s->due_ns = 0;
}

uint64_t push_schedule__due_ns(const struct push_schedule *s)
{
	return s->has_work ? s->due_ns : UINT64_MAX;
}
