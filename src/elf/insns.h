/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf/insns.h - machine code -> where its instructions begin, and where it may be left.
 *
 * Knows: capstone, x86-64 and arm64, whatever runs this. Does not know: files, symbols, which
 * code belongs together (elf/body.h).
 * Source: Intel SDM volume 2; Arm ARM, C6; capstone.h.
 */
#ifndef PMUTRACE_ELF_INSNS_H
#define PMUTRACE_ELF_INSNS_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

enum insn_kind {
	INSN_OTHER,    /* goes on with the next one, or ends the program */
	INSN_CALL,     /* comes back, if it does, to the next one */
	INSN_RETURN,   /* to the caller */
	INSN_JUMP,     /* to `target` */
	INSN_BRANCH,   /* to `target`, or on with the next one */
	INSN_INDIRECT, /* jumps to what a register or memory has */
	INSN_TABLE,    /* the same, for sure through a table of places in the same function */
};

enum { INSN_ALWAYS = -1 };

struct insn {
	uint64_t at;	 /* address of its first byte */
	uint64_t target; /* address; of jumps and branches */
	uint8_t bytes;	 /* its length */
	uint8_t kind;	 /* enum insn_kind */
	/*
	 * Of a branch of x86-64: the condition as the opcode's low four bits have it (Jcc); else
	 * INSN_ALWAYS: it depends on something else, or on nothing.
	 */
	int8_t condition;
};

/* Zero-initialise it; insns__free(). */
struct insns {
	struct insn *items; /* by address */
	size_t nr, cap;
	size_t bytes; /* that were decoded: fewer than were given where something is no code */
};

/**
 * insns__decode() - decode from the first byte on, one instruction behind the other
 * @machine: EM_X86_64 or EM_AARCH64
 * @code:    of one function, from its start; it belongs to a stranger
 * @at:      the address of its first byte, in whatever terms targets are wanted
 *
 * Ends at what the decoder does not know. Return: 0; -ENOTSUP: another machine; -ENOMEM.
 */
int insns__decode(struct insns *out, unsigned machine, const uint8_t *code, size_t len,
		  uint64_t at) must_check;
void insns__free(struct insns *s);

/* The instruction that @at is in, or NULL: none of those that were decoded. */
const struct insn *insns__find(const struct insns *s, uint64_t at);

#endif
