/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwind/restorer.h - the code that a signal handler returns to: a system call, and nothing else.
 *
 * glibc's has an FDE that says that it is a signal's; musl's has none. Its bytes tell: debuggers
 * know it by them, too, which is why they stay. Source: sigreturn(2); glibc,
 * sysdeps/unix/sysv/linux/x86_64/libc_sigaction.c; musl, src/signal/ARCH/restore.s.
 */
#ifndef PMUTRACE_UNWIND_RESTORER_H
#define PMUTRACE_UNWIND_RESTORER_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/elf_bytes.h"

/* Its bytes; 0: of no machine (EM_*) that is known here. */
size_t restorer__bytes(unsigned machine);

/* Is it at @vaddr, an address as the file has it? */
bool restorer__is_at(const struct elf_from *from, unsigned machine, uint64_t vaddr);

/* The first one between @start and @end, *@at. Of very much code not all is looked at. */
bool restorer__find(const struct elf_from *from, unsigned machine, uint64_t start, uint64_t end,
		    uint64_t *at);

#endif
