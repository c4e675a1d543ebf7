/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * clock.bpf.h - takes the samples of clock events whose own program the kernel has passed over.
 *
 * cpu-clock and task-clock are timers: perf_swevent_hrtimer() (kernel/events/core.c) is what they
 * call, and the tracepoint hrtimer_expire_exit comes right after it. Raw tracepoints run whatever
 * bpf_prog_active says: when the event's own program has not run by then, the sample is taken
 * there.
 *
 * Addresses of the kernel are learned from samples that come the usual way, of which any idle CPU
 * has one: not every kernel tells them.
 */
#ifndef PMUTRACE_CLOCK_BPF_H
#define PMUTRACE_CLOCK_BPF_H

#include "fired.bpf.h"
#include "likely.h"
#include "sample.wire.h"
#include "stack.bpf.h"
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

/* bool: there is a clock event. Set by the loader. */
const volatile __u32 clock_rescue;

volatile __u64 clock_function; /* hrtimer.function of clock events; 0: not learned yet */
volatile __u64 clock_entry;    /* where the timer's interrupt was entered: own frames end there */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set by the loader: CPUs * events */
	__type(key, __u64);	/* the event's id */
	__type(value, struct sample_clock);
} clocks SEC(".maps");

enum { CLOCK_OWN_FRAMES = 32 }; /* of the program and the interrupt, at most */

/* @ctx: of the program of an event that may be a clock. */
static __always_inline void clock_learn(struct bpf_perf_event_data *ctx, struct sample_fired *f)
{
	const struct bpf_perf_event_data_kern *data = (void *)ctx;
	struct perf_event *event;
	__u64 id;

	if (!clock_rescue)
		return;
	if (f && unlikely(!clock_entry))
		f->ip = REGS_USER(&ctx->regs) ? 0 : REGS_IP(&ctx->regs);
	if (likely(clock_function) || bpf_core_read(&event, sizeof(event), &data->event))
		return;
	id = BPF_CORE_READ(event, id);
	if (bpf_map_lookup_elem(&clocks, &id))
		clock_function = (__u64)BPF_CORE_READ(event, hw.hrtimer.function);
}

/* The clock event of ours whose timer this is; NULL: it is none. */
static __always_inline const struct sample_clock *clock_of(struct hrtimer *timer, __u64 *period)
{
	struct perf_event *event;
	__u64 id;

	if (!clock_function || (__u64)BPF_CORE_READ(timer, function) != clock_function)
		return NULL;
	event = (void *)timer - bpf_core_field_offset(struct perf_event, hw.hrtimer);
	id = BPF_CORE_READ(event, id);
	*period = BPF_CORE_READ(event, hw.last_period);
	return bpf_map_lookup_elem(&clocks, &id);
}

/*
 * How many innermost kernel frames are this program's and the interrupt's, to be skipped by who has
 * called this, whose stack has one frame less: this function's own. -1: not known; 0: all of them,
 * for user mode was interrupted. @place: of the scratch record, whose window of user stacks holds
 * the frames meanwhile. @ip: of the sample that has just been taken, to learn from; 0: there is
 * none.
 */
__noinline int clock_skip(struct bpf_raw_tracepoint_args *ctx, __u32 place, __u64 ip)
{
	struct scratch *s = bpf_map_lookup_elem(&scratch, &place);
	long bytes;

	if (!s)
		return -1;
	bytes = bpf_get_stack(ctx, s->window, CLOCK_OWN_FRAMES * 8, 0);
	for (int i = 1; i < CLOCK_OWN_FRAMES; i++) {
		if (bytes < i * 8)
			return -1;
		if (ip && bytes > i * 8 && s->window[i] == ip) {
			clock_entry = s->window[i - 1];
			return i - 1;
		}
		if (!ip && s->window[i - 1] == clock_entry)
			return bytes > i * 8 ? i - 1 : 0;
	}
	return -1;
}

/*
 * Whether a sample of the event was passed over here: not in user mode, where none is; nor if it
 * excludes the kernel, or idle tasks and this is one. @skip: as clock_skip() returns it; if not
 * known, an event that excludes user mode gets none.
 */
static __always_inline int clock_wants(const struct sample_clock *clock, int skip, __u32 tid)
{
	if (clock->exclude & SAMPLE_NO_KERNEL || (!tid && clock->exclude & SAMPLE_NO_IDLE))
		return 0;
	return skip > 0 || (skip < 0 && !(clock->exclude & SAMPLE_NO_USER));
}

#endif
