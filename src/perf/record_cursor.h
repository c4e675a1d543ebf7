/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf/record_cursor.h - taking a record apart from its front.
 *
 * Once something did not fit, `bad` stays set and everything taken is 0 or NULL: ask once, at the
 * end. Private to the decoders of perf/.
 */
#ifndef PMUTRACE_PERF_RECORD_CURSOR_H
#define PMUTRACE_PERF_RECORD_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct record_cursor {
	const char *at, *end;
	bool bad;
};

/* @nr items of @bytes each, where they are. Safe for every @nr a stranger may have written. */
static inline const void *cursor__array(struct record_cursor *c, uint64_t nr, size_t bytes)
{
	const char *at = c->at;

	if (c->bad || nr > (size_t)(c->end - at) / bytes) {
		c->bad = true;
		return NULL;
	}
	c->at += nr * bytes;
	return at;
}

static inline uint64_t cursor__u64(struct record_cursor *c)
{
	const void *at = cursor__array(c, 1, sizeof(uint64_t));
	uint64_t v = 0;

	if (at)
		memcpy(&v, at, sizeof(v));
	return v;
}

static inline uint32_t cursor__u32(struct record_cursor *c)
{
	const void *at = cursor__array(c, 1, sizeof(uint32_t));
	uint32_t v = 0;

	if (at)
		memcpy(&v, at, sizeof(v));
	return v;
}

static inline uint16_t cursor__u16(struct record_cursor *c)
{
	const void *at = cursor__array(c, 1, sizeof(uint16_t));
	uint16_t v = 0;

	if (at)
		memcpy(&v, at, sizeof(v));
	return v;
}

/* What is left, which must hold a NUL-terminated string. */
static inline const char *cursor__string(struct record_cursor *c)
{
	const char *at = c->at;

	if (c->bad || at == c->end || !memchr(at, '\0', c->end - at)) {
		c->bad = true;
		return NULL;
	}
	c->at = c->end;
	return at;
}

#endif
