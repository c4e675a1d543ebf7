/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * func_match.bpf.h - intervals that are told apart by a field of both probes, not by their task:
 * a start waits here for its end, which may come on another CPU.
 *
 * Any CPU may begin, begin again or end the same one at any time. There is no compare-and-swap
 * before 5.12; what the kernel's hash does under its bucket's lock serves instead: of all that
 * insert (BPF_NOEXIST) or delete a key at the same time one succeeds. So each start is counted
 * once, as an interval, as replaced, as lost, or as one that has no end yet.
 *
 * Elements that were deleted or replaced are used again at once, by any key: a reader looks
 * whether what it has copied is what it looked up.
 */
#ifndef PMUTRACE_FUNC_MATCH_BPF_H
#define PMUTRACE_FUNC_MATCH_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "fetch.bpf.h"
#include "func.wire.h"
#include "func_count.bpf.h"
#include "func_exit.bpf.h"
#include "func_frames.bpf.h"
#include "func_place.bpf.h"
#include "func_task.bpf.h"
#include "tracepoint.bpf.h"

enum {
	MATCH_E2BIG = 7, /* include/uapi/asm-generic/errno-base.h */
	MATCH_EEXIST = 17,
	MATCH_TRIES = 3,
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set by the loader */
	__type(key, __u64);
	__type(value, struct func_start);
} starts SEC(".maps");

/*
 * Whether an operation on a map ended with this error. Before 6.4, commit d7ba4cc900bf, they return
 * an int, and programs that call them without the helper in between get 32 bits of it.
 */
static __always_inline int ended_with(long result, int error)
{
	return (int)result == -error;
}

/*
 * Replaces the start that is there, which has no end, in one step: an end that comes meanwhile
 * finds one of both. Several tries, for it may go or come in between.
 */
static __always_inline void insert_start(const struct func_start *s)
{
	for (int i = 0; i < MATCH_TRIES; i++) {
		long err = bpf_map_update_elem(&starts, &s->id, s, BPF_NOEXIST);

		if (!err)
			return;
		if (ended_with(err, MATCH_E2BIG)) {
			func_lose(FUNC_LOST_TASKS);
			return;
		}
		if (ended_with(err, MATCH_EEXIST) &&
		    !bpf_map_update_elem(&starts, &s->id, s, BPF_EXIST)) {
			func_lose(cfg.place ? FUNC_LOST_NO_RETURN : FUNC_LOST_REPLACED);
			return;
		}
	}
	func_lose(FUNC_LOST_RACED);
}

/* The value of `match` at this probe: what the call is paired by. */
static __always_inline int match_id(void *ctx, const volatile struct fetch *match, __u32 func,
				    __u64 *id)
{
	if (cfg.place != FUNC_PLACE_STACK)
		return fetch_number(ctx, match, func, id);
	*id = place_of_call(ctx, func);
	return 0;
}

static __always_inline void match_put(void *ctx, __u32 func)
{
	struct func_start s = {};

	if (match_id(ctx, &cfg.match_entry, func, &s.id)) {
		func_lose(FUNC_LOST_MATCH);
		return;
	}
	func_fetch_entry(ctx, func, s.fields);
	s.start_ns = bpf_ktime_get_ns();
	insert_start(&s);
}

/* Whether the copy is of one start: the kernel writes values from their first word on. */
static __always_inline int copy_start(const volatile struct func_start *s, __u64 id,
				      struct func_frame *f)
{
	f->start_ns = s->start_ns;
	for (__u32 i = 0; i < FUNC_FIELDS && i < cfg.nr_by; i++)
		f->fields[i] = s->fields[i];
	return s->start_ns == f->start_ns && s->id == id;
}

/*
 * Takes the start that this ends. If another has replaced it since it was copied, that one is
 * taken away instead, and what was copied had been told as replaced: the sum is right. <0: there is
 * none.
 */
static __always_inline int match_take(void *ctx, __u32 func, struct func_frame *f)
{
	__u64 id;

	f->func = func;
	if (match_id(ctx, &cfg.match_return, func, &id))
		return -1;
	for (int i = 0; i < MATCH_TRIES; i++) {
		const struct func_start *s = bpf_map_lookup_elem(&starts, &id);

		if (!s)
			return -1;
		if (copy_start(s, id, f))
			return bpf_map_delete_elem(&starts, &id);
	}
	return -1;
}

/* With `match`: the first of two probes, .. */
static __always_inline void begin_matched(void *ctx, __u32 func)
{
	if (is_wanted(ctx, func))
		match_put(ctx, func);
}

SEC("kprobe")
int match_start(void *ctx)
{
	begin_matched(ctx, func_of(ctx));
	return 0;
}

SEC("tracepoint")
int match_start_rec(void *ctx)
{
	begin_matched(ctx, cfg.source);
	return TRACEPOINT_PASS_ON;
}

SEC("raw_tp")
int match_start_raw(struct bpf_raw_tracepoint_args *ctx)
{
	begin_matched(ctx, cfg.source);
	return 0;
}

/*
 * .. and the second, in whatever task it is hit. The clock is read behind the start that was found:
 * that is not later, unless the clocks of two CPUs differ.
 */
static __always_inline void end_matched(void *ctx, enum kind kind, __u32 func)
{
	struct func_totals now = {};
	struct func_frame f = {};

	if (!control.on || (has_registers(kind) && !exit_is_taken(ctx)))
		return;
	if (match_take(ctx, func, &f)) {
		tell_unmatched(ctx);
		return;
	}
	now.now_ns = bpf_ktime_get_ns();
	if (now.now_ns < f.start_ns)
		func_lose(FUNC_LOST_RACED);
	else
		take_call(ctx, kind, &f, &now, OF_MATCH);
}

SEC("kprobe")
int match_end(void *ctx)
{
	end_matched(ctx, KIND_KERNEL, func_of(ctx));
	return 0;
}

SEC("kprobe")
int match_end_usr(void *ctx)
{
	end_matched(ctx, KIND_USER, func_of(ctx));
	return 0;
}

SEC("tracepoint")
int match_end_rec(void *ctx)
{
	end_matched(ctx, KIND_RECORD, cfg.source);
	return TRACEPOINT_PASS_ON;
}

SEC("raw_tp")
int match_end_raw(struct bpf_raw_tracepoint_args *ctx)
{
	end_matched(ctx, KIND_RAW, cfg.source);
	return 0;
}

#endif
