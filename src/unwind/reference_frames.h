/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwind/reference_frames.h - what another unwinder is told of a process, and what it makes of a
 * copied stack: libdwfl (unwind/libdwfl.h), asked through a jail (unwind/reference.h).
 */
#ifndef PMUTRACE_UNWIND_REFERENCE_FRAMES_H
#define PMUTRACE_UNWIND_REFERENCE_FRAMES_H

#include <stdint.h>

#include "stack.wire.h"
#include "unwind.wire.h"

/* The vdso's number among files: it is in none. */
enum { REFERENCE_VDSO = 0 };

/* Executable bytes of a file in a process. */
struct reference_mapping {
	uint64_t start, end;
	uint64_t offset; /* in the file, of start */
	uint32_t file;	 /* a number of the asker's */
	uint32_t unused;
};

/* An address space at one time: whoever gives it to other mappings gives it another number. */
struct reference_space {
	uint32_t pid, life, changes, unused;
};

/* Registers and the end of a stack, as much as goes into a message. */
struct reference_stack {
	uint64_t regs[UNWIND_REGS + 1]; /* struct pt_regs, or user_pt_regs */
	uint64_t from;			/* address of the first byte */
	uint32_t bytes, unused;
	uint8_t stack[UNWIND_VERIFIED_PAGES * UNWIND_COPY_PAGE_BYTES];
};

enum reference_end {
	REFERENCE_OUTERMOST, /* the rule of the last frame says that nobody called it */
	REFERENCE_UNCOPIED,  /* its caller is in memory that was not copied */
	REFERENCE_GAVE_UP,   /* no rule, or one that it cannot follow */
	REFERENCE_MAX,	     /* there are as many as were asked for */
};

struct reference_frames {
	uint32_t nr;	/* innermost first */
	uint32_t end;	/* enum reference_end */
	char error[64]; /* of REFERENCE_GAVE_UP: what the library says */
	uint64_t pc[STACK_MAX_FRAMES];
	uint8_t is_exact[STACK_MAX_FRAMES]; /* the next instruction, not a return address */
	/* Its caller is a guess, by frame pointer: there is no rule for this code, or no file. */
	uint8_t is_guess[STACK_MAX_FRAMES];
};

#endif
