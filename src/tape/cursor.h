/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tape/cursor.h - goes over bytes of a recording that may be damaged, and cannot leave them.
 */
#ifndef PMUTRACE_TAPE_CURSOR_H
#define PMUTRACE_TAPE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "model/live.h"
#include "model/loss.h"

/* Where too little is left numbers are 0, parts are empty, and `bad` is set. */
struct cursor {
	const uint8_t *at;
	size_t left;
	bool bad;
};

struct cursor cursor__part(struct cursor *c, size_t bytes);
uint16_t cursor__u16(struct cursor *c);
uint32_t cursor__u32(struct cursor *c);
uint64_t cursor__u64(struct cursor *c);
/* Of variable length (base/leb128.h); what does not fit into 64 bits is bad. */
uint64_t cursor__number(struct cursor *c);
/* One line of UTF-8 instead of what was in @out. 0 or -ENOMEM. */
int cursor__text(struct cursor *c, struct buf *out) must_check;
void cursor__comm(struct cursor *c, char comm[LIVE_COMM]);

/* A copy of a text, the caller's; @text: memory to read it into. 0 or -ENOMEM. */
int cursor__copy(struct cursor *c, struct buf *text, const char **out) must_check;

/* Its texts are copies, to be freed whatever is returned. @text: as above. 0 or -ENOMEM. */
int cursor__loss(struct cursor *c, struct buf *text, struct loss *loss) must_check;

#endif
