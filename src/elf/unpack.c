// SPDX-License-Identifier: BSD-2-Clause
/* Unpacks with zlib, and with libzstd where it was there to build with. */
#include "elf/unpack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

enum { IN_BYTES = 64 * 1024 };

/* Headers of before binutils 2.42 and elfutils 0.187 do not know it. */
#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

/* No more comes of one byte: deflate's longest match; a zstd block of one byte that is repeated. */
enum { ZLIB_A_BYTE = 1032, ZSTD_A_BYTE = 128 * 1024 };

static bool is_old(const char *name)
{
	return !strncmp(name, ".zdebug_", strlen(".zdebug_"));
}

bool packed__is(const GElf_Shdr *shdr, const char *name)
{
	return shdr->sh_flags & SHF_COMPRESSED || is_old(name);
}

/* "ZLIB", and the length with its highest byte first. Bytes of the header; 0: it is none. */
static size_t read_old(struct packed *p, const struct elf_from *from)
{
	unsigned char head[12];

	if (p->packed_len <= sizeof(head) || !elf_bytes__read(from, p->at, head, sizeof(head)) ||
	    memcmp(head, "ZLIB", 4))
		return 0;
	for (int i = 4; i < 12; i++)
		p->len = p->len << 8 | head[i];
	p->type = ELFCOMPRESS_ZLIB;
	return sizeof(head);
}

static size_t read_header(struct packed *p, const struct elf_from *from)
{
	const bool small = gelf_getclass(from->elf) == ELFCLASS32;
	const size_t head_bytes = small ? sizeof(Elf32_Chdr) : sizeof(Elf64_Chdr);
	union {
		Elf32_Chdr small;
		Elf64_Chdr large;
	} head;

	if (p->packed_len <= head_bytes || !elf_bytes__read(from, p->at, &head, head_bytes))
		return 0;
	p->type = small ? head.small.ch_type : head.large.ch_type;
	p->len = small ? head.small.ch_size : head.large.ch_size;
	return head_bytes;
}

bool packed__read(struct packed *out, const struct elf_from *from, const GElf_Shdr *shdr,
		  const char *name)
{
	struct packed p = { .at = shdr->sh_offset, .packed_len = shdr->sh_size };
	size_t head = is_old(name) ? read_old(&p, from) : read_header(&p, from);
	uint64_t most = p.type == ELFCOMPRESS_ZLIB ? ZLIB_A_BYTE : ZSTD_A_BYTE;

	if (!head)
		return false;
	p.at += head;
	p.packed_len -= head;
	*out = p;
	return p.len && p.len <= UINT32_MAX && p.len / most <= p.packed_len;
}

/* Bytes of the file still to be unpacked. */
struct packed_input {
	const struct elf_from *from;
	uint64_t at, end;
	unsigned char bytes[IN_BYTES];
};

/* How many were read into in->bytes; 0: there are no more. */
static size_t next_input(struct packed_input *in)
{
	const size_t len = in->end - in->at < IN_BYTES ? in->end - in->at : IN_BYTES;

	if (!len || !elf_bytes__read(in->from, in->at, in->bytes, len))
		return 0;
	in->at += len;
	return len;
}

/* False: it is not what its header says. */
static bool unpack_zlib(struct packed_input *in, uint8_t *to, uint64_t len)
{
	z_stream z = { .next_out = to, .avail_out = len };
	int ret = Z_OK;

	if (inflateInit(&z) != Z_OK)
		return false;
	while (ret == Z_OK && (z.avail_in = next_input(in))) {
		z.next_in = in->bytes;
		ret = inflate(&z, Z_NO_FLUSH);
	}
	inflateEnd(&z);
	return ret == Z_STREAM_END && !z.avail_out;
}

#ifdef HAVE_ZSTD
/* What the decoder may take beside the output: more than `ld` and `objcopy` ask for. */
enum { ZSTD_WINDOW_LOG_MAX = 24 };

static bool unpack_zstd(struct packed_input *in, uint8_t *to, uint64_t len)
{
	ZSTD_DCtx *z = ZSTD_createDCtx();
	ZSTD_outBuffer out = { to, len, 0 };
	ZSTD_inBuffer from = { .src = in->bytes };
	size_t left; /* 0: the end of what is packed; or an error */

	if (!z)
		return false;
	left = ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG_MAX);
	do {
		from.pos = 0;
		from.size = ZSTD_isError(left) ? 0 : next_input(in);
		/* It stops within the input only at the end, by an error, or without room. */
		left = from.size ? ZSTD_decompressStream(z, &out, &from) : 1;
	} while (left && !ZSTD_isError(left) && from.size && from.pos == from.size);
	ZSTD_freeDCtx(z);
	return !left && out.pos == len;
}
#endif

static int unpack(const struct packed *p, struct packed_input *in, uint8_t *to)
{
	switch (p->type) {
	case ELFCOMPRESS_ZLIB:
		return unpack_zlib(in, to, p->len) ? 0 : -EINVAL;
#ifdef HAVE_ZSTD
	case ELFCOMPRESS_ZSTD:
		return unpack_zstd(in, to, p->len) ? 0 : -EINVAL;
#endif
	default:
		return -ENOTSUP;
	}
}

int packed__unpack(const struct packed *p, const struct elf_from *from, uint8_t **bytes)
{
	struct packed_input *in = malloc(sizeof(*in));
	uint8_t *to = malloc(p->len);
	int err = in && to ? 0 : -ENOMEM;

	if (!err) {
		in->from = from;
		in->at = p->at;
		in->end = p->at + p->packed_len;
		err = unpack(p, in, to);
	}
	free(in);
	if (err)
		free(to);
	else
		*bytes = to;
	return err;
}
