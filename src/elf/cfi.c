// SPDX-License-Identifier: BSD-2-Clause
/* Runs call frame instructions, row by row. */
#include "elf/cfi.h"

enum { ROWS_MAX = 16 }; /* remembered by DW_CFA_remember_state */

enum {
	DW_CFA_nop = 0x00,
	DW_CFA_set_loc = 0x01,
	DW_CFA_advance_loc1 = 0x02,
	DW_CFA_advance_loc2 = 0x03,
	DW_CFA_advance_loc4 = 0x04,
	DW_CFA_offset_extended = 0x05,
	DW_CFA_restore_extended = 0x06,
	DW_CFA_same_value = 0x08,
	DW_CFA_register = 0x09,
	DW_CFA_remember_state = 0x0a,
	DW_CFA_restore_state = 0x0b,
	DW_CFA_def_cfa = 0x0c,
	DW_CFA_def_cfa_register = 0x0d,
	DW_CFA_def_cfa_offset = 0x0e,
	DW_CFA_def_cfa_expression = 0x0f,
	DW_CFA_expression = 0x10,
	DW_CFA_offset_extended_sf = 0x11,
	DW_CFA_def_cfa_sf = 0x12,
	DW_CFA_def_cfa_offset_sf = 0x13,
	DW_CFA_val_offset = 0x14,
	DW_CFA_val_offset_sf = 0x15,
	DW_CFA_val_expression = 0x16,
	DW_CFA_window_save = 0x2d, /* arm64: the return address gets signed, or is no more */
	DW_CFA_GNU_args_size = 0x2e,
	DW_CFA_GNU_negative_offset_extended = 0x2f,
	/* The upper two bits; the lower ones are the first operand. */
	DW_CFA_advance_loc = 0x40,
	DW_CFA_offset = 0x80,
	DW_CFA_restore = 0xc0,
};

struct cfi_run {
	const struct cfi_common *common;
	struct cfi_row row, saved[ROWS_MAX];
	unsigned nr_saved;
	uint64_t loc, end;
	cfi_row_fn *fn; /* NULL: of a CIE */
	void *arg;
	int stopped; /* what fn returned */
};

static struct cfi_value *value_of(struct cfi_run *r, uint64_t reg)
{
	if (reg == r->common->return_register)
		return &r->row.ra;
	return reg == r->common->frame_register ? &r->row.fp : NULL;
}

static void set(struct cfi_run *r, uint64_t reg, enum cfi_kind kind, int64_t off)
{
	struct cfi_value *v = value_of(r, reg);

	if (v)
		*v = (struct cfi_value){ .kind = kind, .reg = (uint32_t)off, .off = off };
}

static void restore(struct cfi_run *r, uint64_t reg)
{
	if (reg == r->common->return_register)
		r->row.ra = r->common->first.ra;
	else if (reg == r->common->frame_register)
		r->row.fp = r->common->first.fp;
}

static void set_cfa(struct cfi_run *r, uint64_t reg, int64_t off)
{
	r->row.cfa = (struct cfi_value){ .kind = CFI_REGISTER, .reg = (uint32_t)reg, .off = off };
}

/* An expression, which is passed over. */
static struct cfi_value take_expression(struct cfi_run *r, struct dwarf_bytes *c)
{
	const uint64_t len = take_leb(c);
	struct cfi_value v = { .kind = CFI_EXPRESSION, .expression = c->at };

	skip_bytes(c, len);
	if (c->over || len > UINT32_MAX)
		v.kind = CFI_OTHER;
	else if (r->fn)
		v.reg = (uint32_t)len;
	return v;
}

/* The row so far holds up to @loc. */
static void advance_to(struct cfi_run *r, uint64_t loc)
{
	const uint64_t to = loc < r->end ? loc : r->end;

	if (r->fn && to > r->loc && !r->stopped)
		r->stopped = r->fn(r->arg, r->loc, to, &r->row);
	if (loc > r->loc)
		r->loc = loc;
}

static void advance(struct cfi_run *r, uint64_t by)
{
	uint64_t bytes;

	if (__builtin_mul_overflow(by, r->common->code_factor, &bytes) ||
	    __builtin_add_overflow(r->loc, bytes, &bytes))
		bytes = r->end;
	advance_to(r, bytes);
}

static int64_t factored(const struct cfi_run *r, int64_t n)
{
	return (int64_t)((uint64_t)n * (uint64_t)r->common->data_factor);
}

/* About one register. False: the instruction is none of these. */
static bool run_register(struct cfi_run *r, struct dwarf_bytes *c, uint8_t op)
{
	const uint64_t reg = take_leb(c);
	struct cfi_value v;

	switch (op) {
	case DW_CFA_offset_extended:
		set(r, reg, CFI_OFFSET, factored(r, (int64_t)take_leb(c)));
		return true;
	case DW_CFA_GNU_negative_offset_extended:
		set(r, reg, CFI_OFFSET, factored(r, -(int64_t)take_leb(c)));
		return true;
	case DW_CFA_offset_extended_sf:
		set(r, reg, CFI_OFFSET, factored(r, take_sleb(c)));
		return true;
	case DW_CFA_val_offset:
		set(r, reg, CFI_VALUE, factored(r, (int64_t)take_leb(c)));
		return true;
	case DW_CFA_val_offset_sf:
		set(r, reg, CFI_VALUE, factored(r, take_sleb(c)));
		return true;
	case DW_CFA_register:
		set(r, reg, CFI_REGISTER, (int64_t)take_leb(c));
		return true;
	case DW_CFA_restore_extended:
		restore(r, reg);
		return true;
	case DW_CFA_undefined:
		set(r, reg, CFI_UNDEFINED, 0);
		return true;
	case DW_CFA_same_value:
		set(r, reg, CFI_SAME, 0);
		return true;
	case DW_CFA_expression:
	case DW_CFA_val_expression:
		v = take_expression(r, c);
		if (op == DW_CFA_val_expression)
			v.kind = CFI_OTHER;
		if (value_of(r, reg))
			*value_of(r, reg) = v;
		return true;
	default:
		return false;
	}
}

/* About the canonical frame address. False: the instruction is none of these. */
static bool run_cfa(struct cfi_run *r, struct dwarf_bytes *c, uint8_t op)
{
	const struct cfi_value *cfa = &r->row.cfa;
	uint64_t reg;

	switch (op) {
	case DW_CFA_def_cfa:
		reg = take_leb(c);
		set_cfa(r, reg, (int64_t)take_leb(c));
		return true;
	case DW_CFA_def_cfa_sf:
		reg = take_leb(c);
		set_cfa(r, reg, factored(r, take_sleb(c)));
		return true;
	case DW_CFA_def_cfa_register:
		set_cfa(r, take_leb(c), cfa->kind == CFI_REGISTER ? cfa->off : 0);
		return true;
	case DW_CFA_def_cfa_offset:
		set_cfa(r, cfa->kind == CFI_REGISTER ? cfa->reg : UINT32_MAX, (int64_t)take_leb(c));
		return true;
	case DW_CFA_def_cfa_offset_sf:
		set_cfa(r, cfa->kind == CFI_REGISTER ? cfa->reg : UINT32_MAX,
			factored(r, take_sleb(c)));
		return true;
	case DW_CFA_def_cfa_expression:
		r->row.cfa = take_expression(r, c);
		return true;
	default:
		return false;
	}
}

/* Instructions without a packed operand. False: an unknown one, behind which nothing is known. */
static bool run_extended(struct cfi_run *r, struct dwarf_bytes *c, uint8_t op)
{
	uint64_t loc;

	switch (op) {
	case DW_CFA_nop:
	case DW_CFA_window_save:
		return true;
	case DW_CFA_set_loc:
		if (!take_address(c, r->common->encoding, &loc))
			return false;
		advance_to(r, loc);
		return true;
	case DW_CFA_advance_loc1:
		advance(r, take_u8(c));
		return true;
	case DW_CFA_advance_loc2:
		advance(r, take_u16(c));
		return true;
	case DW_CFA_advance_loc4:
		advance(r, take_u32(c));
		return true;
	case DW_CFA_remember_state:
		if (r->nr_saved == ROWS_MAX)
			return false;
		r->saved[r->nr_saved++] = r->row;
		return true;
	case DW_CFA_restore_state:
		if (!r->nr_saved)
			return false;
		r->row = r->saved[--r->nr_saved];
		return true;
	case DW_CFA_GNU_args_size:
		take_leb(c);
		return true;
	default:
		return run_cfa(r, c, op) || run_register(r, c, op);
	}
}

static void run_instructions(struct cfi_run *r, struct dwarf_bytes *c)
{
	while (c->at < c->end && !c->over && !r->stopped) {
		const uint8_t op = take_u8(c);

		switch (op & 0xc0) {
		case DW_CFA_advance_loc:
			advance(r, op & 0x3f);
			break;
		case DW_CFA_offset:
			set(r, op & 0x3f, CFI_OFFSET, factored(r, (int64_t)take_leb(c)));
			break;
		case DW_CFA_restore:
			restore(r, op & 0x3f);
			break;
		default:
			if (!run_extended(r, c, op)) {
				r->row = (struct cfi_row){ .cfa.kind = CFI_OTHER };
				return;
			}
		}
	}
}

void cfi__run_common(struct cfi_common *common, struct dwarf_bytes c)
{
	struct cfi_run run = { .common = common };

	common->first = (struct cfi_row){};
	run_instructions(&run, &c);
	common->first = run.row;
}

int cfi__run(const struct cfi_common *common, struct dwarf_bytes c, uint64_t start, uint64_t end,
	     cfi_row_fn *fn, void *arg)
{
	/* What is remembered is not cleared: most functions remember nothing. */
	struct cfi_run run;

	run.common = common;
	run.row = common->first;
	run.nr_saved = 0;
	run.loc = start;
	run.end = end;
	run.fn = fn;
	run.arg = arg;
	run.stopped = 0;
	run_instructions(&run, &c);
	advance_to(&run, end);
	return run.stopped;
}
