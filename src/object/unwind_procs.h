/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * object/unwind_procs.h - where programs find the mappings of a process: the map `unwind_procs` of
 * bpf/unwind.bpf.h, in the layout of bpf/unwind.wire.h.
 *
 * Programs read while this writes. Of the two states of a process the one that does not count is
 * written, then the key says that it does: at each moment a program finds the former or the new
 * one. If it is held up in one while both change, or while the place comes to another process,
 * `check` tells.
 */
#ifndef PMUTRACE_OBJECT_UNWIND_PROCS_H
#define PMUTRACE_OBJECT_UNWIND_PROCS_H

#include <stdint.h>

#include "base/array.h"
#include "unwind.wire.h"

/*
 * Elements that the map needs for @nr processes, 180 bytes for each of these. Their numbers do not
 * fall evenly: when there are @nr, one element of some thousands is full.
 */
uint32_t unwind_procs__buckets(uint64_t nr);

/*
 * The process's mappings are the @nr ones from @first on, @life their number: from now on, for the
 * address space whose stack is the first one to come. @at: @nr_buckets elements. 0; -E2BIG: there
 * is no room for its number.
 */
int unwind_procs__put(struct unwind_bucket *at, uint32_t nr_buckets, uint32_t pid, uint64_t life,
		      uint32_t first, uint32_t nr) must_check;

/* It is there no more, if it was. */
void unwind_procs__forget(struct unwind_bucket *at, uint32_t nr_buckets, uint32_t pid);

#endif
