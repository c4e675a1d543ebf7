/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tape/livefile.h - records a live view: model/live.h and model/processes.h -> bytes on a FILE.
 *
 * The format is described in tape/liveread.h. Each interval is flushed: of a recording that was
 * killed all but the last one can be read.
 */
#ifndef PMUTRACE_TAPE_LIVEFILE_H
#define PMUTRACE_TAPE_LIVEFILE_H

#include <stddef.h>
#include <stdio.h>

#include "base/array.h"
#include "model/live.h"
#include "model/processes.h"
#include "model/profile.h"

struct livefile;

/*
 * @f: borrowed. @flags: LIVEREAD_ASKED and others of the head. 0; -ENOMEM; another -errno: it did
 * not take the head.
 */
int livefile__open(struct livefile **out, FILE *f, size_t nr_values, unsigned flags) must_check;
void livefile__close(struct livefile *l);

/*
 * One interval more. @samples: what was sampled in it, without fields and metrics; NULL: nothing
 * was. 0; -EINVAL: of another number of values; -ENOMEM; -EFBIG: more than the format has room for;
 * or of writing.
 */
int livefile__put(struct livefile *l, const struct live *live, const struct processes *p,
		  const struct profile *samples) must_check;

#endif
