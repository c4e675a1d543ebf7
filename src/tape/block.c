// SPDX-License-Identifier: BSD-2-Clause
/* Packs data into a block, checks a block, and unpacks it. */
#include "tape/block.h"

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/packer.h"

enum { FIRST_BYTES = 4096 };

static uint32_t get_u32(const uint8_t *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof(v));
	return le32toh(v);
}

static void set_u32(uint8_t *at, uint32_t v)
{
	v = htole32(v);
	memcpy(at, &v, sizeof(v));
}

int block__head(const void *bytes, const char *kind, struct block *b)
{
	const uint8_t *at = bytes;

	if (memcmp(at, kind, 4) || get_u32(at + 28) != crc32(0, at, 28))
		return -EBADMSG;
	*b = (struct block){
		.stream_bytes = get_u32(at + 4),
		.data_bytes = get_u32(at + 8),
		.flags = get_u32(at + 12),
		.number = get_u32(at + 16) | (uint64_t)get_u32(at + 20) << 32,
		.crc = get_u32(at + 24),
	};
	return b->stream_bytes <= BLOCK_BYTES_MAX && b->data_bytes <= BLOCK_BYTES_MAX ? 0
										      : -EBADMSG;
}

/* Nothing deflates better than by BEST_RATIO: who says more lies, and gets no memory for it. */
static bool is_possible(const struct block *b)
{
	enum { BEST_RATIO = 1032 };

	return b->data_bytes / BEST_RATIO <= b->stream_bytes;
}

int block__unpack(const struct block *b, const void *stream, uint8_t **out)
{
	uLongf len = b->data_bytes;
	int ret;

	*out = NULL;
	if (crc32(0, stream, b->stream_bytes) != b->crc || !is_possible(b))
		return -EBADMSG;
	*out = malloc(len + 1);
	if (!*out)
		return -ENOMEM;
	ret = uncompress(*out, &len, stream, b->stream_bytes);
	if (ret == Z_OK && len == b->data_bytes)
		return 0;
	free(*out);
	*out = NULL;
	return ret == Z_MEM_ERROR ? -ENOMEM : -EBADMSG;
}

static void fill_head(struct block_packer *p, const char *kind)
{
	memcpy(p->head, kind, 4);
	set_u32(p->head + 4, p->b.stream_bytes);
	set_u32(p->head + 8, p->b.data_bytes);
	set_u32(p->head + 12, p->b.flags);
	set_u32(p->head + 16, p->b.number);
	set_u32(p->head + 20, p->b.number >> 32);
	set_u32(p->head + 24, p->b.crc);
	set_u32(p->head + 28, crc32(0, p->head, 28));
}

static int pack(struct block_packer *p, const void *data, size_t len, size_t *bytes)
{
	struct packer *packer = p->packer ? p->packer : packer__new(PACK_ZLIB);
	int err = packer ? array__grow(&p->stream, &p->cap_stream, FIRST_BYTES) : -ENOMEM;

	p->packer = packer;
	if (!err) {
		packer__begin(packer);
		packer__feed(packer, data, len, true);
	}
	while (!err) {
		const size_t n = packer__take(packer, p->stream + *bytes, p->cap_stream - *bytes);

		if (!n)
			break;
		*bytes += n;
		if (*bytes == p->cap_stream)
			err = array__grow(&p->stream, &p->cap_stream, *bytes + 1);
	}
	return err;
}

int block__pack(struct block_packer *p, const char *kind, const void *data, size_t len)
{
	size_t bytes = 0;
	int err;

	if (len > BLOCK_BYTES_MAX)
		return -EFBIG;
	err = pack(p, data, len, &bytes);
	if (err)
		return err;
	if (bytes > BLOCK_BYTES_MAX)
		return -EFBIG;
	p->b.stream_bytes = bytes;
	p->b.data_bytes = len;
	p->b.crc = crc32(0, p->stream, bytes);
	fill_head(p, kind);
	return 0;
}

void block_packer__free(struct block_packer *p)
{
	free(p->stream);
	packer__free(p->packer);
	*p = (struct block_packer){};
}
