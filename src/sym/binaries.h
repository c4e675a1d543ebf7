/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sym/binaries.h - every executable file that was asked for, each opened at most once.
 *
 * A file is opened when it is first asked for, by whoever does that for us (sym/file_opener.h).
 * What was found at a place but is another file is not used.
 *
 * The memory for symbols of all files is limited. Beyond that, those of the file that was not asked
 * for longest are dropped, and read again when it is asked for, by then by its path; a few times:
 * then the file has no names any more. So is the number of files that stay open for the names of
 * their symbols; beyond that the same is done, however often.
 */
#ifndef PMUTRACE_SYM_BINARIES_H
#define PMUTRACE_SYM_BINARIES_H

#include <stddef.h>
#include <stdint.h>

#include "base/allowance.h"
#include "base/array.h"
#include "elf/binary.h"
#include "sym/file_opener.h"

struct binaries;

/*
 * @source: opens files; copied, what it refers to is borrowed. @symbol_bytes: limit for all files;
 * 0: 512 MiB. NULL when out of memory.
 */
struct binaries *binaries__new(const struct file_source *source, size_t symbol_bytes);

/* The allowance for reading strangers' files, which all that read for @t share. Borrowed. */
struct allowance *binaries__allowance(struct binaries *t);
void binaries__free(struct binaries *t);

/* Makes file number @id known. 0 or -ENOMEM. */
int binaries__add(struct binaries *t, uint32_t id, const struct file_identity *is) must_check;

/* Has it been made known? */
bool binaries__knows(const struct binaries *t, uint32_t id);

/*
 * All that there may be of it is on a server, and being fetched: ask again later. The file was made
 * known.
 */
bool binaries__is_fetched(struct binaries *t, uint32_t id);

/* The opened file, which was made known, until the next call; or NULL when out of memory. */
struct binary *binaries__get(struct binaries *t, uint32_t id);

/*
 * A descriptor of the file, for somebody else who looks into it: the caller's. -1: it cannot be
 * opened (any more), or is not the file that was mapped.
 */
int binaries__descriptor(struct binaries *t, uint32_t id);

/* The same; it is opened anew in any case. */
int binaries__reopen(struct binaries *t, uint32_t id);

/* Opens what belongs to the file, such as its debug file. */
struct opener binaries__others(struct binaries *t, uint32_t id);

#endif
