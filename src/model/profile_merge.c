// SPDX-License-Identifier: BSD-2-Clause
/* Copies rows, times and losses from one profile into another of the same events. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strtab.h"
#include "model/profile.h"
#include "model/profile_copy.h"

static int copy_head(struct profile *to, const struct profile *from)
{
	int err = profile__set_buckets(to, &from->buckets);
	uint32_t id;

	if (!err)
		err = profile__set_about(to, &from->about);
	to->by = from->by;
	to->nr_cpus = from->nr_cpus;
	to->names_event = from->names_event;
	for (size_t i = 0; i < from->nr_events && !err; i++) {
		struct profile_event ev = from->events[i];

		ev.samples = ev.weight = ev.enabled_ns = ev.running_ns = ev.passed_over = 0;
		err = profile__event(to, &ev, &id);
	}
	for (size_t i = 0; i < from->nr_fields && !err; i++)
		err = profile__field(to, from->fields[i].name, from->fields[i].kind);
	for (size_t i = 0; i < from->nr_metrics && !err; i++)
		err = profile__metric(to, &from->metrics[i]);
	return err;
}

struct profile *profile__like(const struct profile *p)
{
	struct profile *fresh = profile__new();

	if (fresh && copy_head(fresh, p)) {
		profile__free(fresh);
		fresh = NULL;
	}
	return fresh;
}

/* Both are sampled, or members of the same event's group. */
static bool is_same_kind(const struct profile_event *a, const struct profile_event *b)
{
	return a->is_member == b->is_member && (!a->is_member || !strcmp(a->leader, b->leader));
}

static bool has_event(const uint32_t *events, size_t nr, uint32_t event)
{
	for (size_t i = 0; i < nr; i++)
		if (events[i] == event)
			return true;
	return false;
}

void profile__note_run(struct profile *p, const uint32_t *events, size_t nr, size_t nr_before)
{
	for (size_t i = 0; i < nr; i++) {
		struct profile_event *leader = &p->events[events[i]];

		for (uint32_t m = 0; m < p->nr_events && !leader->is_member; m++) {
			const struct profile_event *e = &p->events[m];
			const bool is_new = m >= nr_before && events[i] < nr_before;

			if (!e->is_member || strcmp(e->leader, leader->name))
				continue;
			leader->is_partly |=
				!has_event(events, nr, m) || (is_new && leader->samples);
		}
	}
}

int profile__same_event(struct profile *p, const struct profile_event *ev, uint32_t *id)
{
	struct profile_event fresh = {
		.name = ev->name,
		.unit = ev->unit,
		.hz = ev->hz,
		.period = ev->period,
		.is_member = ev->is_member,
		.leader = ev->leader,
		.in_tick = ev->in_tick,
	};

	for (*id = 0; *id < p->nr_events; ++*id) {
		struct profile_event *e = &p->events[*id];

		if (strcmp(e->name, ev->name) || strcmp(e->unit, ev->unit) || !is_same_kind(e, ev))
			continue;
		e->hz = e->hz == ev->hz ? e->hz : 0;
		e->period = e->period == ev->period ? e->period : 0;
		e->in_tick |= ev->in_tick;
		return 0;
	}
	return profile__event(p, &fresh, id);
}

int profile_copy__string(struct profile *to, const struct profile *from, uint32_t id, uint32_t *out)
{
	return strtab__add(to->strings, strtab__get(from->strings, id),
			   strtab__len(from->strings, id), out);
}

static int copy_place(struct profile *to, const struct profile *from, uint32_t frame, uint32_t *id)
{
	struct code_place place;
	int err;

	if (!profile__place_of(from, frame, &place))
		return 0;
	err = profile_copy__string(to, from, place.path, &place.path);
	if (!err)
		err = profile_copy__string(to, from, place.build_id, &place.build_id);
	if (!err)
		err = profile_copy__string(to, from, place.source, &place.source);
	return err ? err : profile__place(to, &place, id);
}

int profile_copy__frame(struct profile *to, const struct profile *from, uint32_t id, bool places,
			uint32_t *out)
{
	struct frame f = { .kind = from->frames[id].kind };
	int err = profile_copy__string(to, from, from->frames[id].name, &f.name);

	if (!err)
		err = profile_copy__string(to, from, from->frames[id].module, &f.module);
	if (!err && places)
		err = copy_place(to, from, id, &f.place);
	return err ? err : profile__frame(to, &f, out);
}

/* What of another profile is meant. */
struct choice {
	bool no_places; /* of frames */
	bool of_rows;	/* no frames and stacks that no row has */
	/* Frames that others stand for: profile__merge_renamed(); or NULL. */
	const struct frame_chain *chains;
	const uint32_t *ids;
	/* Which rows; NULL: all. */
	bool (*wants)(void *arg, const struct profile *p, const struct row *row);
	void *arg;
	uint64_t kept; /* samples of them */
	/* What those rows have on their stacks; NULL: all that there is. */
	bool *nodes, *frames;
};

/* Whoever gets a part of a profile is not to get the names of the rest. 0 or -ENOMEM. */
static int find_needed(const struct profile *from, struct choice *choice)
{
	if (!choice->wants && !choice->of_rows)
		return 0;
	choice->nodes = calloc(from->nr_nodes, sizeof(*choice->nodes));
	choice->frames = calloc(from->nr_frames + 1, sizeof(*choice->frames));
	if (!choice->nodes || !choice->frames)
		return -ENOMEM;
	for (size_t i = 0; i < from->nr_rows; i++)
		if (!choice->wants || choice->wants(choice->arg, from, &from->rows[i]))
			choice->nodes[from->rows[i].key.stack] = true;
	for (size_t i = from->nr_nodes; i-- > 1;) {
		if (!choice->nodes[i])
			continue;
		choice->nodes[from->nodes[i].parent] = true;
		choice->frames[from->nodes[i].frame] = true;
	}
	return 0;
}

static int copy_frames(struct profile *to, const struct profile *from, uint32_t *frames,
		       const struct choice *choice)
{
	int err = 0;

	for (size_t i = 0; i < from->nr_frames && !err; i++)
		if (!choice->frames || choice->frames[i])
			err = profile_copy__frame(to, from, i, !choice->no_places, &frames[i]);
	return err;
}

static int copy_nodes(struct profile *to, const struct profile *from, const uint32_t *frames,
		      const struct choice *choice, uint32_t *nodes)
{
	int err = 0;

	for (size_t i = 1; i < from->nr_nodes && !err; i++)
		if (!choice->nodes || choice->nodes[i])
			err = profile__child(to, nodes[from->nodes[i].parent],
					     frames[from->nodes[i].frame], &nodes[i]);
	return err;
}

/* *node: the caller's, becomes the innermost one's. */
static int add_chain(struct profile *to, const struct frame_chain *chain, const uint32_t *ids,
		     uint32_t *node)
{
	int err = 0;

	for (uint32_t i = 0; i < chain->nr && !err; i++)
		err = profile__child(to, *node, ids[chain->first + i], node);
	return err;
}

static int rename_nodes(struct profile *to, const struct profile *from, const uint32_t *frames,
			const struct choice *choice, uint32_t *nodes)
{
	bool *renamed = calloc(from->nr_nodes, sizeof(*renamed));
	int err = renamed ? 0 : -ENOMEM;

	for (size_t i = 1; i < from->nr_nodes && !err; i++) {
		const struct stack_node *n = &from->nodes[i];
		const struct frame_chain *chain = &choice->chains[n->frame];

		nodes[i] = nodes[n->parent];
		renamed[i] = chain->nr ||
			     (renamed[n->parent] && from->frames[n->frame].kind == FRAME_INLINED);
		if (chain->nr)
			err = add_chain(to, chain, choice->ids, &nodes[i]);
		else if (!renamed[i])
			err = profile__child(to, nodes[i], frames[n->frame], &nodes[i]);
	}
	free(renamed);
	return err;
}

/* *rows: what number each has in @to, UINT32_MAX: none. */
static int copy_rows(struct profile *to, const struct profile *from, const uint32_t *events,
		     const uint32_t *nodes, uint32_t *rows, struct choice *choice)
{
	int err = 0;

	for (size_t i = 0; i < from->nr_rows && !err; i++) {
		struct row row = from->rows[i];

		rows[i] = UINT32_MAX;
		if (choice->wants && !choice->wants(choice->arg, from, &from->rows[i]))
			continue;
		choice->kept += row.samples;
		row.key.stack = nodes[row.key.stack];
		row.key.event = events[row.key.event];
		err = profile_copy__string(to, from, row.key.cgroup, &row.key.cgroup);
		if (!err)
			err = profile__row(to, &row.key, &rows[i]);
		if (!err)
			profile__grow(to, rows[i], row.samples, row.weight);
	}
	return err;
}

/* Those of several runs do not follow one another: only of the first one that is merged. */
static int copy_windows(struct profile *to, const struct profile *from, const uint32_t *rows,
			bool is_first)
{
	if (is_first)
		return windows__copy(&to->windows, &from->windows, rows, from->nr_events);
	windows__free(&to->windows);
	return 0;
}

void profile_copy__run(struct profile *to, const struct profile *from, const uint32_t *events,
		       uint64_t seen, uint64_t kept)
{
	to->duration_ns += from->duration_ns;
	to->own_ns += from->own_ns;
	for (size_t i = 0; i < from->nr_events; i++) {
		struct profile_event *e = &to->events[events[i]];

		e->enabled_ns += from->events[i].enabled_ns;
		e->running_ns += from->events[i].running_ns;
		e->passed_over += from->events[i].passed_over;
	}
	to->losses.seen += seen;
	to->losses.kept += kept;
	to->losses.untold |= from->losses.untold;
	for (unsigned i = 0; i < from->losses.nr; i++)
		losses__add(&to->losses, &from->losses.by[i]);
}

static void add_run(struct profile *to, const struct profile *from, const uint32_t *events,
		    const struct choice *choice)
{
	if (choice->wants)
		profile_copy__run(to, from, events, choice->kept + losses__sum(&from->losses),
				  choice->kept);
	else
		profile_copy__run(to, from, events, from->losses.seen, from->losses.kept);
}

/* @events: which one of @to each of @from is. */
static int merge(struct profile *to, const struct profile *from, const uint32_t *events,
		 struct choice *choice)
{
	uint32_t *frames = calloc(from->nr_frames + 1, sizeof(*frames));
	uint32_t *nodes = calloc(from->nr_nodes, sizeof(*nodes));
	uint32_t *rows = calloc(from->nr_rows + 1, sizeof(*rows));
	const bool is_first = !to->nr_rows;
	int err = frames && nodes && rows ? 0 : -ENOMEM;

	if (from->nr_fields || from->nr_metrics)
		err = -EINVAL;
	if (!err)
		err = find_needed(from, choice);
	if (!err)
		err = copy_frames(to, from, frames, choice);
	if (!err)
		err = choice->chains ? rename_nodes(to, from, frames, choice, nodes)
				     : copy_nodes(to, from, frames, choice, nodes);
	if (!err)
		err = copy_rows(to, from, events, nodes, rows, choice);
	if (!err)
		err = copy_windows(to, from, rows, is_first);
	if (!err)
		add_run(to, from, events, choice);
	free(frames);
	free(nodes);
	free(rows);
	free(choice->nodes);
	free(choice->frames);
	return err;
}

/* Events are the same. */
static int merge_same(struct profile *to, const struct profile *from, struct choice *choice)
{
	uint32_t *events = calloc(from->nr_events + 1, sizeof(*events));
	int err = events ? 0 : -ENOMEM;

	for (size_t i = 0; i < from->nr_events && !err; i++)
		events[i] = i;
	if (to->nr_events != from->nr_events)
		err = -EINVAL;
	if (!err)
		err = merge(to, from, events, choice);
	free(events);
	return err;
}

int profile__merge(struct profile *to, const struct profile *from)
{
	struct choice all = {};

	return merge_same(to, from, &all);
}

int profile__merge_some(struct profile *to, const struct profile *from,
			bool (*wants)(void *arg, const struct profile *p, const struct row *row),
			void *arg)
{
	struct choice choice = { .wants = wants, .arg = arg };

	return merge_same(to, from, &choice);
}

int profile__merge_renamed(struct profile *to, const struct profile *from,
			   const struct frame_chain *chains, const uint32_t *ids)
{
	struct choice choice = { .chains = chains, .ids = ids };

	return merge_same(to, from, &choice);
}

static int copy(struct profile **out, const struct profile *p, struct choice *choice)
{
	int err;

	*out = profile__like(p);
	if (!*out)
		return -ENOMEM;
	err = merge_same(*out, p, choice);
	if (!err)
		return 0;
	profile__free(*out);
	*out = NULL;
	return err;
}

int profile__without_places(struct profile **out, const struct profile *p)
{
	struct choice choice = { .no_places = true };

	return copy(out, p, &choice);
}

int profile__copy(struct profile **out, const struct profile *p)
{
	struct choice choice = { .of_rows = true };
	int err = copy(out, p, &choice);

	if (!err)
		(*out)->check = p->check;
	return err;
}

int profile__join(struct profile *to, const struct profile *from)
{
	struct choice all = {};
	uint32_t *events = calloc(from->nr_events + 1, sizeof(*events));
	const size_t nr_before = to->nr_events;
	int err = events ? 0 : -ENOMEM;

	for (size_t i = 0; i < from->nr_events && !err; i++)
		err = profile__same_event(to, &from->events[i], &events[i]);
	to->by |= from->by;
	if (!err)
		profile__note_run(to, events, from->nr_events, nr_before);
	for (size_t i = 0; i < from->nr_events && !err; i++)
		to->events[events[i]].is_partly |= from->events[i].is_partly;
	if (!err)
		err = merge(to, from, events, &all);
	/* Windows are of the events that there are; those may be more now. */
	windows__free(&to->windows);
	free(events);
	return err;
}
