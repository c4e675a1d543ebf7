/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dwarf/cursor.h - numbers of a section, read one after the other.
 *
 * Reading on behind the end gives zeros, and is remembered: a loop ends at `over`, and what was
 * read is looked at only if that is not set. Numbers are little-endian, as the machines we run on.
 * Source: DWARF 5, section 7.6 (LEB128).
 */
#ifndef PMUTRACE_DWARF_CURSOR_H
#define PMUTRACE_DWARF_CURSOR_H

#include <string.h>

#include "dwarf/section.h"

struct dwarf_cursor {
	const uint8_t *at;
	const uint8_t *ready; /* bytes up to here are loaded */
	const uint8_t *end;
	const struct dwarf_section *section;
	uint32_t window; /* bytes to be loaded next; more each time */
	bool over;
};

/* From the offset @at up to @end, or to the end of the section if that comes first. */
struct dwarf_cursor cursor__at(const struct dwarf_section *s, uint64_t at, uint64_t end);

/* Makes @len more bytes ready; false: there are not so many, and `over` is set. */
bool cursor__load(struct dwarf_cursor *c, uint64_t len);

/* Passes over a string and its NUL. */
void cursor__skip_string(struct dwarf_cursor *c);

/* The offset in the section of what is read next. */
static inline uint64_t cursor__offset(const struct dwarf_cursor *c)
{
	return c->at - c->section->bytes;
}

static inline uint64_t cursor__left(const struct dwarf_cursor *c)
{
	return c->end - c->at;
}

static inline bool cursor__has(struct dwarf_cursor *c, uint64_t len)
{
	return len <= (uint64_t)(c->ready - c->at) || cursor__load(c, len);
}

static inline uint8_t take_u8(struct dwarf_cursor *c)
{
	return cursor__has(c, 1) ? *c->at++ : 0;
}

/* An unsigned number of up to 8 bytes. */
static inline uint64_t take_number(struct dwarf_cursor *c, unsigned nr_bytes)
{
	uint64_t v = 0;

	if (!cursor__has(c, nr_bytes))
		return 0;
	switch (nr_bytes) { /* for the compiler: copies of a known length */
	case 1:
		v = *c->at;
		break;
	case 2:
		memcpy(&v, c->at, 2);
		break;
	case 4:
		memcpy(&v, c->at, 4);
		break;
	case 8:
		memcpy(&v, c->at, 8);
		break;
	default:
		memcpy(&v, c->at, nr_bytes);
		break;
	}
	c->at += nr_bytes;
	return v;
}

static inline uint64_t take_leb(struct dwarf_cursor *c)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = take_u8(c);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return v;
}

static inline int64_t take_sleb(struct dwarf_cursor *c)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = take_u8(c);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (shift < 64 && byte & 0x40)
		v |= -(1ull << shift);
	return (int64_t)v;
}

static inline void cursor__skip(struct dwarf_cursor *c, uint64_t len)
{
	if (c->over || len > cursor__left(c)) {
		c->over = true;
		c->at = c->ready = c->end;
		return;
	}
	c->at += len;
	if (c->ready < c->at)
		c->ready = c->at;
}

/* unit_length, and how many bytes offsets have in what follows. False: no such length. */
bool cursor__take_length(struct dwarf_cursor *c, uint64_t *len, uint8_t *offset_bytes) must_check;

#endif
