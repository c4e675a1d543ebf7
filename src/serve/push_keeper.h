/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/push_keeper.h - the process that has the spool (serve/pusher.h), and its messages.
 *
 * Of root's privileges it keeps what it takes to start and end a courier of another user. It ends
 * when the other end of its socket is closed.
 */
#ifndef PMUTRACE_SERVE_PUSH_KEEPER_H
#define PMUTRACE_SERVE_PUSH_KEEPER_H

#include <stdint.h>

#include "serve/pusher.h"

struct out_dir;

/* From who measures. */
struct push_note {
	enum { PUSH_NOTE_PUT, PUSH_NOTE_CLOSE } what;
	uint32_t patience_ms; /* PUSH_NOTE_CLOSE */
};

/* To it: all that the keeper knows, each time. */
struct push_news {
	uint64_t sent, nr_failures;
	uint64_t sent_ns; /* since 1970: when the last one was; 0: none was */
	uint64_t lost[PUSH_LOSSES];
	char error[PUSHER_ERROR];
	int32_t err; /* of starting: -errno, with the error; then it has ended */
};

struct keeper_opts {
	const struct push_url *to;
	const char *token_file, *ca_file; /* or NULL */
	const char *const *headers;
	size_t nr_headers;
	uint64_t max_age_ns, window_ns, place;
};

/* @dir: the spool, of which a copy is taken, as of all. */
_Noreturn void push_keeper__run(int sock, struct out_dir *dir, const struct keeper_opts *opts);

#endif
