/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd/top_thrift.h - top --max-overhead: what is counted less of, in which order.
 *
 *	rate	intervals twice as long, up to eight times; of functions half of the samples
 *	keys	threads are not told apart; of functions no user stacks
 *	events	from the last one on, which have no value then
 *	pause	there are no intervals
 *
 * Steps are looked for once a second, and heeded at the end of an interval, which comes early then:
 * what an interval has was counted in the same way from its beginning to its end.
 */
#ifndef PMUTRACE_CMD_TOP_THRIFT_H
#define PMUTRACE_CMD_TOP_THRIFT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "cmd/top_run.h"

struct top_stacks;

/* Below @samples: functions that are sampled beside, or NULL. All do nothing without a budget. */

/* Of the options. 0; -EINVAL with r->why; -ENOMEM. */
int top_thrift__open(struct top_run *r) must_check;

/* Counting has begun. */
void top_thrift__begin(struct top_run *r, const struct top_stacks *samples);

/* Looks, if it is time to. Ends the interval, or a pause, where more or less is to be counted. */
int top_thrift__poll(struct top_run *r, struct top_stacks *samples) must_check;

/* An interval was shown. 0 or -errno. */
int top_thrift__heed(struct top_run *r, struct top_stacks *samples) must_check;

/* What counted or sampled is about to be closed, or has just been opened. */
void top_thrift__note_end(struct top_run *r, uint64_t own_ns);
int top_thrift__renew(struct top_run *r, struct top_stacks *samples) must_check;

/* From one interval to the next now. */
uint64_t top_thrift__delay_ns(const struct top_run *r);

/* Nothing is counted: there is nothing to show. */
bool top_thrift__is_paused(const struct top_run *r);

/* @ms, or less if it is looked sooner. */
unsigned top_thrift__patience_ms(const struct top_run *r, unsigned ms);

#endif
