/* SPDX-License-Identifier: BSD-2-Clause */
/* jit_code.h - code that is made at run time: only who has made it can say how it is called. */
#ifndef TESTS_PROG_JIT_CODE_H
#define TESTS_PROG_JIT_CODE_H

#include <sys/mman.h>

#include "prog.h"

/* void jit_loop_fn(unsigned long n): a frame like a compiler's, and n times round a loop */
#if defined(__x86_64__)
static const unsigned char code[] = {
	0x55,		  /* push %rbp */
	0x48, 0x89, 0xe5, /* mov %rsp,%rbp */
	0x48, 0xff, 0xcf, /* 1: dec %rdi */
	0x75, 0xfb,	  /* jnz 1b */
	0x5d,		  /* pop %rbp */
	0xc3,		  /* ret */
};
#elif defined(__aarch64__)
static const uint32_t code[] = {
	0xa9bf7bfd, /* stp x29, x30, [sp, #-16]! */
	0x910003fd, /* mov x29, sp */
	0xf1000400, /* 1: subs x0, x0, #1 */
	0x54ffffe1, /* b.ne 1b */
	0xa8c17bfd, /* ldp x29, x30, [sp], #16 */
	0xd65f03c0, /* ret */
};
#else
#error "jit_loop_fn is not written for this machine"
#endif

static inline void *load_code(void)
{
	void *page = mmap(NULL, sizeof(code), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);

	if (page == MAP_FAILED)
		die("mmap");
	memcpy(page, code, sizeof(code));
	if (mprotect(page, sizeof(code), PROT_READ | PROT_EXEC))
		die("mprotect");
	__builtin___clear_cache((char *)page, (char *)page + sizeof(code));
	return page;
}

#endif
