/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * live/top_uncounted.h - an interval in which tasks were sampled and nothing was counted, as a live
 * view that a recording can keep: who was there, and used nothing that is known.
 */
#ifndef PMUTRACE_LIVE_TOP_UNCOUNTED_H
#define PMUTRACE_LIVE_TOP_UNCOUNTED_H

#include "base/array.h"
#include "model/live.h"
#include "model/profile.h"

/* Instead of what was in @live. It ends now, and is as long as it was sampled. 0 or -ENOMEM. */
int top_uncounted__fill(struct live *live, const struct profile *samples) must_check;

#endif
