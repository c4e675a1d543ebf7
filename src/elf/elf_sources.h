/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf/elf_sources.h - the places where a file's symbols may be, the richest first:
 * .symtab, .gnu_debugdata (xz), /usr/lib/debug by build-id, .gnu_debuglink, servers, Go's
 * .gopclntab, .dynsym.
 */
#ifndef PMUTRACE_ELF_ELF_SOURCES_H
#define PMUTRACE_ELF_ELF_SOURCES_H

#include "elf/elf_bytes.h"
#include "elf/elf_file.h"
#include "elf/debug_places.h"

enum { ELF_SOURCE_GO = SHT_PROGBITS };

/*
 * Reads one section of symbols: SHT_SYMTAB, SHT_DYNSYM, or ELF_SOURCE_GO for Go's table
 * (elf/gopclntab.h). *nr: functions found. 0 or -errno.
 */
typedef int elf_source_fn(const struct elf_from *from, unsigned int type, size_t *nr, void *arg);

/**
 * elf_sources__read() - call @fn for each place up to the first that has any functions
 * @o: opens debug files
 *
 * .gnu_debugdata, .gopclntab and .dynsym are all read if it comes to that: the first leaves out
 * what the last has, and the second has Go's functions alone.
 *
 * Return: 0; -EAGAIN: the debug file is being fetched from a server, ask again later; or what @fn
 * returned if that was not 0.
 */
int elf_sources__read(const struct elf_from *from, const struct opener *o, elf_source_fn *fn,
		      void *arg) must_check;

#endif
