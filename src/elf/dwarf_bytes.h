/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf/dwarf_bytes.h - numbers and addresses as DWARF writes them, out of a stranger's bytes.
 *
 * Source: LSB Core, "DWARF Extensions" (pointer encodings).
 */
#ifndef PMUTRACE_ELF_DWARF_BYTES_H
#define PMUTRACE_ELF_DWARF_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/leb128.h"

/* Pointer encodings (DW_EH_PE_*) that linkers write for code. */
enum {
	PE_ABSPTR = 0x00,
	PE_UDATA2 = 0x02,
	PE_UDATA4 = 0x03,
	PE_UDATA8 = 0x04,
	PE_SDATA2 = 0x0a,
	PE_SDATA4 = 0x0b,
	PE_SDATA8 = 0x0c,
	PE_PCREL = 0x10,
};

/* Bytes still to be read. Reading on behind the end gives zeros, and is remembered. */
struct dwarf_bytes {
	const uint8_t *at, *end;
	uint64_t addr; /* of the byte at `at`, in memory */
	bool over;
};

static inline void take(struct dwarf_bytes *c, void *to, size_t len)
{
	memset(to, 0, len);
	if (c->over || len > (size_t)(c->end - c->at)) {
		c->over = true;
		return;
	}
	memcpy(to, c->at, len);
	c->at += len;
	c->addr += len;
}

static inline uint8_t take_u8(struct dwarf_bytes *c)
{
	uint8_t v;

	take(c, &v, sizeof(v));
	return v;
}

static inline uint16_t take_u16(struct dwarf_bytes *c)
{
	uint16_t v;

	take(c, &v, sizeof(v));
	return v;
}

static inline uint32_t take_u32(struct dwarf_bytes *c)
{
	uint32_t v;

	take(c, &v, sizeof(v));
	return v;
}

static inline uint64_t take_u64(struct dwarf_bytes *c)
{
	uint64_t v;

	take(c, &v, sizeof(v));
	return v;
}

/* ULEB128; and what passes over an SLEB128. */
static inline uint64_t take_leb(struct dwarf_bytes *c)
{
	struct leb128 leb = {};

	if (c->at < c->end && *c->at < 0x80 && !c->over) { /* most have one byte */
		c->addr++;
		return *c->at++;
	}
	while (leb128__add(&leb, take_u8(c)))
		;
	return leb.v;
}

/* SLEB128. */
static inline int64_t take_sleb(struct dwarf_bytes *c)
{
	struct leb128 leb = {};

	while (leb128__add(&leb, take_u8(c)))
		;
	return leb128__signed(&leb);
}

static inline void skip_bytes(struct dwarf_bytes *c, uint64_t len)
{
	if (c->over || len > (size_t)(c->end - c->at)) {
		c->over = true;
		return;
	}
	c->at += len;
	c->addr += len;
}

/* A value in @encoding's format, without what it is relative to. False: not a format of code. */
static inline bool take_number(struct dwarf_bytes *c, uint8_t encoding, uint64_t *v)
{
	switch (encoding & 0x0f) {
	case PE_ABSPTR:
	case PE_UDATA8:
	case PE_SDATA8:
		*v = take_u64(c);
		return !c->over;
	case PE_UDATA4:
		*v = take_u32(c);
		return !c->over;
	case PE_SDATA4:
		*v = (int64_t)(int32_t)take_u32(c);
		return !c->over;
	case PE_UDATA2:
		*v = take_u16(c);
		return !c->over;
	case PE_SDATA2:
		*v = (int64_t)(int16_t)take_u16(c);
		return !c->over;
	default:
		return false;
	}
}

static inline bool take_address(struct dwarf_bytes *c, uint8_t encoding, uint64_t *v)
{
	uint64_t here = c->addr;

	if (!take_number(c, encoding, v))
		return false;
	switch (encoding & 0xf0) {
	case 0:
		return true;
	case PE_PCREL:
		*v += here;
		return true;
	default:
		return false;
	}
}

#endif
