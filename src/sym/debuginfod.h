/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sym/debuginfod.h - debug files from debuginfod servers, by build-id.
 *
 * Servers are those of DEBUGINFOD_URLS, asked one after the other in that order. One that fails (it
 * cannot be reached, or takes too long) is asked no more, and a notice names it once. That a server
 * has not got a file is no failure; neither is, as libdebuginfod tells no difference, any status of
 * HTTP that is an error.
 *
 *	DEBUGINFOD_URLS		  must be set
 *	DEBUGINFOD_TIMEOUT	  seconds, in each of which 100 kB have to come; 10 if it is not set
 *	DEBUGINFOD_MAXTIME	  seconds for a file; 120
 *	DEBUGINFOD_MAXSIZE	  bytes of a file; 2 GiB
 *	DEBUGINFOD_RETRY_LIMIT	  0
 *	DEBUGINFOD_CACHE_PATH	  else $XDG_CACHE_HOME/pmutrace or ~/.cache/pmutrace. Of root:
 *				  /var/cache/pmutrace, whatever the last two are
 *
 * What comes over the network is parsed in a process of its own without privileges
 * (sym/debuginfod_fetcher.h). Whose build-id a file really has is the caller's to check.
 */
#ifndef PMUTRACE_SYM_DEBUGINFOD_H
#define PMUTRACE_SYM_DEBUGINFOD_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"

struct debuginfod;

/* Where what is; NULL: not set. All is borrowed during open. */
struct debuginfod_opts {
	const char *urls, *cache_path, *xdg_cache, *home; /* of the environment */
	const char *root_cache;				  /* "/var/cache/pmutrace" */
	const char *library;				  /* "libdebuginfod.so.1" */
};

/* As the environment has it. */
struct debuginfod_opts debuginfod__environment(void);

/*
 * Starts the process, and waits until it has loaded the library. To be called with one thread. 0 or
 * -errno with @why: no servers, no library, no place for files.
 */
int debuginfod__open(struct debuginfod **out, const struct debuginfod_opts *opts,
		     struct buf *why) must_check;

/* By the one who opened it: nobody is asked any more, and a fetch under way has failed. */
void debuginfod__close(struct debuginfod *d);

/* For a thread that may be left behind with it (base/worker.h). */
struct debuginfod *debuginfod__hold(struct debuginfod *d);
void debuginfod__release(struct debuginfod *d);

/**
 * debuginfod__fetch() - get the debug file of a build-id; as long as that takes
 * @server: who has sent it; borrowed until close; or NULL
 *
 * On any thread, but signals should not reach it; one fetch comes after the other.
 *
 * Return: a descriptor, the caller's, for reading a regular file that the server has written: it is
 * a stranger's. -ENOENT: nobody has it, or can be asked. Another -errno.
 */
int debuginfod__fetch(struct debuginfod *d, const unsigned char *id, size_t len,
		      const char **server) must_check;

/* What is being fetched now, for a line of progress: "https://.. 3 of 12 MB"; "": nothing. */
enum { DEBUGINFOD_PROGRESS_BYTES = 160 };
void debuginfod__progress(struct debuginfod *d, char text[DEBUGINFOD_PROGRESS_BYTES]);

#endif
