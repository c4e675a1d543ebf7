/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf/go_frames.h - frames of Go where the frame pointer does not lead to the caller.
 *
 * What Go's compiler makes keeps frame pointers, but for functions that call nobody and need no
 * frame: the register is that of their caller, and what it points at is the caller's caller. And
 * hand-written functions with a frame save the register, and are free to use it then:
 * crypto/sha256.block. How far the stack pointer has moved says .gopclntab at each address; where
 * the register is saved says the code. x86_64, Go 1.18 and newer.
 *
 * Left out are functions that go on on another stack, and assembly without a frame; but for
 * runtime.duffcopy and duffzero: their callers let the register point below the return address.
 * Source: Go's src/runtime/symtab.go (pcvalue), src/cmd/internal/obj/x86/obj6.go (preprocess).
 *
 * The file is a stranger's: garbage costs frames, or makes others.
 */
#ifndef PMUTRACE_ELF_GO_FRAMES_H
#define PMUTRACE_ELF_GO_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "elf/elf_bytes.h"

enum { GO_FRAME_MOVES = 256 }; /* of a function: three for each return */

/* From an address on: the stack pointer is so many bytes below the return address. */
struct go_move {
	uint64_t addr;
	uint32_t bytes;
};

struct go_frame {
	uint64_t start, end; /* of the function */
	struct go_move moves[GO_FRAME_MOVES];
	unsigned nr;
	uint64_t saved;	      /* from this address on (end: nowhere), where that has moved .. */
	uint32_t saved_below; /* .. the caller's register lies so far below the return address */
	bool by_caller;	      /* it lies there from the first instruction to the last */
};

/* Return anything but 0 to stop. */
typedef int go_frame_fn(const struct go_frame *f, void *arg);

/* Calls @fn for each such function, by address, of the first million. 0, -ENOMEM, or of @fn. */
int go_frames__read(const struct elf_from *from, go_frame_fn *fn, void *arg) must_check;

#endif
