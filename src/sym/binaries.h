/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sym/binaries.h - every executable file that was asked for, each opened at most once.
 *
 * It is opened when it is first asked for: by the O_PATH descriptor of mapped_files__hold(), then
 * through the process that maps it: /proc/PID/map_files (works for deleted files),
 * /proc/PID/root/PATH (other mount namespaces), then PATH. What was found under a name but is
 * another file is not used, nor what is no regular file (base/regular.h).
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
#include <sys/types.h>

#include "base/allowance.h"
#include "base/array.h"
#include "elf/binary.h"
#include "sym/mapped.h"

struct binaries;

/* @symbol_bytes: limit for all files; 0: 512 MiB. NULL when out of memory. */
struct binaries *binaries__new(size_t symbol_bytes);

/* The allowance for reading strangers' files, which all that read for @t share. Borrowed. */
struct allowance *binaries__allowance(struct binaries *t);
void binaries__free(struct binaries *t);

/* Makes file number @id known, once; *@f is taken, also on error. 0 or -ENOMEM. */
int binaries__add(struct binaries *t, uint32_t id, struct mapped_file *f) must_check;

/* The opened file, which was made known, until the next call; or NULL when out of memory. */
struct binary *binaries__get(struct binaries *t, uint32_t id);

/*
 * A descriptor of the file, for somebody else who looks into it: the caller's. -1: it cannot be
 * opened (any more), or is not the file that was mapped.
 */
int binaries__descriptor(struct binaries *t, uint32_t id);

/* Where the file is: as its process sees it, or NULL; and a process that maps it. Borrowed. */
const char *binaries__path(const struct binaries *t, uint32_t id, pid_t *pid);

/* The vdso of this machine (one for all 64-bit processes), or NULL. */
struct binary *binaries__vdso(struct binaries *t);

#endif
