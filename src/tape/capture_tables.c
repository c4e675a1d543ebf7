// SPDX-License-Identifier: BSD-2-Clause
/* Reads what the windows of a capture are about, and gives it ids of the profile. */
#include <errno.h>
#include <string.h>

#include "base/leb128.h"
#include "base/strtab.h"
#include "base/utf8.h"
#include "tape/capture_state.h"

enum { TEXT_MAX = 4096, PLACES_MAX = 65536 };

/* -ENOSPC is no failure: *id is CAPTURE_GONE then. */
int capture_tables__or_gone(int err, uint32_t *id)
{
	if (err != -ENOSPC)
		return err;
	*id = CAPTURE_GONE;
	return 0;
}

/* How many items follow, of a byte each at least. */
uint32_t capture_tables__list(struct capture_in *in)
{
	uint64_t nr = cursor__number(in->c);

	if (nr <= in->c->left)
		return nr;
	in->c->bad = true;
	return 0;
}

/* One line of UTF-8, in in->text. */
static int take_text(struct capture_in *in)
{
	struct cursor bytes = cursor__part(in->c, cursor__number(in->c));

	buf__clear(&in->text);
	return utf8__put_line(&in->text, (const char *)bytes.at, bytes.left, TEXT_MAX);
}

/* *kept: the profile's own, or @otherwise if there is no room. */
int capture_tables__text(struct capture_in *in, const char **kept, const char *otherwise)
{
	int err = take_text(in);
	uint32_t id;

	if (!err)
		err = profile__string(in->p, in->text.data, in->text.len, &id);
	*kept = err ? otherwise : strtab__get(in->p->strings, id);
	return err == -ENOSPC ? 0 : err;
}

/* What captures of several machines do not have in common is not known. */
static const char *common(const char *before, const char *now, bool is_first)
{
	return is_first || !strcmp(before, now) ? now : "";
}

int capture_tables__about(struct capture_in *in)
{
	struct profile *p = in->p;
	struct profile_about about = {};
	const bool is_first = !p->nr_events;
	unsigned nr_cpus;
	int err = in->has_about ? -EBADMSG : 0;

	in->has_about = true;
	about.begin_ns = cursor__number(in->c);
	(void)cursor__number(in->c); /* the duration is that of the windows */
	nr_cpus = cursor__number(in->c);
	p->nr_cpus = is_first || p->nr_cpus == nr_cpus ? nr_cpus : 0;
	in->by = cursor__number(in->c) & CAPTURE_BY;
	p->by |= in->by;
	p->losses.untold |= cursor__number(in->c) & CAPTURE_UNTOLD;
	in->keeps_windows = cursor__number(in->c) > 1 && is_first;
	in->is_new = is_first && !p->nr_frames && p->nr_nodes == 1 && !p->nr_rows;
	if (!err)
		err = capture_tables__text(in, &about.host, "");
	if (!err)
		err = capture_tables__text(in, &about.kernel, "");
	if (!err)
		err = capture_tables__text(in, &about.machine, "");
	if (!err)
		err = capture_tables__text(in, &about.cpu, "");
	if (err)
		return err;
	in->found->about = about;
	p->about = (struct profile_about){
		.host = common(p->about.host, about.host, is_first),
		.kernel = common(p->about.kernel, about.kernel, is_first),
		.machine = common(p->about.machine, about.machine, is_first),
		.cpu = common(p->about.cpu, about.cpu, is_first),
		.begin_ns = is_first ? about.begin_ns : 0,
	};
	return 0;
}

/* Numbers of events to come, @first or more: a bit for each. */
static int take_marked(struct capture_in *in, uint64_t first, uint64_t *marked)
{
	uint64_t nr = cursor__number(in->c);
	int err = in->has_events || nr > CAPTURE_EVENTS_MAX ? -EBADMSG : 0;

	for (uint64_t i = 0; i < nr && !err; i++) {
		const uint64_t event = cursor__number(in->c);

		if (event < first || event >= CAPTURE_EVENTS_MAX)
			err = -EBADMSG;
		else
			*marked |= 1ull << event;
	}
	return err;
}

/* Event 0 is their leader. */
int capture_tables__members(struct capture_in *in)
{
	return take_marked(in, 1, &in->members);
}

int capture_tables__in_tick(struct capture_in *in)
{
	return take_marked(in, 0, &in->in_tick);
}

int capture_tables__events(struct capture_in *in)
{
	const size_t nr_before = in->p->nr_events;
	uint64_t nr = cursor__number(in->c);
	int err = in->has_events || !in->has_about || nr > CAPTURE_EVENTS_MAX ? -EBADMSG : 0;

	in->has_events = true;
	for (uint32_t i = 0; i < nr && !err; i++) {
		struct profile_event e = {};

		err = capture_tables__text(in, &e.name, "other");
		if (!err)
			err = capture_tables__text(in, &e.unit, "");
		e.hz = cursor__number(in->c);
		e.period = cursor__number(in->c);
		e.is_member = in->members >> i & 1;
		e.in_tick = in->in_tick >> i & 1;
		if (e.is_member)
			e.leader = in->p->events[in->events[0]].name;
		if (!err)
			err = profile__same_event(in->p, &e, &in->events[i]);
		in->nr_events++;
	}
	if (!err)
		profile__note_run(in->p, in->events, in->nr_events, nr_before);
	return err;
}

int capture_tables__strings(struct capture_in *in)
{
	uint32_t nr = capture_tables__list(in);
	int err = array__grow(&in->strings, &in->cap_strings, in->nr_strings + nr);

	for (uint32_t i = 0; i < nr && !err; i++) {
		struct cursor text = cursor__part(in->c, cursor__number(in->c));
		uint32_t *id = &in->strings[in->nr_strings];

		err = capture_tables__or_gone(
			profile__string(in->p, (const char *)text.at, text.left, id), id);
		in->nr_strings++;
	}
	return err;
}

static int take_place(struct capture_in *in, struct capture_place *new, uint64_t *addr)
{
	uint64_t path, build_id, source, line, start_line;

	new->frame = cursor__number(in->c);
	path = cursor__number(in->c);
	build_id = cursor__number(in->c);
	*addr += leb128__unfold(cursor__number(in->c));
	new->at.addr = *addr;
	new->at.offset = *addr - leb128__unfold(cursor__number(in->c));
	source = cursor__number(in->c);
	line = cursor__number(in->c);
	start_line = cursor__number(in->c);
	if (path >= in->nr_strings || build_id >= in->nr_strings || source >= in->nr_strings ||
	    line > UINT32_MAX || start_line > UINT32_MAX || new->frame < in->nr_frames ||
	    (new != in->places &&new->frame <= new[-1].frame))
		return -EBADMSG;
	new->at.path = path;
	new->at.build_id = build_id;
	new->at.source = source;
	new->at.line = line;
	new->at.start_line = start_line;
	return 0;
}

/* They stay until the frames have come: the next part with some. */
int capture_tables__places(struct capture_in *in)
{
	uint32_t nr = in->o->places ? capture_tables__list(in) : 0;
	uint64_t addr = 0;
	int err = nr > PLACES_MAX ? -EBADMSG : 0;

	if (!err)
		err = array__grow(&in->places, &in->cap_places, nr);
	in->nr_places = in->next_place = 0;
	for (uint32_t i = 0; i < nr && !err && !in->c->bad; i++) {
		err = take_place(in, &in->places[i], &addr);
		in->nr_places++;
	}
	return err;
}

/* *place: of the frame that comes next, or 0: also if there is no room for it. */
static int place_of_next(struct capture_in *in, uint32_t *place)
{
	const struct capture_place *next = &in->places[in->next_place];
	struct code_place at;
	int err;

	*place = 0;
	if (in->next_place == in->nr_places || next->frame != in->nr_frames)
		return 0;
	in->next_place++;
	at = next->at;
	at.path = in->strings[at.path];
	at.build_id = in->strings[at.build_id];
	at.source = in->strings[at.source];
	if (at.path == CAPTURE_GONE || at.build_id == CAPTURE_GONE || at.source == CAPTURE_GONE)
		return 0;
	err = profile__place(in->p, &at, place);
	if (err)
		*place = 0;
	return err == -ENOSPC ? 0 : err;
}

int capture_tables__frames(struct capture_in *in)
{
	uint32_t nr = capture_tables__list(in);
	int err = array__grow(&in->frames, &in->cap_frames, in->nr_frames + nr);

	for (uint32_t i = 0; i < nr && !err; i++) {
		uint64_t name = cursor__number(in->c), module = cursor__number(in->c);
		uint64_t kind = cursor__number(in->c);
		uint32_t *id = &in->frames[in->nr_frames];
		struct frame f = { .kind = kind };

		if (name >= in->nr_strings || module >= in->nr_strings || kind >= FRAME_KINDS)
			return -EBADMSG;
		f.name = in->strings[name];
		f.module = in->strings[module];
		*id = CAPTURE_GONE;
		err = place_of_next(in, &f.place);
		if (!err && f.name != CAPTURE_GONE && f.module != CAPTURE_GONE)
			err = capture_tables__or_gone(profile__frame(in->p, &f, id), id);
		in->is_new &= *id == in->nr_frames;
		in->nr_frames++;
	}
	return err;
}

/* Commands are below the root, and nowhere else. */
static int check_level(const struct capture_in *in, uint32_t frame, bool is_first)
{
	return (in->p->frames[frame].kind == FRAME_COMM) == is_first ? 0 : -EBADMSG;
}

static int find_child(struct capture_in *in, uint32_t parent, uint32_t frame, uint32_t *id)
{
	int err = in->is_new ? profile__append_child(in->p, parent, frame, id)
			     : profile__child(in->p, parent, frame, id);

	return capture_tables__or_gone(err, id);
}

static int take_node(struct capture_in *in)
{
	uint64_t back = cursor__number(in->c), frame = cursor__number(in->c);
	struct capture_node *new = &in->nodes[in->nr_nodes];
	const struct capture_node *parent;
	int err = 0;

	if (!back || back > in->nr_nodes || frame >= in->nr_frames)
		return -EBADMSG;
	parent = new - back;
	*new = (struct capture_node){ CAPTURE_GONE, parent->depth + 1 };
	if (new->depth > CAPTURE_DEPTH_MAX)
		return -EBADMSG;
	if (in->frames[frame] != CAPTURE_GONE)
		err = check_level(in, in->frames[frame], new->depth == 1);
	if (!err && in->frames[frame] != CAPTURE_GONE && parent->id != CAPTURE_GONE)
		err = find_child(in, parent->id, in->frames[frame], &new->id);
	in->nr_nodes++;
	return err;
}

int capture_tables__nodes(struct capture_in *in)
{
	uint32_t nr = capture_tables__list(in);
	int err = array__grow(&in->nodes, &in->cap_nodes, in->nr_nodes + nr);

	for (uint32_t i = 0; i < nr && !err && !in->c->bad; i++)
		err = take_node(in);
	return err;
}

static int take_row(struct capture_in *in, uint64_t *stack)
{
	uint64_t event = cursor__number(in->c), cgroup = 0;
	struct capture_row *new = &in->rows[in->nr_rows];

	*new = (struct capture_row){ .id = CAPTURE_GONE };
	*stack += leb128__unfold(cursor__number(in->c));
	if (in->by & BY_PID)
		new->key.pid = cursor__number(in->c);
	if (in->by & BY_TID)
		new->key.tid = cursor__number(in->c);
	if (in->by & BY_CPU)
		new->key.cpu = cursor__number(in->c);
	if (in->by & BY_CGROUP)
		cgroup = cursor__number(in->c);
	if (event >= in->nr_events || !*stack || *stack >= in->nr_nodes || cgroup >= in->nr_strings)
		return -EBADMSG;
	new->key.event = in->events[event];
	new->key.stack = in->nodes[*stack].id;
	new->key.cgroup = in->strings[cgroup];
	in->nr_rows++;
	return 0;
}

int capture_tables__rows(struct capture_in *in)
{
	uint32_t nr = capture_tables__list(in);
	uint64_t stack = 0;
	int err = array__grow(&in->rows, &in->cap_rows, in->nr_rows + nr);

	for (uint32_t i = 0; i < nr && !err && !in->c->bad; i++)
		err = take_row(in, &stack);
	return err;
}
