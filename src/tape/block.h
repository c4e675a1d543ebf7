/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tape/block.h - what our files consist of behind their head: blocks of compressed data, each with
 * its own checks.
 *
 * A block is a head of 32 bytes, numbers little-endian, and behind it a zlib stream (RFC 1950):
 *	 0  4	which kind of file it is of
 *	 4  u32	bytes of the stream, up to 64 MiB
 *	 8  u32	bytes of the data that come out of it, up to 64 MiB
 *	12  u32	flags, the file's own
 *	16  u64	a number, the file's own
 *	24  u32	CRC-32 (zlib's) of the stream
 *	28  u32	CRC-32 of the 28 bytes before
 *
 * Such files may be of strangers: nobody gets memory for data that cannot come out of the stream.
 */
#ifndef PMUTRACE_TAPE_BLOCK_H
#define PMUTRACE_TAPE_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

enum {
	BLOCK_HEAD_BYTES = 32,
	BLOCK_BYTES_MAX = 64 << 20, /* of a stream, and of what comes out of it */
};

struct block {
	uint32_t stream_bytes, data_bytes;
	uint32_t flags;
	uint64_t number;
	uint32_t crc; /* of the stream */
};

struct packer;

/* A block that is being made, of the same file one after the other. Zero-initialise it. */
struct block_packer {
	uint8_t head[BLOCK_HEAD_BYTES];
	uint8_t *stream; /* b.stream_bytes of them */
	size_t cap_stream;
	struct packer *packer;
	struct block b;
};

/* @bytes: BLOCK_HEAD_BYTES of them. @kind: 4 bytes. 0; -EBADMSG: damaged, or no such block. */
int block__head(const void *bytes, const char *kind, struct block *b) must_check;

/*
 * *out: b->data_bytes bytes and one more, for free(). 0; -EBADMSG: @stream is damaged; -ENOMEM;
 * *out is NULL then.
 */
int block__unpack(const struct block *b, const void *stream, uint8_t **out) must_check;

/*
 * Compresses @data into p->stream, and fills p->head and p->b, whose flags and number are set
 * before. 0; -EFBIG: more than BLOCK_BYTES_MAX; -ENOMEM.
 */
int block__pack(struct block_packer *p, const char *kind, const void *data, size_t len) must_check;
void block_packer__free(struct block_packer *p);

#endif
