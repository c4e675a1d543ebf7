/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf/elf_pages.h - large sections of an ELF file, of which the pages that are looked at are in
 * memory.
 *
 * Debug information has gigabytes, of which little is wanted. Pages of all sections of a file share
 * a pool of bounded size, in which a page takes the place of the one that nobody asked for longest.
 * Without memory for a larger pool it stays as large as it is. The file is not mapped: it may be a
 * stranger's, who could truncate it.
 *
 * A compressed section (SHF_COMPRESSED or .zdebug_*) is unpacked as a whole: elf/unpack.h.
 */
#ifndef PMUTRACE_ELF_ELF_PAGES_H
#define PMUTRACE_ELF_ELF_PAGES_H

#include "base/buf.h"
#include "elf/elf_bytes.h"

/* Bytes that are together wherever a section is looked at, if it does not end before. */
enum { ELF_PAGES_TOGETHER = 64 };

struct elf_section {
	uint64_t len; /* 0: it is absent, damaged, or there was no memory for it */
	struct elf_pages *pages;
	uint8_t *unpacked; /* a compressed one */
	uint64_t at;	   /* in the file */
	uint32_t *places;  /* of pages: in the pool, from 1; 0: not there */
	size_t nr_places;
};

/* A place for a page. Places are in a ring: the one that was asked for last, then older ones. */
struct elf_place {
	struct elf_section *section; /* NULL: it is free */
	uint32_t page;
	uint32_t newer, older;
};

enum { ELF_PAGES_SECTIONS_MAX = 16, ELF_PAGES_STRINGS = 4 };

/* The sections of one file. Not to be moved while any section is open. */
struct elf_pages {
	struct elf_from from; /* borrowed */
	uint64_t file_bytes;
	size_t max_places;
	size_t max_unpacked; /* of all compressed sections together */
	size_t unpacked;
	uint64_t nr_refused; /* compressed sections that there was no room for */
	uint8_t **chunks;    /* of the pool */
	size_t nr_chunks, cap_chunks;
	struct elf_place *places;
	size_t nr_places, cap_places;
	uint32_t newest;
	struct buf strings[ELF_PAGES_STRINGS]; /* the last that were on more than one page */
	unsigned nr_strings;
	struct elf_section *sections[ELF_PAGES_SECTIONS_MAX];
	unsigned nr;
};

/*
 * @from: borrowed until elf_pages__close(); of another byte order than ours it has no sections.
 * @max_bytes: of the pool, which has room for ELF_PAGES_CALLS pages in any case.
 * 0 or -errno.
 */
int elf_pages__open(struct elf_pages *p, const struct elf_from *from, size_t max_bytes,
		    size_t max_unpacked) must_check;
void elf_pages__close(struct elf_pages *p);

/*
 * Makes a section ready, ".debug_info" also if it is ".zdebug_info". @s: the caller's, up to
 * elf_pages__close(). Of several of one name it is the last: GCC writes .debug_info.dwo of each
 * type that is a unit of its own before that of the program. One that is absent or damaged has no
 * bytes. 0 or -ENOMEM.
 */
int elf_pages__section(struct elf_pages *p, const char *name, struct elf_section *s) must_check;

/* Memory that it takes. */
size_t elf_pages__bytes(const struct elf_pages *p);

/*
 * Bytes of a section from @at on, and in *len how many: ELF_PAGES_TOGETHER at least. They are there
 * for the next ELF_PAGES_CALLS calls, for any section of the file. @section: a struct elf_section.
 * NULL: they cannot be read, or exceed the allowance.
 */
enum { ELF_PAGES_CALLS = 2048 };
const uint8_t *elf_section__window(void *section, uint64_t at, uint64_t *len);

/*
 * The string at @at, which is there until ELF_PAGES_STRINGS more were asked for. NULL: it does not
 * end within @max bytes and the section, or cannot be read.
 */
const char *elf_section__string(void *section, uint64_t at, uint64_t max);

#endif
