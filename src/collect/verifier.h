/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * collect/verifier.h - has elfutils unwind what rules were followed on, and compares: the stacks of
 * one run, with registers and stack copied in the very sample (--verify-unwind).
 *
 * A thread of its own asks a reader in a jail (unwind/reference.h), whose answers may take their
 * time. When that reader comes to nothing a notice says so, and no more stacks are compared.
 */
#ifndef PMUTRACE_COLLECT_VERIFIER_H
#define PMUTRACE_COLLECT_VERIFIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "jail/jail.h"
#include "model/unwind_check.h"
#include "unwind/compare.h"
#include "unwind/copied_stack.h"

struct verifier;

/* Waits until the reader has said that it can. @why: on error a sentence. 0 or -errno. */
int verifier__open(struct verifier **out, struct jail *jail, size_t max_frames,
		   struct buf *why) must_check;
void verifier__close(struct verifier *v);

/* Files come before stacks in them. @fd: borrowed. 0 or -ENOMEM. */
int verifier__file(struct verifier *v, uint32_t number, int fd) must_check;

struct verified_stack {
	const struct copied_stack *stack; /* as much as the reference is told of is compared */
	struct compared_stack found;	  /* by rules */
	struct reference_space space;
	const struct reference_mapping *mappings;
	size_t nr_mappings;
};

/* Copies all of it. 0 or -ENOMEM. */
int verifier__stack(struct verifier *v, const struct verified_stack *s) must_check;

/* A stack that is not compared. */
void verifier__skip(struct verifier *v, enum unwind_check_skip why, uint64_t nr);

/* Takes in what has been compared. True: more is under way. */
bool verifier__poll(struct verifier *v);

/* The result; what is still under way has not been compared. */
void verifier__end(const struct verifier *v, struct unwind_check *out);

#endif
