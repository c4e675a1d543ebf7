/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf/hazards.h - what there is in a program or library that the kernel's return probes break.
 *
 * A return probe puts an address of its own in the place of the caller's, on the stack, for as long
 * as the function runs. Whoever reads the stack meanwhile finds it there: unwinders end the
 * program, for no table says how to go on from it; Go's runtime does when it looks for pointers;
 * and a stack that is left and entered again returns to where another one came from.
 * Plain C reads no return addresses, and longjmp(3) is known to the kernel.
 * Source: prepare_uretprobe(), kernel/events/uprobes.c; LSB Core, "Exception Handling".
 */
#ifndef PMUTRACE_ELF_HAZARDS_H
#define PMUTRACE_ELF_HAZARDS_H

#include "elf/elf_names.h"

enum hazard {
	HAZARD_GO = 1 << 0,	    /* written in Go */
	HAZARD_EXCEPTIONS = 1 << 1, /* C++, Rust, D, ..: throws, or is thrown through */
	HAZARD_STACKS = 1 << 2,	    /* switches between stacks: swapcontext(3) and the like */
};

/* Bits of enum hazard, as far as the file's sections, libraries and symbols tell. */
unsigned hazards__of(const struct elf_image *img, const struct elf_names *names);

/* HAZARD_GO: by Go 1.18 or newer, which pass a goroutine in a register. */
bool hazards__is_recent_go(const struct elf_image *img);

/* What happens then: "Go's runtime ends a program .."; of the first of several. */
const char *hazards__harm(unsigned hazards);

#endif
