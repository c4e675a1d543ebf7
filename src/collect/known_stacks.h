/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * collect/known_stacks.h - what has been named before -> the handle that it got (collect/stacks.h).
 *
 * Stacks come again after each drain of the kernel's tables. Those that are new differ mostly in
 * their innermost address from one that is known, and have their callers' addresses in common: of
 * these only that one address needs a name.
 */
#ifndef PMUTRACE_COLLECT_KNOWN_STACKS_H
#define PMUTRACE_COLLECT_KNOWN_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/idmap.h"
#include "probe/sample.h"
#include "sym/procs.h"

/* Two hashes of all that names depend on: where both are equal, the names are. */
struct stack_id {
	uint64_t hash, check;
};

/* Zero-initialise it. */
struct known_stacks {
	struct idmap by_hash; /* -> index in all */
	struct known_stack *all;
	size_t nr, cap;
};

/* @proc: whose code its user half is, with the mappings that it has now; NULL: it has none. */
struct stack_id stack_id(const struct sample_stack *s, const struct proc *proc);

/* Of the callers of its innermost user address, which others may have in common with it. */
struct stack_id callers_id(const struct sample_stack *s, const struct proc *proc);

/*
 * True if it is known; *handle is written only then. Of callers it is the node that what they call
 * hangs from, and the reason why they are not whole.
 */
bool known_stacks__get(const struct known_stacks *k, const struct stack_id *id, uint32_t *handle);

/* Of one hash the last one is known. 0 or -ENOMEM. */
int known_stacks__set(struct known_stacks *k, const struct stack_id *id,
		      uint32_t handle) must_check;

/* Forgets all, and gives the memory back. */
void known_stacks__forget(struct known_stacks *k);

/* Memory that they take, with room for a thousand more. */
size_t known_stacks__bytes(const struct known_stacks *k);

#endif
