/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf/prologues.h - does a file's code keep frame pointers? A guess, made from how its functions
 * begin.
 *
 * Functions come from the table that C++ unwinding uses (.eh_frame_hdr), evenly spread over the
 * file. Only those that call others are looked at: code that calls nothing hides no callers but
 * its own. Cold halves of functions, which have no beginning, are told apart by their FDE.
 * x86_64 and arm64 files, whatever runs this. Source: LSB Core, "Exception Frames"; AMD64 and
 * AAPCS64 calling conventions.
 */
#ifndef PMUTRACE_ELF_PROLOGUES_H
#define PMUTRACE_ELF_PROLOGUES_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

enum {
	PROLOGUES_MIN = 16, /* functions: fewer say nothing */
	PROLOGUES_MAX = 256,
};

struct prologues {
	unsigned functions; /* looked at, that call others: PROLOGUES_MIN to PROLOGUES_MAX */
	unsigned kept;	    /* of these, the ones that set up a frame pointer */
};

/**
 * prologues__count() - look at a sample of a file's functions
 * @elf: of elf_file__open(); it belongs to a stranger
 *
 * Return: 0; -ENODATA: the file has no such table, or too few functions to say anything;
 * -ENOEXEC: another machine's.
 */
int prologues__count(Elf *elf, struct prologues *out) must_check;

struct code {
	const uint8_t *bytes; /* of one function, from its start */
	size_t len;
	uint64_t addr;	    /* of the start */
	uint64_t low, high; /* where code lies at all: calls go there */
};

/* One function. @machine: EM_X86_64 or EM_AARCH64. */
bool code__calls(unsigned machine, const struct code *c);
bool code__keeps_frame_pointer(unsigned machine, const struct code *c);

#endif
