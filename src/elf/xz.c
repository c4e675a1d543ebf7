// SPDX-License-Identifier: BSD-2-Clause
/* Unpacks with liblzma within bounds, or not at all without liblzma. */
#include "elf/xz.h"

#include <errno.h>

#ifdef HAVE_LZMA
#include <lzma.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/buf.h"

/* What `xz -9` needs to unpack is 65 MiB. */
#define MAX_DECODER_BYTES (128u << 20)

/* Symbols and names of real files become 3 to 12 times smaller: what nearly vanishes is made up. */
#define FREE_BYTES (1u << 20)
enum { MAX_RATIO = 64 };

static bool is_too_much(const lzma_stream *s, size_t len, size_t max)
{
	return len > max || len > FREE_BYTES + MAX_RATIO * s->total_in;
}

static int decode(lzma_stream *s, struct buf *b, size_t max)
{
	lzma_ret ret = LZMA_OK;
	int err;

	while (ret == LZMA_OK) {
		err = buf__reserve(b, 64 * 1024);
		if (err)
			return err;
		s->next_out = (uint8_t *)b->data + b->len;
		s->avail_out = b->cap - b->len - 1;
		ret = lzma_code(s, LZMA_FINISH);
		b->len = b->cap - 1 - s->avail_out;
		if (is_too_much(s, b->len, max))
			return -EFBIG;
	}
	if (ret == LZMA_STREAM_END)
		return 0;
	return ret == LZMA_MEM_ERROR ? -ENOMEM : -EINVAL;
}

int xz__unpack(const void *in, size_t in_len, size_t max, char **out, size_t *out_len)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	struct buf b = {};
	int err;

	*out = NULL;
	if (lzma_stream_decoder(&stream, MAX_DECODER_BYTES, 0) != LZMA_OK)
		return -ENOMEM;
	stream.next_in = in;
	stream.avail_in = in_len;
	err = decode(&stream, &b, max);
	lzma_end(&stream);
	if (err) {
		buf__free(&b);
		return err;
	}
	*out = b.data;
	*out_len = b.len;
	return 0;
}

#else

int xz__unpack(const void *in, size_t in_len, size_t max, char **out, size_t *out_len)
{
	(void)in;
	(void)in_len;
	(void)max;
	*out = NULL;
	*out_len = 0;
	return -ENOTSUP;
}

#endif
