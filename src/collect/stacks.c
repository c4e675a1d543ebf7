// SPDX-License-Identifier: BSD-2-Clause
/* Names the frames of a stack, adds it to the profile's trie, remembers the node it got. */
#include "collect/stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/idmap.h"
#include "collect/code_places.h"

/* A named stack, and what must still be so for its names to be used again. */
struct known_stack {
	uint32_t check; /* of the hash */
	uint32_t handle;
	uint64_t start_ns; /* of its process's life */
	unsigned changes;  /* count of changes of its mappings */
};

/* Both halves, and a note behind each. */
enum { STACK_FRAMES = 2 * STACK_MAX_FRAMES + 3 };

struct stacks {
	struct profile *profile;
	struct tracker *tracker;
	struct code_places places;
	bool by_comm;
	bool of_callers;		       /* whole stacks, not the caller's frame alone */
	uint32_t note_truncated, note_missing; /* frames */
	uint32_t *frames;		       /* of the stack at hand, innermost first */
	size_t cap_frames;
	bool may_change; /* it has JIT code, whose names may change */
	struct idmap known_by_hash;
	struct known_stack *known;
	size_t nr_known, cap_known;
	unsigned kernel_era; /* of their names */
};

static int note(struct profile *p, const char *text, uint32_t *frame)
{
	struct frame f = { .kind = FRAME_NOTE };
	int err = profile__string(p, text, strlen(text), &f.name);

	return err ? err : profile__frame(p, &f, frame);
}

int stacks__new(struct stacks **out, struct profile *profile, struct tracker *tracker, unsigned by)
{
	struct stacks *t = calloc(1, sizeof(*t));
	int err;

	*out = NULL;
	if (!t)
		return -ENOMEM;
	t->profile = profile;
	t->tracker = tracker;
	t->by_comm = by & BY_COMM;
	t->of_callers = by & (BY_KSTACK | BY_USTACK);
	err = array__grow(&t->frames, &t->cap_frames, STACK_FRAMES);
	if (!err)
		err = note(profile, "[truncated]", &t->note_truncated);
	if (!err)
		err = note(profile, "[callers missing]", &t->note_missing);
	if (!err)
		err = code_places__init(&t->places, profile, tracker__files(tracker));
	if (err) {
		stacks__free(t);
		return err;
	}
	*out = t;
	return 0;
}

void stacks__free(struct stacks *t)
{
	if (!t)
		return;
	idmap__free(&t->known_by_hash);
	free(t->known);
	free(t->frames);
	free(t);
}

/* The profile's frame of a name; found once for each, then remembered in its cookie. */
static int frame_of(struct stacks *t, struct sym_frame *s, uint32_t *frame)
{
	static const enum frame_kind kinds[] = {
		[SYM_USER] = FRAME_USER,
		[SYM_KERNEL] = FRAME_KERNEL,
		[SYM_JIT] = FRAME_JIT,
		[SYM_INLINED] = FRAME_INLINED,
	};
	struct frame f = { .kind = kinds[s->kind], .late = s->late };
	const struct sym_place *at;
	int err;

	if (s->cookie != UINT32_MAX) {
		*frame = s->cookie;
		return 0;
	}
	err = profile__string(t->profile, s->name, strlen(s->name), &f.name);
	if (!err)
		err = profile__string(t->profile, s->module, strlen(s->module), &f.module);
	at = namer__place(tracker__namer(t->tracker), s);
	if (!err && at)
		err = code_places__add(&t->places, s, at, &f.place);
	if (!err)
		err = profile__frame(t->profile, &f, &s->cookie);
	*frame = s->cookie;
	return err;
}

/*
 * The frames of a user address: a function, and what is inlined into it. What remains of the stack
 * has room behind them. Callers that stacks are not asked of are functions.
 */
static int add_user(struct stacks *t, struct sym_frame *sym, size_t *depth)
{
	struct namer *namer = tracker__namer(t->tracker);
	struct sym_frame *outer;
	int err = 0;

	for (; sym && !err; sym = outer) {
		outer = namer__around(namer, sym);
		if (outer && !t->of_callers)
			continue;
		err = frame_of(t, sym, &t->frames[*depth]);
		++*depth;
		if (!err && outer)
			err = array__grow(&t->frames, &t->cap_frames, *depth + STACK_FRAMES);
	}
	return err;
}

/* All frames of a stack are asked for at once: the first one that waits does not end it. */
static int name_kernel(struct stacks *t, const struct sample_stack *s, size_t *depth, bool *waits)
{
	struct namer *namer = tracker__namer(t->tracker);
	struct sym_frame *sym;

	for (uint16_t i = 0; i < s->key->stack.nr_kernel; i++) {
		int err = namer__kernel(namer, s->kernel[i], i > 0, &sym);

		if (err == -EAGAIN) {
			*waits = true;
			continue;
		}
		if (!err)
			err = frame_of(t, sym, &t->frames[(*depth)++]);
		if (err)
			return err;
	}
	if (t->of_callers && s->key->stack.flaws & STACK_KERNEL_TRUNCATED)
		t->frames[(*depth)++] = t->note_truncated;
	return 0;
}

/* Where a user half ends, as depths of t->frames; 0: nowhere. */
struct user_end {
	size_t root;  /* behind code that has no caller */
	size_t start; /* behind start-up code */
	size_t known; /* behind the last frame that lies in a mapping */
	bool hurried; /* not all of it was looked at */
};

/* Nothing was found behind the innermost frame, and nothing was missing. */
static bool is_alone(const struct stack_found *found)
{
	return found->nr_user == 1 && !(found->flaws & ~STACK_NOT_OF_USER);
}

static int name_frames(struct stacks *t, const struct sample_stack *s, struct proc *proc,
		       size_t *depth, struct user_end *end, bool *waits)
{
	struct namer *namer = tracker__namer(t->tracker);
	const uint64_t nr_hurried = namer__nr_hurried(namer);
	enum outermost what;
	struct sym_frame *sym;

	end->known = *depth + 1;
	for (uint16_t i = 0; i < s->key->stack.nr_user && !end->root; i++) {
		int err = namer__user(namer, proc, s->first_ns, s->user[i], i > 0, &sym, &what);

		if (err == -EAGAIN) {
			*waits = true;
			continue;
		}
		if (!err)
			err = add_user(t, sym, depth);
		if (err)
			return err;
		if (sym->module[0])
			end->known = *depth;
		if (sym->kind == SYM_JIT)
			t->may_change = true;
		if (what == OUTERMOST_ROOT || (what == OUTERMOST_IF_CALLED && i) ||
		    (what == OUTERMOST_IF_ALONE && is_alone(&s->key->stack)))
			end->root = *depth;
		if (what == OUTERMOST_START)
			end->start = *depth;
	}
	end->hurried = namer__nr_hurried(namer) != nr_hurried;
	return 0;
}

/*
 * A chain is not whole because it ends in a frame pointer of 0 or outside of the stack: code that
 * uses the register otherwise has such numbers in it. It is if its last function has no caller.
 */
static uint32_t why_not_whole(uint16_t flaws, const struct user_end *end, const struct proc *proc,
			      size_t depth)
{
	const bool ends_well = end->root || end->start;

	/* Its mappings are not known: whatever else the walker says, nobody can tell. */
	if (proc->gone && !ends_well)
		return STACK_GONE;
	/* By frame pointer, for there were no rules yet: callers may be missing in its middle. */
	if (flaws & STACK_USER_UNKNOWN)
		return STACK_UNKNOWN;
	if (ends_well)
		return 0;
	/* What is in no mapping is no return address. */
	if (end->known < depth)
		return STACK_BROKEN;
	if (end->hurried)
		return 0;
	if (flaws & STACK_USER_TRUNCATED)
		return STACK_CUT;
	if (flaws & STACK_USER_UNREADABLE)
		return STACK_UNREADABLE;
	if (flaws & STACK_USER_NO_RULE)
		return STACK_NO_RULE;
	if (flaws & STACK_USER_BAD_RULE)
		return STACK_BAD_RULE;
	return STACK_BROKEN;
}

static int name_user(struct stacks *t, const struct sample_stack *s, struct proc *proc,
		     size_t *depth, uint32_t *bits, bool *waits)
{
	struct user_end end = {};
	uint32_t reason;
	int err = name_frames(t, s, proc, depth, &end, waits);

	if (err || *waits)
		return err;
	if (!t->of_callers) {
		*bits |= proc->gone ? STACK_GONE : 0;
		return 0;
	}
	reason = why_not_whole(s->key->stack.flaws, &end, proc, *depth);
	if (end.start && !end.root)
		*depth = end.start;
	if (!end.start && !proc->gone && end.known < *depth)
		*depth = end.known;
	if (reason)
		t->frames[(*depth)++] = reason == STACK_CUT ? t->note_truncated : t->note_missing;
	*bits |= reason;
	return 0;
}

static int comm_frame(struct stacks *t, const struct sample_key *key, uint32_t *frame)
{
	struct frame f = { .kind = FRAME_COMM };
	size_t len = strnlen(key->comm, TARGET_COMM_LEN);
	int err;

	if (t->by_comm)
		err = profile__string(t->profile, len ? key->comm : "[no name]", len ? len : 9,
				      &f.name);
	else
		err = profile__string(t->profile, "[any]", 5, &f.name);
	return err ? err : profile__frame(t->profile, &f, frame);
}

static int name_stack(struct stacks *t, const struct sample_stack *s, struct proc *proc,
		      uint32_t *handle)
{
	struct namer *namer = tracker__namer(t->tracker);
	uint32_t frame, node, bits = 0;
	uint64_t nr_hurried = namer__nr_hurried(namer);
	bool waits = false;
	size_t depth = 0;
	int err;

	t->may_change = false;
	err = name_kernel(t, s, &depth, &waits);
	if (!err && proc)
		err = name_user(t, s, proc, &depth, &bits, &waits);
	if (!err && waits)
		err = -EAGAIN;
	if (!err)
		err = comm_frame(t, s->key, &frame);
	if (!err)
		err = profile__child(t->profile, 0, frame, &node);
	while (!err && depth)
		err = profile__child(t->profile, node, t->frames[--depth], &node);
	if (!err && node >= STACK_DROPPED)
		err = -E2BIG;
	if (err)
		return err;
	if (namer__nr_hurried(namer) != nr_hurried) {
		bits |= STACK_UNNAMED;
		t->may_change = true;
	}
	*handle = node | bits;
	return 0;
}

/* A stack comes again after every drain; its names are the same while its process's mappings are.
 */
int stacks__name(struct stacks *t, const struct sample_stack *s, uint32_t *handle)
{
	struct known_stack fresh = { .check = s->check }, *known = NULL;
	struct proc *proc = NULL;
	bool lasts = true; /* its code is what is mapped there now */
	uint32_t i;
	int err;

	if (t->kernel_era != namer__kernel_era(tracker__namer(t->tracker)))
		stacks__forget(t);
	t->kernel_era = namer__kernel_era(tracker__namer(t->tracker));
	if (s->key->stack.nr_user) {
		err = procs__find(tracker__procs(t->tracker), s->key->tgid, s->first_ns, &proc);
		if (err)
			return err;
		fresh.start_ns = proc->start_ns;
		fresh.changes = space__changes(proc->space);
		lasts = s->first_ns >= space__changed_ns(proc->space);
	}
	if (idmap__get(&t->known_by_hash, s->hash, &i)) {
		known = &t->known[i];
		if (lasts && known->check == fresh.check && known->start_ns == fresh.start_ns &&
		    known->changes == fresh.changes) {
			*handle = known->handle;
			return 0;
		}
	}
	err = name_stack(t, s, proc, handle);
	if (err || t->may_change || !lasts)
		return err;
	if (!known) {
		err = array__grow(&t->known, &t->cap_known, t->nr_known + 1);
		if (!err)
			err = idmap__set(&t->known_by_hash, s->hash, t->nr_known);
		if (err)
			return err;
		known = &t->known[t->nr_known++];
	}
	fresh.handle = *handle;
	*known = fresh;
	return 0;
}

uint32_t stacks__node(uint32_t handle)
{
	return handle & ~STACK_BITS;
}

size_t stacks__nr(const struct stacks *t)
{
	return t->nr_known;
}

void stacks__forget(struct stacks *t)
{
	idmap__free(&t->known_by_hash);
	free(t->known);
	t->known = NULL;
	t->nr_known = t->cap_known = 0;
}

size_t stacks__bytes(const struct stacks *t)
{
	const size_t nr = t->nr_known + 1024;

	return array__capacity(t->cap_known, nr) * sizeof(*t->known) +
	       idmap__bytes(&t->known_by_hash, nr);
}
