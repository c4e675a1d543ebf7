/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/push_header.h - headers that a user adds to each request: "X-Scope-OrgID: team-a", by
 * which backends tell tenants apart.
 *
 * A name is a token and a value visible ASCII with blanks between (RFC 9110, 5.1 and 5.5): nothing
 * that ends the line, and begins another header or the body. What requests have by themselves is
 * refused, and so is what carries secrets: command lines are everybody's to read.
 */
#ifndef PMUTRACE_SERVE_PUSH_HEADER_H
#define PMUTRACE_SERVE_PUSH_HEADER_H

#include <stddef.h>

#include "base/array.h"
#include "base/buf.h"

enum { PUSH_HEADERS = 16, PUSH_HEADER = 1024 };

/* Whether these can all be added. 0; -EINVAL with @why. */
int push_headers__check(const char *const *headers, size_t nr, struct buf *why) must_check;

#endif
