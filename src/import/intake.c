// SPDX-License-Identifier: BSD-2-Clause
/* Adds stacks of files to a profile, until they have no room, and tells what was lost. */
#include "import/intake.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/strtab.h"

void intake__begin(struct intake *in, struct profile *p, uint64_t max_bytes)
{
	*in = (struct intake){ .p = p, .max_bytes = max_bytes };
	in->sum = p->losses.seen < INTAKE_MAX ? p->losses.seen : INTAKE_MAX;
	in->sum_before = in->sum;
	for (size_t i = 0; i < p->nr_events; i++) {
		const uint64_t more = p->events[i].weight, room = INTAKE_MAX - in->weight;

		in->weight += more < room ? more : room;
	}
	p->by |= BY_COMM | BY_KSTACK | BY_USTACK;
	p->losses.untold = true;
}

void intake__end(struct intake *in)
{
	const uint64_t seen = in->sum - in->sum_before;
	struct losses *l = &in->p->losses;
	struct loss full = { "memory_full", "no memory for new rows and stacks",
			     "--max-memory SIZE", false, in->nr_full };
	struct loss deep = { "stack_too_deep", "stacks cut at 4096 frames", NULL, true,
			     in->nr_deep };

	l->seen += seen;
	l->kept += seen - in->nr_full;
	if (full.n)
		losses__add(l, &full);
	if (deep.n)
		losses__add(l, &deep);
	free(in->steps);
	*in = (struct intake){};
}

/* Memory is summed up after so many bytes: it grows by far less than a quarter for them. */
void intake__look_at_room(struct intake *in, size_t len)
{
	enum { BYTES = 64 << 10, PERCENT = 25 };

	in->nr_unlooked += len;
	if (in->nr_unlooked < BYTES)
		return;
	in->nr_unlooked = 0;
	if (profile__bytes(in->p, PERCENT) > in->max_bytes)
		profile__seal(in->p, PROFILE_NOTHING);
}

int intake__event(struct intake *in, const char *name, size_t len, const char *unit,
		  uint32_t *event)
{
	struct profile_event ev = { .unit = unit };
	struct profile *p = in->p;
	uint32_t id;
	int err;

	*event = UINT32_MAX;
	/* Names that there is no room for are not kept: a file may have any number of them. */
	if (p->nr_events >= INTAKE_EVENTS) {
		while (p->nr_events > ++*event)
			if (!strncmp(p->events[*event].name, name, len) &&
			    !p->events[*event].name[len] && !p->events[*event].is_member)
				return 0;
		*event = UINT32_MAX;
		return -ENOSPC;
	}
	err = profile__string(p, name, len, &id);
	if (err)
		return err;
	ev.name = strtab__get(p->strings, id);
	for (size_t i = 0; i < p->nr_events; i++)
		if (p->events[i].name == ev.name && !p->events[i].is_member) {
			*event = i;
			profile__note_run(p, event, 1, p->nr_events);
			return 0;
		}
	return profile__event(p, &ev, event);
}

int intake__member(struct intake *in, const char *name, size_t len, const char *unit,
		   uint32_t leader, uint32_t *event)
{
	struct profile *p = in->p;
	struct profile_event ev = { .unit = unit, .is_member = true };
	uint32_t id;
	int err;

	*event = UINT32_MAX;
	if (p->nr_events >= INTAKE_EVENTS || leader >= p->nr_events)
		return -ENOSPC;
	err = profile__string(p, name, len, &id);
	if (err)
		return err;
	ev.name = strtab__get(p->strings, id);
	ev.leader = p->events[leader].name;
	return profile__same_event(p, &ev, event);
}

int intake__stack(struct intake *in, const uint32_t *frames, size_t nr, uint32_t *node)
{
	int err = array__grow(&in->steps, &in->cap_steps, nr);

	*node = 0;
	for (size_t i = 0; i < nr && !err; i++) {
		const uint32_t frame = frames[nr - 1 - i];

		if (i < in->nr_steps && in->steps[i].frame == frame) {
			*node = in->steps[i].node;
			continue;
		}
		in->nr_steps = i;
		err = profile__child(in->p, *node, frame, node);
		if (!err)
			in->steps[in->nr_steps++] = (struct intake_step){ frame, *node };
	}
	return err;
}

/* A name that the profile has as it is here is one that was not repaired. */
static bool is_frame(const struct profile *p, uint32_t frame, const char *name, size_t len,
		     enum frame_kind kind)
{
	const struct frame *f = &p->frames[frame];

	return f->kind == kind && strtab__len(p->strings, f->name) == len &&
	       !memcmp(strtab__get(p->strings, f->name), name, len);
}

/*
 * A file has few names many times: each is hashed once, and compared with the frame that had this
 * hash last. What is not that goes through the profile's tables.
 */
static int find_frame(struct intake *in, const char *name, size_t len, enum frame_kind kind,
		      uint32_t *frame)
{
	uint32_t *known = &in->known[hash_bytes(0, name, len) % INTAKE_KNOWN];
	struct frame f = { .kind = kind };
	int err;

	if (*known && is_frame(in->p, *known - 1, name, len, kind)) {
		*frame = *known - 1;
		return 0;
	}
	err = profile__string(in->p, name, len, &f.name);
	if (!err)
		err = profile__frame(in->p, &f, frame);
	if (!err)
		*known = *frame + 1;
	return err;
}

int intake__child(struct intake *in, uint32_t parent, const char *name, size_t len,
		  enum frame_kind kind, uint32_t *node)
{
	uint32_t frame;
	int err = find_frame(in, name, len, kind, &frame);

	return err ? err : profile__child(in->p, parent, frame, node);
}

int intake__truncated(struct intake *in, uint32_t parent, uint32_t *node)
{
	return intake__child(in, parent, "[truncated]", sizeof("[truncated]") - 1, FRAME_NOTE,
			     node);
}

int intake__add(struct intake *in, const struct row_key *key, uint64_t samples, uint64_t weight,
		bool is_deep, int err)
{
	if (!err && key->event >= in->p->nr_events)
		err = -ENOSPC;
	if (!err && (samples || (weight && in->p->events[key->event].is_member)))
		err = profile__add(in->p, key, samples, weight, NULL);
	in->sum += samples;
	if (err == -ENOSPC) {
		in->nr_full += samples;
		return 0;
	}
	if (is_deep)
		in->nr_deep += samples;
	return err;
}
