// SPDX-License-Identifier: BSD-2-Clause
/* Collects the rows of all functions: of those that are described, and of others by their code. */
#include "unwind/table.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "elf/eh_frame.h"
#include "elf/elf_code.h"
#include "elf/go_frames.h"
#include "elf/outermost.h"
#include "unwind/call_sites.h"
#include "unwind/clones.h"
#include "unwind/described.h"
#include "unwind/restorer.h"
#include "unwind/undescribed.h"

enum {
	ENTRY_BYTES = 64,	 /* of the code at the entry point */
	RESTORER_BYTES_MAX = 64, /* with padding */
	SEGMENTS = 16,
	KNOWN_BITS = 9,
	KNOWN = 1 << KNOWN_BITS,
	SCAN_BYTES = 1 << 20, /* of code that nothing describes, for a restorer: musl has 600 kB */
};

/* A row of call frame information, and the number of its rule + 1; 0: nothing. */
struct known {
	struct cfi_row row;
	uint32_t number;
};

struct code_span {
	uint64_t start, end;
};

struct builder {
	const struct elf_from *from;
	unsigned elf_machine;
	enum unwind_machine machine;
	struct unwind_rules *rules;
	struct code_span segments[SEGMENTS];
	size_t nr_segments;
	uint64_t entry;
	struct described_code code;
	const struct described *function; /* whose rows are taken */
	bool signal;
	bool has_restorer; /* its FDE has been found */
	bool is_libc;
	struct call_sites sites; /* in code whose frame is known by a register alone */
	/* Most rows are like one of some hundred: each where its bytes say. */
	struct known known[KNOWN];
};

static bool read_headers(struct builder *b, Elf *elf, struct unwind_table *t)
{
	GElf_Ehdr ehdr;
	GElf_Phdr phdr;
	size_t nr;

	if (!gelf_getehdr(elf, &ehdr) || elf_getphdrnum(elf, &nr))
		return false;
	if (ehdr.e_machine != EM_X86_64 && ehdr.e_machine != EM_AARCH64)
		return false;
	b->elf_machine = ehdr.e_machine;
	b->machine = ehdr.e_machine == EM_AARCH64 ? UNWIND_ARM64 : UNWIND_X86_64;
	b->entry = ehdr.e_entry;
	for (size_t i = 0; i < nr && b->nr_segments < SEGMENTS; i++) {
		if (!gelf_getphdr(elf, i, &phdr) || phdr.p_type != PT_LOAD ||
		    !(phdr.p_flags & PF_X) || phdr.p_filesz > UINT64_MAX - phdr.p_vaddr)
			continue;
		b->segments[b->nr_segments++] =
			(struct code_span){ phdr.p_vaddr, phdr.p_vaddr + phdr.p_filesz };
		if (t->nr_segments < UNWIND_SEGMENTS)
			t->segments[t->nr_segments++] =
				(struct unwind_segment){ phdr.p_offset, phdr.p_vaddr,
							 phdr.p_filesz };
	}
	return true;
}

static bool is_code(const struct builder *b, uint64_t start, uint64_t end)
{
	for (size_t i = 0; i < b->nr_segments; i++)
		if (start >= b->segments[i].start && end <= b->segments[i].end)
			return true;
	return false;
}

static struct known *known_place(struct builder *b, const struct cfi_row *row)
{
	const uint64_t h = (uint64_t)row->cfa.off ^ (uint64_t)row->fp.off << 16 ^
			   (uint64_t)row->ra.off << 24 ^ (uint64_t)row->cfa.reg << 32 ^
			   (uint64_t)(row->cfa.kind ^ row->fp.kind << 4) << 40;

	return &b->known[h * 0x9e3779b97f4a7c15ull >> (64 - KNOWN_BITS)];
}

static int number_of(struct builder *b, const struct cfi_row *row, uint32_t *number)
{
	struct known *k = known_place(b, row);
	struct unwind_rule rule;
	int err;

	if (k->number && !b->signal && !memcmp(&k->row, row, sizeof(*row))) {
		*number = k->number - 1;
		return 0;
	}
	rule = unwind_rule__of(b->machine, b->signal, row);
	err = unwind_rules__add(b->rules, &rule, number);
	/* An expression is known by where its bytes are: others may come there. */
	if (!err && !b->signal && row->cfa.kind != CFI_EXPRESSION &&
	    row->fp.kind != CFI_EXPRESSION && row->ra.kind != CFI_EXPRESSION)
		*k = (struct known){ *row, *number + 1 };
	return err;
}

/* The register of code whose frame is known by that alone, if calls preserve it. */
static bool by_preserved(const struct builder *b, uint32_t rule, uint32_t *reg)
{
	const struct unwind_rule *r = &b->rules->all[rule];

	return r->cfa == UNWIND_CFA_REG && b->machine == UNWIND_X86_64 &&
	       r->ra == UNWIND_SAVED_AT_CFA && call_sites__preserved(r->reg, reg);
}

static int take_row(void *arg, uint64_t start, uint64_t end, const struct cfi_row *row)
{
	struct builder *b = arg;
	const struct described *f = b->function;
	uint32_t number, reg;
	int err = number_of(b, row, &number);

	if (!err && by_preserved(b, number, &reg))
		err = call_sites__add(&b->sites, b->from, start, end, reg);
	if (err)
		return err;
	if (b->code.nr_rows > f->first && b->code.rows[b->code.nr_rows - 1].rule == number)
		return 0;
	return described__add_row(&b->code, start - f->start, number);
}

/*
 * A handler's return address is the restorer's first byte, and looked up one byte before. glibc's
 * FDE of it begins there already.
 */
static void take_signal(struct builder *b, struct described *f)
{
	b->has_restorer = true;
	if (f->start && restorer__is_at(b->from, b->elf_machine, f->start))
		described__begin_early(&b->code);
}

/* Where contexts end, likewise. Its FDE says that it has a caller. */
static int take_context_end(struct builder *b, struct described *f)
{
	const struct unwind_rule rule = { .cfa = UNWIND_CFA_STOP, .reg = UNWIND_NAMED_BY_NEXT };

	if (!f->start || !elf_code__ends_context(b->from, b->elf_machine, f->start, f->end))
		return 0;
	described__begin_early(&b->code);
	return unwind_rules__add(b->rules, &rule, &b->code.rows[f->first].rule);
}

static int take_function(const struct eh_fde *fde, void *arg)
{
	struct builder *b = arg;
	struct described *f;
	int err;

	if (!is_code(b, fde->start, fde->end) || fde->end - fde->start > UINT32_MAX)
		return 0;
	err = described__add_function(&b->code, fde->start, fde->end);
	if (err)
		return err;
	b->function = &b->code.functions[b->code.nr_functions - 1];
	b->signal = fde->common->signal;
	err = cfi__run(fde->common, fde->code, fde->start, fde->end, take_row, b);
	f = &b->code.functions[b->code.nr_functions - 1];
	f->nr = b->code.nr_rows - f->first;
	if (b->signal)
		take_signal(b, f);
	return err || !b->is_libc || f->nr != 1 ? err : take_context_end(b, f);
}

/* What the file does not say: it is known by where the code is, or by its instructions. */
static int add_special(struct builder *b, uint64_t start, uint64_t end, enum unwind_cfa cfa)
{
	const struct unwind_rule rule = { .cfa = cfa, .by_code = 1 };
	uint32_t number;
	int err = unwind_rules__add(b->rules, &rule, &number);

	if (!err)
		err = described__add_function(&b->code, start, end);
	if (!err)
		err = described__add_row(&b->code, 0, number);
	if (!err)
		b->code.functions[b->code.nr_functions - 1].nr = 1;
	return err;
}

/* What the kernel jumps to has no caller, even if nobody says so. */
static int add_entry(struct builder *b)
{
	uint64_t end = b->entry + ENTRY_BYTES;

	for (size_t i = 0; i < b->code.nr_functions; i++) {
		const struct described *f = &b->code.functions[i];

		if (f->start <= b->entry && b->entry < f->end)
			return 0;
		if (f->start > b->entry && f->start < end)
			end = f->start;
	}
	if (!b->entry || !is_code(b, b->entry, end))
		return 0;
	return add_special(b, b->entry, end, UNWIND_CFA_STOP);
}

/* Unless an FDE is about it. */
static int take_undescribed(const struct undescribed *u, void *arg)
{
	struct builder *b = arg;
	uint32_t number;
	int err;

	for (size_t i = 0; i < b->code.nr_functions; i++)
		if (b->code.functions[i].start < u->end && u->start < b->code.functions[i].end)
			return 0;
	if (u->end <= u->start || !is_code(b, u->start, u->end))
		return 0;
	err = described__add_function(&b->code, u->start, u->end);
	for (size_t i = 0; !err && i < u->nr; i++) {
		err = unwind_rules__add(b->rules, &u->rows[i].rule, &number);
		if (!err)
			err = described__add_row(&b->code, u->rows[i].at, number);
	}
	if (!err)
		b->code.functions[b->code.nr_functions - 1].nr = (uint32_t)u->nr;
	return err;
}

/* Not of a file that describes nothing: Go's code has another table. */
static int add_undescribed(struct builder *b)
{
	return b->code.nr_functions
		       ? undescribed__each(b->from, b->elf_machine, b->entry, take_undescribed, b)
		       : 0;
}

static int add_go_row(struct builder *b, const struct go_frame *f, uint64_t at, uint32_t moved)
{
	struct unwind_rule rule = { .cfa = UNWIND_CFA_SP,
				    .cfa_off = 8 + (int32_t)moved,
				    .ra = UNWIND_SAVED_AT_CFA,
				    .ra_off = -8,
				    .by_code = 1 };
	uint32_t number;
	int err;

	if (f->by_caller || (moved && at >= f->saved)) {
		rule.fp = UNWIND_SAVED_AT_CFA;
		rule.fp_off = -8 - (int32_t)f->saved_below;
	}
	err = unwind_rules__add(b->rules, &rule, &number);
	return err ? err : described__add_row(&b->code, at - f->start, number);
}

/* What signal handlers return to has the interrupted code's frame: runtime.sigreturn. */
static bool is_restorer(const struct builder *b, const struct go_frame *f)
{
	return f->nr == 1 && f->end - f->start <= RESTORER_BYTES_MAX && f->start &&
	       is_code(b, f->start - 1, f->end) &&
	       restorer__is_at(b->from, b->elf_machine, f->start);
}

/* It is looked up by the byte before its first one, as all that is returned to. */
static int add_go_restorer(struct builder *b, const struct go_frame *f)
{
	struct described *before =
		b->code.nr_functions ? &b->code.functions[b->code.nr_functions - 1] : NULL;

	if (before && before->end == f->start && before->start < f->start - 1)
		before->end--;
	return add_special(b, f->start - 1, f->end, UNWIND_CFA_SIGNAL);
}

static int take_go_frame(const struct go_frame *f, void *arg)
{
	struct builder *b = arg;
	const size_t first = b->code.nr_rows;
	int err;

	if (!is_code(b, f->start, f->end) || f->end - f->start > UINT32_MAX ||
	    (f->start <= b->entry && b->entry < f->end))
		return 0;
	if (is_restorer(b, f))
		return add_go_restorer(b, f);
	err = described__add_function(&b->code, f->start, f->end);
	for (unsigned i = 0; !err && i < f->nr; i++) {
		const struct go_move *m = &f->moves[i];
		const uint64_t end = i + 1 < f->nr ? m[1].addr : f->end;

		err = add_go_row(b, f, m->addr, m->bytes);
		if (!err && m->addr < f->saved && f->saved < end)
			err = add_go_row(b, f, f->saved, m->bytes);
	}
	if (!err)
		b->code.functions[b->code.nr_functions - 1].nr = b->code.nr_rows - first;
	return err;
}

/* Not where they would lie over more pages than a table may have. */
static int add_go(struct builder *b)
{
	for (size_t i = 0; i < b->nr_segments; i++)
		if ((b->segments[i].end - b->segments[i].start) >> UNWIND_PAGE_SHIFT >=
		    DESCRIBED_PAGES)
			return 0;
	return go_frames__read(b->from, take_go_frame, b);
}

static int find_restorer(struct builder *b, uint64_t start, uint64_t end, uint64_t *left)
{
	uint64_t at;

	if (!is_code(b, start, end) || end - start > *left)
		return 0;
	*left -= end - start;
	if (!restorer__find(b->from, b->elf_machine, start, end, &at))
		return 0;
	b->has_restorer = true;
	return add_special(b, at > start ? at - 1 : at, at + restorer__bytes(b->elf_machine),
			   UNWIND_CFA_SIGNAL);
}

/* Between functions that are described: musl's has no FDE, nor has the vdso's on arm64. */
static int add_restorer(struct builder *b)
{
	const size_t nr = b->code.nr_functions;
	uint64_t left = SCAN_BYTES, end = 0;
	int err;

	if (b->has_restorer || (b->from->fd >= 0 && !b->is_libc))
		return 0;
	err = described__sort(&b->code);
	for (size_t i = 0; !err && i <= nr && !b->has_restorer; i++) {
		/* A copy: they move when one is added. */
		const struct described none = { .start = UINT64_MAX };
		const struct described next = i < nr ? b->code.functions[i] : none;

		for (size_t s = 0; !err && s < b->nr_segments; s++) {
			const struct code_span *in = &b->segments[s];
			const uint64_t from = end > in->start ? end : in->start;
			const uint64_t to = next.start < in->end ? next.start : in->end;

			if (to > from)
				err = find_restorer(b, from, to, &left);
		}
		if (next.end > end)
			end = next.end;
	}
	return err;
}

int unwind_table__build(struct unwind_table *out, const struct elf_from *from,
			struct unwind_rules *rules, size_t max_rows)
{
	struct builder b = { .from = from, .rules = rules, .code = { .max_rows = max_rows } };
	int err = 0;

	*out = (struct unwind_table){};
	if (!read_headers(&b, from->elf, out))
		return 0;
	b.is_libc = outermosts__is_libc(from);
	described__expect(&b.code, eh_frame__bytes(from));
	err = eh_frame__each(from, take_function, &b);
	if (!err)
		err = call_sites__describe(&b.sites, from, &b.code, rules);
	if (!err)
		err = clones__add(&b.code, from, b.elf_machine, rules);
	if (!err)
		err = add_entry(&b);
	if (!err)
		err = add_undescribed(&b);
	if (!err)
		err = add_go(&b);
	if (!err)
		err = add_restorer(&b);
	if (!err)
		err = described__sort(&b.code);
	if (!err && b.code.nr_functions)
		err = described__write(&b.code, rules, out);
	described__free(&b.code);
	call_sites__free(&b.sites);
	if (err)
		unwind_table__free(out);
	return err;
}

void unwind_table__free(struct unwind_table *t)
{
	free(t->rows);
	free(t->pages);
	*t = (struct unwind_table){};
}

uint32_t unwind_table__find(const struct unwind_table *t, uint64_t addr)
{
	const uint64_t at = addr - t->base, page = at >> UNWIND_PAGE_SHIFT;
	const uint32_t offset = at & (UNWIND_PAGE_BYTES - 1);
	uint32_t low, high;

	if (addr < t->base || page >= t->nr_pages)
		return 0;
	low = t->pages[page];
	high = t->pages[page + 1];
	while (low + 1 < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (UNWIND_ROW_OFFSET(t->rows[middle]) <= offset)
			low = middle;
		else
			high = middle;
	}
	return UNWIND_ROW_RULE(t->rows[low]);
}
