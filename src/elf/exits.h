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
	 * Offset from which on a call happens once: behind the stack check of a Go function, which
	 * starts it anew on a larger stack (src/cmd/internal/obj: stacksplit). Without a check the
	 * offset that was asked for.
	 */
	uint64_t entry;
	bool checks_stack; /* there is such a check */
};

/**
 * exits__find() - where the function that covers an offset of a file is left
 * @img, @names: of the file
 * @why: on an error but -ENOMEM a sentence's end, behind "the returns of X cannot be found: "
 *
 * Return: 0; -EOPNOTSUPP: it never returns, it cannot be decoded to its end, or a branch that
 * leaves it depends on what cannot be told; -ENOENT: no symbol tells where it ends; -ENOMEM.
 */
int exits__find(struct exits *out, const struct elf_image *img, const struct elf_names *names,
		uint64_t offset, struct buf *why) must_check;

/**
 * exits__begin() - the best place for a probe on the entry of a Go function
 * @at: its offset: the branch of the stack check, which the kernel emulates on x86-64, while it
 *	would single-step the comparison in front; a call that needs a larger stack passes it twice.
 *	Without a check, @offset.
 *
 * Return: 0; -ENOENT, -EIO, -ENOTSUP: it cannot be read; -ENOMEM.
 */
int exits__begin(const struct elf_image *img, const struct elf_names *names, uint64_t offset,
		 uint64_t *at) must_check;
void exits__free(struct exits *e);

#endif
