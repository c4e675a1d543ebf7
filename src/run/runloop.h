/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * run/runloop.h - waits for the end of a run, and polls what measures meanwhile.
 */
#ifndef PMUTRACE_RUN_RUNLOOP_H
#define PMUTRACE_RUN_RUNLOOP_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "machine/target.h"
#include "run/command.h"

struct runloop;

/* What goes on during a run. */
struct runloop_work {
	/* A descriptor is readable, or patience is over. 0; 1: the run is over; or -errno. */
	int (*poll)(void *arg);
	unsigned (*patience_ms)(void *arg); /* until the next poll */
	/* Descriptors to wait for: fills at most @max, returns how many there are. NULL: none. */
	size_t (*pollfds)(void *arg, struct pollfd *fds, size_t max);
	uint64_t (*seen)(void *arg); /* for the progress; NULL: none */
	void *arg;
};

struct runloop_opts {
	uint64_t duration_ns;	     /* 0: no limit */
	const struct target *target; /* the run ends with the last of its pids or tids */
	struct command *command;     /* or with this, NULL: none */
	bool keeps_priority;	     /* else it is raised: who measures must not queue behind it */
	bool hangup_asks;	     /* SIGHUP does not end the run: runloop__asked() */
	/* Called about ten times a second; NULL: not. */
	void (*progress)(void *arg, uint64_t elapsed_ns, uint64_t samples);
	void *arg;
};

/*
 * Blocks SIGINT, SIGTERM and SIGHUP: from here on they end the run instead of the program; with a
 * command they go to that (run/interrupt.h), and its end ends the run. Call before anything is
 * measured that is to be printed even after a Ctrl-C. 0 or -errno.
 */
int runloop__open(struct runloop **out, const struct runloop_opts *opts) must_check;

/*
 * From here on a SIGINT kills the program. One that came after those that have ended the run and
 * runloop__settle() does so now, unless there is a command, which it was meant for.
 */
void runloop__close(struct runloop *r);

/*
 * The next runloop__run() drops the capabilities of the calling thread but for these
 * (base/privileges.h), when it has raised its priority. Commands that are to have all of them must
 * have been prepared before. By default none are dropped.
 */
void runloop__keep(struct runloop *r, uint64_t privileges);

/* The command of the next run, borrowed; NULL: none. */
void runloop__follow(struct runloop *r, struct command *command);

/* Returns when the run is over: 0, or the first error of poll. Can be called again. */
int runloop__run(struct runloop *r, const struct runloop_work *work) must_check;

/*
 * After a run: what is left to be done before its result is complete, such as finding names.
 * Returns when @work's poll says that it is over, or when the user does not want to wait: at the
 * first SIGINT or SIGTERM that comes from now on, and 150 ms after a SIGTERM that has ended the
 * run: whoever sent that, a service manager or timeout(1), waits for our end. @progress: about ten
 * times a second, with what @work has seen; NULL: not. 0 or the first error of poll.
 */
int runloop__settle(struct runloop *r, const struct runloop_work *work,
		    void (*progress)(void *arg, uint64_t elapsed_ns, uint64_t seen),
		    void *arg) must_check;

/*
 * Nothing is measured any more. Returns when the command, if there is one, has ended; signals are
 * heeded as during the run. 0 or -errno.
 */
int runloop__wait(struct runloop *r) must_check;

/* A signal came, during a run or since. */
bool runloop__interrupted(struct runloop *r);

/* With hangup_asks: how many times SIGHUP came; as of the last poll. */
unsigned runloop__asked(const struct runloop *r);

/* It was another than SIGINT: whoever sent it, or hung up, waits for our end. */
bool runloop__is_told_to_end(const struct runloop *r);

#endif
