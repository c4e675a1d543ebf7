/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf/bounds.h - where the functions of a file begin and end, as .eh_frame says it: of stripped
 * files, too, and of functions written by hand that are described there.
 *
 * Costs 8 bytes a function, and a search by halves to find one. Addresses are the file's own; of
 * code above 4 GiB there is nothing. The file is a stranger's: garbage costs bounds, or has others.
 */
#ifndef PMUTRACE_ELF_BOUNDS_H
#define PMUTRACE_ELF_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "elf/elf_bytes.h"

struct bound {
	uint32_t start, bytes;
};

/* Zero-initialise it. */
struct bounds {
	struct bound *all; /* by start */
	size_t nr, cap;
	bool unsorted;
};

/* 0 or -ENOMEM. */
int bounds__read(struct bounds *b, const struct elf_from *from) must_check;
void bounds__free(struct bounds *b);

/* The last function that begins at or below an address, even if it ends before that; or NULL. */
const struct bound *bounds__find(const struct bounds *b, uint64_t vaddr);

#endif
