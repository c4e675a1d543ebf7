// SPDX-License-Identifier: BSD-2-Clause
/* Packs by zlib, a piece at a time. */
#include "print/gzip.h"

#include <errno.h>
#include <string.h>

/* Level 1, as Go's writers have it: 6 takes four times as long for a tenth less. */
enum { LEVEL = 1, GZIP_WINDOW = 15 + 16, MEMORY = 8 };

void gzip__begin(struct gzip *g, FILE *f)
{
	g->w = (struct writer){ .f = f };
	g->z = (z_stream){};
	g->err = 0;
	g->len = 0;
	if (deflateInit2(&g->z, LEVEL, Z_DEFLATED, GZIP_WINDOW, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
		g->err = -ENOMEM;
}

/* What has been put together. */
static void pack(struct gzip *g, int flush)
{
	unsigned char out[16 * 1024];

	g->z.next_in = g->bytes;
	g->z.avail_in = g->len;
	g->len = 0;
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
	const char *at = bytes;

	for (size_t n; len && !g->err && !g->w.err; at += n, len -= n) {
		n = len < sizeof(g->bytes) - g->len ? len : sizeof(g->bytes) - g->len;
		memcpy(g->bytes + g->len, at, n);
		g->len += n;
		if (g->len == sizeof(g->bytes))
			pack(g, Z_NO_FLUSH);
	}
}

int gzip__end(struct gzip *g)
{
	int err;

	if (!g->err && !g->w.err)
		pack(g, Z_FINISH);
	(void)deflateEnd(&g->z);
	err = writer__end(&g->w);
	return g->err ? g->err : err;
}
