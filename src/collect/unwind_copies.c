// SPDX-License-Identifier: BSD-2-Clause
/* Unwinds copied stacks by the same tables as programs, and makes rows of them. */
#include "collect/unwind_copies.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "collect/tracker.h"
#include "unwind/walk.h"

static const uint64_t COPY_WAITS_NS = 1000000000; /* for tables, at most */
static const uint64_t SETTLED_NS = 2 * TRACKER_LAG_NS;

void unwind_copies__init(struct unwind_copies *x, const struct unwind_copies *of)
{
	*x = *of;
	x->verified = NULL;
	x->cap_verified = 0;
	x->seed = hash_seed();
}

void unwind_copies__end(struct unwind_copies *x)
{
	free(x->verified);
}

static struct walk_tables tables_of(const struct unwind_copies *x)
{
	const struct unwind_maps *m = x->maps;

	return (struct walk_tables){ m->rows.at, m->pages.at, m->rules.at,
				     m->rows.nr, m->pages.nr, m->rules.nr };
}

static uint64_t hash_of(const void *bytes, size_t nr, uint64_t hash)
{
	for (size_t i = 0; i < nr; i++) {
		uint64_t word;

		memcpy(&word, (const char *)bytes + i * sizeof(word), sizeof(word));
		hash = hash_u64(hash ^ word) + i;
	}
	return hash;
}

/* A row of one sample, as the tables hand them out. */
static int give_row(struct unwind_copies *x, struct unwind_copy *c, const uint64_t *frames,
		    size_t nr, uint16_t flaws, const struct rows_reader *reader)
{
	struct sample_key *key = (struct sample_key *)c->words;
	const size_t nr_first = c->nr_words - key->stack.nr_kernel - key->stack.nr_user;
	struct sample_stack s = {
		.key = key,
		.kernel = (const uint64_t *)c->words + nr_first,
		.user = frames,
		.cpu = c->cpu,
		.first_ns = c->first_ns,
	};
	uint32_t handle;
	int err;

	/*
	 * By frame pointer it has come further: its stack is larger than what was copied of it. The
	 * flaw that says so remains.
	 */
	if (flaws && key->stack.nr_user > nr) {
		s.user = s.kernel + key->stack.nr_kernel;
		nr = key->stack.nr_user;
	} else {
		key->stack.flaws &= STACK_KERNEL_TRUNCATED | STACK_KERNEL_FAILED;
		key->stack.flaws |= flaws;
		key->stack.nr_user = nr;
	}
	s.hash = hash_of(s.user, nr, hash_of(c->words, nr_first + key->stack.nr_kernel, x->seed));
	s.check = hash_u64(~s.hash);
	err = reader->stack(reader->arg, &s, &handle);
	if (!err)
		err = reader->count(reader->arg, &s, handle, 1, c->period, NULL);
	x->maps->nr_taken += !err;
	return err;
}

/* What the reference is told of the process. */
static int reference_mappings(struct unwind_copies *x, const struct proc *proc, size_t *nr)
{
	const struct mapping *all = space__now(proc->space);
	const size_t nr_all = space__nr(proc->space);
	int err = array__grow(&x->verified, &x->cap_verified, nr_all + 1);

	*nr = 0;
	for (size_t i = 0; i < nr_all && !err; i++) {
		const struct mapping *m = &all[i];

		if (m->kind == MAPPING_FILE || m->kind == MAPPING_VDSO)
			x->verified[(*nr)++] = (struct reference_mapping){
				.start = m->start,
				.end = m->end,
				.offset = m->offset,
				.file = m->kind == MAPPING_VDSO ? REFERENCE_VDSO : m->binary + 1,
			};
	}
	return err;
}

/* Has the frames of a copy held against the reference's. */
static int verify(struct unwind_copies *x, const struct proc *proc, const struct walk_from *from,
		  struct compared_stack *found)
{
	const struct sample_key *key = (const struct sample_key *)from->copy->words;
	const struct walk_tables tables = tables_of(x);
	uint8_t by[STACK_MAX_FRAMES];
	struct verified_stack s = { .copy = from->copy };
	int err = reference_mappings(x, proc, &s.nr_mappings);

	if (found->nr > STACK_MAX_FRAMES)
		return -EINVAL;
	for (size_t i = 0; i < found->nr; i++)
		by[i] = walk__rule_of(&tables, from, found->frames, i);
	found->by = by;
	s.found = *found;
	s.mappings = x->verified;
	s.space = (struct reference_space){ key->tgid, proc->life, space__changes(proc->space), 0 };
	return err ? err : verifier__stack(x->verifier, &s);
}

/* A stack that programs have unwound. */
static struct compared_stack stack_of(const struct unwind_copy *c)
{
	const struct sample_key *key = (const struct sample_key *)c->words;

	return (struct compared_stack){
		.frames = (const uint64_t *)c->words + c->nr_words - key->stack.nr_user,
		.nr = key->stack.nr_user,
		.flaws = key->stack.flaws,
	};
}

static int take_copy(struct unwind_copies *x, struct unwind_copy *c, enum unwind_copy_state state,
		     uint64_t now_ns, bool last, const struct rows_reader *reader, bool *waits)
{
	const struct sample_key *key = (const struct sample_key *)c->words;
	struct walk_from from = { .copy = c, .code_mask = x->maps->code_mask };
	const struct walk_tables tables = tables_of(x);
	struct compared_stack found = stack_of(c);
	uint64_t frames[STACK_MAX_FRAMES];
	struct copied_space space = {};
	struct proc *proc;
	int err;

	/* What its process did until then has not been heard of yet. */
	if (!last && (now_ns < c->first_ns + SETTLED_NS ||
		      (key->tgid == x->waits_for && now_ns < c->first_ns + COPY_WAITS_NS))) {
		*waits = true;
		return 0;
	}
	err = procs__find(x->procs, key->tgid, c->first_ns, &proc);
	if (!err)
		err = x->space(x->arg, proc, &space);
	if (err)
		return err;
	if (!space.complete && !last && now_ns < c->first_ns + COPY_WAITS_NS) {
		*waits = true;
		x->waits_for = key->tgid;
		return 0;
	}
	from.mappings = space.mappings;
	from.nr_mappings = space.nr;
	if (state == UNWIND_COPY_TO_UNWIND) {
		found.frames = frames;
		found.nr = walk(&tables, &from, frames, x->max_frames, &found.flaws);
		err = give_row(x, c, frames, found.nr, found.flaws, reader);
	}
	if (!err && x->verifier && space.complete && space.nr)
		err = verify(x, proc, &from, &found);
	else if (x->verifier)
		verifier__skip(x->verifier, UNWIND_CHECK_NO_FILES, 1);
	__atomic_store_n(&c->state, UNWIND_COPY_FREE, __ATOMIC_RELEASE);
	return err;
}

int unwind_copies__take(struct unwind_copies *x, uint64_t now_ns, bool last,
			const struct rows_reader *reader, bool *waits)
{
	struct unwind_copy *copies = x->maps->copies.at;
	uint64_t nr_missed = 0;
	int err = 0;

	x->waits_for = 0;
	for (uint32_t i = 0; i < x->maps->copies.nr && !err; i++) {
		const uint64_t state = __atomic_load_n(&copies[i].state, __ATOMIC_ACQUIRE);

		if (state != UNWIND_COPY_FREE)
			err = take_copy(x, &copies[i], state, now_ns, last, reader, waits);
		nr_missed += copies[i].nr_missed;
	}
	if (last && x->verifier)
		verifier__skip(x->verifier, UNWIND_CHECK_NO_COPY, nr_missed);
	return err;
}
