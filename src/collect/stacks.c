// SPDX-License-Identifier: BSD-2-Clause
/* Names the frames of a stack, adds it to the profile's trie, remembers the node it got. */
#include "collect/stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collect/code_places.h"
#include "collect/known_stacks.h"

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
	struct known_stacks known, known_callers;
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
	stacks__forget(t);
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
	size_t root;	  /* behind code that has no caller */
	size_t start;	  /* behind start-up code */
	size_t known;	  /* behind the last frame that lies in a mapping */
	bool hurried;	  /* not all of it was looked at */
	size_t innermost; /* behind the innermost address */
	bool is_plain;	  /* that one does not decide where the stack ends */
};

/* START may be the end, ROOT is, IF_ALONE may be without callers alone. */
static bool leaves_callers(enum outermost innermost)
{
	return innermost != OUTERMOST_START && innermost != OUTERMOST_ROOT;
}

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
		if (!i) {
			end->innermost = *depth;
			end->is_plain = leaves_callers(what);
		}
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
		     size_t *depth, uint32_t *bits, struct user_end *end, bool *waits)
{
	uint32_t reason;
	int err = name_frames(t, s, proc, depth, end, waits);

	if (err || *waits)
		return err;
	if (!t->of_callers) {
		*bits |= proc->gone ? STACK_GONE : 0;
		return 0;
	}
	reason = why_not_whole(s->key->stack.flaws, end, proc, *depth);
	if (end->start && !end->root)
		*depth = end->start;
	if (!end->start && !proc->gone && end->known < *depth)
		*depth = end->known;
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

/* The innermost user address, of a stack whose callers are known. *plain: it is, but for that. */
static int name_innermost(struct stacks *t, const struct sample_stack *s, struct proc *proc,
			  size_t *depth, bool *plain, bool *waits)
{
	enum outermost what;
	struct sym_frame *sym;
	int err = namer__user(tracker__namer(t->tracker), proc, s->first_ns, s->user[0], false,
			      &sym, &what);

	*waits |= err == -EAGAIN;
	if (err)
		return err == -EAGAIN ? 0 : err;
	*plain = leaves_callers(what);
	t->may_change |= sym->kind == SYM_JIT;
	return *plain ? add_user(t, sym, depth) : 0;
}

/* The node of the frames up to @behind, the outermost first, which is another one's child. */
static int add_nodes(struct stacks *t, size_t *depth, size_t behind, uint32_t *node)
{
	int err = 0;

	while (!err && *depth > behind)
		err = profile__child(t->profile, *node, t->frames[--*depth], node);
	return err;
}

/* All of a stack. @remember: what its callers are known by from now on; NULL: they are not. */
static int add_whole(struct stacks *t, const struct sample_stack *s, size_t depth,
		     const struct user_end *end, uint32_t bits, const struct stack_id *remember,
		     uint32_t *node)
{
	uint32_t frame;
	int err = comm_frame(t, s->key, &frame);

	if (!err)
		err = profile__child(t->profile, 0, frame, node);
	if (!err)
		err = add_nodes(t, &depth, end->innermost, node);
	if (!err && remember && end->is_plain && !end->hurried && !t->may_change)
		err = known_stacks__set(&t->known_callers, remember, *node | bits);
	return err ? err : add_nodes(t, &depth, 0, node);
}

/* @lasts: its code is what is mapped there now, so that its callers may be others' as well. */
static int name_stack(struct stacks *t, const struct sample_stack *s, struct proc *proc, bool lasts,
		      uint32_t *handle)
{
	struct namer *namer = tracker__namer(t->tracker);
	const uint64_t nr_hurried = namer__nr_hurried(namer);
	const bool shares =
		proc && lasts && !proc->gone && t->of_callers && s->key->stack.nr_user > 1;
	struct stack_id id = {};
	struct user_end end = {};
	bool waits = false, is_known = false;
	uint32_t node, callers = 0, bits = 0;
	size_t depth = 0;
	int err;

	t->may_change = false;
	err = name_kernel(t, s, &depth, &waits);
	if (!err && shares) {
		id = callers_id(s, proc);
		is_known = known_stacks__get(&t->known_callers, &id, &callers);
	}
	if (!err && is_known)
		err = name_innermost(t, s, proc, &depth, &is_known, &waits);
	if (!err && proc && !is_known)
		err = name_user(t, s, proc, &depth, &bits, &end, &waits);
	if (!err && waits)
		err = -EAGAIN;
	if (err)
		return err;
	if (is_known) {
		node = stacks__node(callers);
		bits = callers & STACK_BITS;
		err = add_nodes(t, &depth, 0, &node);
	} else {
		err = add_whole(t, s, depth, &end, bits, shares ? &id : NULL, &node);
	}
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

int stacks__name(struct stacks *t, const struct sample_stack *s, uint32_t *handle)
{
	struct proc *proc = NULL;
	bool lasts = true; /* its code is what is mapped there now */
	struct stack_id id;
	int err;

	if (t->kernel_era != namer__kernel_era(tracker__namer(t->tracker)))
		stacks__forget(t);
	t->kernel_era = namer__kernel_era(tracker__namer(t->tracker));
	if (s->key->stack.nr_user) {
		err = procs__find(tracker__procs(t->tracker), s->key->tgid, s->first_ns, &proc);
		if (err)
			return err;
		lasts = s->first_ns >= space__changed_ns(proc->space);
	}
	id = stack_id(s, proc);
	if (lasts && known_stacks__get(&t->known, &id, handle))
		return 0;
	err = name_stack(t, s, proc, lasts, handle);
	if (err || t->may_change || !lasts)
		return err;
	return known_stacks__set(&t->known, &id, *handle);
}

uint32_t stacks__node(uint32_t handle)
{
	return handle & ~STACK_BITS;
}

size_t stacks__nr(const struct stacks *t)
{
	return t->known.nr;
}

void stacks__forget(struct stacks *t)
{
	known_stacks__forget(&t->known);
	known_stacks__forget(&t->known_callers);
}

size_t stacks__bytes(const struct stacks *t)
{
	return known_stacks__bytes(&t->known) + known_stacks__bytes(&t->known_callers);
}
