/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd/readers.h - the jail of a command that reads strangers' files, with all kinds of readers.
 */
#ifndef PMUTRACE_CMD_READERS_H
#define PMUTRACE_CMD_READERS_H

struct jail;
struct lookup_reader;

/* To be called before anything is read. NULL: there is none: see collect/table_job.h. */
struct jail *readers__open(void);

/* Who reads files for names that are looked up: in that jail, or here. NULL: out of memory. */
struct lookup_reader *readers__for_lookups(struct jail *j);

void readers__close(struct jail *j, struct lookup_reader *lookups);

#endif
