/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf/gopclntab.h - Go's table of functions: its runtime needs it, so stripped programs have it.
 *
 * Knows: the tables of Go 1.2, 1.16, 1.18 and 1.20; those of C's linkers, which put the table of a
 *   position independent program somewhere into .data.rel.ro.
 * Does not know: lines, inlined functions, and C code that is linked into the program.
 * Source: Go's src/runtime/symtab.go (pcHeader, functab, moduledata), src/runtime/runtime2.go
 *   (_func) and src/debug/gosym/pclntab.go; "Linker" in the release notes of Go 1.26.
 *
 * Names are those of Go's stack traces: "main.(*T).Method", "main.f[...]" of a generic function,
 * "runtime.goexit" without the ".abi0" that symbols may have. The file is a stranger's: the
 * table is read twice at most, whatever its offsets say, and garbage costs names.
 */
#ifndef PMUTRACE_ELF_GOPCLNTAB_H
#define PMUTRACE_ELF_GOPCLNTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "elf/elf_bytes.h"
#include "elf/symtab.h"

/* Where things are in the file. Nothing to free. */
struct gopclntab {
	uint64_t at, len;	   /* the table, bytes */
	uint64_t names, names_len; /* NUL-terminated names */
	uint64_t entries, nr;	   /* pairs of address and place, by address; one more address */
	uint64_t functions;	   /* what those places count from */
	unsigned pointer_bytes, half_bytes; /* of the program; of half a pair */
	bool is_relative;		    /* addresses are so, to .. */
	uint64_t text;
	uint64_t moves, moves_len; /* of stack pointers (elf/go_frames.h); 0 before Go 1.18 */
	unsigned code_bytes;	   /* what addresses of code are multiples of */
	unsigned flags_at;	   /* in a function; 0: it has none */
};

struct go_function {
	uint64_t addr, size; /* bytes; to the next function */
	uint32_t name;	     /* from the beginning of the names */
	uint32_t moves;	     /* of the stack pointer: from the beginning of those */
	uint8_t flags;	     /* enum go_flag; 0 before Go 1.18 */
};

enum go_flag {
	GO_OUTERMOST = 1,   /* it has no caller */
	GO_MOVES_STACK = 2, /* to another stack: moves do not tell where */
	GO_ASSEMBLY = 4,
};

typedef int go_function_fn(const struct go_function *f, void *arg);

/* False: it is not Go's, or has no table that makes sense. */
bool gopclntab__find(struct gopclntab *t, const struct elf_from *from) must_check;

/* Calls @fn for each function, by address. 0, or what @fn returned if that was not 0. */
int gopclntab__read(const struct gopclntab *t, const struct elf_from *from, go_function_fn *fn,
		    void *arg) must_check;

/**
 * gopclntab__add() - add all functions; their names stay in the file, which must be one on disk
 * @nr: how many were added; 0 if there is no table
 *
 * Return: 0; -ENOMEM; -EDQUOT: there is no allowance for all of them.
 */
int gopclntab__add(struct symtab *t, const struct elf_from *from, size_t *nr) must_check;

#endif
