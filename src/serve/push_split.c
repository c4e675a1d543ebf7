// SPDX-License-Identifier: BSD-2-Clause
/* Halves a profile until its parts are small enough. */
#include "serve/push_split.h"

#include <errno.h>
#include <stdlib.h>

#include "model/profile.h"

static const struct push_limits limits_default = {
	.max_rows = PUSH_SAMPLES - LOSSES_MAX,
	.max_bytes = PUSH_BYTES,
};

static const uint64_t APART_NS = 1000000;

const struct push_limits *push_limits__default(void)
{
	return &limits_default;
}

struct row_range {
	size_t first, end;
};

static bool is_in_range(void *arg, const struct profile *p, const struct row *row)
{
	const struct row_range *range = arg;
	const size_t i = row - p->rows;

	return i >= range->first && i < range->end;
}

static void drop_times_and_losses(struct profile *p)
{
	const uint64_t kept = p->losses.seen - losses__sum(&p->losses);

	p->losses = (struct losses){ .seen = kept, .kept = kept };
	p->own_ns = 0;
	for (size_t i = 0; i < p->nr_events; i++)
		p->events[i].enabled_ns = p->events[i].running_ns = p->events[i].passed_over = 0;
}

int push_split__rows(struct profile **out, const struct profile *p, size_t first, size_t end,
		     bool losses)
{
	struct row_range range = { first, end };
	int err;

	*out = profile__like(p);
	if (!*out)
		return -ENOMEM;
	err = profile__merge_some(*out, p, is_in_range, &range);
	if (!err && !losses)
		drop_times_and_losses(*out);
	if (err) {
		profile__free(*out);
		*out = NULL;
	}
	return err;
}

struct splitting {
	struct push_parts *parts;
	enum push_kind kind;
	const struct push_profile *p;
	const struct push_limits *limits;
};

/* -E2BIG: the part is too large, and can be halved. */
static int add_part(struct splitting *s, const struct profile *profile, bool is_divisible)
{
	struct push_profile one = *s->p;
	struct push_part part = {};
	int err;

	one.profile = profile;
	one.begin_ns += s->parts->nr * APART_NS;
	part.begin_ns = one.begin_ns;
	err = push_body__make(&part.body, s->kind, &one);
	if (!err && is_divisible && part.body.unpacked > s->limits->max_bytes)
		err = -E2BIG;
	if (!err)
		err = array__grow(&s->parts->items, &s->parts->cap, s->parts->nr + 1);
	if (err)
		buf__free(&part.body.bytes);
	else
		s->parts->items[s->parts->nr++] = part;
	return err;
}

static int add_rows(struct splitting *s, size_t first, size_t end)
{
	const bool is_all = !first && end == s->p->profile->nr_rows;
	const size_t middle = first + (end - first) / 2;
	struct profile *some = NULL;
	int err = 0;

	if (end - first <= s->limits->max_rows) {
		if (!is_all)
			err = push_split__rows(&some, s->p->profile, first, end, !first);
		if (!err)
			err = add_part(s, is_all ? s->p->profile : some, end - first > 1);
		profile__free(some);
		if (err != -E2BIG)
			return err;
	}
	err = add_rows(s, first, middle);
	return err ? err : add_rows(s, middle, end);
}

int push_parts__make(struct push_parts *out, enum push_kind kind, const struct push_profile *p,
		     const struct push_limits *limits)
{
	struct splitting s = { out, kind, p, limits };

	if (!p->profile->nr_rows && !losses__sum(&p->profile->losses))
		return 0;
	return add_rows(&s, 0, p->profile->nr_rows);
}

void push_parts__free(struct push_parts *parts)
{
	for (size_t i = 0; i < parts->nr; i++)
		buf__free(&parts->items[i].body.bytes);
	free(parts->items);
	*parts = (struct push_parts){};
}
