/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwind/reference.h - what libdwfl makes of copied stacks (unwind/libdwfl.h), asked of a reader
 * in a jail (jail/jail.h), since it reads strangers' files for that.
 *
 * The reader loads libdw before it is caged. It is given files, by numbers of the asker's, then the
 * mappings of a process, then copies. What it answers is a stranger's: frames to be compared with,
 * and nothing else.
 */
#ifndef PMUTRACE_UNWIND_REFERENCE_H
#define PMUTRACE_UNWIND_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "jail/jail.h"
#include "unwind/reference_frames.h"

enum { REFERENCE_VERSION_BYTES = 32 };

/* Its kind, for jail__open(). */
extern const struct jail_reader reference_reader;

/*
 * All return 0; -EPIPE, -ETIME, -EBADMSG: the reader is of no use any more: jailed__why(); or what
 * is said of each in unwind/libdwfl.h.
 */

/* Is libdw there, and which one? As libdwfl__open(). */
int reference__hello(struct jailed *r, char version[REFERENCE_VERSION_BYTES]) must_check;

/* @fd: borrowed. */
int reference__file(struct jailed *r, uint32_t number, int fd) must_check;
int reference__space(struct jailed *r, const struct reference_space *id,
		     const struct reference_mapping *mappings, size_t nr) must_check;
int reference__walk(struct jailed *r, const struct reference_space *id,
		    const struct reference_stack *stack, size_t max,
		    struct reference_frames *out) must_check;

#endif
