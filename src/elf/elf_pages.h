/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf/elf_pages.h - large sections of an ELF file in memory, read in where they are looked at.
 *
 * Debug information has gigabytes, of which little is wanted. A section gets its range of addresses
 * at once, and bytes when elf_section__load() is called for them; what has not been looked at for
 * long is given back. The file is not mapped: it may be a stranger's, who could truncate it.
 *
 * A compressed section (SHF_COMPRESSED or .zdebug_*, zlib) is unpacked as a whole.
 */
#ifndef PMUTRACE_ELF_ELF_PAGES_H
#define PMUTRACE_ELF_ELF_PAGES_H

#include "elf/elf_bytes.h"

struct elf_section {
	const uint8_t *bytes; /* NULL: it is absent, or damaged */
	uint64_t len;
	struct elf_pages *pages;
	uint64_t at;	  /* in the file */
	uint32_t *stamps; /* of pages: when they were last asked for; 0: not there */
	size_t nr_stamps;
};

enum { ELF_PAGES_SECTIONS_MAX = 16 };

/* The sections of one file. Not to be moved while any section is open. */
struct elf_pages {
	struct elf_from from; /* borrowed */
	uint64_t file_bytes;
	size_t max_bytes;    /* to be read in before some are given back */
	size_t max_unpacked; /* of all compressed sections together */
	size_t bytes, unpacked;
	uint32_t now;	/* calls of elf_section__load() */
	uint32_t swept; /* when pages were last given back */
	struct elf_section *sections[ELF_PAGES_SECTIONS_MAX];
	unsigned nr;
};

/*
 * @from: borrowed until elf_pages__close(); of another byte order than ours it has no sections.
 * 0 or -errno.
 */
int elf_pages__open(struct elf_pages *p, const struct elf_from *from, size_t max_bytes,
		    size_t max_unpacked) must_check;
void elf_pages__close(struct elf_pages *p);

/*
 * Makes a section ready, ".debug_info" also if it is ".zdebug_info". @s: the caller's, up to
 * elf_pages__close(). One that is absent or damaged has no bytes. 0 or -ENOMEM.
 */
int elf_pages__section(struct elf_pages *p, const char *name, struct elf_section *s) must_check;

/*
 * Has bytes of the section read in, which are then there for the next ELF_PAGES_CALLS calls at
 * least. @section: a struct elf_section. False: they cannot be read, or exceed the allowance.
 */
enum { ELF_PAGES_CALLS = 512 };
bool elf_section__load(void *section, uint64_t at, uint64_t len);

#endif
