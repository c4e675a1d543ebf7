// SPDX-License-Identifier: BSD-2-Clause
/* Scans code for calls, and runs the rules of what they call. */
#include "unwind/call_sites.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/eh_frame.h"
#include "elf/elf_code.h"

enum { CALL = 0xe8, CODE_MAX = 64 << 10, SCANNED_MAX = 4 << 20, SITES_MAX = 4096 };

bool call_sites__preserved(uint32_t word, uint32_t *reg)
{
	static const uint8_t regs[] = { 15, 14, 13, 12, 0, 3 }; /* 4: %rbp, the frame pointer */

	*reg = word < ARRAY_SIZE(regs) ? regs[word] : 0;
	return *reg != 0;
}

int call_sites__add(struct call_sites *s, const struct elf_from *from, uint64_t start, uint64_t end,
		    uint32_t reg)
{
	const size_t len = end - start < CODE_MAX ? end - start : CODE_MAX;
	uint8_t *code;
	int err;

	if (s->nr_scanned + len > SCANNED_MAX || s->nr >= SITES_MAX)
		return 0;
	s->nr_scanned += len;
	code = malloc(len);
	err = code ? 0 : -ENOMEM;
	if (!err && elf_code__read(from, start, code, len))
		for (size_t i = 0; !err && i + CALL_BYTES <= len && s->nr < SITES_MAX; i++) {
			const uint64_t next = start + i + CALL_BYTES;
			uint32_t distance;

			if (code[i] != CALL)
				continue;
			memcpy(&distance, code + i + 1, sizeof(distance));
			err = array__grow(&s->all, &s->cap, s->nr + 1);
			if (!err)
				s->all[s->nr++] = (struct call_site){
					.at = start + i,
					.target = next + (uint64_t)(int32_t)le32toh(distance),
					.reg = reg,
				};
		}
	free(code);
	return err;
}

/* By target, then by register: those of one answer lie beside each other. */
static int compare(const void *a, const void *b)
{
	const struct call_site *x = *(struct call_site *const *)a;
	const struct call_site *y = *(struct call_site *const *)b;

	if (x->target != y->target)
		return x->target < y->target ? -1 : 1;
	return x->reg < y->reg ? -1 : x->reg > y->reg;
}

struct resolving {
	struct call_site **by_target;
	size_t nr;
};

/* Where a function saves a register: at one place, or it is not told. */
struct saving {
	bool is_saved, differs;
	int64_t off;
};

/* The register is what the rules call the frame pointer: resolve_one() has made it that. */
static int take_row(void *arg, uint64_t start, uint64_t end, const struct cfi_row *row)
{
	struct saving *s = arg;

	(void)start;
	(void)end;
	if (row->fp.kind != CFI_OFFSET)
		return 0;
	s->differs |= s->is_saved && s->off != row->fp.off;
	s->is_saved = true;
	s->off = row->fp.off;
	return 0;
}

static void resolve_one(const struct eh_fde *fde, struct call_site *site)
{
	struct cfi_common common = *fde->common;
	struct saving s = {};

	common.frame_register = site->reg;
	common.first.fp = (struct cfi_value){};
	if (cfi__run(&common, fde->code, fde->start, fde->end, take_row, &s))
		return;
	site->is_saved = s.is_saved && !s.differs && s.off < 0 && s.off >= INT32_MIN;
	site->saved_off = site->is_saved ? (int32_t)s.off : 0;
}

static int take_function(const struct eh_fde *fde, void *arg)
{
	const struct resolving *r = arg;
	struct call_site *last = NULL;
	size_t low = 0, high = r->nr;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (r->by_target[middle]->target < fde->start)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < r->nr && r->by_target[low]->target == fde->start; low++) {
		struct call_site *site = r->by_target[low];

		if (last && last->reg == site->reg) {
			site->is_saved = last->is_saved;
			site->saved_off = last->saved_off;
		} else {
			resolve_one(fde, site);
		}
		last = site;
	}
	return 0;
}

static int resolve(struct call_sites *s, const struct elf_from *from)
{
	struct resolving r = { .nr = s->nr };
	int err;

	if (!s->nr)
		return 0;
	r.by_target = calloc(s->nr, sizeof(*r.by_target));
	if (!r.by_target)
		return -ENOMEM;
	for (size_t i = 0; i < s->nr; i++)
		r.by_target[i] = &s->all[i];
	qsort(r.by_target, r.nr, sizeof(*r.by_target), compare);
	err = eh_frame__each(from, take_function, &r);
	free(r.by_target);
	return err;
}

/* While what is called runs, the frame is known by where the register has been saved. */
static int add_called(struct unwind_rules *rules, uint32_t rule, const struct call_site *site,
		      uint32_t *number)
{
	struct unwind_rule r = rules->all[rule];

	r.cfa = UNWIND_CFA_SAVED;
	r.add = r.cfa_off;
	r.cfa_off = site->saved_off;
	return unwind_rules__add(rules, &r, number);
}

/* A row whose frame is known by a register, up to @end, and the calls in it. */
static int put_calls(struct described_code *c, struct unwind_rules *rules,
		     const struct described *f, struct described_row row, uint32_t end,
		     const struct call_site *sites, size_t nr)
{
	int err = described__add_row(c, row.at, row.rule);

	for (size_t i = 0; !err && i < nr; i++) {
		const uint32_t at = sites[i].at - f->start;
		uint32_t called;

		if (!sites[i].is_saved)
			continue;
		err = add_called(rules, row.rule, &sites[i], &called);
		if (!err)
			err = described__add_row(c, at + 1, called);
		if (!err && at + CALL_BYTES < end)
			err = described__add_row(c, at + CALL_BYTES, row.rule);
	}
	return err;
}

/*
 * Writes a function's rows anew, with others for return addresses of its calls. These are looked up
 * by the byte before; a sample at the call itself, by its first byte.
 */
static int split_rows(struct described_code *c, struct unwind_rules *rules, struct described *f,
		      const struct call_site *sites, size_t nr)
{
	const struct described was = *f;
	int err = 0;

	f->first = c->nr_rows;
	for (uint32_t i = 0; !err && i < was.nr; i++) {
		const struct described_row row = c->rows[was.first + i];
		const uint32_t end = i + 1 < was.nr ? c->rows[was.first + i + 1].at
						    : (uint32_t)(f->end - f->start);
		size_t calls = 0;

		while (calls < nr && sites[calls].at - f->start < end)
			calls++;
		err = put_calls(c, rules, f, row, end, sites, calls);
		sites += calls;
		nr -= calls;
	}
	f->nr = c->nr_rows - f->first;
	return err;
}

static int by_address(const void *a, const void *b)
{
	const struct call_site *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

int call_sites__describe(struct call_sites *s, const struct elf_from *from,
			 struct described_code *c, struct unwind_rules *rules)
{
	struct call_site *site = s->all, *end = site + s->nr;
	int err = resolve(s, from);

	if (err || site == end)
		return err;
	err = described__sort(c);
	qsort(site, s->nr, sizeof(*site), by_address);
	for (size_t i = 0; !err && i < c->nr_functions; i++) {
		struct described *f = &c->functions[i];
		size_t nr = 0;

		while (site < end && site->at < f->start)
			site++;
		while (site + nr < end && site[nr].at < f->end)
			nr++;
		if (nr)
			err = split_rows(c, rules, f, site, nr);
		site += nr;
	}
	return err;
}

void call_sites__free(struct call_sites *s)
{
	free(s->all);
	*s = (struct call_sites){};
}
