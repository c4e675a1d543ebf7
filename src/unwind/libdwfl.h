/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwind/libdwfl.h - unwinds copies of registers and stacks with elfutils' libdwfl: code that is
 * not ours, reads .eh_frame by itself, and shares nothing with what it is to be held against.
 *
 * libdw is loaded when it is wanted (dlopen(3)); nothing else needs it. It reads strangers' files:
 * this is for a process in a jail (unwind/reference.h), which loads it before it is caged.
 */
#ifndef PMUTRACE_UNWIND_LIBDWFL_H
#define PMUTRACE_UNWIND_LIBDWFL_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "unwind/reference_frames.h"

struct libdwfl;

/* 0; -ENOENT: there is no libdw; -ENOSYS: it is too old; -EOPNOTSUPP: built without; -ENOMEM. */
int libdwfl__open(struct libdwfl **out) must_check;
void libdwfl__close(struct libdwfl *l);

/* Of the library: "0.188". */
const char *libdwfl__version(const struct libdwfl *l);

/* @fd: taken. Number REFERENCE_VDSO is there already. 0; -EMFILE: there are too many; -errno. */
int libdwfl__file(struct libdwfl *l, uint32_t number, int fd) must_check;

/* Its mappings, of files: others are of code without rules. 0 or -errno. */
int libdwfl__space(struct libdwfl *l, const struct reference_space *id,
		   const struct reference_mapping *mappings, size_t nr) must_check;

/* At most @max frames. 0; -ESRCH: a space that is not known (any more); another -errno. */
int libdwfl__walk(struct libdwfl *l, const struct reference_space *id,
		  const struct reference_stack *stack, size_t max,
		  struct reference_frames *out) must_check;

#endif
