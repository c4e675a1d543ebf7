/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwind/compare.h - the frames that rules have found beside those of another unwinder, for the
 * same registers and stack.
 */
#ifndef PMUTRACE_UNWIND_COMPARE_H
#define PMUTRACE_UNWIND_COMPARE_H

#include <stddef.h>
#include <stdint.h>

#include "model/unwind_check.h"
#include "unwind/reference_frames.h"

/* How the caller of a frame was found. */
enum frame_rule {
	FRAME_RULE_NONE,     /* by frame pointer; or as its code says, which others do not read */
	FRAME_RULE_FILE,     /* as the file says */
	FRAME_RULE_REGISTER, /* likewise, from a register that the frames below it have preserved */
};

/* A stack that was unwound by rules. */
struct compared_stack {
	const uint64_t *frames; /* as bpf/unwind_step.h names them, innermost first */
	const uint8_t *by;	/* enum frame_rule, for each */
	size_t nr;
	uint16_t flaws; /* enum stack_flaw */
};

/* *at: the first frame that is not the same in both. */
enum unwind_check_result compare(const struct compared_stack *ours,
				 const struct reference_frames *theirs, size_t *at);

#endif
