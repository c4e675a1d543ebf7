/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf/binary.h - one executable file: file offset -> function name.
 *
 * Knows: ELF segments and symbols, and where the file's separate symbols may lie:
 *   .symtab, .gnu_debugdata (xz), /usr/lib/debug/.build-id/xx/rest.debug,
 *   .gnu_debuglink (its CRC is checked), servers, Go's .gopclntab, .dynsym, PLT stubs ("puts@plt").
 * And which of its code has no caller (elf/outermost.h), and where functions without a symbol begin
 * (elf/bounds.h).
 * Does not know: processes, addresses in memory, demangling.
 *
 * Opening costs next to nothing; symbols are read on the first find. The file belongs to
 * a stranger: anything in it may be garbage, and garbage only ever costs names.
 */
#ifndef PMUTRACE_ELF_BINARY_H
#define PMUTRACE_ELF_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "elf/outermost.h"
#include "elf/debug_places.h"
#include "elf/symtab.h"

struct binary;

/**
 * binary__open() - take a file for later
 * @fd:   open for reading; taken, also on error. -1: the file could not be opened,
 *        then nothing in it has a name, but the object works all the same
 * @others: opens its debug files; copied, what it refers to is borrowed until close
 * @run:  allowance for reading it if it is a stranger's, and its debug files if they are; a file
 *        that exceeds it has no names. NULL: without a bound; borrowed until close
 *
 * Return: 0 or -ENOMEM. Not being an ELF file is no error here.
 */
int binary__open(struct binary **out, int fd, const struct opener *others,
		 struct allowance *run) must_check;

/* The same for an image in memory (the vdso). @image is copied. */
int binary__open_memory(struct binary **out, const void *image, size_t len) must_check;
void binary__close(struct binary *b);

/**
 * binary__find() - name the code at a file offset
 * @vaddr: the address in the file's own terms, as nm and addr2line print it; equal to
 *	   @offset when the file has no segments that say otherwise. Always set
 *
 * Return: true and *sym (addr in the file's terms; until the next find), or false: nothing
 * covers it. A symbol whose size is not known does not reach into the next function.
 */
bool binary__find(struct binary *b, uint64_t offset, struct sym *sym, uint64_t *vaddr);

/* The same for an address in the file's own terms. */
bool binary__find_at(struct binary *b, uint64_t vaddr, struct sym *sym);

/*
 * Of a debug file, which has the segments of its program and nothing in them, so that no offset is
 * an address in its own terms.
 */
bool binary__has_no_code(struct binary *b);

/* The function without a symbol that an address in the file's own terms is in: where it begins. */
bool binary__function(struct binary *b, uint64_t vaddr, uint64_t *start);

/* Whether a stack may end at an address in the file's own terms. @name: its symbol, or NULL. */
enum outermost binary__outermost(struct binary *b, uint64_t vaddr, const char *name);

/*
 * After a find: its debug file is being fetched from a server. Nothing is known of its code so far;
 * later finds look for it again.
 */
bool binary__waits(const struct binary *b);

/* Nothing in it has a name, as there was no memory for its symbols. */
bool binary__lacked_memory(const struct binary *b);

/* Memory that its symbols take: none before the first find. */
size_t binary__symbol_bytes(const struct binary *b);

/* A descriptor of the file, the caller's; -1: it is closed by now, or could not be opened. */
int binary__dup(const struct binary *b);

/* Descriptors that it keeps open: its own, and those that the names of its symbols are in. */
size_t binary__nr_files(const struct binary *b);

/* Build-id bytes, or 0 if the file has none. Borrowed. */
size_t binary__build_id(struct binary *b, const unsigned char **id);

#endif
