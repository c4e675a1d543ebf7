/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sym/binaries.h - every executable file met so far, each opened at most once.
 *
 * A file is told by its build-id where the kernel gave one, else by device and inode; so one
 * library is one entry, whichever processes and mount namespaces it is seen from. It is opened
 * on the first sample in it, through the process that maps it: /proc/PID/map_files (works for
 * deleted files), /proc/PID/root/PATH (other mount namespaces), then PATH. What was found
 * under a name but is another file is not used, nor what is no regular file (base/regular.h).
 *
 * Symbols of all files together may take so much memory. Beyond that those of the file that was not
 * asked for longest are dropped, and read again when it is asked for, by then by its path; a few
 * times: then the file has no names any more.
 */
#ifndef PMUTRACE_SYM_BINARIES_H
#define PMUTRACE_SYM_BINARIES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/array.h"
#include "sym/allowance.h"
#include "sym/binary.h"

struct binaries;

struct binary_ref {
	const char *path; /* as the kernel prints it; " (deleted)" may follow */
	const uint8_t *build_id;
	uint8_t build_id_len; /* 0: told by dev and inode */
	uint32_t dev_major, dev_minor;
	uint64_t inode;
	pid_t pid;	     /* a process that maps it */
	uint64_t start, end; /* where, for map_files */
};

/* @symbol_bytes: of all files; 0: 512 MiB. NULL when out of memory. */
struct binaries *binaries__new(size_t symbol_bytes);

/* What reading strangers' files comes out of, of all users of @t together. Borrowed. */
struct allowance *binaries__allowance(struct binaries *t);
void binaries__free(struct binaries *t);

/* The entry of a file, made if it is new. 0 or -ENOMEM. */
int binaries__id(struct binaries *t, const struct binary_ref *ref, uint32_t *id) must_check;

/*
 * Opens the file now, if it was not: before the process that maps it is gone. Only so many are held
 * open without having been asked for; the oldest of them is closed for a new one. 0 or -ENOMEM.
 */
int binaries__hold(struct binaries *t, uint32_t id) must_check;

/* Last component of the path, without " (deleted)". */
const char *binaries__name(const struct binaries *t, uint32_t id);

/* The opened file, until the next call; or NULL when out of memory. */
struct binary *binaries__get(struct binaries *t, uint32_t id);

/* The vdso of this machine (one for all 64-bit processes), or NULL. */
struct binary *binaries__vdso(struct binaries *t);

#endif
