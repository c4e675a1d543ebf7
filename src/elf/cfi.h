/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf/cfi.h - call frame instructions, as far as they are about the return address: where it is
 * undefined, code has no caller.
 *
 * Source: DWARF 5, section 6.4.2.
 */
#ifndef PMUTRACE_ELF_CFI_H
#define PMUTRACE_ELF_CFI_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/dwarf_bytes.h"

enum { DW_CFA_undefined = 0x07 };

/* What all functions of a CIE share. */
struct cfi_common {
	uint8_t encoding; /* of an FDE's addresses: DW_EH_PE_* */
	uint64_t code_factor;
	uint64_t return_register;
	bool undefined; /* the return address, before the FDE's instructions */
};

/* A CIE's own instructions: sets @common->undefined. */
void cfi__run_common(struct cfi_common *common, struct dwarf_bytes c);

/*
 * A function's: the first part of it, from @start to @end, whose return address is undefined; both
 * equal: there is none.
 */
void cfi__run(const struct cfi_common *common, struct dwarf_bytes c, uint64_t start, uint64_t end,
	      uint64_t *root_start, uint64_t *root_end);

#endif
