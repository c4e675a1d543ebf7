/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sym/jits.h - names of code that processes make at run time, from what they write down of it.
 *
 * A process may have two sources: a perf map, which is looked for, and a jitdump, of which it is
 * told (jits__dump()), since the process maps a page of it. Where both name an
 * address the dump wins: it tells each load and move of code in the order of time, while a map may
 * be one picture of some moment, or lack what moved. A process that is gone is looked at once more.
 */
#ifndef PMUTRACE_SYM_JITS_H
#define PMUTRACE_SYM_JITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/allowance.h"
#include "base/array.h"
#include "elf/symtab.h"
#include "sym/file_opener.h"

struct jits;

/*
 * @source: opens them; copied, what it refers to is borrowed. @run: for files of strangers;
 * borrowed. NULL when out of memory.
 */
struct jits *jits__new(const struct file_source *source, struct allowance *run);
void jits__free(struct jits *j);

/*
 * The name of an address of @pid in this life (sym/procs.h). Where none is known, its files are
 * read on, at most every 100 ms. *number: another one when its names may have changed. @sym: its
 * name, until the next call. 1; 0: it has no name; -ENOMEM.
 */
int jits__find(struct jits *j, uint32_t pid, uint32_t life, uint64_t addr, struct sym *sym,
	       uint32_t *number) must_check;

/*
 * Reads on in its files, however long ago that was last done: the last words of a process that has
 * ended are among them. 0 or -ENOMEM.
 */
int jits__look(struct jits *j, uint32_t pid, uint32_t life) must_check;

/* The name of an address, by what has been read of its files; *sym: until the next call. */
bool jits__known(struct jits *j, uint32_t life, uint64_t addr, struct sym *sym);

/* It has a jitdump, or another one than before. 0 or -ENOMEM. */
int jits__dump(struct jits *j, uint32_t life) must_check;

/* Nothing of this life will be asked for any more. */
void jits__end(struct jits *j, uint32_t life);

/* Files that were not read to their end, for want of room or allowance. */
uint64_t jits__nr_maps_cut(const struct jits *j);
uint64_t jits__nr_dumps_cut(const struct jits *j);

#endif
