/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf/eh_frame.h - the functions that a file's .eh_frame describes, and where unwinding ends.
 *
 * Knows: CIEs and FDEs; of their instructions (elf/cfi.h) what becomes of the return address: the
 * rule DW_CFA_undefined says that code has no caller (_start, the child's half of clone).
 * Does not know: what else rules are good for (unwind/table.h), names.
 *
 * The file belongs to a stranger: it is read a part at a time, at most 32 MiB, and what makes no
 * sense is passed over. 64-bit files in host byte order only; others have no functions.
 * Source: DWARF 5, section 6.4; LSB Core, "Exception Frames".
 */
#ifndef PMUTRACE_ELF_EH_FRAME_H
#define PMUTRACE_ELF_EH_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/cfi.h"
#include "elf/elf_bytes.h"

/* Addresses as the file has them; ends are exclusive. */
struct eh_function {
	uint64_t start, end;
	/* The first part of it whose return address is undefined; both equal: there is none. */
	uint64_t root_start, root_end;
};

/* Return anything but 0 to stop. */
typedef int eh_frame_fn(const struct eh_function *f, void *arg);

/*
 * Calls @fn for each FDE, in the file's order. @roots_only: for those alone that have a root;
 * others are hardly looked at, which takes half of the time. 0; what @fn returned; -ENOMEM.
 */
int eh_frame__read(const struct elf_from *from, bool roots_only, eh_frame_fn *fn,
		   void *arg) must_check;

/* A function with its instructions, which stay for the call only. */
struct eh_fde {
	uint64_t start, end;
	const struct cfi_common *common;
	struct dwarf_bytes code;
};

typedef int eh_fde_fn(const struct eh_fde *f, void *arg);

/* How long .eh_frame is. 0: there is none, or not all of it. */
uint64_t eh_frame__bytes(const struct elf_from *from);

/* Likewise, for who runs the instructions; of .debug_frame if the file has no .eh_frame. */
int eh_frame__each(const struct elf_from *from, eh_fde_fn *fn, void *arg) must_check;

#endif
