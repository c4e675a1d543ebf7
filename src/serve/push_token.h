/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/push_token.h - what a backend knows us by: the first line of a file, a token. "Basic ..."
 * and "Bearer ..." are taken as they are; anything else is a bearer token (RFC 6750).
 *
 * It is read for each request: tokens that are renewed in place are always the newest.
 */
#ifndef PMUTRACE_SERVE_PUSH_TOKEN_H
#define PMUTRACE_SERVE_PUSH_TOKEN_H

#include "base/array.h"
#include "serve/courier.h"

/* Value of the header Authorization. 0; -EINVAL: that is no token; another -errno. */
int push_token__read(char out[COURIER_AUTH], const char *path) must_check;

#endif
