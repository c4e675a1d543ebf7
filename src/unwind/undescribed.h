/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwind/undescribed.h - rules of functions that no FDE is about, though others of the file have
 * one: read off their instructions, if these are what is expected; any other code is left alone.
 *
 *	main	  as rustc makes it with panic=abort; the code at the entry point hands its address
 *		  to __libc_start_main() in %rdi
 *	.init	  of the C library's crti.o, and .fini: what runs when a file is loaded, and at the
 *		  end; also where DT_INIT and DT_FINI say that they are
 *	.init_array  its first function, if it jumps at once: frame_dummy() of GCC's crtbegin.o
 *	.plt ..	  of lld, and on arm64 of all linkers: jumps to functions of other files
 *
 * Source: psABI of x86_64, 5.2; of arm64 (aaelf64), "Procedure Linkage Table".
 */
#ifndef PMUTRACE_UNWIND_UNDESCRIBED_H
#define PMUTRACE_UNWIND_UNDESCRIBED_H

#include <stdint.h>

#include "base/array.h"
#include "elf/elf_bytes.h"
#include "unwind.wire.h"

enum { UNDESCRIBED_ROWS = 3 };

/* Addresses as the file has them. A row holds from so many bytes into the function on. */
struct undescribed {
	uint64_t start, end;
	size_t nr;
	struct {
		uint32_t at;
		struct unwind_rule rule;
	} rows[UNDESCRIBED_ROWS];
};

/* Return anything but 0 to stop. */
typedef int undescribed_fn(const struct undescribed *u, void *arg);

/*
 * Calls @fn for each such function that is there, in no order, also where an FDE is about it.
 * @machine: EM_*; @entry: the file's entry point. 0 or what @fn returned.
 */
int undescribed__each(const struct elf_from *from, unsigned machine, uint64_t entry,
		      undescribed_fn *fn, void *arg) must_check;

#endif
