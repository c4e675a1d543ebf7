// SPDX-License-Identifier: BSD-2-Clause
/* A row of call frame information -> a rule: registers, expressions, what cannot be expressed. */
#include <stdbool.h>
#include <stdint.h>

#include "unwind/rules.h"

/* DWARF 5, section 7.7.1. */
enum {
	DW_OP_deref = 0x06,
	DW_OP_and = 0x1a,
	DW_OP_mul = 0x1e,
	DW_OP_plus = 0x22,
	DW_OP_plus_uconst = 0x23,
	DW_OP_shl = 0x24,
	DW_OP_ge = 0x2a,
	DW_OP_lit0 = 0x30,
	DW_OP_lit31 = 0x4f,
	DW_OP_breg0 = 0x70,
	DW_OP_breg31 = 0x8f,
};

struct machine {
	uint32_t nr_regs, sp, fp;
	uint8_t words[33]; /* of pt_regs, or user_pt_regs */
};

/* By enum unwind_machine; numbers of registers as the psABI of each has them for DWARF. */
static const struct machine machines[] = {
	[UNWIND_X86_64] = { 16, 7, 6, { 10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0 } },
	[UNWIND_ARM64] = { 32, 31, 29, { 0,  1,	 2,  3,	 4,  5,	 6,  7,	 8,  9,	 10,
					 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
					 22, 23, 24, 25, 26, 27, 28, 29, 30, 31 } },
};

static bool fits32(int64_t n)
{
	return n >= INT32_MIN && n <= INT32_MAX;
}

/* "breg N, off". */
static bool take_register(struct dwarf_bytes *c, uint32_t *reg, int64_t *off)
{
	const uint8_t op = take_u8(c);

	if (op < DW_OP_breg0 || op > DW_OP_breg31)
		return false;
	*reg = op - DW_OP_breg0;
	*off = take_sleb(c);
	return !c->over && fits32(*off);
}

/* "lit N". */
static bool take_literal(struct dwarf_bytes *c, uint8_t *n)
{
	const uint8_t op = take_u8(c);

	*n = op - DW_OP_lit0;
	return op >= DW_OP_lit0 && op <= DW_OP_lit31;
}

/* Nothing, or "plus_uconst N" any number of times, up to the end. */
static bool take_sum(struct dwarf_bytes *c, int64_t *sum)
{
	for (*sum = 0; c->at < c->end;) {
		if (take_u8(c) != DW_OP_plus_uconst)
			return false;
		*sum += (int64_t)take_leb(c);
		if (c->over || !fits32(*sum))
			return false;
	}
	return true;
}

/* breg7 8, breg16 0, lit15, and, litN, ge, lit3, shl, plus: what linkers write for the PLT. */
static bool take_plt(struct dwarf_bytes c, struct unwind_rule *r)
{
	uint8_t mask, bound, shift;
	uint32_t sp, ip;
	int64_t eight, zero;

	if (!take_register(&c, &sp, &eight) || sp != 7 || eight != 8)
		return false;
	if (!take_register(&c, &ip, &zero) || ip != 16 || zero)
		return false;
	if (!take_literal(&c, &mask) || mask != 15 || take_u8(&c) != DW_OP_and)
		return false;
	if (!take_literal(&c, &bound) || take_u8(&c) != DW_OP_ge)
		return false;
	if (!take_literal(&c, &shift) || shift != 3 || take_u8(&c) != DW_OP_shl ||
	    take_u8(&c) != DW_OP_plus || c.at != c.end)
		return false;
	r->cfa = UNWIND_CFA_PLT;
	r->cfa_off = bound;
	return true;
}

/* breg N off, deref, and a sum: what is on the stack is another stack's address. */
static bool take_deref(const struct machine *m, struct dwarf_bytes c, struct unwind_rule *r)
{
	uint32_t reg;
	int64_t off, sum;

	if (!take_register(&c, &reg, &off) || (reg != m->sp && reg != m->fp) ||
	    take_u8(&c) != DW_OP_deref || !take_sum(&c, &sum))
		return false;
	r->cfa = reg == m->sp ? UNWIND_CFA_SP_DEREF : UNWIND_CFA_FP_DEREF;
	r->cfa_off = (int32_t)off;
	r->add = (int32_t)sum;
	return true;
}

/* breg7 off, breg N 0, lit8, mul, plus, deref, and a sum: libcrypto's. */
static bool take_indexed(const struct machine *m, struct dwarf_bytes c, struct unwind_rule *r)
{
	uint32_t sp, reg;
	int64_t off, zero, sum;
	uint8_t eight;

	if (!take_register(&c, &sp, &off) || sp != m->sp || !take_register(&c, &reg, &zero) ||
	    zero || reg >= m->nr_regs)
		return false;
	if (!take_literal(&c, &eight) || eight != 8 || take_u8(&c) != DW_OP_mul ||
	    take_u8(&c) != DW_OP_plus || take_u8(&c) != DW_OP_deref || !take_sum(&c, &sum))
		return false;
	r->cfa = UNWIND_CFA_INDEXED;
	r->reg = m->words[reg];
	r->cfa_off = (int32_t)off;
	r->add = (int32_t)sum;
	return true;
}

static bool put_cfa(const struct machine *m, const struct cfi_value *v, struct unwind_rule *r)
{
	if (v->kind == CFI_EXPRESSION)
		return (m == &machines[UNWIND_X86_64] && take_plt(cfi_value__expression(v), r)) ||
		       take_deref(m, cfi_value__expression(v), r) ||
		       take_indexed(m, cfi_value__expression(v), r);
	if (v->kind != CFI_REGISTER || v->reg >= m->nr_regs || !fits32(v->off))
		return false;
	r->cfa = v->reg == m->sp ? UNWIND_CFA_SP : v->reg == m->fp ? UNWIND_CFA_FP : UNWIND_CFA_REG;
	r->cfa_off = (int32_t)v->off;
	if (r->cfa == UNWIND_CFA_REG)
		r->reg = m->words[v->reg];
	return true;
}

/* "breg N off", of the stack pointer where that is all that the CFA is made of: *off from it. */
static bool take_from_cfa(const struct machine *m, struct dwarf_bytes c,
			  const struct unwind_rule *r, int64_t *off)
{
	uint32_t reg;

	if (r->cfa != UNWIND_CFA_SP || !take_register(&c, &reg, off) || c.at != c.end)
		return false;
	*off -= r->cfa_off;
	return reg == m->sp && fits32(*off);
}

static void put_fp(const struct machine *m, const struct cfi_value *v, struct unwind_rule *r)
{
	struct dwarf_bytes c;
	uint32_t reg;
	int64_t off;

	r->fp = UNWIND_SAVED_BAD;
	switch (v->kind) {
	case CFI_UNSET:
	case CFI_SAME:
		r->fp = UNWIND_SAVED_SAME;
		break;
	case CFI_OFFSET:
		if (fits32(v->off)) {
			r->fp = UNWIND_SAVED_AT_CFA;
			r->fp_off = (int32_t)v->off;
		}
		break;
	case CFI_EXPRESSION: /* a stack that was realigned: breg6 off */
		c = cfi_value__expression(v);
		if (take_from_cfa(m, c, r, &off)) {
			r->fp = UNWIND_SAVED_AT_CFA;
			r->fp_off = (int32_t)off;
		} else if (take_register(&c, &reg, &off) && c.at == c.end && reg == m->fp &&
			   fits32(off)) {
			r->fp = UNWIND_SAVED_AT_FP;
			r->fp_off = (int32_t)off;
		}
		break;
	default:
		break;
	}
}

static bool put_return(const struct machine *m, const struct cfi_value *v, struct unwind_rule *r)
{
	const bool is_arm64 = m == &machines[UNWIND_ARM64];
	int64_t off;

	switch (v->kind) {
	case CFI_OFFSET:
		r->ra = UNWIND_SAVED_AT_CFA;
		r->ra_off = (int32_t)v->off;
		return fits32(v->off);
	case CFI_UNSET:
	case CFI_SAME:
		r->ra = UNWIND_SAVED_SAME;
		return is_arm64;
	case CFI_REGISTER:
		if (v->reg >= m->nr_regs || r->cfa == UNWIND_CFA_REG)
			return false;
		r->ra = UNWIND_SAVED_REG;
		r->reg = m->words[v->reg];
		return true;
	case CFI_EXPRESSION:
		if (!take_from_cfa(m, cfi_value__expression(v), r, &off))
			return false;
		r->ra = UNWIND_SAVED_AT_CFA;
		r->ra_off = (int32_t)off;
		return true;
	default:
		return false;
	}
}

struct unwind_rule unwind_rule__of(enum unwind_machine machine, bool signal,
				   const struct cfi_row *row)
{
	const struct machine *m = &machines[machine];
	struct unwind_rule r = {};

	if (signal)
		return (struct unwind_rule){ .cfa = UNWIND_CFA_SIGNAL };
	if (row->ra.kind == CFI_UNDEFINED)
		return (struct unwind_rule){ .cfa = UNWIND_CFA_STOP };
	if (!put_cfa(m, &row->cfa, &r) || !put_return(m, &row->ra, &r))
		return (struct unwind_rule){ .cfa = UNWIND_CFA_BAD };
	put_fp(m, &row->fp, &r);
	return r;
}
