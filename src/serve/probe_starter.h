/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/probe_starter.h - a process that starts the lines of a configuration: `pmutrace count ..`.
 *
 *	exporter ----"line 2"----> starter ---exec---> pmutrace count ..
 *	         <--------------rows-------------------
 *
 * Whoever reads what strangers send has hardly any privileges, and probes take many. So the starter
 * is forked before they are dropped, and keeps them. It reads the configuration itself: all that it
 * is told is the number of a line, and to read the file again. A line's rows go to the exporter by
 * a pipe; when that is closed, in whatever way, the line ends within its interval.
 *
 * Configurations have numbers, from 1; the starter keeps the one that is in use and the one that
 * was read last.
 */
#ifndef PMUTRACE_SERVE_PROBE_STARTER_H
#define PMUTRACE_SERVE_PROBE_STARTER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/array.h"
#include "base/buf.h"

enum { PROBE_INTERVAL_MS = 1000 };

struct config;
struct probe_starter;

/* What was started. */
struct probe_process {
	pid_t pid;
	int rows;   /* to be read: JSON, a line for each row (-f jsonl), each PROBE_INTERVAL_MS */
	int errors; /* likewise: what it has to say */
};

/*
 * Starts the process. To be called with one thread. @config: number 1, read from @path; the process
 * has a copy of it. 0 or -errno.
 */
int probe_starter__open(struct probe_starter **out, const char *path,
			const struct config *config) must_check;
void probe_starter__close(struct probe_starter *s);

/*
 * Starts a line of a configuration, by its index. Not while a file is being read. *out: the
 * caller's, which do not block. @own_cost: it is to tell what
 * its BPF programs cost (count --own-cost). 0; -EPIPE: the starter has ended; another -errno.
 */
int probe_starter__start(struct probe_starter *s, uint32_t configuration, uint32_t line,
			 bool own_cost, struct probe_process *out) must_check;

/* Has the file read again. @in_use: the configuration that goes on being used. 0 or -errno. */
int probe_starter__reread(struct probe_starter *s, uint32_t in_use) must_check;

/* Readable (poll) when it was read, or the starter has ended. */
int probe_starter__fd(const struct probe_starter *s);

/*
 * 0: *configuration is its number, @bytes the file's, which parse; -EINVAL: they do not, or it
 * cannot be read: @why says so; -EAGAIN: not yet; -EPIPE: the starter has ended; another -errno.
 */
int probe_starter__take(struct probe_starter *s, uint32_t *configuration, struct buf *bytes,
			struct buf *why) must_check;

#endif
