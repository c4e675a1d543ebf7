// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/compare.h"

#include <stdbool.h>

/* What a signal has interrupted is named by the byte behind it, so that it is no return address. */
static bool is_same(const uint64_t *frames, const struct reference_frames *theirs, size_t i)
{
	return frames[i] == theirs->pc[i] ||
	       (i && theirs->is_exact[i] && frames[i] == theirs->pc[i] + 1);
}

enum unwind_check_result compare(const struct compared_stack *ours,
				 const struct reference_frames *theirs, size_t *at)
{
	size_t i = 0;

	while (i < ours->nr && i < theirs->nr && is_same(ours->frames, theirs, i))
		i++;
	*at = i;
	if (i == ours->nr && i == theirs->nr)
		return UNWIND_CHECK_SAME;
	if (i == theirs->nr && theirs->end == REFERENCE_UNCOPIED)
		return UNWIND_CHECK_UNCOPIED;
	if (i == ours->nr && ours->flaws & ~STACK_NOT_OF_USER)
		return UNWIND_CHECK_INCOMPLETE;
	/* What comes after this frame was found by its code's rule, or without one. */
	if (i && (ours->by[i - 1] == FRAME_RULE_NONE || theirs->is_guess[i - 1]))
		return UNWIND_CHECK_BY_FP;
	/* elfutils 0.188 may end for want of a register, and say nothing. */
	if (i && i == theirs->nr &&
	    (theirs->end == REFERENCE_GAVE_UP || ours->by[i - 1] == FRAME_RULE_REGISTER))
		return UNWIND_CHECK_GAVE_UP;
	return UNWIND_CHECK_DIFFERENT;
}
