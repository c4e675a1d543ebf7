/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf/libc_start.h - the functions of a C library that call main() and a thread's function.
 *
 * They are local, so a stripped library has no names for them; found by who refers to them:
 *   - local functions that __libc_start_main() calls
 *   - functions whose address is taken by pthread_create() or by a local function it calls
 * A library built with frame pointers does not need it: there a stack goes on to _start and clone.
 * And the function that a context of makecontext(3) returns to, by its code (elf/elf_code.h).
 * Source: csu/libc-start.c, nptl/pthread_create.c of glibc 2.31 to 2.36.
 */
#ifndef PMUTRACE_ELF_LIBC_START_H
#define PMUTRACE_ELF_LIBC_START_H

#include "elf/outermost.h"

struct libc_function {
	uint64_t start, end;
	bool is_exported; /* set by the reader */
};

/* Only libraries of x86_64 need it. */
bool libc_start__is_needed(const GElf_Ehdr *header);

/* Adds their ranges. @by: all functions of the library; gets sorted. 0 or -ENOMEM. */
int libc_start__add(struct outermosts *o, const struct elf_from *from, struct libc_function *by,
		    size_t nr) must_check;

/* Adds a range: for outermost.c and libc_start.c alone. 0 or -ENOMEM. */
int outermosts__add(struct outermosts *o, uint64_t start, uint64_t end,
		    enum outermost what) must_check;

#endif
