/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sym/name_reader.h - names from strangers' files, read in a jail (jail/jail.h).
 *
 * The reader is sym/file_names.h in a process that can open nothing. It is asked what the code at
 * an address is called, and may ask for files meanwhile: it gets descriptors of what
 * sym/file_opener.h opens for it. Its answers are a stranger's, and looked at: one that has been
 * taken over can make up names of code, which a file may do anyway.
 *
 * A reader that crashes, or takes too long, is replaced. The file that it was at is told of, and is
 * not read again: its code has addresses for names.
 */
#ifndef PMUTRACE_SYM_NAME_READER_H
#define PMUTRACE_SYM_NAME_READER_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "jail/jail.h"
#include "sym/file_names.h"
#include "sym/file_opener.h"

/* Its kind, for jail__open(). */
extern const struct jail_reader name_reader_kind;

struct name_reader;

/* What of memory there is in a jail goes to symbols and to debug information at most. */
enum { NAME_READER_SYMBOL_BYTES = 96 << 20, NAME_READER_DEBUG_BYTES = 128 << 20 };

/**
 * name_reader__open() - start a reader
 * @kind: &name_reader_kind; all is borrowed until close
 * @opener: opens its files
 *
 * Return: 0; -ENOMEM; another -errno: no process can be jailed here.
 */
int name_reader__open(struct name_reader **out, struct jail *jail, const struct jail_reader *kind,
		      const struct file_names_opts *opts, struct file_opener *opener) must_check;
void name_reader__close(struct name_reader *r);

struct file_asked {
	struct file_question q;
	struct file_answer *a;
};

/* Fills all answers, as file_names__ask() does. What cannot be read has no name. */
void name_reader__ask(struct name_reader *r, const struct file_asked *asked, size_t nr);

void name_reader__gaps(const struct name_reader *r, struct file_gaps *out);

/* CPU time that readers have used so far; on any thread. */
uint64_t name_reader__cpu_ns(const struct name_reader *r);

#endif
