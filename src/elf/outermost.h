/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf/outermost.h - code without a caller: where processes and threads begin.
 *
 * A stack that ends there is whole; one that ends anywhere else has lost its callers. What is
 * known of a file without its symbols, worst case a stripped one:
 *   - code whose return address is undefined by its unwind rule (_start, the child's half of clone)
 *   - the code at the file's entry point
 *   - in a C library the functions between those and the program: the one that calls main() and the
 *     one that calls a thread's function. Where the library keeps no frame pointers they are the
 *     last ones of the chain. They have no symbol; __libc_start_main() calls the one, and
 *     pthread_create() takes the address of the other (x86_64; those of arm64 keep frame pointers).
 * Names tell the same of Go's goexit, and of all of these where there are symbols; and of Go's
 * functions that go on on another stack (systemstack, mcall, morestack; asmcgocall to C's and
 * cgocallback back): they keep no frame, so that the caller that frame pointers lead to is not
 * theirs. Stripped Go programs have these names, too (elf/gopclntab.h).
 */
#ifndef PMUTRACE_ELF_OUTERMOST_H
#define PMUTRACE_ELF_OUTERMOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "elf/elf_bytes.h"

enum outermost {
	OUTERMOST_NOT,
	OUTERMOST_START,     /* start-up code: may be the last frame, callers are start-up code */
	OUTERMOST_ROOT,	     /* is the last frame; what seems to lie behind it is no caller */
	OUTERMOST_IF_CALLED, /* the last frame as a return address: it runs in its caller, too */
	OUTERMOST_IF_ALONE,  /* the last frame if it is the only one, as rules have it: likewise */
};

struct outermost_range {
	uint64_t start, end;
	enum outermost what;
};

/* Of one file. Zero-initialise it. */
struct outermosts {
	struct outermost_range *ranges; /* by start */
	size_t nr, cap;
	bool is_libc; /* or statically linked with one: names of libc functions can be trusted */
};

/* 0 or -ENOMEM; garbage only costs ranges. */
int outermosts__read(struct outermosts *o, const struct elf_from *from) must_check;
void outermosts__free(struct outermosts *o);

/* A C library or its loader; or a program that one is statically linked into. */
bool outermosts__is_libc(const struct elf_from *from);

/* What the code at an address of the file is. @name: its symbol as it is in the file, or NULL. */
enum outermost outermosts__find(const struct outermosts *o, uint64_t vaddr, const char *name);

#endif
