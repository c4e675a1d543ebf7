/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf/body.h - the code of a function in a file: which one covers a place, and its instructions.
 *
 * All addresses are offsets in the file, those that jumps lead to as well.
 * Knows: symbols (elf/elf_names.h). A function whose symbol has no size reaches to the next one.
 * Does not know: functions that have no symbol, such as static ones of a stripped file.
 */
#ifndef PMUTRACE_ELF_BODY_H
#define PMUTRACE_ELF_BODY_H

#include "base/buf.h"
#include "elf/elf_names.h"
#include "elf/insns.h"

struct body {
	const char *name; /* borrowed from @names */
	uint64_t start;
	uint64_t bytes; /* up to its end */
	struct insns insns;
};

/* Functions are read up to here; compilers write no longer ones. */
enum { BODY_BYTES_MAX = 16 << 20 };

/**
 * body__open() - read and decode the function that covers an offset
 * @names: of elf_names__read()
 * @most:  bytes that are wanted from the function's start on; BODY_BYTES_MAX: all
 *
 * Return: 0; -ENOENT: no symbol covers it; -EIO: the file is shorter than that; -ENOTSUP: another
 * machine's; -ENOMEM. Give it to body__close() after 0 only.
 */
int body__open(struct body *out, const struct elf_image *img, const struct elf_names *names,
	       uint64_t offset, uint64_t most) must_check;
void body__close(struct body *b);

/**
 * body__check_place() - may a probe be put there?
 * @img, @names: of the file
 * @offset: in it
 * @why:    on -EINVAL a sentence with the nearest beginnings
 *
 * A breakpoint in the middle of an instruction makes another one of it, in every process that runs
 * the file. Return: 0: an instruction begins there, or no function is known to cover it; -EINVAL:
 * none does, or what comes before cannot be decoded; -ENOMEM.
 */
int body__check_place(const struct elf_image *img, const struct elf_names *names, uint64_t offset,
		      struct buf *why) must_check;

#endif
