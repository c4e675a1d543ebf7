/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwind/small_main.h - a program's main() that no FDE is about, if it is as small as the one that
 * rustc makes with panic=abort: a frame, one call, and its end. x86_64.
 *
 * Where it is tells the code at the entry point, which hands its address to __libc_start_main() in
 * %rdi. What it does to the stack is read off its first and last instructions, which must agree;
 * any other code is left alone.
 */
#ifndef PMUTRACE_UNWIND_SMALL_MAIN_H
#define PMUTRACE_UNWIND_SMALL_MAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/elf_bytes.h"

/* Addresses as the file has them. */
struct small_main {
	uint64_t start;
	uint64_t made; /* its frame is there from here on */
	uint64_t left; /* up to here: the return */
	uint64_t end;
	uint32_t frame_bytes;
};

/* @entry: the file's entry point. False: there is none. */
bool small_main__find(struct small_main *m, const struct elf_from *from, uint64_t entry);

#endif
