/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe/sample_tick.h - samples in the scheduler's tick, in place of a clock event: SAMPLER_TICK.
 *
 * It takes no interrupt of its own, wakes no idle CPU, and is never passed over for another
 * tracer's program. It sees what runs while the tick comes: docs/tick.md tells what that misses.
 *
 * Knows: bpf/tick.bpf.h, the map of ticks, and what the kernel's accounting says of them.
 * Does not know: who chose it, and what for.
 */
#ifndef PMUTRACE_PROBE_SAMPLE_TICK_H
#define PMUTRACE_PROBE_SAMPLE_TICK_H

#include <stdbool.h>

#include "base/array.h"
#include "base/buf.h"
#include "event/event.h"
#include "model/unwind_check.h"
#include "probe/sample.h"

struct sampler;

/* cpu-clock, with whatever modifiers. */
bool sample_tick__is_of(const struct perf_event_spec *ev);

/*
 * Before loading: what the program has to know of this kernel and of the event. 0; -EINVAL: the
 * options are none for a tick; -EOPNOTSUPP with @why: not on this kernel; another -errno.
 */
int sample_tick__prepare(struct sampler *s, const struct sampler_opts *opts,
			 struct buf *why) must_check;

/*
 * After loading: attaches the program, off, and waits until it has seen a tick, at most for as long
 * as a dozen take. 0; -EOPNOTSUPP with @why: there was none, or there are no rules of the kernel to
 * verify; another -errno.
 */
int sample_tick__open(struct sampler *s, const struct sampler_opts *opts,
		      struct buf *why) must_check;
void sample_tick__close(struct sampler *s);

/* What comparisons of kernel stacks came to, if they are verified. */
void sample_tick__check(const struct sampler *s, struct unwind_check *check);

/* At the start, while it is off. 0 or -errno. */
int sample_tick__start(struct sampler *s) must_check;

/* Has the program go by s->thrift, from the next tick on. 0. */
int sample_tick__spare(struct sampler *s) must_check;

/*
 * Works out how long CPUs were measured, and for how long tasks ran there without a tick, up to
 * now. 0 or -errno.
 */
int sample_tick__look(struct sampler *s) must_check;

#endif
