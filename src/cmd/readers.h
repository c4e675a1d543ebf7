/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd/readers.h - the jail of a command that reads strangers' files, with all kinds of readers.
 */
#ifndef PMUTRACE_CMD_READERS_H
#define PMUTRACE_CMD_READERS_H

struct jail;

/* To be called before anything is read. NULL: there is none; collect/table_job.h says what then. */
struct jail *readers__open(void);
void readers__close(struct jail *j);

#endif
