/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf/cfi.h - call frame instructions: for each address of a function, where its caller's frame,
 * frame pointer and return address are.
 *
 * Knows of all registers only these two: who unwinds needs no others. An instruction that is not
 * known, or makes no sense, ends what is known of the function.
 * Source: DWARF 5, section 6.4.2.
 */
#ifndef PMUTRACE_ELF_CFI_H
#define PMUTRACE_ELF_CFI_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "elf/dwarf_bytes.h"

enum { DW_CFA_undefined = 0x07 };

enum cfi_kind {
	CFI_UNSET,	/* no instruction was about it: it stays in its register */
	CFI_UNDEFINED,	/* nobody can know it; of the return address: there is no caller */
	CFI_SAME,	/* in its register */
	CFI_OFFSET,	/* in memory, at the canonical frame address + off */
	CFI_VALUE,	/* it is the canonical frame address + off */
	CFI_REGISTER,	/* in register `reg`; the canonical frame address is that + off */
	CFI_EXPRESSION, /* in memory where an expression says; the address: the expression says it */
	CFI_OTHER,	/* anything else */
};

struct cfi_value {
	enum cfi_kind kind;
	uint32_t reg; /* as DWARF numbers them; of an expression: its bytes */
	union {
		int64_t off;
		const uint8_t *expression; /* there as long as the instructions; of a CIE: empty */
	};
};

static inline struct dwarf_bytes cfi_value__expression(const struct cfi_value *v)
{
	return (struct dwarf_bytes){ .at = v->expression, .end = v->expression + v->reg };
}

/* What holds at an address. */
struct cfi_row {
	struct cfi_value cfa, fp, ra;
};

/* What all functions of a CIE share. */
struct cfi_common {
	uint8_t encoding; /* of an FDE's addresses: DW_EH_PE_* */
	uint64_t code_factor;
	int64_t data_factor;
	uint64_t return_register, frame_register;
	bool signal;	      /* a signal's frame: what is above it was interrupted */
	struct cfi_row first; /* before the FDE's instructions */
};

/* A row holds from @start up to @end, which is higher. Return anything but 0 to stop. */
typedef int cfi_row_fn(void *arg, uint64_t start, uint64_t end, const struct cfi_row *row);

/* A CIE's own instructions: sets @common->first. */
void cfi__run_common(struct cfi_common *common, struct dwarf_bytes c);

/* A function's, from @start to @end. 0 or what @fn returned. */
int cfi__run(const struct cfi_common *common, struct dwarf_bytes c, uint64_t start, uint64_t end,
	     cfi_row_fn *fn, void *arg) must_check;

#endif
