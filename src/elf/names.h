/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf/names.h - the names of symbols: copied into one pool, or left in the files they are in.
 *
 * A name's id is an offset in the pool; the highest ids are offsets in the string tables of files.
 * A big library has 3 MB of names, and few of them are ever asked for: those are read then, a
 * microsecond each. A file stays open for it; one that was changed meanwhile has no names.
 */
#ifndef PMUTRACE_ELF_NAMES_H
#define PMUTRACE_ELF_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/allowance.h"
#include "base/array.h"
#include "base/buf.h"

struct names_file;

/* Zero-initialise it; names__free() gives all back. */
struct names {
	struct buf pool;
	struct names_file *files;
	size_t nr_files, cap_files;
	uint32_t nr_kept;	  /* ids of names in files: the highest ones */
	struct buf got;		  /* the name read last */
	struct allowance *charge; /* allowance for reading files kept from now on; or NULL */
};

void names__free(struct names *n);

/* Copies @len bytes and a NUL. Ids ascend in the order of adding. 0 or -ENOMEM. */
int names__add(struct names *n, const char *name, size_t len, uint32_t *id) must_check;

/**
 * names__keep() - names that stay in a file
 * @fd:    duplicated
 * @at:    offset of the string table, @len bytes
 * @tail:  what is put behind each name; must outlive @n
 * @first: id of the string at @at; that at @at + i has @first + i
 *
 * Return: 0; -E2BIG: more than there are ids; another -errno.
 */
int names__keep(struct names *n, int fd, uint64_t at, uint64_t len, const char *tail,
		uint32_t *first) must_check;

/* The first two bytes of a name, NUL where it has none. For many in a row: then names__settle(). */
void names__peek(struct names *n, uint32_t id, char first[2]);

/* Gives back what only filling and peeking needed. */
void names__settle(struct names *n);

/* Valid until the next call, one of the pool as long as @n. "": no name, or it cannot be read. */
const char *names__get(struct names *n, uint32_t id);

/* Files that are open for it. */
size_t names__nr_files(const struct names *n);

/* Is it in the pool, and empty? */
bool names__is_none(const struct names *n, uint32_t id);

#endif
