/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * run/interrupt.h - what SIGINT, SIGTERM and SIGHUP do to a run, and to the command it is
 * about.
 *
 * Without a command any of them ends the run. A command is waited for, since what it did up to its
 * end is what was asked for:
 *	SIGINT		the terminal has sent it to the command too: it decides
 *	SIGTERM		went to us alone: the command gets one
 *	SIGHUP		the terminal is gone: as SIGTERM, unless it was ignored from the start, or
 *			is a request (interrupt__ask())
 *	the second	the command gets SIGTERM, and SIGKILL if it is still there 2 s later
 *	the third	SIGKILL
 * A signal of the last one's number is a repeat, and not counted, for a tenth of a second; for a
 * whole one, and until we have looked again, if the same process sent both. This holds until the
 * result is written. Who sends one request several times:
 *	timeout(1)	signals its child and then its group; it may wait for a CPU in between, and
 *			passes on a Ctrl-C that the terminal has sent to all of them
 *	the shell	passes on the hangup of its terminal; the kernel does when the shell ends
 */
#ifndef PMUTRACE_RUN_INTERRUPT_H
#define PMUTRACE_RUN_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "run/command.h"

struct interrupt {
	int fd;	      /* readable: call interrupt__take(); -1: closed */
	unsigned nr;  /* how many came, without repeats */
	int signo;    /* the last of them */
	pid_t sender; /* its process; 0: the kernel, which is what a terminal is */
	uint64_t last_ns;
	bool has_looked;  /* interrupt__take() has found no other since */
	uint64_t kill_ns; /* when the command gets SIGKILL; 0: it does not */
	bool hangup_asks; /* interrupt__ask() */
	unsigned nr_asked;
	sigset_t old_mask;
};

/* Blocks the signals. 0 or -errno. */
int interrupt__open(struct interrupt *i) must_check;

/*
 * Unblocks them: what came and was not taken comes now. From here on they do what they did before
 * interrupt__open(), but repeats of the last one taken are ignored.
 */
void interrupt__close(struct interrupt *i);

/*
 * From here on SIGHUP ends nothing, as services have it that read their configuration again: it
 * counts in i->nr_asked.
 */
void interrupt__ask(struct interrupt *i);

/* After interrupt__close(): ends the process as the last signal would have done. */
void interrupt__give_up(const struct interrupt *i);

/* Takes what has come, and sends @command (NULL: there is none) the signals that are due. */
void interrupt__take(struct interrupt *i, const struct command *command);

/* Milliseconds until something may be due, at most @patience_ms. */
unsigned interrupt__patience_ms(const struct interrupt *i, unsigned patience_ms);

#endif
