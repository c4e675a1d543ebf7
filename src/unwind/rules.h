/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwind/rules.h - the rules of all files, each of them once.
 *
 * A machine's files have some thousands between them, of millions of rows. Zero-initialise the set.
 */
#ifndef PMUTRACE_UNWIND_RULES_H
#define PMUTRACE_UNWIND_RULES_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "elf/cfi.h"
#include "unwind.wire.h"

/* The rules UNWIND_CFA_NONE and UNWIND_CFA_BAD. */
enum { UNWIND_RULE_NONE, UNWIND_RULE_BAD };

struct unwind_rules {
	struct unwind_rule *all; /* by number */
	uint32_t nr;
	size_t cap;
	uint32_t *slots; /* numbers + 1 by hash; 0: free */
	uint32_t nr_slots;
	uint64_t seed;
	uint32_t max;	     /* that there may be; 0: as many as a row can tell apart */
	uint64_t nr_refused; /* that were new, and one too many */
};

/*
 * The number of a rule, which is added if it is new. 0; -ENOMEM. When there may be no more it is
 * UNWIND_RULE_BAD, and counted.
 */
int unwind_rules__add(struct unwind_rules *r, const struct unwind_rule *rule,
		      uint32_t *number) must_check;
void unwind_rules__free(struct unwind_rules *r);

/* Whose registers rules are about. */
enum unwind_machine { UNWIND_X86_64, UNWIND_ARM64 };

/* What call frame instructions say, as a rule. @signal: of a signal's frame. */
struct unwind_rule unwind_rule__of(enum unwind_machine machine, bool signal,
				   const struct cfi_row *row);

#endif
