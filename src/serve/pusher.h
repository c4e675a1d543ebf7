/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/pusher.h - brings profiles to a backend, window by window, for as long as it takes.
 *
 *	err = pusher__open(&p, &opts, &why);		// before threads, and with privileges
 *	..
 *	err = pusher__put(p, &(struct push_profile){ .. });	// each container of each window
 *	pusher__poll(p, &counts);			// now and then: what became of them
 *	..
 *	pusher__close(p, 5000, &counts);
 *
 * Whoever measures waits for nobody: it writes bodies of requests into a spool, a directory of
 * files (serve/out_dir.h), and that is all. Two processes do the rest:
 *
 *	measures ---note---> keeper ---file---> courier ---HTTP---> backend
 *	    |  <---counts---   |    <---answer---
 *	    +---> spool <------+
 *
 * The keeper has the spool, and decides: what is sent next, when (serve/push_schedule.h), what an
 * answer means (serve/push_verdict.h), what is too old. It reads nothing of a stranger's. The
 * courier (serve/courier.h) has the network, and nothing else.
 *
 * Each body that is put is sent, dropped for a reason, or still waiting:
 *
 *	found + put = sent + sum(lost) + waiting
 *
 * A body may arrive twice: when its answer was lost, or the keeper was killed before it heard it.
 * When all processes are killed the spool is what it was, and the next pusher goes on with it. One
 * spool has one pusher. What was made for another kind of backend stays there, and is not counted.
 */
#ifndef PMUTRACE_SERVE_PUSHER_H
#define PMUTRACE_SERVE_PUSHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "serve/push_profile.h"
#include "serve/push_url.h"
#include "serve/push_verdict.h"

#define PUSHER_SPOOL_BYTES (256ull << 20)
#define PUSHER_AGE_NS	   3600000000000ull

enum { PUSHER_ERROR = 256 };

struct pusher;

/* Strings: until close. */
struct pusher_opts {
	const char *url;	    /* serve/push_url.h */
	const char *spool;	    /* a directory of our own, made if it is not there */
	const char *token_file;	    /* NULL: none. Over http to this machine alone */
	const char *ca_file;	    /* certificates to trust; NULL: the system's */
	const char *const *headers; /* of each request: serve/push_header.h */
	size_t nr_headers;
	uint64_t spool_bytes; /* 0: PUSHER_SPOOL_BYTES */
	uint64_t max_age_ns;  /* since a profile began, that the backend takes; 0: PUSHER_AGE_NS */
	/*
	 * Length of a window, over which senders are spread: each has its place in it, by @place
	 * (of 2^64: a hash of the host's id); 0: a random one.
	 */
	uint64_t window_ns, place;
};

/* Bodies: a profile may be several (serve/push_split.h). */
struct pusher_counts {
	uint64_t found; /* in the spool, when it was opened */
	uint64_t put, sent;
	uint64_t lost[PUSH_LOSSES];
	uint64_t waiting;
	uint64_t nr_failures;	  /* requests that will be tried again */
	uint64_t sent_ns;	  /* since 1970: when the last one was; 0: none was */
	char error[PUSHER_ERROR]; /* of the last one that went wrong; "": none has */
};

/**
 * pusher__open() - open the spool, start the processes, see that they can do what is asked
 *
 * To be called with one thread, before privileges are dropped. Nobody is asked yet: a backend that
 * is not there is no error.
 *
 * Return: 0; -EINVAL: no such URL; -EBUSY: another pusher has the spool; -ENOSYS: without libcurl;
 * another -errno: all with @why.
 */
int pusher__open(struct pusher **out, const struct pusher_opts *opts, struct buf *why) must_check;

/*
 * Puts a profile into the spool. Never waits for the network. 0; -errno: some of it could not be
 * written, which is counted, too; -EINVAL as push_body__make(), -ENOMEM: nothing was put.
 */
int pusher__put(struct pusher *p, const struct push_profile *profile) must_check;

/* What is known. Does not wait. 0; -EPIPE: the keeper has ended: nothing is sent any more. */
int pusher__poll(struct pusher *p, struct pusher_counts *out) must_check;

/* Bytes that wait in the spool: looks at each file. 0 or -errno. */
int pusher__waiting_bytes(struct pusher *p, uint64_t *bytes) must_check;

/*
 * What there is to say to people, one line without its end: appended if profiles were lost or
 * requests have failed since the last time, and a minute after that at the earliest; UINT64_MAX as
 * @now_ns: what was not said yet, now. 0 or -ENOMEM.
 *
 *	pushing to http://..: 3 profiles refused by the backend, 12 are waiting: HTTP 400: no label
 */
int pusher__tell(struct pusher *p, const struct pusher_counts *counts, uint64_t now_ns,
		 struct buf *out) must_check;

/*
 * Waits until all is sent, as long as nothing goes wrong, and no longer than @patience_ms. What is
 * waiting then stays in the spool. @last: counts at the end, or NULL.
 */
void pusher__close(struct pusher *p, unsigned patience_ms, struct pusher_counts *last);

/* The same, but for the spool, which can still be looked at until close. */
void pusher__end(struct pusher *p, unsigned patience_ms, struct pusher_counts *last);

#endif
