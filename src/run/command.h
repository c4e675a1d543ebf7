/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * run/command.h - a command started for a run: held back until everything is attached.
 */
#ifndef PMUTRACE_RUN_COMMAND_H
#define PMUTRACE_RUN_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/array.h"
#include "base/buf.h"

struct command;

/* Forks; the child waits for command__release(). @argv: borrowed. 0 or -errno. */
int command__prepare(struct command **out, char **argv) must_check;

/* Lets it exec. On -errno (not found, ...) @why names the command. */
int command__release(struct command *c, struct buf *why) must_check;

pid_t command__pid(const struct command *c);

/* Readable (poll) once the command has ended. */
int command__fd(const struct command *c);

/* Sends it a signal, unless it has not been released yet or has ended. */
void command__signal(const struct command *c, int signo);

/* Waits for its end. Its exit status as a shell prints it: 128 + signal if one killed it. */
int command__status(struct command *c);

/* Ends a command that was never released; one that was goes on. */
void command__free(struct command *c);

#endif
