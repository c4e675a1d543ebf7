// SPDX-License-Identifier: BSD-2-Clause
/* Machine code -> instructions: what capstone says, in the few kinds that matter here. */
#include "elf/insns.h"

#include <capstone/capstone.h>
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

/* The condition of a Jcc: the low four bits of its opcode, 7x or 0F 8x, behind prefixes. */
static int x86_condition(const cs_insn *i)
{
	const uint8_t *opcode = i->detail->x86.opcode;

	if (opcode[0] == 0x0f && (opcode[1] & 0xf0) == 0x80)
		return opcode[1] & 0xf;
	return (opcode[0] & 0xf0) == 0x70 ? opcode[0] & 0xf : INSN_ALWAYS;
}

enum { NOTRACK = 0x3e }; /* Intel SDM volume 1, 17.3.1: compilers have it at jump tables alone */

/* "jmp *table(,%rax,8)" is a switch; tables of function pointers are reached by a base register. */
static bool is_x86_table(const cs_x86 *x86)
{
	const cs_x86_op *op = x86->operands;

	if (x86->prefix[1] == NOTRACK)
		return true;
	return x86->op_count && op->type == X86_OP_MEM && op->mem.index != X86_REG_INVALID &&
	       op->mem.base == X86_REG_INVALID;
}

static void look_at_x86(struct insn *out, const cs_insn *i, csh handle)
{
	const cs_x86 *x86 = &i->detail->x86;
	bool is_jump = cs_insn_group(handle, i, CS_GRP_JUMP);
	bool is_relative = cs_insn_group(handle, i, CS_GRP_BRANCH_RELATIVE);

	if (cs_insn_group(handle, i, CS_GRP_CALL)) {
		out->kind = INSN_CALL;
	} else if (cs_insn_group(handle, i, CS_GRP_RET) || cs_insn_group(handle, i, CS_GRP_IRET)) {
		out->kind = INSN_RETURN;
	} else if (is_relative && x86->op_count && x86->operands[0].type == X86_OP_IMM) {
		/* LOOP and XBEGIN are no "jumps" to the decoder, and branches all the same. */
		out->kind = i->id == X86_INS_JMP ? INSN_JUMP : INSN_BRANCH;
		out->target = x86->operands[0].imm;
		out->condition = x86_condition(i);
	} else if (is_jump) {
		out->kind = is_x86_table(x86) ? INSN_TABLE : INSN_INDIRECT;
	}
}

static void look_at_arm64(struct insn *out, const cs_insn *i)
{
	const cs_arm64 *arm = &i->detail->arm64;

	switch (i->id) {
	case ARM64_INS_BL:
	case ARM64_INS_BLR:
		out->kind = INSN_CALL;
		break;
	case ARM64_INS_RET:
	case ARM64_INS_ERET:
		out->kind = INSN_RETURN;
		break;
	case ARM64_INS_BR:
		out->kind = INSN_INDIRECT;
		break;
	case ARM64_INS_B:
		out->kind = arm->cc == ARM64_CC_INVALID || arm->cc == ARM64_CC_AL ||
					    arm->cc == ARM64_CC_NV
				    ? INSN_JUMP
				    : INSN_BRANCH;
		break;
	case ARM64_INS_CBZ:
	case ARM64_INS_CBNZ:
	case ARM64_INS_TBZ:
	case ARM64_INS_TBNZ:
		out->kind = INSN_BRANCH;
		break;
	default:
		break;
	}
	if ((out->kind == INSN_JUMP || out->kind == INSN_BRANCH) && arm->op_count)
		out->target = arm->operands[arm->op_count - 1].imm;
}

/*
 * A load of less than a pointer from an indexed place: in front of an indirect jump that is the
 * table of a switch, whose entries are distances.
 */
static bool loads_distance(const cs_insn *i, bool is_arm64)
{
	const cs_arm64 *arm = &i->detail->arm64;
	const cs_x86 *x86 = &i->detail->x86;

	if (!is_arm64)
		return i->id == X86_INS_MOVSXD && x86->op_count == 2 &&
		       x86->operands[1].type == X86_OP_MEM &&
		       x86->operands[1].mem.index != X86_REG_INVALID;
	return (i->id == ARM64_INS_LDRSW || i->id == ARM64_INS_LDRH || i->id == ARM64_INS_LDRSH ||
		i->id == ARM64_INS_LDRB || i->id == ARM64_INS_LDRSB) &&
	       arm->op_count == 2 && arm->operands[1].type == ARM64_OP_MEM &&
	       arm->operands[1].mem.index != ARM64_REG_INVALID;
}

/*
 * Returns and jumps that authenticate the pointer (RETAA, BRAA): decoders older than Armv8.3 do not
 * know them. Arm ARM C4.1.66, "Unconditional branch (register)".
 */
static bool is_authenticated(struct insn *out, const uint8_t *code)
{
	uint32_t insn = code[0] | code[1] << 8 | code[2] << 16 | (uint32_t)code[3] << 24;

	if ((insn & 0xfffffbff) == 0xd65f0bff) /* retaa, retab */
		out->kind = INSN_RETURN;
	else if ((insn & 0xfefff800) == 0xd61f0800) /* braa, brab, braaz, brabz */
		out->kind = INSN_INDIRECT;
	else
		return false;
	return true;
}

static int add(struct insns *s, const struct insn *i)
{
	int err = array__grow(&s->items, &s->cap, s->nr + 1);

	if (err)
		return err;
	s->items[s->nr++] = *i;
	s->bytes += i->bytes;
	return 0;
}

/* All arm64 instructions have four bytes: decoding can go on behind one that is not known. */
static int add_unknown(struct insns *s, const uint8_t **code, size_t *len, uint64_t *at)
{
	struct insn i = { .at = *at, .bytes = 4, .condition = INSN_ALWAYS };
	int err;

	is_authenticated(&i, *code);
	err = add(s, &i);
	*code += 4;
	*len -= 4;
	*at += 4;
	return err;
}

static int decode(struct insns *s, csh handle, bool is_arm64, const uint8_t *code, size_t len,
		  uint64_t at)
{
	enum { TABLE_DISTANCE = 8 }; /* instructions between a table's load and the jump */
	cs_insn *insn = cs_malloc(handle);
	int err = insn ? 0 : -ENOMEM;
	size_t loaded = 0; /* 1 + index of the last load of a distance; 0: none */

	while (len && !err) {
		struct insn i = { .condition = INSN_ALWAYS };

		if (!cs_disasm_iter(handle, &code, &len, &at, insn)) {
			if (!is_arm64 || len < 4)
				break;
			err = add_unknown(s, &code, &len, &at);
			continue;
		}
		i.at = insn->address;
		i.bytes = insn->size;
		if (is_arm64)
			look_at_arm64(&i, insn);
		else
			look_at_x86(&i, insn, handle);
		if (loads_distance(insn, is_arm64))
			loaded = s->nr + 1;
		if (i.kind == INSN_INDIRECT && loaded && s->nr - loaded < TABLE_DISTANCE)
			i.kind = INSN_TABLE;
		err = add(s, &i);
	}
	if (insn)
		cs_free(insn, 1);
	return err;
}

int insns__decode(struct insns *out, unsigned machine, const uint8_t *code, size_t len, uint64_t at)
{
	bool is_arm64 = machine == EM_AARCH64;
	csh handle;
	int err;

	*out = (struct insns){};
	if (!is_arm64 && machine != EM_X86_64)
		return -ENOTSUP;
	if (cs_open(is_arm64 ? CS_ARCH_ARM64 : CS_ARCH_X86, is_arm64 ? CS_MODE_ARM : CS_MODE_64,
		    &handle) != CS_ERR_OK)
		return -ENOMEM;
	err = cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON) == CS_ERR_OK ? 0 : -ENOMEM;
	if (!err)
		err = decode(out, handle, is_arm64, code, len, at);
	cs_close(&handle);
	if (err)
		insns__free(out);
	return err;
}

void insns__free(struct insns *s)
{
	free(s->items);
	*s = (struct insns){};
}

const struct insn *insns__find(const struct insns *s, uint64_t at)
{
	size_t low = 0, high = s->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct insn *i = &s->items[middle];

		if (at < i->at)
			high = middle;
		else if (at - i->at >= i->bytes)
			low = middle + 1;
		else
			return i;
	}
	return NULL;
}
