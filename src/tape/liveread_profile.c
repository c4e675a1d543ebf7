// SPDX-License-Identifier: BSD-2-Clause
/* Reads what was sampled in an interval of a recording, and makes a profile of it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strtab.h"
#include "tape/liveread.h"
#include "tape/liveread_parts.h"

struct node {
	uint32_t id, depth;
};

/* Numbers of the file -> ids of the profile. Texts that were cut may be equal: they have one id. */
struct taking {
	struct liveread_state *s;
	struct cursor *c;
	struct profile *p;
	uint32_t *strings, *frames;
	struct node *nodes;
	uint32_t nr_strings, nr_frames, nr_nodes;
};

/* The number of a list; 0 and bad if so many items, of @bytes at least, cannot follow. */
static uint32_t take_number(struct cursor *c, size_t bytes, uint32_t max)
{
	uint32_t nr = cursor__u32(c);

	if (nr <= max && nr <= c->left / bytes)
		return nr;
	c->bad = true;
	return 0;
}

static int keep_text(struct profile *p, const char *text, const char **kept)
{
	uint32_t id;
	int err = text ? profile__string(p, text, strlen(text), &id) : 0;

	if (!err)
		*kept = text ? strtab__get(p->strings, id) : NULL;
	return err;
}

/* Texts live as long as the profile. */
static int take_loss(struct taking *t)
{
	struct losses *to = &t->p->losses;
	struct loss loss = {}, kept;
	int err = cursor__loss(t->c, &t->s->text, &loss);

	kept = loss;
	if (!err)
		err = keep_text(t->p, loss.name, &kept.name);
	if (!err)
		err = keep_text(t->p, loss.text, &kept.text);
	if (!err)
		err = keep_text(t->p, loss.cure, &kept.cure);
	if (!err)
		to->by[to->nr++] = kept;
	free((void *)loss.name);
	free((void *)loss.text);
	free((void *)loss.cure);
	return err;
}

static int take_head(struct taking *t)
{
	struct profile *p = t->p;

	p->duration_ns = cursor__u64(t->c);
	p->nr_cpus = cursor__u32(t->c);
	p->by = cursor__u32(t->c) & LIVEREAD_BY;
	p->losses.seen = cursor__u64(t->c);
	p->losses.kept = cursor__u64(t->c);
	return 0;
}

static int take_losses(struct taking *t)
{
	uint32_t nr = take_number(t->c, 18, LOSSES_MAX);
	int err = 0;

	for (uint32_t i = 0; i < nr && !err; i++)
		err = take_loss(t);
	return err;
}

static int take_events(struct taking *t)
{
	uint32_t nr = take_number(t->c, 36, LIVEREAD_EVENTS_SAMPLED_MAX), id;
	int err = 0;

	for (uint32_t i = 0; i < nr && !err; i++) {
		struct profile_event e = {};

		err = cursor__text(t->c, &t->s->text);
		if (!err)
			err = cursor__text(t->c, &t->s->more);
		e.hz = cursor__u64(t->c);
		e.period = cursor__u64(t->c);
		e.enabled_ns = cursor__u64(t->c);
		e.running_ns = cursor__u64(t->c);
		e.name = t->s->text.data;
		e.unit = t->s->more.data;
		if (!err)
			err = profile__event(t->p, &e, &id);
	}
	return err;
}

static int take_strings(struct taking *t)
{
	uint32_t nr = take_number(t->c, 2, LIVEREAD_SAMPLES_MAX);
	int err = 0;

	t->nr_strings = nr + 1;
	t->strings = calloc(t->nr_strings, sizeof(*t->strings));
	if (!t->strings)
		return -ENOMEM;
	for (uint32_t i = 1; i <= nr && !err; i++) {
		struct cursor text = cursor__part(t->c, cursor__u16(t->c));

		err = profile__string(t->p, (const char *)text.at, text.left, &t->strings[i]);
	}
	return err;
}

static int take_frames(struct taking *t)
{
	int err = 0;

	t->nr_frames = take_number(t->c, 12, LIVEREAD_SAMPLES_MAX);
	t->frames = calloc(t->nr_frames + 1, sizeof(*t->frames));
	if (!t->frames)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->nr_frames && !err; i++) {
		uint32_t name = cursor__u32(t->c), module = cursor__u32(t->c);
		struct frame f = { .kind = cursor__u32(t->c) };

		if (name >= t->nr_strings || module >= t->nr_strings || f.kind >= FRAME_KINDS)
			return -EBADMSG;
		f.name = t->strings[name];
		f.module = t->strings[module];
		err = profile__frame(t->p, &f, &t->frames[i]);
	}
	return err;
}

static int take_node(struct taking *t, uint32_t i)
{
	uint32_t parent = cursor__u32(t->c), frame = cursor__u32(t->c);
	bool is_command;

	if (parent >= i || frame >= t->nr_frames || t->nodes[parent].depth == LIVEREAD_DEPTH_MAX)
		return -EBADMSG;
	is_command = t->p->frames[t->frames[frame]].kind == FRAME_COMM;
	if (is_command != !parent)
		return -EBADMSG;
	t->nodes[i].depth = t->nodes[parent].depth + 1;
	return profile__child(t->p, t->nodes[parent].id, t->frames[frame], &t->nodes[i].id);
}

static int take_nodes(struct taking *t)
{
	uint32_t nr = take_number(t->c, 8, LIVEREAD_SAMPLES_MAX);
	int err = 0;

	t->nr_nodes = nr + 1;
	t->nodes = calloc(t->nr_nodes, sizeof(*t->nodes));
	if (!t->nodes)
		return -ENOMEM;
	for (uint32_t i = 1; i <= nr && !err; i++)
		err = take_node(t, i);
	return err;
}

/* False: the sums of the event would overflow. */
static bool fits(const struct profile_event *e, uint64_t samples, uint64_t weight)
{
	return samples <= UINT64_MAX - e->samples && weight <= UINT64_MAX - e->weight;
}

static int take_rows(struct taking *t)
{
	uint32_t nr = take_number(t->c, 36, LIVEREAD_SAMPLES_MAX);
	int err = 0;

	for (uint32_t i = 0; i < nr && !err; i++) {
		struct row_key key = { .event = cursor__u32(t->c) };
		uint64_t samples, weight;
		uint32_t cgroup, node;

		key.pid = cursor__u32(t->c);
		key.tid = cursor__u32(t->c);
		cgroup = cursor__u32(t->c);
		node = cursor__u32(t->c);
		samples = cursor__u64(t->c);
		weight = cursor__u64(t->c);
		if (key.event >= t->p->nr_events || cgroup >= t->nr_strings || !node ||
		    node >= t->nr_nodes || !fits(&t->p->events[key.event], samples, weight))
			return -EBADMSG;
		key.cgroup = t->strings[cgroup];
		key.stack = t->nodes[node].id;
		err = profile__add(t->p, &key, samples, weight, NULL);
	}
	return err;
}

int liveread__profile(struct liveread_state *s, struct cursor *part)
{
	/* Strings come first: they get the numbers that they had when it was recorded. */
	static int (*const takes[])(struct taking * t) = {
		take_head,   take_strings, take_losses, take_events,
		take_frames, take_nodes,   take_rows,
	};
	struct taking t = { .s = s, .c = part };
	int err = 0;

	t.p = *s->samples = profile__new();
	if (!t.p)
		return -ENOMEM;
	for (size_t i = 0; i < ARRAY_SIZE(takes) && !err && !part->bad; i++)
		err = takes[i](&t);
	free(t.strings);
	free(t.frames);
	free(t.nodes);
	return err;
}
