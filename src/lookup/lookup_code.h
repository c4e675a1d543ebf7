/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lookup/lookup_code.h - what the instructions of a program's file tell: where a probe may be put,
 * and how its functions return.
 *
 * @reader: who reads the file (lookup/lookup_reader.h); NULL: this process. @why: a sentence on
 * every error but -ENOMEM, if nothing else is said.
 */
#ifndef PMUTRACE_LOOKUP_LOOKUP_CODE_H
#define PMUTRACE_LOOKUP_LOOKUP_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "elf/exits.h"
#include "elf/prologues.h"

struct lookup_reader;

/* As body__check_place(); another -errno if the file cannot be read. */
int lookup__check_place(struct lookup_reader *reader, const char *path, uint64_t offset,
			struct buf *why) must_check;

/* As hazards__of() and hazards__is_recent_go(). 0 or -errno. */
int lookup__hazards(struct lookup_reader *reader, const char *path, unsigned *hazards,
		    bool *is_recent_go, struct buf *why) must_check;

/*
 * As exits__find(): -EOPNOTSUPP and -ENOENT have a sentence's end in @why; another -errno, with a
 * sentence: the file cannot be read.
 */
int lookup__exits(struct lookup_reader *reader, const char *path, uint64_t offset,
		  struct exits *out, struct buf *why) must_check;

/*
 * Where a probe on the entry of a function of Go is best put: exits__begin(). 0, and *is_there:
 * there is a symbol of that name; -errno.
 */
int lookup__go_entry(struct lookup_reader *reader, const char *path, const char *name,
		     uint64_t *offset, bool *is_there, struct buf *why) must_check;

/* As prologues__count(), of a file that is open: lookup_reader__ask_open(). @fd: taken. */
int lookup__prologues(struct lookup_reader *reader, int fd, const char *path, struct prologues *out,
		      struct buf *why) must_check;

#endif
