/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf/elf_names.h - all symbols of an ELF file, by name, with their versions.
 *
 * A symtab (elf/symtab.h) keeps one name per address, to name code. This is the other direction:
 * every alias is here, and so are data and what the file only imports, so that a name that cannot
 * be probed gets a better answer than "not found". Versions: "ELF Symbol Versioning", Drepper.
 */
#ifndef PMUTRACE_ELF_ELF_NAMES_H
#define PMUTRACE_ELF_ELF_NAMES_H

#include "base/buf.h"
#include "base/strtab.h"
#include "elf/debug_places.h"
#include "elf/elf_image.h"
#include "elf/symtab.h"

enum elf_name_kind {
	ELF_NAME_FUNCTION,
	ELF_NAME_IFUNC, /* its address is that of a resolver */
	ELF_NAME_DATA,
	ELF_NAME_IMPORT, /* defined in another file */
};

struct elf_name {
	uint64_t offset; /* in the file; of a function only */
	uint64_t size;	 /* bytes; 0: not known */
	uint32_t name;	 /* id in strings; without the version */
	uint32_t version;
	uint8_t kind;
	uint8_t rank;  /* enum sym_rank */
	bool outdated; /* "foo@V", not the "foo@@V" that a linker takes for "foo" */
};

struct elf_names {
	struct strtab *strings;
	struct elf_name *items;
	size_t nr, cap;
};

/* @others: opens separate debug files of @img. 0 or -ENOMEM. */
int elf_names__read(struct elf_names *n, const struct elf_image *img,
		    const struct opener *others) must_check;
void elf_names__free(struct elf_names *n);

/* Appends "foo", or "foo@V" if it is outdated: what tells it from others. 0 or -ENOMEM. */
int elf_names__put(const struct elf_names *n, const struct elf_name *item,
		   struct buf *out) must_check;

#endif
