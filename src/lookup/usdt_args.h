/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lookup/usdt_args.h - where the arguments of a USDT probe are: "-4@%edi 8@-16(%rbp) 4@$5".
 *
 * Each is SIZE@PLACE, the size in bytes and negative if signed, the place an operand as the
 * compiler gave it to the assembler: of x86_64 in AT&T syntax, of arm64. Those that a program
 * cannot fetch with one register and one load are refused: a variable of the program by name, an
 * index, floating point.
 * Source: sourceware.org/systemtap/wiki/UserSpaceProbeImplementation, <sys/sdt.h>. The text is of a
 * file of a stranger.
 */
#ifndef PMUTRACE_LOOKUP_USDT_ARGS_H
#define PMUTRACE_LOOKUP_USDT_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"

struct usdt_arg {
	enum usdt_arg_kind {
		USDT_CONSTANT, /* value, cut to the size, with its sign */
		USDT_REGISTER, /* the bytes at `at` */
		USDT_MEMORY,   /* of the task: where the register points, plus value */
	} kind;
	uint8_t size; /* bytes to load: 1, 2, 4, 8 */
	bool is_signed;
	uint16_t at; /* of the register, in struct pt_regs, in bytes */
	int64_t value;
};

/* How many there are. */
size_t usdt_args__nr(const char *args);

/**
 * usdt_args__find() - one of them
 * @machine: EM_X86_64 or EM_AARCH64: whose program it is
 * @n:       counted from 0
 * @why:     on -EINVAL a sentence
 *
 * Return: 0; -ENOENT, without @why: there are fewer; -EINVAL: not to be had; -ENOMEM.
 */
int usdt_args__find(unsigned machine, const char *args, size_t n, struct usdt_arg *out,
		    struct buf *why) must_check;

#endif
