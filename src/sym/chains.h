/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sym/chains.h - inlined functions and lines of code in all files that were asked for.
 *
 * Debug information is read when the first address of a file is asked for. What all files take is
 * limited in memory and in descriptors: beyond that the least recently used one is closed, and
 * opened again when it is asked for; a few times, then no more.
 */
#ifndef PMUTRACE_SYM_CHAINS_H
#define PMUTRACE_SYM_CHAINS_H

#include "base/buf.h"
#include "sym/binaries.h"

struct chains;

struct chains_opts {
	bool demangle;
	bool inlines, lines; /* what is asked for */
	bool places;	     /* source lines, beside names */
	/* Files and debug files of strangers (base/allowance.h) are not read: not in a jail. */
	bool trusted_only;
	size_t max_bytes; /* of debug information of all files; 0: 256 MiB */
};

/* NULL when out of memory. */
struct chains *chains__new(const struct chains_opts *opts);
void chains__free(struct chains *c);

/*
 * Opens the debug information of a file, if that has not been tried. 0; -EAGAIN: it is being
 * fetched from a server; -ENOMEM.
 */
int chains__open_file(struct chains *c, struct binaries *binaries, uint32_t file) must_check;

/* It has debug information, and there was not enough memory to read any of it. */
bool chains__had_no_room(const struct chains *c, uint32_t file);

/*
 * What the debug information of a file says of an address in the file's own terms. With lines, all
 * names are followed by " (file.c:12)".
 *
 * @name: of the function, from its symbol: its line is appended. An empty one, of a function that
 *	has no symbol, becomes what the debug information calls it
 * @inlined: functions inlined into it are appended, each with its NUL, the outermost first
 * @nr: how many
 * @lines: with places, sym/source_lines.h of the function and of these are appended, if any is
 *	known
 *
 * 0, also if nothing is known; -ENOMEM.
 */
int chains__find(struct chains *c, uint32_t file, uint64_t vaddr, struct buf *name,
		 struct buf *inlined, size_t *nr, struct buf *lines) must_check;

#endif
