// SPDX-License-Identifier: BSD-2-Clause
/* Marks names of frames by their kind. */
#include "print/frame_text.h"

const char *frame_text__name(const struct profile *p, uint32_t frame)
{
	const char *name = profile__name(p, frame);

	return *name ? name : "[unknown]";
}

const char *frame_text__mark(const struct profile *p, uint32_t frame)
{
	switch (p->frames[frame].kind) {
	case FRAME_KERNEL:
		return "_[k]";
	case FRAME_JIT:
		return "_[j]";
	case FRAME_INLINED:
		return "_[i]";
	default:
		return "";
	}
}

int frame_text__put(struct buf *b, const struct profile *p, uint32_t frame)
{
	int err = buf__puts(b, frame_text__name(p, frame));

	return err ? err : buf__puts(b, frame_text__mark(p, frame));
}
