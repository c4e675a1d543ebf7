/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwind/clones.h - rules of code behind clone(2) and clone3(2), which return twice
 * (elf_code__behind_clone()): FDEs could not say both. A register tells where it is: the result, 0
 * in the new task.
 */
#ifndef PMUTRACE_UNWIND_CLONES_H
#define PMUTRACE_UNWIND_CLONES_H

#include "unwind/described.h"

/*
 * Adds such code to what is described, as the function before it leaves it to whoever called that.
 * @machine: EM_*. Functions are not sorted any more. 0; -E2BIG: more than max_rows; -ENOMEM.
 */
int clones__add(struct described_code *c, const struct elf_from *from, unsigned machine,
		struct unwind_rules *rules) must_check;

#endif
