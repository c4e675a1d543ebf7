/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/courier.h - a process that brings bodies to a backend, over the network, and can do nothing
 * else: it is nobody's user where we are root, has no capability, starts no program, and is told by
 * its parent alone what to send.
 *
 * By libcurl. A request takes COURIER_S seconds at most, of an answer COURIER_ANSWER bytes are
 * read. No redirection is followed. The system's proxies are asked (https_proxy and the like), but
 * for what does not leave this machine.
 */
#ifndef PMUTRACE_SERVE_COURIER_H
#define PMUTRACE_SERVE_COURIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "serve/push_url.h"

enum {
	COURIER_S = 30,
	COURIER_CONNECT_S = 10,
	COURIER_ANSWER = 64 << 10,
	COURIER_TEXT = 200,
	COURIER_AUTH = 4096,
};

struct courier;

struct courier_opts {
	const struct push_url *to;
	const char *ca_file;	    /* certificates to trust, PEM; NULL: the system's */
	const char *const *headers; /* of each request, checked: serve/push_header.h */
	size_t nr_headers;
};

/* What became of a request. */
struct courier_answer {
	uint32_t status;	     /* of HTTP; 0: there was none */
	uint32_t retry_after_s;	     /* 0: nobody said */
	uint32_t rejected;	     /* of OTLP: profiles that were not taken */
	char text[COURIER_TEXT + 1]; /* one line: what went wrong; "" */
};

/* Starts it. 0 or -errno. It may be told to send at once. */
int courier__open(struct courier **out, const struct courier_opts *opts) must_check;

/* Ends it, whatever it does. */
void courier__close(struct courier *c);

/*
 * Has it send what is in @body, which is the caller's. @auth: value of the header Authorization, or
 * "". 0 or -errno: it has ended.
 */
int courier__send(struct courier *c, int body, const char *auth) must_check;

/* Readable when there is an answer, or it has ended. */
int courier__fd(const struct courier *c);

/* 0; -EPIPE: it has ended; -EBADMSG: nonsense. After an error: courier__close(). */
int courier__take(struct courier *c, struct courier_answer *out) must_check;

/*
 * Asks whether it can do anything, and waits for that: the first answer, once. 0; -errno with @why:
 * libcurl is not there, or the certificates are none.
 */
int courier__check(struct courier *c, struct buf *why) must_check;

#endif
