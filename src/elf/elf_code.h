/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf/elf_code.h - bytes of a file's code by its address, and functions that are known by them.
 */
#ifndef PMUTRACE_ELF_ELF_CODE_H
#define PMUTRACE_ELF_ELF_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/elf_bytes.h"

/* Where in the file the code at @vaddr is, and how much there is from there on; 0: none. */
uint64_t elf_code__at(Elf *elf, uint64_t vaddr, uint64_t *offset);

/* False: it is not all there, or is no code. */
bool elf_code__read(const struct elf_from *from, uint64_t vaddr, void *to, size_t len) must_check;

/*
 * Is the function from @start to @end of a C library where a context of makecontext(3) ends? Its
 * first byte is the return address of the context's function, though nobody has called that;
 * glibc's .eh_frame claims a caller. x86_64: it takes its stack pointer from %rbx. Source: glibc,
 * sysdeps/unix/sysv/linux/x86_64/__start_context.S.
 */
bool elf_code__ends_context(const struct elf_from *from, unsigned machine, uint64_t start,
			    uint64_t end);

/*
 * Where clone(2) and clone3(2) return twice: to whoever called them, and in a new task with a stack
 * of its own, which nobody has called. False, or the code between *@start, where the system call
 * returns, and @end, from where on the new task has code of its own: a rule says of that that it
 * has no caller. glibc's FDE ends before the system call (x86_64), or is wrong behind it (arm64).
 * Source: glibc, sysdeps/unix/sysv/linux/ARCH/clone.S and clone3.S.
 */
bool elf_code__behind_clone(const struct elf_from *from, unsigned machine, uint64_t end,
			    uint64_t *start);

#endif
