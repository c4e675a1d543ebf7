/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd/profile_source.h - --source: what a sample of cpu-clock is taken by.
 */
#ifndef PMUTRACE_CMD_PROFILE_SOURCE_H
#define PMUTRACE_CMD_PROFILE_SOURCE_H

#include <stdbool.h>

#include "base/array.h"
#include "base/buf.h"
#include "cmd/events.h"
#include "machine/target.h"
#include "probe/sample.h"

/*
 * @word: "tick", "cpu-clock", or NULL: whatever event is asked for. What there is without -e then
 * goes into @events. 0; -EINVAL with @why; -ENOMEM.
 */
int profile_source__parse(const char *word, struct event_opts *events, enum sampler_source *out,
			  struct buf *why) must_check;

/* Both are of cpu-clock, and of nothing beside it. 0; -EINVAL with @why; -ENOMEM. */
int profile_source__check(const char *word, const struct perf_events *events,
			  struct buf *why) must_check;

/*
 * Whether the tick comes often enough for the event, and to CPUs of the target at all. 0; -EINVAL
 * with @why: other options are needed; -EOPNOTSUPP with @why; another -errno.
 */
int profile_source__check_tick(const struct perf_event_spec *ev, bool idle,
			       const struct target *target, struct buf *why) must_check;

/* Notices: where samples come from, and what they do not see. */
void profile_source__tell(const struct target *target);

#endif
