/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * run/interrupt.h - what SIGINT, SIGTERM and SIGHUP do to a run, and to the command it is
 * about.
 *
 * Without a command either ends the run. A command is waited for, since what it did up to its end
 * is what was asked for:
 *	SIGINT		the terminal has sent it to the command too: it decides
 *	SIGTERM		went to us alone: the command gets one
 *	SIGHUP		the terminal is gone: as SIGTERM, unless it was ignored from the start
 *	the second	the command gets SIGTERM, and SIGKILL if it is still there 2 s later
 *	the third	SIGKILL
 * timeout(1) signals its child, then its group, which the child is in, and may have to wait for a
 * CPU in between. So a signal is one with the same one a tenth of a second before, and if both are
 * from the same process with that a whole second before, or with one that was taken when we last
 * had time to look; also when the run is over and its result is being written.
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
	unsigned nr;  /* how many came */
	int signo;    /* the last of them */
	pid_t sender; /* its process; 0: the kernel, which is what a terminal is */
	uint64_t last_ns;
	bool has_looked;  /* since then, and no other was there */
	uint64_t kill_ns; /* when the command's time is over; 0: it has all it wants */
	sigset_t old_mask;
};

/* Blocks both signals. 0 or -errno. */
int interrupt__open(struct interrupt *i) must_check;

/*
 * Unblocks them: what came and was not taken comes now. From here on they do what they did before
 * interrupt__open(), but for those that are one with the last taken.
 */
void interrupt__close(struct interrupt *i);

/* After interrupt__close(): ends the process as the last signal would have done. */
void interrupt__give_up(const struct interrupt *i);

/* Does what is due. @command: that runs or ran, NULL: none. */
void interrupt__take(struct interrupt *i, const struct command *command);

/* Milliseconds until something may be due, at most @patience_ms. */
unsigned interrupt__patience_ms(const struct interrupt *i, unsigned patience_ms);

#endif
