/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwind/call_sites.h - calls from code whose frame is known by a register alone, and where the
 * functions that it calls keep that register.
 *
 * Code that aligns its stack by an amount that only it knows (ld.so's _dl_runtime_resolve, which
 * every first call of a function of a library runs through) has its canonical frame address in a
 * register that calls preserve. While it runs itself that is at hand; while a function that it has
 * called runs, the register is where that function has saved it: at a distance from its own frame,
 * which is where this frame's stack pointer was at the call.
 *
 * Knows: x86_64's direct calls (e8, a distance) to the first byte of a function that the file
 * describes. A byte e8 within an instruction does not lead to one.
 * Source: System V psABI for x86_64, 3.2.1: %rbx and %r12 to %r15 are preserved.
 */
#ifndef PMUTRACE_UNWIND_CALL_SITES_H
#define PMUTRACE_UNWIND_CALL_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "elf/elf_bytes.h"
#include "unwind/described.h"

enum { CALL_BYTES = 5 };

struct call_site {
	uint64_t at;	 /* of the call's first byte */
	uint64_t target; /* the function that is called */
	uint32_t reg;	 /* which register is looked for: by DWARF's number */
	bool is_saved;	 /* at this distance from the callee's canonical frame address */
	int32_t saved_off;
};

/* Zero-initialise it. */
struct call_sites {
	struct call_site *all; /* in the order in which they were added */
	size_t nr, cap;
	size_t nr_scanned; /* bytes of code */
};

/* DWARF's number of a register that calls preserve. @word: of struct pt_regs. False: others. */
bool call_sites__preserved(uint32_t word, uint32_t *reg);

/*
 * Adds the calls from @start up to @end, 64 KiB at most. Of a file 4 MiB are looked at, and some
 * thousand calls: far more than those have that need it. 0 or -ENOMEM.
 */
int call_sites__add(struct call_sites *s, const struct elf_from *from, uint64_t start, uint64_t end,
		    uint32_t reg) must_check;

/*
 * Gives the calls rows of their own in @c, among those of the functions that they are in: where
 * callees save the registers, for which the file's rules are read once more. 0; -E2BIG: more than
 * max_rows; -ENOMEM.
 */
int call_sites__describe(struct call_sites *s, const struct elf_from *from,
			 struct described_code *c, struct unwind_rules *rules) must_check;

void call_sites__free(struct call_sites *s);

#endif
