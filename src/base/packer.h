/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base/packer.h - packs bytes by DEFLATE, piece by piece, quickly rather than tightly.
 *
 *	struct packer *p = packer__new(PACK_GZIP);
 *
 *	packer__feed(p, bytes, len, true);
 *	while ((n = packer__take(p, out, sizeof(out))))
 *		fwrite(out, 1, n, f);
 *	packer__free(p);
 *
 * By ISA-L where pmutrace was built with it: as small as zlib's level 1, in a quarter of the time.
 * Else by zlib at that level, as Go's writers have it: level 6 takes four times as long for a tenth
 * less. The same library packs equal bytes equally: heads have neither time nor name.
 */
#ifndef PMUTRACE_BASE_PACKER_H
#define PMUTRACE_BASE_PACKER_H

#include <stdbool.h>
#include <stddef.h>

enum pack_format {
	PACK_ZLIB, /* RFC 1950 */
	PACK_GZIP, /* RFC 1952 */
};

struct packer;

/* NULL: no memory. */
struct packer *packer__new(enum pack_format format);

/* Begins another stream of the same format, whatever became of the last. */
void packer__begin(struct packer *p);
void packer__free(struct packer *p);

/* A piece of less than 4 GB, which stays until nothing is left to take. @last: the stream ends. */
void packer__feed(struct packer *p, const void *bytes, size_t len, bool last);

/* What has been packed, at most @cap bytes; 0: nothing more is to come of what was fed. */
size_t packer__take(struct packer *p, void *out, size_t cap);

#endif
