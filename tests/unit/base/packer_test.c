// SPDX-License-Identifier: BSD-2-Clause
/* What was packed, by whichever library, zlib unpacks: the same bytes, in one stream. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <zlib.h>

#include "base/array.h"
#include "base/packer.h"
#include "any_number.h"

struct bytes {
	uint8_t *data;
	size_t nr, cap;
};

/* Feeds pieces of @piece, takes at most @room at a time. */
static struct bytes packed_by(struct packer *p, const uint8_t *data, size_t len, size_t piece,
			      size_t room)
{
	uint8_t *out = malloc(room);
	struct bytes b = {};
	size_t at = 0, n;

	do {
		const size_t more = len - at < piece ? len - at : piece;

		packer__feed(p, data + at, more, at + more == len);
		at += more;
		while ((n = packer__take(p, out, room))) {
			assert_true(n <= room);
			assert_int_equal(array__grow(&b.data, &b.cap, b.nr + n), 0);
			memcpy(b.data + b.nr, out, n);
			b.nr += n;
		}
	} while (at < len);
	/* The stream has ended. */
	assert_int_equal(packer__take(p, out, room), 0);
	free(out);
	return b;
}

static struct bytes packed(enum pack_format format, const uint8_t *data, size_t len, size_t piece,
			   size_t room)
{
	struct packer *p = packer__new(format);
	struct bytes b;

	assert_non_null(p);
	b = packed_by(p, data, len, piece, room);
	packer__free(p);
	return b;
}

/* zlib's window bits say which format it has to be; nothing may be left behind the stream. */
static void assert_unpacks(const struct bytes *b, int window, const uint8_t *data, size_t len)
{
	uint8_t *out = malloc(len + 1);
	z_stream z = {};

	assert_int_equal(inflateInit2(&z, window), Z_OK);
	z.next_in = b->data;
	z.avail_in = b->nr;
	z.next_out = out;
	z.avail_out = len + 1;
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.avail_in, 0);
	assert_int_equal(z.total_out, len);
	if (len)
		assert_memory_equal(out, data, len);
	inflateEnd(&z);
	free(out);
}

static void check(const uint8_t *data, size_t len, size_t piece, size_t room)
{
	struct bytes b = packed(PACK_ZLIB, data, len, piece, room);

	assert_unpacks(&b, 15, data, len);
	free(b.data);
	b = packed(PACK_GZIP, data, len, piece, room);
	assert_unpacks(&b, 15 + 16, data, len);
	free(b.data);
}

static uint8_t *new_bytes(size_t len, unsigned kinds)
{
	uint8_t *data = malloc(len + 1);

	for (size_t i = 0; i < len; i++)
		data[i] = any_number() % kinds;
	return data;
}

static void what_was_packed_is_unpacked(void **state)
{
	static const size_t lengths[] = { 0, 1, 2, 100, 65535, 65536, 1000000 };
	/* All the same, hardly any order, none. */
	static const unsigned kinds[] = { 1, 4, 256 };

	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++)
		for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
			uint8_t *data = new_bytes(lengths[i], kinds[k]);

			check(data, lengths[i], lengths[i] + 1, 16384);
			check(data, lengths[i], 32768, 16384);
			check(data, lengths[i], 5000, 7);
			free(data);
		}
}

/* A byte at a time, in and out. */
static void pieces_may_be_small(void **state)
{
	uint8_t *data = new_bytes(3000, 20);

	check(data, 3000, 1, 1);
	free(data);
}

static void what_repeats_is_small(void **state)
{
	uint8_t *data = new_bytes(1000000, 1);
	struct bytes b = packed(PACK_GZIP, data, 1000000, 16384, 16384);

	assert_true(b.nr < 20000);
	free(b.data);
	free(data);
}

/* Also where the first one was left before its end. */
static void another_stream_is_like_the_first(void **state)
{
	const enum pack_format formats[] = { PACK_ZLIB, PACK_GZIP };
	uint8_t *data = new_bytes(100000, 20);

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		struct packer *p = packer__new(formats[i]);
		struct bytes first = packed_by(p, data, 100000, 5000, 16384), again;
		uint8_t out[10];

		packer__begin(p);
		packer__feed(p, data, 100000, false);
		packer__take(p, out, sizeof(out));
		packer__begin(p);
		again = packed_by(p, data, 100000, 5000, 16384);
		assert_int_equal(again.nr, first.nr);
		assert_memory_equal(again.data, first.data, first.nr);
		free(first.data);
		free(again.data);
		packer__free(p);
	}
	free(data);
}

static void heads_tell_neither_time_nor_name(void **state)
{
	static const uint8_t id_and_deflate[] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0 };
	struct bytes b = packed(PACK_GZIP, (const uint8_t *)"a", 1, 1, 100);

	assert_memory_equal(b.data, id_and_deflate, sizeof(id_and_deflate));
	free(b.data);
}

static void one_that_was_not_used_is_freed(void **state)
{
	packer__free(packer__new(PACK_ZLIB));
	packer__free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_packed_is_unpacked),
		cmocka_unit_test(pieces_may_be_small),
		cmocka_unit_test(what_repeats_is_small),
		cmocka_unit_test(another_stream_is_like_the_first),
		cmocka_unit_test(heads_tell_neither_time_nor_name),
		cmocka_unit_test(one_that_was_not_used_is_freed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
