// SPDX-License-Identifier: BSD-2-Clause
/* Fetches copied stacks, unwinds them by the same tables as programs, and makes rows of them. */
#include "collect/unwind_copies.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "collect/tracker.h"
#include "unwind/walk.h"

static const uint64_t COPY_WAITS_NS = 3000000000; /* for tables, at most */
static const uint64_t SETTLED_NS = 2 * TRACKER_LAG_NS;

static const size_t WAITING_BYTES_MAX = 64 << 20;

struct waiting_copy {
	enum unwind_copy_state state;
	uint32_t cpu;
	uint64_t first_ns, period;
	struct table_value values[UNWIND_COPY_VALUES];
	uint64_t regs[UNWIND_REGS];
	struct copied_stack stack;
	const uint8_t **pages; /* of struct copied_page each */
	size_t nr_pages, nr_words, bytes;
	uint64_t words[]; /* a key and its frames; behind them the pages */
};

/* Processes of which a copy has to wait, at this poll: the others need not be looked at. */
struct patience {
	uint32_t tgids[64]; /* by their low bits, the last one */
};

int unwind_copies__init(struct unwind_copies *x, const struct unwind_copies *of)
{
	*x = *of;
	x->seed = hash_seed();
	x->next = calloc(x->maps->taken.nr + 1, sizeof(*x->next));
	return x->next ? 0 : -ENOMEM;
}

static void drop(struct unwind_copies *x, struct waiting_copy *w)
{
	for (size_t i = 0; i < w->nr_pages; i++)
		if (w->pages[i])
			copied_pages__give_back(
				&x->pages, container_of(w->pages[i], struct copied_page, bytes));
	x->waiting_bytes -= w->bytes;
	free(w);
}

void unwind_copies__end(struct unwind_copies *x)
{
	for (size_t i = 0; i < x->nr_waiting; i++)
		drop(x, x->waiting[i]);
	copied_pages__end(&x->pages);
	free(x->waiting);
	free(x->next);
	free(x->verified);
}

/* An element of the ring of @place. */
static const struct unwind_copied_page *page_of(const struct unwind_copies *x, uint32_t place,
						uint32_t i)
{
	const struct unwind_copied_page *all = x->maps->stacks.at;
	const uint32_t each = x->maps->stacks.nr / x->maps->taken.nr;

	return &all[place * each + i % each];
}

/* How far its last page reaches. */
static uint64_t bytes_of(const struct unwind_copies *x, const struct unwind_copy *c, uint32_t place)
{
	const struct unwind_copied_page *last = page_of(x, place, c->first_page + c->nr_pages - 1);

	if (!c->nr_pages)
		return 0;
	return last->from - last->from % UNWIND_COPY_PAGE_BYTES + UNWIND_COPY_PAGE_BYTES - c->from;
}

/* Its pages. 0 or -ENOMEM. */
static int keep_pages(struct unwind_copies *x, const struct unwind_copy *c, uint32_t place,
		      struct waiting_copy *w)
{
	const struct sample_key *key = (const struct sample_key *)c->words;

	for (uint32_t i = 0; i < c->nr_pages; i++) {
		const struct unwind_copied_page *from = page_of(x, place, c->first_page + i);
		const size_t first = from->from % UNWIND_COPY_PAGE_BYTES;
		const size_t n = copied_stack__pages(c->from, from->from - c->from + 1) - 1;
		const struct copied_page *page =
			copied_pages__keep(&x->pages, key->tgid, from->from - first, first,
					   from->bytes, UNWIND_COPY_PAGE_BYTES - first);

		if (!page)
			return -ENOMEM;
		w->pages[n] = page->bytes;
	}
	return 0;
}

static int keep_copy(struct unwind_copies *x, const struct unwind_copy *c, uint32_t place,
		     enum unwind_copy_state state)
{
	const uint64_t stack_bytes = bytes_of(x, c, place);
	const size_t nr_pages = copied_stack__pages(c->from, stack_bytes);
	const size_t nr_words = c->nr_words < UNWIND_COPY_WORDS ? c->nr_words : UNWIND_COPY_WORDS;
	const size_t bytes = sizeof(struct waiting_copy) + nr_words * sizeof(uint64_t) +
			     nr_pages * sizeof(uint8_t *);
	int err = array__grow(&x->waiting, &x->cap_waiting, x->nr_waiting + 1);
	struct waiting_copy *w = err ? NULL : malloc(bytes);

	if (!w)
		return -ENOMEM;
	*w = (struct waiting_copy){
		.state = state,
		.cpu = c->cpu,
		.first_ns = c->first_ns,
		.period = c->period,
		.pages = (const uint8_t **)&w->words[nr_words],
		.nr_pages = nr_pages,
		.nr_words = nr_words,
		.bytes = bytes,
	};
	for (size_t i = 0; i < UNWIND_COPY_VALUES; i++)
		w->values[i].sum = c->values[i];
	w->stack = (struct copied_stack){ w->regs, c->from, stack_bytes, w->pages };
	memset(w->pages, 0, nr_pages * sizeof(*w->pages));
	memcpy(w->regs, (const void *)c->regs, sizeof(w->regs));
	memcpy(w->words, c->words, nr_words * sizeof(*w->words));
	x->waiting_bytes += bytes;
	err = keep_pages(x, c, place, w);
	if (err)
		drop(x, w);
	else
		x->waiting[x->nr_waiting++] = w;
	return err;
}

/* What has been written at a place, in its order, and makes room there. */
static int fetch_place(struct unwind_copies *x, uint32_t place)
{
	const uint32_t each = x->maps->copies.nr / x->maps->taken.nr;
	struct unwind_copy *copies =
		(struct unwind_copy *)x->maps->copies.at + (size_t)place * each;
	uint64_t *taken = (uint64_t *)x->maps->taken.at + place;
	int err = 0;

	for (uint32_t i = 0; i < each && !err; i++) {
		struct unwind_copy *c = &copies[x->next[place] % each];
		const uint64_t state = __atomic_load_n(&c->state, __ATOMIC_ACQUIRE);
		const uint32_t end = c->first_page + c->nr_pages;

		if (state == UNWIND_COPY_FREE)
			break;
		err = keep_copy(x, c, place, state);
		__atomic_store_n(taken, end, __ATOMIC_RELEASE);
		__atomic_store_n(&c->state, UNWIND_COPY_FREE, __ATOMIC_RELEASE);
		x->next[place]++;
	}
	return err;
}

static struct walk_tables tables_of(const struct unwind_copies *x)
{
	const struct unwind_maps *m = x->maps;

	return (struct walk_tables){ .rows = m->rows.at,
				     .pages = m->pages.at,
				     .rules = m->rules.at,
				     .nr_rows = unwind_maps__rows(m),
				     .nr_pages = m->pages.nr,
				     .nr_rules = m->rules.nr };
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
static int give_row(struct unwind_copies *x, struct waiting_copy *w, const uint64_t *frames,
		    size_t nr, uint16_t flaws, const struct rows_reader *reader)
{
	struct sample_key *key = (struct sample_key *)w->words;
	const size_t nr_first = w->nr_words - key->stack.nr_kernel - key->stack.nr_user;
	struct sample_stack s = {
		.key = key,
		.kernel = w->words + nr_first,
		.user = frames,
		.cpu = w->cpu,
		.first_ns = w->first_ns,
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
		key->stack.flaws &= STACK_NOT_OF_USER;
		key->stack.flaws |= flaws;
		key->stack.nr_user = nr;
	}
	s.hash = hash_of(s.user, nr, hash_of(w->words, nr_first + key->stack.nr_kernel, x->seed));
	s.check = hash_u64(~s.hash);
	err = reader->stack(reader->arg, &s, &handle);
	if (!err)
		err = reader->count(reader->arg, &s, handle, 1, w->period, w->values);
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
	const struct walk_tables tables = tables_of(x);
	uint8_t by[STACK_MAX_FRAMES];
	struct verified_stack s = { .stack = from->stack };
	int err = reference_mappings(x, proc, &s.nr_mappings);

	if (found->nr > STACK_MAX_FRAMES)
		return -EINVAL;
	for (size_t i = 0; i < found->nr; i++)
		by[i] = walk__rule_of(&tables, from, found->frames, i);
	found->by = by;
	s.found = *found;
	s.mappings = x->verified;
	s.space = (struct reference_space){ proc->pid, proc->life, space__changes(proc->space), 0 };
	return err ? err : verifier__stack(x->verifier, &s);
}

/* A stack that programs have unwound. */
static struct compared_stack stack_of(const struct waiting_copy *w)
{
	const struct sample_key *key = (const struct sample_key *)w->words;

	return (struct compared_stack){
		.frames = w->words + w->nr_words - key->stack.nr_user,
		.nr = key->stack.nr_user,
		.flaws = key->stack.flaws,
	};
}

static int unwind(struct unwind_copies *x, struct waiting_copy *w, const struct proc *proc,
		  const struct copied_space *space, const struct rows_reader *reader)
{
	const struct walk_from from = { &w->stack, space->mappings, space->nr, x->maps->code_mask };
	const struct walk_tables tables = tables_of(x);
	struct compared_stack found = stack_of(w);
	uint64_t frames[STACK_MAX_FRAMES];
	int err = 0;

	if (w->state == UNWIND_COPY_TO_UNWIND) {
		found.frames = frames;
		found.nr = walk(&tables, &from, frames, x->max_frames, &found.flaws);
		err = give_row(x, w, frames, found.nr, found.flaws, reader);
	}
	if (!err && x->verifier && space->complete && space->nr)
		err = verify(x, proc, &from, &found);
	else if (x->verifier)
		verifier__skip(x->verifier, UNWIND_CHECK_NO_FILES, 1);
	return err;
}

/* May it wait at all: is there time, and room? */
static bool may_wait(const struct unwind_copies *x, const struct waiting_copy *w, uint64_t now_ns)
{
	return now_ns < w->first_ns + COPY_WAITS_NS &&
	       x->waiting_bytes + x->pages.nr * sizeof(struct copied_page) < WAITING_BYTES_MAX;
}

/* *waits: it is left where it is. */
static int give(struct unwind_copies *x, struct waiting_copy *w, uint64_t now_ns, bool last,
		struct patience *p, const struct rows_reader *reader, bool *waits)
{
	const struct sample_key *key = (const struct sample_key *)w->words;
	const uint32_t tgid = key->tgid;
	uint32_t *awaited = &p->tgids[tgid % ARRAY_SIZE(p->tgids)];
	const bool patient = !last && may_wait(x, w, now_ns);
	struct copied_space space = {};
	struct proc *proc;
	int err;

	/* What its process did until then has not been heard of yet. */
	*waits = !last && (now_ns < w->first_ns + SETTLED_NS || (patient && *awaited == tgid));
	if (*waits)
		return 0;
	err = procs__find(x->procs, tgid, w->first_ns, &proc);
	if (!err)
		err = x->space(x->arg, proc, &space);
	if (err)
		return err;
	*waits = patient && !space.complete;
	if (*waits) {
		*awaited = tgid;
		return 0;
	}
	return unwind(x, w, proc, &space, reader);
}

static int give_all(struct unwind_copies *x, uint64_t now_ns, bool last,
		    const struct rows_reader *reader, bool *waits)
{
	const size_t nr = x->nr_waiting;
	struct patience patience = {};
	int err = 0;

	x->nr_waiting = 0;
	for (size_t i = 0; i < nr; i++) {
		bool stays = true;

		if (!err)
			err = give(x, x->waiting[i], now_ns, last, &patience, reader, &stays);
		if (stays)
			x->waiting[x->nr_waiting++] = x->waiting[i];
		else
			drop(x, x->waiting[i]);
	}
	*waits |= x->nr_waiting;
	return err;
}

int unwind_copies__take(struct unwind_copies *x, uint64_t now_ns, bool last,
			const struct rows_reader *reader, bool *waits)
{
	const struct unwind_copy *copies = x->maps->copies.at;
	uint64_t nr_missed = 0;
	int err = 0;

	for (uint32_t place = 0; place < x->maps->taken.nr && !err; place++)
		err = fetch_place(x, place);
	if (!err)
		err = give_all(x, now_ns, last, reader, waits);
	for (uint32_t i = 0; i < x->maps->copies.nr && last; i++)
		nr_missed += copies[i].nr_missed;
	if (last && x->verifier)
		verifier__skip(x->verifier, UNWIND_CHECK_NO_COPY, nr_missed);
	return err;
}

uint64_t unwind_copies__since_ns(const struct unwind_copies *x)
{
	uint64_t since = UINT64_MAX;

	for (size_t i = 0; i < x->nr_waiting; i++)
		if (x->waiting[i]->first_ns < since)
			since = x->waiting[i]->first_ns;
	return since;
}
