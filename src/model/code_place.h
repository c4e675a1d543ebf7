/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model/code_place.h - where the code of a frame is: its file, its address, its line.
 *
 * A return address is told as the call before it: its last byte. Functions that were inlined are at
 * the address of the function that they are in; their line is their own, and the line of the
 * function around is where the inner one was called.
 */
#ifndef PMUTRACE_MODEL_CODE_PLACE_H
#define PMUTRACE_MODEL_CODE_PLACE_H

#include <stdint.h>

/* Strings are ids of a profile; 0: "", not known. */
struct code_place {
	uint32_t path;	   /* of the file with the code: "/usr/bin/x", "[kernel.kallsyms]" */
	uint32_t build_id; /* of that file: lower-case hexadecimal digits */
	uint64_t addr;	   /* as nm and addr2line print it; of the kernel, where it was in memory */
	uint64_t offset;   /* in the file; of the kernel the same as addr */
	uint32_t source;   /* path of the source file */
	uint32_t line;	   /* 0: not known */
	uint32_t start_line; /* where the function begins; 0: not known */
};

#endif
