/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tape/livefile_state.h - private to livefile*.c: the bytes of an interval while it is put
 * together, and the parts that have a file of their own. Whatever fails first is in l->err.
 */
#ifndef PMUTRACE_TAPE_LIVEFILE_STATE_H
#define PMUTRACE_TAPE_LIVEFILE_STATE_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/idmap.h"
#include "model/loss.h"
#include "model/profile.h"
#include "tape/block.h"
#include "tape/liveread.h"

struct livefile {
	FILE *f;
	size_t nr_values;
	struct buf data;
	struct block_packer packer;
	uint64_t nr_intervals;
	uint64_t told_at; /* processes__now() up to which the file has the names */
	uint32_t *told;	  /* pids of the processes that it has */
	size_t nr_told, cap_told;
	struct idmap told_set;
	int err; /* first one */
	uint32_t nr_in_part;
};

static inline void put(struct livefile *l, const void *bytes, size_t len)
{
	if (!l->err)
		l->err = buf__put(&l->data, bytes, len);
}

static inline void put_u32(struct livefile *l, uint32_t v)
{
	v = htole32(v);
	put(l, &v, sizeof(v));
}

static inline void put_u64(struct livefile *l, uint64_t v)
{
	v = htole64(v);
	put(l, &v, sizeof(v));
}

static inline void put_double(struct livefile *l, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	put_u64(l, bits);
}

static inline void put_text(struct livefile *l, const char *s)
{
	size_t all = s ? strlen(s) : 0, len = all < UINT16_MAX ? all : UINT16_MAX;
	uint16_t word = htole16(len);

	put(l, &word, sizeof(word));
	put(l, s ? s : "", len);
}

static inline void set_u32(struct livefile *l, size_t at, uint32_t v)
{
	v = htole32(v);
	if (!l->err)
		memcpy(l->data.data + at, &v, sizeof(v));
}

/* Returns where the length of the part goes, for end_part(). */
static inline size_t begin_part(struct livefile *l, enum liveread_part kind)
{
	put_u32(l, kind);
	put_u32(l, 0);
	return l->data.len - 4;
}

static inline void end_part(struct livefile *l, size_t at)
{
	set_u32(l, at, l->data.len - at - 4);
}

/* Number, then each, without the part's head. */
void livefile__put_losses(struct livefile *l, const struct losses *losses);

/* The part of an interval's samples. -EFBIG: more than a reader takes. */
void livefile__put_profile(struct livefile *l, const struct profile *p);

#endif
