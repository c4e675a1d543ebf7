// SPDX-License-Identifier: BSD-2-Clause
/* Packs by zlib, a piece at a time. */
#include "print/gzip.h"

#include <errno.h>

/* 6: what gzip(1) does. */
enum { LEVEL = 6, GZIP_WINDOW = 15 + 16, MEMORY = 8 };

void gzip__begin(struct gzip *g, FILE *f)
{
	g->w = (struct writer){ .f = f };
	g->z = (z_stream){};
	g->err = 0;
	if (deflateInit2(&g->z, LEVEL, Z_DEFLATED, GZIP_WINDOW, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
		g->err = -ENOMEM;
}

static void pack(struct gzip *g, const void *bytes, size_t len, int flush)
{
	unsigned char out[16 * 1024];

	g->z.next_in = (Bytef *)bytes;
	g->z.avail_in = len;
	do {
		g->z.next_out = out;
		g->z.avail_out = sizeof(out);
		if (deflate(&g->z, flush) == Z_STREAM_ERROR) {
			g->err = -EINVAL;
			return;
		}
		writer__put(&g->w, (const char *)out, sizeof(out) - g->z.avail_out);
	} while (!g->z.avail_out && !g->w.err);
}

void gzip__put(struct gzip *g, const void *bytes, size_t len)
{
	enum { PIECE = 1 << 30 }; /* zlib counts in unsigned int */
	const char *at = bytes;

	for (size_t n; len && !g->err && !g->w.err; at += n, len -= n) {
		n = len < PIECE ? len : PIECE;
		pack(g, at, n, Z_NO_FLUSH);
	}
}

int gzip__end(struct gzip *g)
{
	int err;

	if (!g->err && !g->w.err)
		pack(g, NULL, 0, Z_FINISH);
	(void)deflateEnd(&g->z);
	err = writer__end(&g->w);
	return g->err ? g->err : err;
}
