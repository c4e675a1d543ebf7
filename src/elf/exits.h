/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf/exits.h - the instructions at which a function is left for its caller.
 *
 * These are its returns, and jumps to other functions that will return in its stead (tail calls).
 * What a compiler moved out of it because it hardly ever runs ("foo.cold") is part of it.
 *
 * Jumps to what a register or memory has are taken for tail calls, unless it is plain that they go
 * through a table of the function's own. If that guess is wrong, the stack pointer tells at run
 * time: a function that has made room on its stack is not left by a jump.
 * Does not know: who calls, exceptions, longjmp(3).
 */
#ifndef PMUTRACE_ELF_EXITS_H
#define PMUTRACE_ELF_EXITS_H

#include <stdbool.h>

#include "base/buf.h"
#include "elf/body.h"

struct exit_place {
	uint64_t offset;  /* in the file */
	int8_t condition; /* as in struct insn: it is left only if that holds; or INSN_ALWAYS */
	bool unsure;	  /* a jump that may stay in the function */
	bool jump;	  /* no return: what it leads to may be a part of it that has no symbol */
};

/* Zero-initialise it; exits__free(). */
struct exits {
	struct exit_place *items;
	size_t nr, cap;
	bool calls; /* it calls other functions, or they are called in its stead */
	/*
	 * Where a call has begun for good, an offset: behind the check of the stack of a function
	 * of Go, which begins anew on a larger one (src/cmd/internal/obj: stacksplit). Or that at
	 * which it was looked for.
	 */
	uint64_t entry;
	bool checks_stack; /* there is such a check */
};

/**
 * exits__find() - where the function that a probe at an offset of a file is on is left
 * @img, @names: of the file
 * @why: on an error but -ENOMEM a sentence's end, behind "the returns of X cannot be found: "
 *
 * Return: 0; -EOPNOTSUPP: it never returns, it cannot be decoded to its end, or a branch that
 * leaves it depends on what cannot be told; -ENOENT: no symbol tells where it ends; -ENOMEM.
 */
int exits__find(struct exits *out, const struct elf_image *img, const struct elf_names *names,
		uint64_t offset, struct buf *why) must_check;

/**
 * exits__begin() - where a probe tells best that a function of Go has been called
 * @at: an offset: the branch of its check of the stack, which the kernel emulates on x86-64, where
 *	it steps through the comparison in front; a call that makes the stack larger comes by twice.
 *	The function's start, if there is no such check.
 *
 * Return: 0; -ENOENT, -EIO, -ENOTSUP: it cannot be read; -ENOMEM.
 */
int exits__begin(const struct elf_image *img, const struct elf_names *names, uint64_t offset,
		 uint64_t *at) must_check;
void exits__free(struct exits *e);

#endif
