/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lookup/lookup_reader.h - who reads the files of lookups: a process in a jail (jail/jail.h).
 *
 * A user names a program, and it may be a stranger's. It is opened here, and read by a process that
 * can open nothing (lookup/file_lookup.h): it is given the descriptor, and those of debug files
 * that it asks for, if these are ELF files. Its answers are a stranger's, and looked at: a reader
 * that has been taken over can make up names and places of that file, which the file may do anyway.
 *
 * One that crashes or takes too long, and one whose answer makes no sense, is an error with a
 * sentence that names the file: another one is started for the next question.
 *
 * Where there is no jail, and where no process can be jailed (which a notice tells), files are read
 * in this process. So they are by the library (pmutrace.h): its callers may have threads, and there
 * is no moment at which nothing has been read yet.
 */
#ifndef PMUTRACE_LOOKUP_LOOKUP_READER_H
#define PMUTRACE_LOOKUP_LOOKUP_READER_H

#include "base/array.h"
#include "base/buf.h"
#include "jail/jail.h"
#include "lookup/lookup_answer.h"

/* Its kinds, for jail__open(): a user waits for a file that he has named; nobody has named it. */
extern const struct jail_reader lookup_reader_kind, lookup_glance_kind;

struct lookup_reader;

/*
 * Starts nothing yet. @jail: borrowed; NULL: there is none. @kind: one of those above. NULL when
 * out of memory.
 */
struct lookup_reader *lookup_reader__new(struct jail *jail, const struct jail_reader *kind);
void lookup_reader__free(struct lookup_reader *r);

/* Until the next question nothing is kept: no process, no file. NULL: nothing to do. */
void lookup_reader__rest(struct lookup_reader *r);

/**
 * lookup_reader__ask() - put a question about a file
 * @r:	  NULL: the file is read in this process, and forgotten
 * @path: as open(2) takes it. As long as it is the same file, and is not changed, what has been
 *	  read of it is kept
 * @out:  records that have been checked; give it to lookup_answer__free() after 0 only
 * @why:  a sentence on every error but -ENOMEM
 *
 * Return: 0; what lookup_answer__make() returns; -EIO: its reader came to nothing.
 */
int lookup_reader__ask(struct lookup_reader *r, const char *path, const struct lookup_question *q,
		       struct lookup_answer *out, struct buf *why) must_check;

/*
 * The same about a file that is open, which we have come across and nobody has named: there are no
 * debug files for it, and where nobody can be jailed it is read only if it is root's or our own
 * user's (allowance__is_for()): else -EACCES. @r: not NULL. @fd: taken. @path: what sentences call
 * it.
 */
int lookup_reader__ask_open(struct lookup_reader *r, int fd, const char *path,
			    const struct lookup_question *q, struct lookup_answer *out,
			    struct buf *why) must_check;

#endif
