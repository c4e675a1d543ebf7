/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf/unpack.h - compressed sections of a file: SHF_COMPRESSED with zlib or zstd, and .zdebug_*.
 *
 * The bytes are a stranger's: how long the section is said to be is what the caller allows or not,
 * and it becomes no longer.
 * Source: gABI, "Section Compression"; for .zdebug_* binutils, bfd/compress.c.
 */
#ifndef PMUTRACE_ELF_UNPACK_H
#define PMUTRACE_ELF_UNPACK_H

#include "elf/elf_bytes.h"

struct packed {
	uint64_t at, packed_len; /* in the file */
	uint64_t len;		 /* unpacked */
	uint32_t type;		 /* ELFCOMPRESS_* */
};

/* Is it a compressed section? */
bool packed__is(const GElf_Shdr *shdr, const char *name);

/* Reads the header. False: damaged; also if so few bytes cannot become so many. */
bool packed__read(struct packed *out, const struct elf_from *from, const GElf_Shdr *shdr,
		  const char *name) must_check;

/*
 * Unpacks it; *bytes becomes the caller's. 0; -EINVAL: damaged; -ENOTSUP: not a way to compress
 * that this build knows; -ENOMEM.
 */
int packed__unpack(const struct packed *p, const struct elf_from *from, uint8_t **bytes) must_check;

#endif
