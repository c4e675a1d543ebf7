// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/walk.h"

/* The frame first: what is read for it is read from the copy. */
struct walker {
	struct unwind_frame frame;
	const struct walk_tables *tables;
	const struct walk_from *from;
};

static int read_copy(const struct unwind_frame *u, void *to, size_t len, uint64_t at)
{
	const struct walker *w = container_of(u, struct walker, frame);

	return copied_stack__read(w->from->stack, to, len, at);
}

static int read_register(const struct unwind_frame *u, uint32_t word, __u64 *out)
{
	const struct walker *w = container_of(u, struct walker, frame);

	if (word >= UNWIND_REGS)
		return -1;
	*out = w->from->stack->regs[word];
	return 0;
}

#define UNWIND_WORD(frame, out, at) read_copy(frame, out, sizeof(*(out)), at)
#define UNWIND_READ		    read_copy
#define UNWIND_REGISTER		    read_register

#include "unwind_step.h"

static const struct unwind_mapping *find_mapping(const struct walk_from *from, uint64_t pc)
{
	uint32_t low = 0, high = from->nr_mappings;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (from->mappings[middle].start <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low && pc < from->mappings[low - 1].end ? &from->mappings[low - 1] : NULL;
}

/* The rule at @offset in a page; 0: none. */
static uint32_t find_rule(const struct walk_tables *t, uint64_t page, uint32_t offset)
{
	const uint32_t first = UNWIND_PAGE_FIRST(page), nr = UNWIND_PAGE_NR(page);

	if (nr > t->nr_rows || first > t->nr_rows - nr)
		return 0;
	return unwind_search(t->rows, UINT32_MAX, first, nr, offset);
}

static const struct unwind_rule *rule_of(const struct walker *w, int *flaw)
{
	const uint64_t pc = w->frame.pc - w->frame.is_return;
	const struct unwind_mapping *m = find_mapping(w->from, pc);
	const struct walk_tables *t = w->tables;
	uint64_t at;
	uint32_t rule;

	if (m)
		*flaw = unwind_flaw_of(m);
	else
		*flaw = w->frame.by_fp ? STACK_USER_NO_RULE : STACK_USER_UNKNOWN;
	at = m ? pc - m->bias : 0;
	if (!m || at >> UNWIND_PAGE_SHIFT >= m->nr_pages)
		return NULL;
	at += (uint64_t)m->first_page << UNWIND_PAGE_SHIFT;
	if (at >> UNWIND_PAGE_SHIFT >= t->nr_pages)
		return NULL;
	rule = find_rule(t, t->pages[at >> UNWIND_PAGE_SHIFT], at & (UNWIND_PAGE_BYTES - 1));
	return rule && rule < t->nr_rules ? &t->rules[rule] : NULL;
}

size_t walk(const struct walk_tables *t, const struct walk_from *from, uint64_t *frames, size_t max,
	    uint16_t *flaws)
{
	struct walker w = {
		.frame = {
			.pc = from->stack->regs[UNWIND_REG_IP],
			.sp = from->stack->regs[UNWIND_REG_SP],
			.fp = from->stack->regs[UNWIND_REG_FP],
		},
		.tables = t,
		.from = from,
	};
	int more = UNWIND_MORE, guessed = 0;
	size_t nr = 0;

	for (; more == UNWIND_MORE && nr < max; nr++) {
		const struct unwind_rule *r;
		int flaw;

		w.frame.pc &= from->code_mask;
		frames[nr] = unwind_name_of(&w.frame, nr);
		r = rule_of(&w, &flaw);
		more = r ? unwind_by_rule(&w.frame, r) : unwind_by_fp(&w.frame, flaw);
		frames[nr] += r ? unwind_name_more(r) : 0;
		guessed |= r ? 0 : flaw & STACK_USER_UNKNOWN;
	}
	*flaws = guessed | (more > 0 ? more : more == UNWIND_MORE ? STACK_USER_TRUNCATED : 0);
	return nr;
}

enum frame_rule walk__rule_of(const struct walk_tables *t, const struct walk_from *from,
			      const uint64_t *frames, size_t i)
{
	/* But for the innermost one a frame's name is the byte behind what it is looked up by. */
	struct walker w = {
		.frame = { .pc = frames[i], .is_return = i > 0 },
		.tables = t,
		.from = from,
	};
	const struct unwind_rule *rule;
	int flaw;

	rule = rule_of(&w, &flaw);
	if (!rule || rule->by_code)
		return FRAME_RULE_NONE;
	return rule->cfa == UNWIND_CFA_SAVED ? FRAME_RULE_REGISTER : FRAME_RULE_FILE;
}
