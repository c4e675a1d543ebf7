// SPDX-License-Identifier: BSD-2-Clause
/* The places of frames: each distinct one once. */
#include <errno.h>

#include "model/profile.h"

enum { PLACE_FILE, PLACE_ADDR, PLACE_OFFSET, PLACE_LINE, PLACE_START, PLACE_WORDS };

int profile__place(struct profile *p, const struct code_place *place, uint32_t *id)
{
	const uint64_t words[PLACE_WORDS] = {
		[PLACE_FILE] = (uint64_t)place->path << 32 | place->build_id,
		[PLACE_ADDR] = place->addr,
		[PLACE_OFFSET] = place->offset,
		[PLACE_LINE] = (uint64_t)place->source << 32 | place->line,
		[PLACE_START] = place->start_line,
	};
	int err = 0;

	p->places.width = PLACE_WORDS;
	if (p->sealed)
		err = tuples__find(&p->places, words, id) ? 0 : -ENOSPC;
	else
		err = tuples__add(&p->places, words, id);
	if (!err)
		++*id;
	return err;
}

bool profile__has_places(const struct profile *p)
{
	return p->places.nr;
}

bool profile__place_of(const struct profile *p, uint32_t frame, struct code_place *out)
{
	const uint32_t id = p->frames[frame].place;
	const uint64_t *words;

	if (!id)
		return false;
	words = tuples__get(&p->places, id - 1);
	*out = (struct code_place){
		.path = words[PLACE_FILE] >> 32,
		.build_id = (uint32_t)words[PLACE_FILE],
		.addr = words[PLACE_ADDR],
		.offset = words[PLACE_OFFSET],
		.source = words[PLACE_LINE] >> 32,
		.line = (uint32_t)words[PLACE_LINE],
		.start_line = words[PLACE_START],
	};
	return true;
}
