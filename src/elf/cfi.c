// SPDX-License-Identifier: BSD-2-Clause
/* Runs call frame instructions to find where the return address is undefined. */
#include "elf/cfi.h"

enum { RULES_MAX = 16 }; /* remembered by DW_CFA_remember_state */

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

/* The instructions of a CIE or an FDE, as far as they are about the return address. */
struct cfi_run {
	const struct cfi_common *common;
	uint64_t loc;
	bool undefined;
	bool saved[RULES_MAX];
	unsigned nr_saved;
	bool of_function;
	uint64_t root_start, root_end;
	bool done; /* root_end is final */
};

static void set_rule(struct cfi_run *r, uint64_t reg, bool undefined)
{
	if (reg != r->common->return_register || undefined == r->undefined)
		return;
	r->undefined = undefined;
	if (!r->of_function || r->done)
		return;
	if (undefined)
		r->root_start = r->root_end = r->loc;
	else
		r->root_end = r->loc;
	r->done = !undefined && r->root_end > r->root_start;
}

static void restore_state(struct cfi_run *r)
{
	if (r->nr_saved)
		set_rule(r, r->common->return_register, r->saved[--r->nr_saved]);
}

/* Instructions without a packed operand. False: an unknown one, behind which nothing is known. */
static bool run_extended(struct cfi_run *r, struct dwarf_bytes *c, uint8_t op)
{
	uint64_t reg;

	switch (op) {
	case DW_CFA_nop:
	case DW_CFA_window_save:
		return true;
	case DW_CFA_set_loc:
		return take_address(c, r->common->encoding, &r->loc);
	case DW_CFA_advance_loc1:
		r->loc += take_u8(c) * r->common->code_factor;
		return true;
	case DW_CFA_advance_loc2:
		r->loc += take_u16(c) * r->common->code_factor;
		return true;
	case DW_CFA_advance_loc4:
		r->loc += take_u32(c) * r->common->code_factor;
		return true;
	case DW_CFA_undefined:
		set_rule(r, take_leb(c), true);
		return true;
	case DW_CFA_restore_extended:
		set_rule(r, take_leb(c), r->of_function && r->common->undefined);
		return true;
	case DW_CFA_same_value:
		set_rule(r, take_leb(c), false);
		return true;
	case DW_CFA_offset_extended:
	case DW_CFA_register:
	case DW_CFA_offset_extended_sf:
	case DW_CFA_val_offset:
	case DW_CFA_val_offset_sf:
	case DW_CFA_GNU_negative_offset_extended:
		reg = take_leb(c);
		take_leb(c);
		set_rule(r, reg, false);
		return true;
	case DW_CFA_expression:
	case DW_CFA_val_expression:
		reg = take_leb(c);
		skip(c, take_leb(c));
		set_rule(r, reg, false);
		return true;
	case DW_CFA_remember_state:
		if (r->nr_saved < RULES_MAX)
			r->saved[r->nr_saved++] = r->undefined;
		return true;
	case DW_CFA_restore_state:
		restore_state(r);
		return true;
	case DW_CFA_def_cfa:
	case DW_CFA_def_cfa_sf:
		take_leb(c);
		take_leb(c);
		return true;
	case DW_CFA_def_cfa_register:
	case DW_CFA_def_cfa_offset:
	case DW_CFA_def_cfa_offset_sf:
	case DW_CFA_GNU_args_size:
		take_leb(c);
		return true;
	case DW_CFA_def_cfa_expression:
		skip(c, take_leb(c));
		return true;
	default:
		return false;
	}
}

static void run_instructions(struct cfi_run *r, struct dwarf_bytes *c)
{
	while (c->at < c->end && !c->over) {
		uint8_t op = take_u8(c);

		switch (op & 0xc0) {
		case DW_CFA_advance_loc:
			r->loc += (op & 0x3f) * r->common->code_factor;
			break;
		case DW_CFA_offset:
			take_leb(c);
			set_rule(r, op & 0x3f, false);
			break;
		case DW_CFA_restore:
			set_rule(r, op & 0x3f, r->of_function && r->common->undefined);
			break;
		default:
			if (!run_extended(r, c, op))
				return;
		}
	}
}

void cfi__run_common(struct cfi_common *common, struct dwarf_bytes c)
{
	struct cfi_run run = { .common = common };

	run_instructions(&run, &c);
	common->undefined = run.undefined;
}

void cfi__run(const struct cfi_common *common, struct dwarf_bytes c, uint64_t start, uint64_t end,
	      uint64_t *root_start, uint64_t *root_end)
{
	struct cfi_run run = {
		.common = common,
		.loc = start,
		.undefined = common->undefined,
		.of_function = true,
		.root_start = start,
		.root_end = start,
	};

	run_instructions(&run, &c);
	if (run.undefined && !run.done)
		run.root_end = end;
	if (run.root_start < start || run.root_end > end || run.root_start > run.root_end)
		run.root_start = run.root_end = start;
	*root_start = run.root_start;
	*root_end = run.root_end;
}
