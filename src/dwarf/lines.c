// SPDX-License-Identifier: BSD-2-Clause
/* Runs line programs. */
#include "dwarf/lines.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/radix.h"
#include "dwarf/constants.h"
#include "dwarf/line_header.h"
#include "dwarf/unit.h"

enum {
	ROWS_A_MARK = 32,
	KEPT_MAX = 1 << 16, /* marks: memory for more is not kept for the next table */
};

/* A program under way. */
struct machine {
	const struct line_table *table;
	struct line_table *files_to; /* where files are defined; NULL: they are known already */
	struct dwarf_cursor c;
	struct line_state s;
};

static void restart(struct line_state *s)
{
	*s = (struct line_state){ .file = 1, .line = 1 };
}

static inline void advance(struct machine *m, uint64_t operations)
{
	const struct line_table *t = m->table;

	if (t->max_ops <= 1) {
		m->s.addr += operations * t->min_bytes;
		return;
	}
	operations += m->s.op_index;
	m->s.addr += operations / t->max_ops * t->min_bytes;
	m->s.op_index = operations % t->max_ops;
}

/* True: it ends a sequence. */
static bool run_extended(struct machine *m)
{
	uint64_t len = take_leb(&m->c), end;
	uint8_t op;

	if (!len || len > cursor__left(&m->c)) {
		m->c.over |= len > 0;
		return false;
	}
	end = cursor__offset(&m->c) + len;
	op = take_u8(&m->c);
	if (op == DW_LNE_end_sequence) {
		m->s.ends = true;
	} else if (op == DW_LNE_set_address && len >= 3 && len <= 9) {
		m->s.addr = take_number(&m->c, len - 1);
		m->s.op_index = 0;
	} else if (op == DW_LNE_define_file && m->files_to &&
		   line_header__define_file(m->files_to, &m->c)) {
		m->c.over = true; /* without memory it ends here */
	}
	if (m->c.over || cursor__offset(&m->c) > end)
		m->c.over = true;
	else
		cursor__skip(&m->c, end - cursor__offset(&m->c));
	return m->s.ends;
}

/* True: it makes a row. */
static bool run_standard(struct machine *m, uint8_t op)
{
	switch (op) {
	case DW_LNS_copy:
		return true;
	case DW_LNS_advance_pc:
		advance(m, take_leb(&m->c));
		break;
	case DW_LNS_advance_line:
		m->s.line += take_sleb(&m->c);
		break;
	case DW_LNS_set_file:
		m->s.file = take_leb(&m->c);
		break;
	case DW_LNS_const_add_pc:
		if (m->table->line_range)
			advance(m, m->table->operations[255]);
		break;
	case DW_LNS_fixed_advance_pc:
		m->s.addr += take_number(&m->c, 2);
		m->s.op_index = 0;
		break;
	default:
		for (unsigned i = 0; i < m->table->nr_operands[op]; i++)
			take_leb(&m->c);
		break;
	}
	return false;
}

static bool run_special(struct machine *m, uint8_t op)
{
	const struct line_table *t = m->table;

	if (!t->line_range) {
		m->c.over = true;
		return false;
	}
	advance(m, t->operations[op]);
	m->s.line += t->lines[op];
	return true;
}

/* Runs up to the next row, which is the state then. False: there is no other. */
static bool next_row(struct machine *m)
{
	bool is_row;
	uint8_t op;

	if (m->s.ends)
		restart(&m->s);
	do {
		if (cursor__is_at_end(&m->c))
			return false;
		op = take_u8(&m->c);
		if (op >= m->table->opcode_base)
			is_row = run_special(m, op);
		else if (op)
			is_row = run_standard(m, op);
		else
			is_row = run_extended(m);
	} while (!is_row && !m->c.over);
	return !m->c.over;
}

static int add_mark(struct line_scratch *to, const struct machine *m)
{
	int err = array__grow(&to->all, &to->cap, to->nr + 1);

	if (!err)
		to->all[to->nr++] = (struct line_mark){ m->s, cursor__offset(&m->c) };
	return err;
}

/*
 * The first row of a sequence has a mark, and each that many rows on; also one that goes back,
 * which no compiler should write. Rows at one address stay together, as the last one counts.
 */
static int mark_rows(struct machine *m, const struct text *text, struct work *work)
{
	uint64_t rows = 0, last = 0;
	bool first = true, dead = false;
	int err = 0;

	while (!err && next_row(m) && work__take(work, 1)) {
		const struct line_state *s = &m->s;

		if (first)
			dead = s->addr < text->low || s->addr >= text->high;
		if (!dead && !s->ends &&
		    (first || s->addr < last || (rows >= ROWS_A_MARK && s->addr > last))) {
			err = add_mark(&work->lines, m);
			rows = 0;
		}
		rows++;
		last = s->addr;
		first = s->ends;
	}
	return err;
}

/* Those at one address keep their order, as the last one counts. The marks, sorted; NULL. */
static const struct line_mark *sort_marks(struct line_scratch *s)
{
	_Static_assert(!offsetof(struct line_mark, row.addr), "they are sorted by it");
	for (size_t i = 1; i < s->nr; i++) {
		if (s->all[i].row.addr >= s->all[i - 1].row.addr)
			continue;
		if (array__grow(&s->spare, &s->cap_spare, s->nr))
			return NULL;
		return radix__sort(s->all, s->spare, s->nr, sizeof(*s->all));
	}
	return s->all;
}

/* As many as there are: they stay. */
static int keep_marks(struct line_table *t, struct work *work)
{
	const struct line_mark *sorted = sort_marks(&work->lines);
	const size_t nr = work->lines.nr;

	t->marks = sorted || !nr ? arena__copy(&work->found, sorted, nr * sizeof(*t->marks)) : NULL;
	t->nr_marks = nr;
	return t->marks ? 0 : -ENOMEM;
}

int line_table__read(struct line_table *out, const struct bases *bases, uint64_t at,
		     const struct text *text, struct work *work)
{
	struct machine m = { .table = out, .files_to = out };
	int err;

	*out = (struct line_table){ .bases = *bases };
	err = line_header__read(out, at);
	if (!err) {
		m.c = cursor__at(&out->bases.sections->line, out->program, out->end);
		restart(&m.s);
		work->lines.nr = 0;
		err = mark_rows(&m, text, work);
	}
	if (!err)
		err = keep_marks(out, work);
	if (work->lines.cap > KEPT_MAX)
		line_scratch__free(&work->lines);
	if (err)
		line_table__free(out);
	return err;
}

/* Goes on from a mark up to the last row that is not behind @addr. */
static bool find_from(const struct line_table *t, const struct line_mark *mark, uint64_t addr,
		      struct line_state *row)
{
	struct machine m = { .table = t, .s = mark->row };

	m.c = cursor__at(&t->bases.sections->line, mark->next, t->end);
	do {
		*row = m.s;
		if (m.s.ends)
			return false;
	} while (next_row(&m) && m.s.addr <= addr && m.s.addr >= row->addr);
	return true;
}

bool line_table__find(const struct line_table *t, uint64_t addr, struct line_state *row)
{
	size_t low = 0, high = t->nr_marks;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->marks[middle].row.addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	/* An empty sequence may begin where another one does. */
	for (size_t i = low; i && low - i < 4; i--)
		if (find_from(t, &t->marks[i - 1], addr, row))
			return true;
	return false;
}

size_t line_table__bytes(const struct line_table *t)
{
	return t->nr_marks * sizeof(*t->marks) + t->cap_files * sizeof(*t->files) +
	       t->cap_dirs * sizeof(*t->dirs);
}

void line_table__free(struct line_table *t)
{
	free(t->files);
	free(t->dirs);
	*t = (struct line_table){};
}

void line_scratch__free(struct line_scratch *s)
{
	free(s->all);
	free(s->spare);
	*s = (struct line_scratch){};
}
