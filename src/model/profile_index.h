/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model/profile_index.h - the hash tables of a profile, for profile.c and profile_rows.c, which
 * fill them, and profile_settle.c, which fills them anew.
 */
#ifndef PMUTRACE_MODEL_PROFILE_INDEX_H
#define PMUTRACE_MODEL_PROFILE_INDEX_H

#include "base/buf.h"
#include "base/idmap.h"
#include "base/trie.h"
#include "model/profile.h"

struct profile_index {
	uint64_t seed;	     /* of the hashes */
	struct idmap frames; /* kind, module, name -> chain of frames */
	struct trie nodes;   /* by frame: of the first nr_nodes, the root among them */
	size_t nr_nodes;
	struct idmap rows; /* hash of the key -> chain of rows: of the first nr_rows */
	size_t nr_rows;
	uint32_t *next_frame; /* the next frame of the same hash, NONE ends */
	size_t cap_next_frame;
	uint32_t *next_row;
	size_t cap_next_row;
	struct buf scratch;
};

enum { NONE = UINT32_MAX };

uint64_t profile_index__frame_hash(const struct frame *f);

/* Have the tables been filled with what was appended. 0 or -ENOMEM. */
int profile_index__all_nodes(struct profile *p) must_check;
int profile_index__all_rows(struct profile *p) must_check;

/* profile__add() without the sums of the event. *id: of the row. */
int profile_index__add(struct profile *p, const struct row *row, const struct profile_value *values,
		       uint32_t *id) must_check;

/* Row i has become @rows[i], which is not greater. */
void profile_index__renumber_exemplars(struct profile *p, const uint32_t *rows);

#endif
