/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/push_split.h - a profile as bodies of requests, as many as it takes to keep each within
 * what backends take (serve/push_profile.h).
 *
 * Parts have the same labels. What their samples and weights, times and losses add up to is the
 * profile's own: times and losses are in the first one alone. Each begins a millisecond after the
 * one before: of one series and one moment a backend may keep one profile.
 */
#ifndef PMUTRACE_SERVE_PUSH_SPLIT_H
#define PMUTRACE_SERVE_PUSH_SPLIT_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "serve/push_body.h"

/* Zero-initialise it; push_parts__free() gives the memory back. */
struct push_parts {
	struct push_part {
		struct push_body body;
		uint64_t begin_ns;
	} * items;
	size_t nr, cap;
};

struct push_limits {
	size_t max_rows;  /* of a part, at least 1 */
	size_t max_bytes; /* unpacked; a row by itself may be more */
};

/* Those of serve/push_profile.h; losses may be samples, too. */
const struct push_limits *push_limits__default(void);

/*
 * Of a profile without rows and losses there are none. 0 or -errno as push_body__make();
 * push_parts__free() in any case.
 */
int push_parts__make(struct push_parts *out, enum push_kind kind, const struct push_profile *p,
		     const struct push_limits *limits) must_check;
void push_parts__free(struct push_parts *parts);

/* Rows @first to before @end of a profile, with its times and losses if there are @losses. */
int push_split__rows(struct profile **out, const struct profile *p, size_t first, size_t end,
		     bool losses) must_check;

#endif
