/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf/elf_symbols.h - a symbol section of an ELF file -> symtab.
 *
 * Taken: functions, indirect functions, and untyped labels in executable sections
 * (hand-written assembler has no other), if they are defined.
 */
#ifndef PMUTRACE_ELF_ELF_SYMBOLS_H
#define PMUTRACE_ELF_ELF_SYMBOLS_H

#include "elf/elf_bytes.h"
#include "elf/symtab.h"

/**
 * elf_symbols__add() - add the functions of a file; of one on disk the names stay there
 * @type: SHT_SYMTAB or SHT_DYNSYM
 * @nr:   how many were added; 0 if there is no such section
 *
 * Return: 0; -ENOMEM; -EDQUOT: there is no allowance for all of them.
 */
int elf_symbols__add(struct symtab *t, const struct elf_from *from, unsigned int type,
		     size_t *nr) must_check;

#endif
