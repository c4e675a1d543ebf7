/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sym/debuginfod_fetcher.h - the process that asks debuginfod servers, as its messages have it.
 *
 * libdebuginfod, libcurl and a TLS library are loaded by it alone. It is nobody's user if it may
 * become that, has no capability (cage__be_nobody()), and limits on what a server may send.
 *
 * Each server has a directory of its own in the cache, and is asked by itself: libdebuginfod
 * remembers what is not to be had, whichever server it was that has not got it.
 */
#ifndef PMUTRACE_SYM_DEBUGINFOD_FETCHER_H
#define PMUTRACE_SYM_DEBUGINFOD_FETCHER_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "sym/debuginfod.h"

enum { FETCHER_ID_BYTES = 64, FETCHER_TEXT_BYTES = 1024 };

struct fetcher_request {
	uint32_t id_len;
	unsigned char id[FETCHER_ID_BYTES];
};

/* The first answer is FETCHER_DONE, or FETCHER_REFUSES, and then it ends. */
struct fetcher_answer {
	enum {
		FETCHER_REFUSES,  /* why: text */
		FETCHER_ASKS,	  /* the server */
		FETCHER_RECEIVES, /* bytes, of total if that is known */
		FETCHER_LOST,	  /* the server: err; it is asked no more */
		FETCHER_DONE,	  /* the file is there, with a descriptor and its server; or err */
	} what;
	int32_t err; /* 0 or -errno */
	uint32_t server;
	uint64_t bytes, total; /* 0: not known */
	char text[FETCHER_TEXT_BYTES];
};

/* How long it may be silent: that of the longest download, and some. Of its environment. */
uint64_t fetcher__silence_ns(void);

/*
 * Serves requests until the other end of @sock is closed. It is ended by SIGIO, whatever it does,
 * when the other end of the pipe @life is closed. @servers: URLs; @names: what they are called in
 * the cache. Never returns.
 */
_Noreturn void fetcher__run(int sock, int life, const struct debuginfod_opts *opts,
			    const char *const *servers, char *const *names, size_t nr);

#endif
