/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf/symtab.h - address -> name, for one address space or one file.
 *
 * Filled once (symtab__add, then symtab__finish), then only read. The
 * kernel's symbols and an ELF file's end up in one of these. Costs
 * 16 bytes a symbol, and its name unless that stays in its file (elf/names.h); a lookup is one
 * binary search, overlaps or not.
 */
#ifndef PMUTRACE_ELF_SYMTAB_H
#define PMUTRACE_ELF_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/allowance.h"
#include "base/array.h"

struct symtab;

struct sym {
	uint64_t addr; /* first byte */
	uint64_t size; /* bytes; 0 when the source did not say */
	/* As the source spells it (mangled); until the table's next lookup. */
	const char *name;
};

/* Which of several names of one address wins: the higher rank, then the first added. */
enum sym_rank { SYM_LOCAL, SYM_WEAK, SYM_GLOBAL };

/* No source is believed to have more symbols: readers stop there. */
#define SYMTAB_MAX (16u << 20)

/* NULL when out of memory. */
struct symtab *symtab__new(void);
void symtab__free(struct symtab *t);

/**
 * symtab__add() - add a symbol
 * @size: bytes; 0: not known. Cut at 1 GiB, no function is that long
 * @name: copied as it is, @len bytes and a NUL. An empty name with size 0 is a fence: from
 *	  @addr on nothing is covered, up to the next symbol
 *
 * Return: 0 or -ENOMEM.
 */
int symtab__add(struct symtab *t, uint64_t addr, uint64_t size, const char *name, size_t len,
		enum sym_rank rank) must_check;

/**
 * symtab__keep_names() - names that stay in a file, as names__keep() says
 *
 * symtab__add_kept() then takes @first and the place of a name in the table of strings.
 */
int symtab__keep_names(struct symtab *t, int fd, uint64_t at, uint64_t len, const char *tail,
		       uint32_t *first) must_check;
int symtab__add_kept(struct symtab *t, uint64_t addr, uint64_t size, uint32_t name,
		     enum sym_rank rank) must_check;

/* Of equal rank one without an underscore in front wins: "malloc", not "__libc_malloc". */
void symtab__prefer_plain(struct symtab *t);

/* The allowance for reading names of files added from now on; NULL: without a bound. */
void symtab__charge(struct symtab *t, struct allowance *a);

/* While adding: the first two bytes of a kept name. */
void symtab__peek(struct symtab *t, uint32_t name, char first[2]);

/*
 * Sorts; one name per address stays. A symbol without a size reaches to the next symbol
 * (the last one: forever); inside a symbol with a size it is only a label, and dropped.
 * Of two symbols that overlap the one that starts later covers what they share.
 * 0 or -ENOMEM.
 */
int symtab__finish(struct symtab *t) must_check;

/* The symbol that covers @addr: addr <= @addr < addr + size. False if none does. */
bool symtab__find(struct symtab *t, uint64_t addr, struct sym *out);

/* Ranges in the table; a symbol with another one in its middle counts twice. */
size_t symtab__nr(const struct symtab *t);

/* Memory that it takes, and files that are open for its names. */
size_t symtab__bytes(const struct symtab *t);
size_t symtab__nr_files(const struct symtab *t);

#endif
