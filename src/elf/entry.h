/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf/entry.h - how a function begins: where a probe on it costs least.
 *
 * On x86-64 the kernel emulates a push that a probe replaces, but runs an endbr64 out of line and
 * traps behind it, which takes about 20 times as long. Compilers begin functions with both
 * (-fcf-protection, -fno-omit-frame-pointer or saved registers). A probe on the push is as good:
 * whatever comes in passes it once, for no loop can lead back to a push; and no frame is made yet.
 * Source: push_setup_xol_ops() and uprobe_init_insn() in arch/x86/kernel/uprobes.c; Intel SDM
 * volume 2, "ENDBR64", "PUSH".
 */
#ifndef PMUTRACE_ELF_ENTRY_H
#define PMUTRACE_ELF_ENTRY_H

#include "elf/elf_image.h"

/*
 * How many bytes behind the function at @offset in the file a probe on it is to be put: 4 if it
 * begins with endbr64 and a push, else 0; also of files for other CPUs and if it cannot be read.
 * @size: of the function; 0: not known, then 0 bytes, since what follows may be another one.
 */
unsigned int entry__skip(const struct elf_image *img, uint64_t offset, uint64_t size);

/*
 * "foo.cold", "foo.cold.1": what a compiler moved out of foo because it hardly ever runs. It is
 * jumped to, not called, so it has no entry.
 */
bool entry__is_cold(const char *name);

#endif
