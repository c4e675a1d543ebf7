// SPDX-License-Identifier: BSD-2-Clause
/* Walks over a unit's entries for its functions, and over a function's for those inlined there. */
#include "dwarf/functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/constants.h"
#include "dwarf/unit.h"

enum {
	DEPTH_MAX = 4096,     /* of entries in entries */
	RANGES_MAX = 1 << 22, /* of all functions of a unit, or calls of a function */
	KEPT_MAX = 1 << 16,   /* ranges or calls: memory for more is not kept for the next ones */
};

/* What a walk needs. */
struct walk {
	struct info_file *file;
	struct unit *unit;
	const struct text *text;
	struct work *work;
	const struct abbrevs *abbrevs;
	const struct bases *bases;
	struct cover_ranges *ranges; /* the work's */
	struct dwarf_cursor c;
	struct die die;
};

static struct walk walk_from(struct info_file *f, struct unit *u, const struct text *text,
			     struct work *work, uint64_t at)
{
	work->functions.ranges.nr = 0;
	work->functions.nr_calls = 0;
	return (struct walk){ .file = f,
			      .unit = u,
			      .text = text,
			      .work = work,
			      .abbrevs = u->facts->abbrevs,
			      .bases = &u->facts->root.bases,
			      .ranges = &work->functions.ranges,
			      .c = cursor__at(&f->sections.info, at, u->end) };
}

/* Adds the ranges of w->die. @rank: 0: the shorter one counts. */
static int add_ranges(struct walk *w, uint32_t id, uint64_t rank)
{
	struct cover_range r = { .id = id };
	struct ranges ranges;
	int err;

	ranges__begin(&ranges, w->bases, w->text, &w->die);
	while (ranges__next(&ranges, &r.low, &r.high)) {
		if (w->ranges->nr == RANGES_MAX || !work__take(w->work, 1))
			return -E2BIG;
		r.rank = rank ? rank : UINT64_MAX - (r.high - r.low);
		err = cover_ranges__add(w->ranges, r);
		if (err)
			return err;
	}
	return 0;
}

static bool has_code(const struct abbrev *a)
{
	return a->has & (1u << ATTR_RANGES | 1u << ATTR_HIGH_PC);
}

static int add_function(struct walk *w, struct unit_functions *to)
{
	const size_t before = w->ranges->nr;
	int err;

	err = add_ranges(w, to->nr, 0);
	if (err || w->ranges->nr == before)
		return err;
	err = array__grow(&to->all, &to->cap, to->nr + 1);
	if (!err)
		to->all[to->nr++] = (struct dwarf_function){ .at = w->die.at };
	return err;
}

/* May functions with code of their own be below, other than those that are found when searched? */
static bool is_passed_over(const struct abbrev *a)
{
	enum { DW_TAG_module = 0x1e, DW_TAG_namespace = 0x39 };

	return a->children && a->has & 1u << ATTR_SIBLING && a->tag != DW_TAG_module &&
	       a->tag != DW_TAG_namespace && a->tag != DW_TAG_compile_unit;
}

/* The entry at the cursor. @deep: nothing is passed over. */
static int visit(struct walk *w, struct unit_functions *to, bool deep)
{
	const uint64_t at = cursor__offset(&w->c), code = take_leb(&w->c);
	const struct abbrev *a;
	uint64_t sibling;
	bool wanted;
	int err = 0;

	if (!code)
		return 0;
	a = abbrevs__get(w->abbrevs, code);
	if (!a || !work__take(w->work, 1))
		return a ? -E2BIG : -EINVAL;
	wanted = a->tag == DW_TAG_subprogram && has_code(a);
	if (!wanted && (deep || !is_passed_over(a))) {
		die__skip(&w->c, w->abbrevs, a);
		return 0;
	}
	if (!die__read_values(&w->die, &w->c, w->abbrevs, a, at))
		return -EINVAL;
	if (wanted)
		err = add_function(w, to);
	sibling = deep ? 0 : die__sibling(&w->die, &w->c, w->unit->at);
	if (sibling)
		cursor__skip(&w->c, sibling - cursor__offset(&w->c));
	return err;
}

static void put_away(struct functions_scratch *s)
{
	if (s->ranges.cap > KEPT_MAX || s->cap_calls > KEPT_MAX)
		functions_scratch__free(s);
}

/* What was found up to a damaged entry is kept. */
static int read_functions(struct info_file *f, struct unit *u, const struct text *text,
			  struct work *work, bool deep, size_t *bytes)
{
	struct walk w = walk_from(f, u, text, work, u->dies);
	struct unit_functions *to = &u->facts->functions;
	int err = 0;

	unit_functions__free(to);
	while (!err && !cursor__is_at_end(&w.c) && !w.c.over)
		err = visit(&w, to, deep);
	if (err == -EINVAL)
		err = 0;
	if (!err)
		err = cover__build(&to->cover, w.ranges, &work->found);
	put_away(&work->functions);
	if (err)
		unit_functions__free(to);
	/* In any case it is not tried again. */
	to->shallow = true;
	to->deep = deep || err;
	*bytes += to->cap * sizeof(*to->all) + cover__bytes(&to->cover);
	return err;
}

int unit_functions__find(struct info_file *f, struct unit *u, const struct text *text,
			 uint64_t addr, struct work *work, size_t *bytes,
			 struct dwarf_function **out)
{
	struct unit_functions *in = &u->facts->functions;
	uint32_t i = COVER_NONE;
	int err = 0;

	if (!in->shallow)
		err = read_functions(f, u, text, work, false, bytes);
	if (!err)
		i = cover__find(&in->cover, addr);
	if (!err && i == COVER_NONE && !in->deep) {
		err = read_functions(f, u, text, work, true, bytes);
		if (!err)
			i = cover__find(&in->cover, addr);
	}
	*out = i == COVER_NONE ? NULL : &in->all[i];
	return err ? err : *out ? 0 : -ENOENT;
}

/* Who the calls at each depth are inlined into. */
struct parents {
	uint32_t *at;
	size_t nr, cap;
};

static int enter(struct parents *p, uint32_t call)
{
	int err;

	if (p->nr == DEPTH_MAX)
		return -E2BIG;
	err = array__grow(&p->at, &p->cap, p->nr + 1);
	if (!err)
		p->at[p->nr++] = call;
	return err;
}

static uint32_t small_number(const struct die *die, enum attr attr)
{
	uint64_t v = die__has(die, attr) ? die->values[attr].v : 0;

	return v < UINT32_MAX ? v : 0;
}

static int add_call(struct walk *w, uint32_t parent)
{
	struct functions_scratch *to = &w->work->functions;
	struct inlined_call call = { .function = w->die.at,
				     .call_file = small_number(&w->die, ATTR_CALL_FILE),
				     .call_line = small_number(&w->die, ATTR_CALL_LINE),
				     .parent = parent };
	int err;

	if (die__has(&w->die, ATTR_ORIGIN) &&
	    !value__reference(w->bases, &w->die.values[ATTR_ORIGIN], &call.function, &call.in_alt))
		call.function = w->die.at;
	/* The deeper ones come later, and count. */
	err = add_ranges(w, to->nr_calls, to->nr_calls + 1);
	if (!err)
		err = array__grow(&to->calls, &to->cap_calls, to->nr_calls + 1);
	if (!err)
		to->calls[to->nr_calls++] = call;
	return err;
}

/* The entry at the cursor, which is in the function. */
static int visit_below(struct walk *w, struct parents *parents)
{
	const uint64_t at = cursor__offset(&w->c), code = take_leb(&w->c);
	uint32_t parent = parents->at[parents->nr - 1];
	const struct abbrev *a;
	uint64_t sibling;
	int err = 0;

	if (!code) {
		parents->nr--;
		return 0;
	}
	a = abbrevs__get(w->abbrevs, code);
	if (!a || !work__take(w->work, 1))
		return a ? -E2BIG : -EINVAL;
	if (a->tag == DW_TAG_inlined_subroutine || (a->tag == DW_TAG_subprogram && a->children)) {
		if (!die__read_values(&w->die, &w->c, w->abbrevs, a, at))
			return -EINVAL;
		sibling = 0;
		if (a->tag == DW_TAG_subprogram)
			sibling = die__sibling(&w->die, &w->c, w->unit->at);
		else
			err = add_call(w, parent);
		if (sibling) {
			cursor__skip(&w->c, sibling - cursor__offset(&w->c));
			return 0;
		}
		if (a->tag == DW_TAG_inlined_subroutine)
			parent = w->work->functions.nr_calls - 1;
	} else {
		die__skip(&w->c, w->abbrevs, a);
	}
	return !err && a->children ? enter(parents, parent) : err;
}

/* As many as there are, and no more room: they stay. */
static int keep_calls(struct work *work, struct inlined_calls *to)
{
	const struct functions_scratch *s = &work->functions;

	to->all = arena__copy(&work->found, s->calls, s->nr_calls * sizeof(*to->all));
	to->nr = s->nr_calls;
	return to->all ? 0 : -ENOMEM;
}

static int read_calls(struct walk *w, struct inlined_calls *to)
{
	struct parents parents = {};
	int err = 0;

	if (!die__read(&w->die, &w->c, w->abbrevs) || !w->die.abbrev)
		return -EINVAL;
	if (w->die.abbrev->children)
		err = enter(&parents, COVER_NONE);
	while (!err && parents.nr && !w->c.over)
		err = visit_below(w, &parents);
	free(parents.at);
	if (err == -EINVAL)
		err = 0;
	if (!err)
		err = keep_calls(w->work, to);
	return err ? err : cover__build(&to->cover, w->ranges, &w->work->found);
}

int unit_function__read_calls(struct info_file *f, struct unit *u, const struct text *text,
			      struct dwarf_function *fn, struct work *work, size_t *bytes)
{
	struct walk w = walk_from(f, u, text, work, fn->at);
	struct inlined_calls *calls;
	int err;

	if (fn->calls || fn->broken)
		return 0;
	calls = arena__alloc(&work->found, sizeof(*calls));
	if (!calls)
		return -ENOMEM;
	*calls = (struct inlined_calls){};
	err = read_calls(&w, calls);
	put_away(&work->functions);
	if (err) {
		fn->broken = err != -ENOMEM;
		return err;
	}
	*bytes += sizeof(*calls) + calls->nr * sizeof(*calls->all) + cover__bytes(&calls->cover);
	fn->calls = calls;
	return 0;
}

void unit_functions__free(struct unit_functions *f)
{
	free(f->all);
	*f = (struct unit_functions){};
}

void functions_scratch__free(struct functions_scratch *s)
{
	cover_ranges__free(&s->ranges);
	free(s->calls);
	*s = (struct functions_scratch){};
}
