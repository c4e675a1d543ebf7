/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/gzip.h - bytes on their way to a FILE, packed by gzip (RFC 1952, base/packer.h).
 *
 * As print/writer.h: after an error the rest is dropped, and the end tells of it.
 */
#ifndef PMUTRACE_PRINT_GZIP_H
#define PMUTRACE_PRINT_GZIP_H

#include "print/writer.h"

struct packer;

struct gzip {
	struct writer w;
	struct packer *packer; /* NULL: there was no memory for it */
	size_t len;
	unsigned char bytes[WRITER_BYTES]; /* to be packed: libraries are slow at small pieces */
};

/* Whatever happens, gzip__end() follows. */
void gzip__begin(struct gzip *g, FILE *f);
void gzip__put(struct gzip *g, const void *bytes, size_t len);

/* What writer__end() says, or -ENOMEM. */
int gzip__end(struct gzip *g) must_check;

#endif
