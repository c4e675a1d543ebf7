/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf/elf_file.h - what every reader of an ELF file here needs, on top of libelf.
 *
 * The file belongs to a stranger, who may also change it while it is read: libelf reads
 * with pread(2), never by mapping (a truncated mapping is a SIGBUS), and nothing is
 * believed that would cost more memory than a real file could ask for.
 */
#ifndef PMUTRACE_ELF_ELF_FILE_H
#define PMUTRACE_ELF_ELF_FILE_H

#include <gelf.h>
#include <libelf.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

/* Both return NULL if it is no ELF file, or none that a linker would write. Give it to elf_end().
 */
Elf *elf_file__open(int fd);
Elf *elf_file__open_memory(char *image, size_t len); /* @image is borrowed until elf_end() */

/* The first section of a type (SHT_*), or of a name, or the last; NULL if there is none. */
Elf_Scn *elf_file__section_of_type(Elf *elf, unsigned int type, GElf_Shdr *shdr);
Elf_Scn *elf_file__section_named(Elf *elf, const char *name, GElf_Shdr *shdr);
Elf_Scn *elf_file__last_section_named(Elf *elf, const char *name, GElf_Shdr *shdr);

/* A section's bytes in host byte order, or NULL: absent, garbage, or more than @max bytes. */
Elf_Data *elf_file__data(Elf_Scn *scn, size_t max);

/*
 * Bytes that finding sections by name and the build-id may make libelf read, and keep: headers,
 * names of sections, notes. In a file made up to harm us that may be gigabytes.
 */
uint64_t elf_file__read_unasked(Elf *elf);

/* Copies up to @max bytes of the GNU build-id; 0 if there is none. */
size_t elf_file__build_id(Elf *elf, unsigned char *id, size_t max);

/*
 * A string section. Strings may share their tails, so what all symbols together may take
 * is a small multiple of the section, not more: garbage must not multiply.
 */
struct elf_strings {
	const char *data;
	size_t len;
	size_t budget; /* bytes that may still be handed out */
};

#define ELF_STRINGS_BYTES_MAX (512u << 20)

/* An absent section is one without strings. */
struct elf_strings elf_strings__of(Elf *elf, size_t section);

/* NULL if there is no such string, it is empty, or the budget is spent. */
const char *elf_strings__get(struct elf_strings *s, size_t offset, size_t *len);

#endif
