/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/listening.h - a socket that listens, where people say: "127.0.0.1:9870", "[::1]:9870",
 * "localhost:9870", ":9870" (all addresses); port 0: any.
 */
#ifndef PMUTRACE_SERVE_LISTENING_H
#define PMUTRACE_SERVE_LISTENING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/array.h"
#include "base/buf.h"

enum { LISTENING_NAME = 80 };

/* Whether that is an address, of whatever machine. 0 or -EINVAL, with @why. */
int listening__check(const char *where, struct buf *why) must_check;

/*
 * A descriptor, closed on exec and not blocking; -EINVAL: no address; another -errno: with @why.
 * @beside: one of ours that listens, and may have the same port: until it is closed both have it;
 * -1: none.
 */
int listening__open(const char *where, int beside, struct buf *why) must_check;

/* Where that is, as numbers: "127.0.0.1:9870". */
void listening__name(int fd, char *out, size_t size);

/* Only programs of this machine can reach it. */
bool listening__is_local(int fd);

/*
 * Whether a Host header is of this machine: "127.0.0.1:9870", "localhost", "[::1]:80". A page of
 * the web can have its own name lead here (DNS rebinding), and its script ask: what it asks for has
 * that name.
 */
bool listening__is_local_name(const char *host);

#endif
