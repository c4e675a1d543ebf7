// SPDX-License-Identifier: BSD-2-Clause
/* Packs by ISA-L, or by zlib. */
#include "base/packer.h"

#include <stdlib.h>

#ifdef HAVE_ISAL
#include <isa-l/igzip_lib.h>

struct packer {
	struct isal_zstream z;
	uint16_t format; /* z.gzip_flag says whether a head is to be written, too */
	unsigned char memory[ISAL_DEF_LVL1_DEFAULT];
};

struct packer *packer__new(enum pack_format format)
{
	struct packer *p = malloc(sizeof(*p));

	if (!p)
		return NULL;
	p->format = format == PACK_GZIP ? IGZIP_GZIP : IGZIP_ZLIB;
	isal_deflate_init(&p->z);
	p->z.gzip_flag = p->format;
	p->z.level = 1;
	p->z.level_buf = p->memory;
	p->z.level_buf_size = sizeof(p->memory);
	return p;
}

void packer__begin(struct packer *p)
{
	isal_deflate_reset(&p->z);
	p->z.gzip_flag = p->format;
}

void packer__free(struct packer *p)
{
	free(p);
}

void packer__feed(struct packer *p, const void *bytes, size_t len, bool last)
{
	p->z.next_in = (uint8_t *)bytes;
	p->z.avail_in = len;
	p->z.end_of_stream = last;
}

size_t packer__take(struct packer *p, void *out, size_t cap)
{
	if (p->z.internal_state.state == ZSTATE_END)
		return 0;
	p->z.next_out = out;
	p->z.avail_out = cap;
	(void)isal_deflate(&p->z); /* fails at settings alone, which are these */
	return cap - p->z.avail_out;
}

#else
#include <zlib.h>

enum { LEVEL = 1, WINDOW = 15, FOR_GZIP = 16, MEMORY = 8 };

struct packer {
	z_stream z;
	bool last;
};

struct packer *packer__new(enum pack_format format)
{
	const int window = WINDOW + (format == PACK_GZIP ? FOR_GZIP : 0);
	struct packer *p = calloc(1, sizeof(*p));

	if (p &&
	    deflateInit2(&p->z, LEVEL, Z_DEFLATED, window, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK) {
		free(p);
		return NULL;
	}
	return p;
}

void packer__begin(struct packer *p)
{
	(void)deflateReset(&p->z);
}

void packer__free(struct packer *p)
{
	if (p)
		(void)deflateEnd(&p->z);
	free(p);
}

void packer__feed(struct packer *p, const void *bytes, size_t len, bool last)
{
	p->z.next_in = (unsigned char *)bytes;
	p->z.avail_in = len;
	p->last = last;
}

size_t packer__take(struct packer *p, void *out, size_t cap)
{
	p->z.next_out = out;
	p->z.avail_out = cap;
	(void)deflate(&p->z, p->last ? Z_FINISH : Z_NO_FLUSH); /* at the end again: nothing */
	return cap - p->z.avail_out;
}
#endif
