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

#include "base/leb128.h"
#include "dwarf/section.h"

struct dwarf_cursor {
	const uint8_t *at;
	const uint8_t *ready; /* bytes up to here are in memory */
	uint64_t ready_at;    /* the offset in the section of what `ready` points to */
	uint64_t end;	      /* offset */
	const struct dwarf_section *section;
	bool over;
};

/* From the offset @at up to @end, or to the end of the section if that comes first. */
struct dwarf_cursor cursor__at(const struct dwarf_section *s, uint64_t at, uint64_t end);

/*
 * Makes @len more bytes ready, DWARF_WINDOW_MIN at most; false: there are not so many, and `over`
 * is set.
 */
bool cursor__load(struct dwarf_cursor *c, uint64_t len);

/* Passes over a string and its NUL. */
void cursor__skip_string(struct dwarf_cursor *c);

/* The offset in the section of what is read next. */
static inline uint64_t cursor__offset(const struct dwarf_cursor *c)
{
	return c->ready_at - (c->ready - c->at);
}

static inline uint64_t cursor__left(const struct dwarf_cursor *c)
{
	return c->end - cursor__offset(c);
}

static inline bool cursor__is_at_end(const struct dwarf_cursor *c)
{
	return c->at == c->ready && c->ready_at >= c->end;
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
	struct leb128 leb = {};

	if (c->at < c->ready && *c->at < 0x80) /* most have one byte */
		return *c->at++;
	while (leb128__add(&leb, take_u8(c)))
		;
	return leb.v;
}

static inline int64_t take_sleb(struct dwarf_cursor *c)
{
	struct leb128 leb = {};

	while (leb128__add(&leb, take_u8(c)))
		;
	return leb128__signed(&leb);
}

/* Nothing can be read any more. */
static inline void cursor__end(struct dwarf_cursor *c)
{
	c->over = true;
	c->at = c->ready;
	c->ready_at = c->end;
}

static inline void cursor__skip(struct dwarf_cursor *c, uint64_t len)
{
	if (len <= (uint64_t)(c->ready - c->at)) {
		c->at += len;
	} else if (len <= cursor__left(c)) {
		c->ready_at = cursor__offset(c) + len;
		c->at = c->ready;
	} else {
		cursor__end(c);
	}
}

/* unit_length, and how many bytes offsets have in what follows. False: no such length. */
bool cursor__take_length(struct dwarf_cursor *c, uint64_t *len, uint8_t *offset_bytes) must_check;

#endif
