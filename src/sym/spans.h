/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sym/spans.h - named address ranges that are added one by one, and of which the latest wins.
 *
 * For code that comes and goes while it is looked at: what is added covers what was there before,
 * at once; nothing is sorted or built afterwards (elf/symtab.h is for what is read as a whole).
 * Costs 16 bytes a range, and 17 with its name; adding and finding are two binary searches.
 *
 * Several of them share a room, which says how much memory they may take together. What has no room
 * is refused; names of ranges that were covered since are given up before that.
 */
#ifndef PMUTRACE_SYM_SPANS_H
#define PMUTRACE_SYM_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "elf/symtab.h"

/* Zero-initialise it, but for max_bytes. */
struct spans_room {
	size_t max_bytes, bytes; /* bytes: taken */
};

/* Names are cut there. */
enum { SPANS_NAME_BYTES = 4096 };

struct spans;

/* @room: borrowed until free. NULL when out of memory. */
struct spans *spans__new(struct spans_room *room);
void spans__free(struct spans *t);

/**
 * spans__put() - add a range, over what is there
 * @size: bytes, not 0; cut at 4 GiB
 * @name: copied; cut at SPANS_NAME_BYTES
 *
 * Return: 0; -ENOSPC: no room; -ENOMEM. On error ranges that it would have covered may be gone.
 */
int spans__put(struct spans *t, uint64_t addr, uint64_t size, const char *name,
	       size_t len) must_check;

/* The range that covers @addr, with the bounds it was added with; its name: until the next put. */
bool spans__find(const struct spans *t, uint64_t addr, struct sym *out);

#endif
