// SPDX-License-Identifier: BSD-2-Clause
/* Tables of register names and where struct pt_regs has them, for x86_64 and arm64. */
#include "machine/registers.h"

#include <stdio.h>
#include <string.h>

#include "base/array.h"

enum { WORD = 8 };

/* General-purpose registers and rip; parts of them have names of their own. */
struct x86_register {
	const char *names[5]; /* 8, 4, 2, 1 bytes, and bits 8 to 15; NULL: no such part */
	uint8_t place;	      /* in struct pt_regs, in words */
};

static const struct x86_register x86[] = {
	{ { "r15", "r15d", "r15w", "r15b" }, 0 },   { { "r14", "r14d", "r14w", "r14b" }, 1 },
	{ { "r13", "r13d", "r13w", "r13b" }, 2 },   { { "r12", "r12d", "r12w", "r12b" }, 3 },
	{ { "rbp", "ebp", "bp", "bpl" }, 4 },	    { { "rbx", "ebx", "bx", "bl", "bh" }, 5 },
	{ { "r11", "r11d", "r11w", "r11b" }, 6 },   { { "r10", "r10d", "r10w", "r10b" }, 7 },
	{ { "r9", "r9d", "r9w", "r9b" }, 8 },	    { { "r8", "r8d", "r8w", "r8b" }, 9 },
	{ { "rax", "eax", "ax", "al", "ah" }, 10 }, { { "rcx", "ecx", "cx", "cl", "ch" }, 11 },
	{ { "rdx", "edx", "dx", "dl", "dh" }, 12 }, { { "rsi", "esi", "si", "sil" }, 13 },
	{ { "rdi", "edi", "di", "dil" }, 14 },	    { { "rip" }, 16 },
	{ { "rsp", "esp", "sp", "spl" }, 19 },
};

static bool find_x86(const char *name, struct cpu_register *out)
{
	static const uint8_t sizes[] = { 8, 4, 2, 1, 1 };
	size_t i, part;

	for (i = 0; i < ARRAY_SIZE(x86); i++) {
		for (part = 0; part < ARRAY_SIZE(sizes); part++) {
			if (!x86[i].names[part] || strcmp(x86[i].names[part], name))
				continue;
			out->at = x86[i].place * WORD + (part == 4);
			out->size = sizes[part];
			return true;
		}
	}
	return false;
}

/* x0 to x30 follow each other, then sp and pc. */
static bool find_arm64(const char *name, struct cpu_register *out)
{
	char full[8];

	*out = (struct cpu_register){ .size = *name == 'w' ? 4 : WORD };
	for (unsigned n = 0; n <= 30; n++) {
		snprintf(full, sizeof(full), "%u", n);
		if ((*name == 'x' || *name == 'w') && !strcmp(name + 1, full)) {
			out->at = n * WORD;
			return true;
		}
	}
	out->at = (!strcmp(name, "pc") ? 32 : 31) * WORD;
	return !strcmp(name, "sp") || !strcmp(name, "wsp") || !strcmp(name, "pc");
}

bool registers__find(unsigned machine, const char *name, struct cpu_register *out)
{
	return machine == EM_X86_64 ? find_x86(name, out) : find_arm64(name, out);
}

const char *registers__argument(unsigned machine, unsigned n)
{
	static const char *const amd64[] = { "rdi", "rsi", "rdx", "rcx", "r8", "r9" };
	static const char *const arm64[] = { "x0", "x1", "x2", "x3", "x4", "x5" };

	return machine == EM_X86_64 ? amd64[n] : arm64[n];
}

const char *registers__result(unsigned machine)
{
	return machine == EM_X86_64 ? "rax" : "x0";
}

const char *registers__ip(unsigned machine)
{
	return machine == EM_X86_64 ? "rip" : "pc";
}
