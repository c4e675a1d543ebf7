/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf/plt.h - names for the stubs through which a file calls other files: "puts@plt".
 *
 * No symbol table lists them. A stub jumps through a slot of the GOT, and the relocation
 * of that slot has the name; so the stubs' code is read (x86_64 and arm64), and their order
 * and size, which differ between linkers and hardening options, need not be known.
 */
#ifndef PMUTRACE_ELF_PLT_H
#define PMUTRACE_ELF_PLT_H

#include "elf/elf_bytes.h"
#include "elf/symtab.h"

/* @from must be the file itself: one with debug data only has no code. 0; -ENOMEM; -EDQUOT: there
 * is no allowance for all of it. */
int plt__add(struct symtab *t, const struct elf_from *from) must_check;

#endif
