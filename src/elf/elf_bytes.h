/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf/elf_bytes.h - a section of an ELF file, a part at a time.
 *
 * libelf keeps every section that was asked for until elf_end(); a big library has 12 MB of
 * relocations. What is looked at once, from one end to the other, is read here.
 */
#ifndef PMUTRACE_ELF_ELF_BYTES_H
#define PMUTRACE_ELF_ELF_BYTES_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/allowance.h"
#include "base/array.h"

/* An opened file, and where its bytes are: libelf does not tell. All is borrowed. */
struct elf_from {
	Elf *elf;
	int fd;			  /* -1: in memory */
	struct allowance *run;	  /* for strangers' files that this one leads to; or NULL */
	struct allowance *charge; /* for reading this one: `run` if it is a stranger's, or NULL */
};

/*
 * Opens a file on disk; of a stranger's, the headers and what libelf reads without being asked are
 * taken out of the allowance @run (NULL: without a bound). False: it is no ELF file, or there is no
 * allowance left for it. To be closed in either case; that leaves @fd open.
 */
bool elf_from__open(struct elf_from *from, int fd, struct allowance *run) must_check;
void elf_from__close(struct elf_from *from);

/* As elf_file__data(), out of the allowance. */
Elf_Data *elf_from__data(const struct elf_from *from, Elf_Scn *scn, size_t max);

/* Has the section bytes in the file, and at most @max? */
bool elf_bytes__section(const GElf_Shdr *shdr, size_t max) must_check;

/* Fills @to with bytes of the file. False: they are not all there, or exceed the allowance. */
bool elf_bytes__read(const struct elf_from *from, uint64_t at, void *to, size_t len) must_check;

enum { ELF_WINDOW_BYTES = 32 * 1024 };

/* A part of a file that is looked at in small pieces, one mostly behind the other. */
struct elf_part {
	const struct elf_from *from;
	uint64_t at, len; /* the part */
	size_t ahead;	  /* bytes that are read at once; up to ELF_WINDOW_BYTES; 0: as many */
	uint64_t first;	  /* what is at hand, from the beginning of the part; private, as is .. */
	size_t nr;
	unsigned char bytes[ELF_WINDOW_BYTES];
};

/*
 * @len bytes at @at, from the beginning of the part; good until the next call. NULL: they are not
 * in the part, more than are read at once, or cannot be read.
 */
const unsigned char *elf_part__look(struct elf_part *p, uint64_t at, size_t len);

/* Symbols or relocations in a row. Made by elf_window__begin(), nothing to free. */
struct elf_window {
	const struct elf_from *from;
	Elf_Type type;
	size_t entry_bytes; /* in the file, and in memory */
	uint64_t at, end;   /* what is still to be read */
	size_t nr;	    /* entries at hand */
	union {
		char bytes[ELF_WINDOW_BYTES]; /* in host byte order */
		uint64_t align;
	};
};

/* @type: ELF_T_SYM or ELF_T_RELA, of the section @shdr; a section without bytes has no entries. */
void elf_window__begin(struct elf_window *w, const struct elf_from *from, const GElf_Shdr *shdr,
		       Elf_Type type, size_t max);

/* The next entries; false: there are none, or they cannot be read. */
bool elf_window__next(struct elf_window *w) must_check;

/* The i-th entry at hand. */
GElf_Sym elf_window__sym(const struct elf_window *w, size_t i);
GElf_Rela elf_window__rela(const struct elf_window *w, size_t i); /* of 64-bit files */

#endif
