/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lookup/kernel_text.h - the code of the running kernel: does an instruction begin at a place?
 *
 * Source: /proc/kcore, an ELF core file whose segments are the kernel's memory (fs/proc/kcore.c);
 * it takes root, and not every kernel has it. Of it the ELF header, the program headers and the
 * bytes of one function up to the place are read, and nothing else.
 *
 * What is in memory is not what was compiled: ftrace, static keys and alternatives put in
 * instructions of the same length, but other kprobes a breakpoint, or a jump, over the beginning of
 * what was there. Where one may be, nothing is said: the kernel knows what it has put there, and
 * refuses a probe in the middle of an instruction by itself (arch_prepare_kprobe()).
 */
#ifndef PMUTRACE_LOOKUP_KERNEL_TEXT_H
#define PMUTRACE_LOOKUP_KERNEL_TEXT_H

#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"

struct kernel_text {
	const char *kcore;    /* "/proc/kcore", or a fixture */
	const char *kallsyms; /* "/proc/kallsyms" */
	unsigned machine;     /* EM_X86_64 or EM_AARCH64 */
};

/**
 * kernel_text__check_place() - may a probe be put there?
 * @offset: from the function's start
 * @why:    on -EINVAL a sentence with the nearest beginnings
 *
 * Return: 0: an instruction begins there, or it cannot be told; -EINVAL: none does; -ENOMEM.
 */
int kernel_text__check_place(const struct kernel_text *text, const char *function, uint64_t offset,
			     struct buf *why) must_check;

#endif
