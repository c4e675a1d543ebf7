/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * machine/registers.h - a CPU's registers by the names that assemblers use, and where struct
 * pt_regs has them.
 *
 * x86_64 and arm64, whatever runs this. Source: arch/x86/include/asm/ptrace.h (struct pt_regs),
 * arch/arm64/include/uapi/asm/ptrace.h (struct user_pt_regs, which the kernel's begins with); AMD64
 * and AAPCS64 calling conventions.
 */
#ifndef PMUTRACE_MACHINE_REGISTERS_H
#define PMUTRACE_MACHINE_REGISTERS_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

/* The machine that this program is built for. */
#if defined(__x86_64__)
#define REGISTERS_OUR_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define REGISTERS_OUR_MACHINE EM_AARCH64
#else
#error "unknown machine"
#endif

enum { REGISTERS_MAX_ARGS = 6 }; /* of a function, that have a name here */

struct cpu_register {
	uint16_t at;  /* bytes, in struct pt_regs */
	uint8_t size; /* bytes: 8, or fewer of a part such as eax, w0 */
};

/* "rdi", "edi", "dil", "ah"; "x0", "w0", "sp". @machine: EM_X86_64 or EM_AARCH64. */
bool registers__find(unsigned machine, const char *name, struct cpu_register *out);

/* The names of registers with a role. @n < REGISTERS_MAX_ARGS. */
const char *registers__argument(unsigned machine, unsigned n);
const char *registers__result(unsigned machine);
const char *registers__ip(unsigned machine);

#endif
