/* SPDX-License-Identifier: BSD-2-Clause */
/* A perf record put together byte by byte, as include/uapi/linux/perf_event.h says. */
#ifndef TESTS_UNIT_RECORD_BYTES_H
#define TESTS_UNIT_RECORD_BYTES_H

#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "perf/record.h"

struct record {
	_Alignas(8) char bytes[1024];
	size_t len;
};

static inline void put(struct record *r, const void *bytes, size_t len)
{
	memcpy(r->bytes + r->len, bytes, len);
	r->len += len;
}

static inline void put_u16(struct record *r, uint16_t v)
{
	put(r, &v, 2);
}

static inline void put_u32(struct record *r, uint32_t v)
{
	put(r, &v, 4);
}

static inline void put_u64(struct record *r, uint64_t v)
{
	put(r, &v, 8);
}

static inline void put_u32s(struct record *r, const uint32_t *v, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		put_u32(r, v[i]);
}

static inline void put_u64s(struct record *r, const uint64_t *v, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		put_u64(r, v[i]);
}

#define U32S(r, ...)                                                                               \
	put_u32s(r, (const uint32_t[]){ __VA_ARGS__ },                                             \
		 sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4)
#define U64S(r, ...)                                                                               \
	put_u64s(r, (const uint64_t[]){ __VA_ARGS__ },                                             \
		 sizeof((const uint64_t[]){ __VA_ARGS__ }) / 8)

/* Padded with zeros to a multiple of 8, with one at least. */
static inline void put_name(struct record *r, const char *name)
{
	char padded[64] = "";

	strcpy(padded, name);
	put(r, padded, (strlen(name) + 8) & ~7ul);
}

/* The header's size, once all is in. */
static inline void set_size(struct record *r)
{
	uint16_t size = (uint16_t)r->len;

	memcpy(r->bytes + 6, &size, 2);
}

static inline void begin(struct record *r, uint32_t type, uint16_t misc)
{
	const struct perf_event_header h = { .type = type, .misc = misc };

	r->len = 0;
	put(r, &h, sizeof(h));
	set_size(r);
}

/* What decoding the first @len bytes gives, from memory that ends there. */
static inline int decode_exact(const struct record *r, size_t len,
			       const struct perf_record_layout *layout, int fix_size)
{
	struct record cut = { .len = len };
	struct perf_record out;
	char *exact = malloc(len);
	int err;

	memcpy(cut.bytes, r->bytes, len);
	if (fix_size && len >= sizeof(struct perf_event_header))
		set_size(&cut);
	memcpy(exact, cut.bytes, len);
	err = perf_record__decode(exact, len, layout, &out);
	free(exact);
	return err;
}

/* The whole is fine, and whatever is shorter is refused: whether its header tells so or not. */
static inline void assert_only_whole(const struct record *r,
				     const struct perf_record_layout *layout)
{
	assert_int_equal(decode_exact(r, r->len, layout, 0), 0);
	for (size_t len = 0; len < r->len; len++) {
		assert_int_equal(decode_exact(r, len, layout, 0), -EBADMSG);
		assert_int_equal(decode_exact(r, len, layout, 1), -EBADMSG);
	}
}

#endif
