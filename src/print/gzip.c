// SPDX-License-Identifier: BSD-2-Clause
/* Packs what has been put together, a piece at a time. */
#include "print/gzip.h"

#include <errno.h>
#include <string.h>

#include "base/packer.h"

void gzip__begin(struct gzip *g, FILE *f)
{
	g->w = (struct writer){ .f = f };
	g->packer = packer__new(PACK_GZIP);
	g->len = 0;
}

static void pack(struct gzip *g, bool last)
{
	char out[16 * 1024];
	size_t n;

	packer__feed(g->packer, g->bytes, g->len, last);
	g->len = 0;
	while (!g->w.err && (n = packer__take(g->packer, out, sizeof(out))))
		writer__put(&g->w, out, n);
}

void gzip__put(struct gzip *g, const void *bytes, size_t len)
{
	const char *at = bytes;

	for (size_t n; len && g->packer && !g->w.err; at += n, len -= n) {
		n = len < sizeof(g->bytes) - g->len ? len : sizeof(g->bytes) - g->len;
		memcpy(g->bytes + g->len, at, n);
		g->len += n;
		if (g->len == sizeof(g->bytes))
			pack(g, false);
	}
}

int gzip__end(struct gzip *g)
{
	const bool has_packer = g->packer;
	int err;

	if (has_packer && !g->w.err)
		pack(g, true);
	packer__free(g->packer);
	err = writer__end(&g->w);
	return has_packer ? err : -ENOMEM;
}
