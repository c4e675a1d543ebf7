/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base/leb128.h - numbers of variable length, from wherever their bytes come.
 *
 *	struct leb128 leb = {};
 *
 *	while (leb128__add(&leb, next_byte()))
 *		;
 *
 * leb.v is the number if it is unsigned. Bits that do not fit are lost.
 * Source: DWARF 5, section 7.6.
 */
#ifndef PMUTRACE_BASE_LEB128_H
#define PMUTRACE_BASE_LEB128_H

#include <stdbool.h>
#include <stdint.h>

struct leb128 {
	uint64_t v;
	unsigned shift;
	uint8_t last; /* the byte that was added last */
};

/* True: another byte follows. */
static inline bool leb128__add(struct leb128 *leb, uint8_t byte)
{
	if (leb->shift < 64)
		leb->v |= (uint64_t)(byte & 0x7f) << leb->shift;
	leb->shift += 7;
	leb->last = byte;
	return byte & 0x80;
}

/* The number if it is signed. */
static inline int64_t leb128__signed(const struct leb128 *leb)
{
	uint64_t v = leb->v;

	if (leb->shift < 64 && leb->last & 0x40)
		v |= -(1ull << leb->shift);
	return (int64_t)v;
}

enum { LEB128_BYTES = 10 }; /* that an unsigned number of 64 bits takes at most */

/* Writes an unsigned number; how many bytes. */
static inline unsigned leb128__put(uint8_t out[LEB128_BYTES], uint64_t v)
{
	unsigned n = 0;

	for (; v >= 0x80; v >>= 7)
		out[n++] = v | 0x80;
	out[n++] = v;
	return n;
}

/* Numbers around 0 are short, too: 0, -1, 1, -2.. -> 0, 1, 2, 3.. */
static inline uint64_t leb128__fold(int64_t v)
{
	return (uint64_t)v << 1 ^ -(uint64_t)(v < 0);
}

static inline int64_t leb128__unfold(uint64_t v)
{
	return (int64_t)(v >> 1 ^ -(v & 1));
}

#endif
