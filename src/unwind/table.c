// SPDX-License-Identifier: BSD-2-Clause
/* Collects the rows of all functions, sorts these by address, and cuts the rows into pages. */
#include "unwind/table.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "elf/eh_frame.h"
#include "elf/elf_code.h"
#include "elf/go_frames.h"
#include "elf/outermost.h"
#include "unwind/call_sites.h"
#include "unwind/restorer.h"
#include "unwind/undescribed.h"

enum {
	PADDING_BYTES = 15, /* between functions, at most */
	ENTRY_BYTES = 64,   /* of the code at the entry point */
	SEGMENTS = 16,
	KNOWN = 512,
	/* However little is described: 64 MB of Go's code may lie between what C's linker adds. */
	PAGES_ANYWAY = 8192,
	SCAN_BYTES = 1 << 20, /* of code that nothing describes, for a restorer: musl has 600 kB */
};

struct described {
	uint64_t start, end;
	uint32_t first, nr; /* rows */
};

/* From here on: bytes into the function. */
struct described_row {
	uint32_t at, rule;
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
	size_t max_rows;
	struct code_span segments[SEGMENTS];
	size_t nr_segments;
	uint64_t entry;
	struct described *functions;
	size_t nr_functions, cap_functions;
	struct described_row *rows;
	size_t nr_rows, cap_rows;
	bool signal, unsorted;
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

	return &b->known[hash_u64(h) % KNOWN];
}

static int number_of(struct builder *b, const struct cfi_row *row, uint32_t *number)
{
	const bool lasts = row->cfa.kind != CFI_EXPRESSION && row->fp.kind != CFI_EXPRESSION &&
			   row->ra.kind != CFI_EXPRESSION && !b->signal;
	struct known *k = known_place(b, row);
	struct unwind_rule rule;
	int err;

	if (lasts && k->number && !memcmp(&k->row, row, sizeof(*row))) {
		*number = k->number - 1;
		return 0;
	}
	rule = unwind_rule__of(b->machine, b->signal, row);
	err = unwind_rules__add(b->rules, &rule, number);
	if (!err && lasts)
		*k = (struct known){ *row, *number + 1 };
	return err;
}

static int add_row(struct builder *b, uint64_t at, uint32_t rule)
{
	int err;

	if (b->nr_rows >= b->max_rows)
		return -E2BIG;
	err = array__grow(&b->rows, &b->cap_rows, b->nr_rows + 1);
	if (!err)
		b->rows[b->nr_rows++] = (struct described_row){ (uint32_t)at, rule };
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
	struct described *f = &b->functions[b->nr_functions - 1];
	uint32_t number, reg;
	int err = number_of(b, row, &number);

	if (!err && by_preserved(b, number, &reg))
		err = call_sites__add(&b->sites, b->from, start, end, reg);
	if (err)
		return err;
	if (b->nr_rows > f->first && b->rows[b->nr_rows - 1].rule == number)
		return 0;
	return add_row(b, start - f->start, number);
}

static int add_function(struct builder *b, uint64_t start, uint64_t end)
{
	struct described *last = b->nr_functions ? &b->functions[b->nr_functions - 1] : NULL;
	int err = array__grow(&b->functions, &b->cap_functions, b->nr_functions + 1);

	if (err)
		return err;
	b->unsorted |= last && b->functions[b->nr_functions - 1].start > start;
	b->functions[b->nr_functions++] = (struct described){ start, end, b->nr_rows, 0 };
	return 0;
}

/*
 * A handler's return address is the restorer's first byte, and looked up one byte before. glibc's
 * FDE of it begins there already.
 */
static void take_signal(struct builder *b, struct described *f)
{
	b->has_restorer = true;
	if (f->start && restorer__is_at(b->from, b->elf_machine, f->start))
		f->start--;
}

/* Where contexts end, likewise. Its FDE says that it has a caller. */
static int take_context_end(struct builder *b, struct described *f)
{
	const struct unwind_rule rule = { .cfa = UNWIND_CFA_STOP, .reg = UNWIND_NAMED_BY_NEXT };

	if (!f->start || !elf_code__ends_context(b->from, b->elf_machine, f->start, f->end))
		return 0;
	f->start--;
	return unwind_rules__add(b->rules, &rule, &b->rows[f->first].rule);
}

static int take_function(const struct eh_fde *fde, void *arg)
{
	struct builder *b = arg;
	struct described *f;
	int err;

	if (!is_code(b, fde->start, fde->end) || fde->end - fde->start > UINT32_MAX)
		return 0;
	err = add_function(b, fde->start, fde->end);
	if (err)
		return err;
	b->signal = fde->common->signal;
	err = cfi__run(fde->common, fde->code, fde->start, fde->end, take_row, b);
	f = &b->functions[b->nr_functions - 1];
	f->nr = b->nr_rows - f->first;
	if (b->signal)
		take_signal(b, f);
	return err || !b->is_libc || f->nr != 1 ? err : take_context_end(b, f);
}

static int add_special(struct builder *b, uint64_t start, uint64_t end, enum unwind_cfa cfa)
{
	const struct unwind_rule rule = { .cfa = cfa };
	uint32_t number;
	int err = unwind_rules__add(b->rules, &rule, &number);

	if (!err)
		err = add_function(b, start, end);
	if (!err)
		err = add_row(b, 0, number);
	if (!err)
		b->functions[b->nr_functions - 1].nr = 1;
	return err;
}

/* What the kernel jumps to has no caller, even if nobody says so. */
static int add_entry(struct builder *b)
{
	uint64_t end = b->entry + ENTRY_BYTES;

	for (size_t i = 0; i < b->nr_functions; i++) {
		const struct described *f = &b->functions[i];

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

	for (size_t i = 0; i < b->nr_functions; i++)
		if (b->functions[i].start < u->end && u->start < b->functions[i].end)
			return 0;
	if (u->end <= u->start || !is_code(b, u->start, u->end))
		return 0;
	err = add_function(b, u->start, u->end);
	for (size_t i = 0; !err && i < u->nr; i++) {
		err = unwind_rules__add(b->rules, &u->rows[i].rule, &number);
		if (!err)
			err = add_row(b, u->rows[i].at, number);
	}
	if (!err)
		b->functions[b->nr_functions - 1].nr = (uint32_t)u->nr;
	return err;
}

/* A file that describes nothing (Go's) is followed by frame pointers. */
static int add_undescribed(struct builder *b)
{
	return b->nr_functions
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

	if (moved && at >= f->saved) {
		rule.fp = UNWIND_SAVED_AT_CFA;
		rule.fp_off = -8 - (int32_t)f->saved_below;
	}
	err = unwind_rules__add(b->rules, &rule, &number);
	return err ? err : add_row(b, at - f->start, number);
}

static int take_go_frame(const struct go_frame *f, void *arg)
{
	struct builder *b = arg;
	const size_t first = b->nr_rows;
	int err;

	if (!is_code(b, f->start, f->end) || f->end - f->start > UINT32_MAX)
		return 0;
	err = add_function(b, f->start, f->end);
	for (unsigned i = 0; !err && i < f->nr; i++) {
		const struct go_move *m = &f->moves[i];
		const uint64_t end = i + 1 < f->nr ? m[1].addr : f->end;

		err = add_go_row(b, f, m->addr, m->bytes);
		if (!err && m->addr < f->saved && f->saved < end)
			err = add_go_row(b, f, f->saved, m->bytes);
	}
	if (!err)
		b->functions[b->nr_functions - 1].nr = b->nr_rows - first;
	return err;
}

/* Not where they would lie over more pages than a table may have. */
static int add_go(struct builder *b)
{
	for (size_t i = 0; i < b->nr_segments; i++)
		if ((b->segments[i].end - b->segments[i].start) >> UNWIND_PAGE_SHIFT >=
		    PAGES_ANYWAY)
			return 0;
	return go_frames__read(b->from, take_go_frame, b);
}

static int compare(const void *a, const void *b)
{
	const struct described *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

static void sort(struct builder *b)
{
	if (b->unsorted)
		qsort(b->functions, b->nr_functions, sizeof(*b->functions), compare);
	b->unsorted = false;
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
	const size_t nr = b->nr_functions;
	uint64_t left = SCAN_BYTES, end = 0;
	int err = 0;

	if (b->has_restorer || (b->from->fd >= 0 && !b->is_libc))
		return 0;
	sort(b);
	for (size_t i = 0; !err && i <= nr && !b->has_restorer; i++) {
		const struct described *next = i < nr ? &b->functions[i] : NULL;

		for (size_t s = 0; !err && s < b->nr_segments; s++) {
			const struct code_span *in = &b->segments[s];
			const uint64_t from = end > in->start ? end : in->start;
			const uint64_t to = next && next->start < in->end ? next->start : in->end;

			if (to > from)
				err = find_restorer(b, from, to, &left);
		}
		if (next && next->end > end)
			end = next->end;
	}
	return err;
}

/* While what is called runs, the frame is known by where the register has been saved. */
static int add_called(struct builder *b, uint32_t rule, const struct call_site *site,
		      uint32_t *number)
{
	struct unwind_rule r = b->rules->all[rule];

	r.cfa = UNWIND_CFA_SAVED;
	r.add = r.cfa_off;
	r.cfa_off = site->saved_off;
	return unwind_rules__add(b->rules, &r, number);
}

/* A row whose frame is known by a register, up to @end, and the calls in it. */
static int put_calls(struct builder *b, const struct described *f, struct described_row row,
		     uint32_t end, const struct call_site *sites, size_t nr)
{
	int err = add_row(b, row.at, row.rule);

	for (size_t i = 0; !err && i < nr; i++) {
		const uint32_t at = sites[i].at - f->start;
		uint32_t called;

		if (!sites[i].is_saved)
			continue;
		err = add_called(b, row.rule, &sites[i], &called);
		if (!err)
			err = add_row(b, at + 1, called);
		if (!err && at + CALL_BYTES < end)
			err = add_row(b, at + CALL_BYTES, row.rule);
	}
	return err;
}

/*
 * Writes a function's rows anew, with others for return addresses of its calls. These are looked up
 * by the byte before; a sample at the call itself, by its first byte.
 */
static int split_rows(struct builder *b, struct described *f, const struct call_site *sites,
		      size_t nr)
{
	const struct described was = *f;
	int err = 0;

	f->first = b->nr_rows;
	for (uint32_t i = 0; !err && i < was.nr; i++) {
		const struct described_row row = b->rows[was.first + i];
		const uint32_t end = i + 1 < was.nr ? b->rows[was.first + i + 1].at
						    : (uint32_t)(f->end - f->start);
		size_t calls = 0;

		while (calls < nr && sites[calls].at - f->start < end)
			calls++;
		err = put_calls(b, f, row, end, sites, calls);
		sites += calls;
		nr -= calls;
	}
	f->nr = b->nr_rows - f->first;
	return err;
}

static int by_address(const void *a, const void *b)
{
	const struct call_site *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

static int add_call_sites(struct builder *b)
{
	struct call_site *site = b->sites.all, *end = site + b->sites.nr;
	int err = call_sites__resolve(&b->sites, b->from);

	if (err || site == end)
		return err;
	sort(b);
	qsort(site, b->sites.nr, sizeof(*site), by_address);
	for (size_t i = 0; !err && i < b->nr_functions; i++) {
		struct described *f = &b->functions[i];
		size_t nr = 0;

		while (site < end && site->at < f->start)
			site++;
		while (site + nr < end && site[nr].at < f->end)
			nr++;
		if (nr)
			err = split_rows(b, f, site, nr);
		site += nr;
	}
	return err;
}

/* The table while it is written. */
struct table_writer {
	struct unwind_table *t;
	uint32_t nr_pages; /* begun so far */
	uint32_t rule;	   /* in force */
	size_t max_rows;
};

static void put_row(struct table_writer *w, uint32_t offset, uint32_t rule)
{
	w->t->rows[w->t->nr_rows++] = UNWIND_ROW(rule, offset);
	w->rule = rule;
}

/* Begins pages up to @page: with the rule in force, which a row at their first byte replaces. */
static void begin_pages(struct table_writer *w, uint32_t page)
{
	while (w->nr_pages <= page) {
		w->t->pages[w->nr_pages++] = w->t->nr_rows;
		put_row(w, 0, w->rule);
	}
}

static void put(struct table_writer *w, uint64_t addr, uint32_t rule)
{
	const uint64_t at = addr - w->t->base;
	const uint32_t offset = at & (UNWIND_PAGE_BYTES - 1);

	begin_pages(w, at >> UNWIND_PAGE_SHIFT);
	if (!offset)
		w->t->nr_rows--;
	else if (rule == w->rule)
		return;
	put_row(w, offset, rule);
}

/* Room for all rows and pages; -E2BIG: the code is strewn over too many pages for what it is. */
static int size_table(const struct builder *b, struct unwind_table *t)
{
	const struct described *all = b->functions;
	uint64_t end = 0, bytes = 0, nr_pages;

	t->base = all[0].start & ~(uint64_t)(UNWIND_PAGE_BYTES - 1);
	for (size_t i = 0; i < b->nr_functions; i++) {
		if (all[i].end > end)
			end = all[i].end;
		bytes += all[i].end - all[i].start;
	}
	nr_pages = ((end - t->base) >> UNWIND_PAGE_SHIFT) + 1;
	if (nr_pages > PAGES_ANYWAY + 16 * (bytes >> UNWIND_PAGE_SHIFT) ||
	    nr_pages > UINT32_MAX / 2)
		return -E2BIG;
	t->nr_pages = nr_pages;
	/* A gap behind each function, and the first row of each page. */
	t->rows = malloc((b->nr_rows + b->nr_functions + nr_pages + 1) * sizeof(*t->rows));
	t->pages = malloc((nr_pages + 1) * sizeof(*t->pages));
	return t->rows && t->pages ? 0 : -ENOMEM;
}

/* A byte before its code, which may be the end of the function before it. */
static bool begins_early(const struct unwind_rule *r)
{
	return r->cfa == UNWIND_CFA_SIGNAL ||
	       (r->cfa == UNWIND_CFA_STOP && r->reg == UNWIND_NAMED_BY_NEXT);
}

static int write_table(const struct builder *b, struct unwind_table *t)
{
	struct table_writer w = { .t = t };
	uint64_t end = b->functions[0].start;
	int err = size_table(b, t);

	if (err)
		return err;
	for (size_t i = 0; i < b->nr_functions; i++) {
		const struct described *f = &b->functions[i];
		const bool early = f->nr && begins_early(&b->rules->all[b->rows[f->first].rule]);

		if (f->start + early < end)
			continue;
		if (f->start > end + PADDING_BYTES)
			put(&w, end, 0);
		for (uint32_t r = f->first; r < f->first + f->nr; r++) {
			const uint64_t at = f->start + b->rows[r].at;

			put(&w, at < end ? end : at, b->rows[r].rule);
		}
		end = f->end;
	}
	if (end - t->base < (uint64_t)t->nr_pages << UNWIND_PAGE_SHIFT)
		put(&w, end, 0);
	begin_pages(&w, t->nr_pages - 1);
	t->pages[t->nr_pages] = t->nr_rows;
	return t->nr_rows > b->max_rows ? -E2BIG : 0;
}

int unwind_table__build(struct unwind_table *out, const struct elf_from *from,
			struct unwind_rules *rules, size_t max_rows)
{
	struct builder b = { .from = from, .rules = rules, .max_rows = max_rows };
	int err = 0;

	*out = (struct unwind_table){};
	if (!read_headers(&b, from->elf, out))
		return 0;
	b.is_libc = outermosts__is_libc(from);
	err = eh_frame__each(from, take_function, &b);
	if (!err)
		err = add_call_sites(&b);
	if (!err)
		err = add_entry(&b);
	if (!err)
		err = add_undescribed(&b);
	if (!err)
		err = add_go(&b);
	if (!err)
		err = add_restorer(&b);
	sort(&b);
	if (!err && b.nr_functions)
		err = write_table(&b, out);
	free(b.functions);
	free(b.rows);
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
