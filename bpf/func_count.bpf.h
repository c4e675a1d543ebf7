/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * func_count.bpf.h - counts a call that has ended in the row of its key (task, fields, a bucket,
 * its caller or stack), with what it has cost.
 *
 * Knows: keys of rows. Does not know: which calls there are, and when they end: func.bpf.c.
 */
#ifndef PMUTRACE_FUNC_COUNT_BPF_H
#define PMUTRACE_FUNC_COUNT_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "buckets.bpf.h"
#include "fetch.bpf.h"
#include "filter.bpf.h"
#include "func.wire.h"
#include "func_frames.bpf.h"
#include "func_task.bpf.h"
#include "sample_key.bpf.h"
#include "stack.bpf.h"
#include "table.bpf.h"
#include "target.bpf.h"
#include "task.bpf.h"

enum kind {
	KIND_KERNEL,	 /* kprobes, and uprobes where those cannot be preempted */
	KIND_TRAMPOLINE, /* fentry and fexit: arguments, no registers */
	KIND_USER,	 /* uprobes */
	KIND_RECORD,	 /* tracepoints */
	KIND_RAW,	 /* raw tracepoints */
};

/* Whether a call has more values than its time. A constant: what is unused takes no stack. */
enum of { OF_TASK, OF_MATCH };

/*
 * As in count.bpf.c. The kernel does not run an fexit program that is running on the CPU, and no
 * other counts in the same table.
 */
static __always_inline enum table_how how(enum kind kind)
{
	if (kind == KIND_USER)
		return TABLE_PREEMPTED;
	return kind == KIND_RAW ? TABLE_INTERRUPTED : TABLE_ALONE;
}

static __always_inline int has_registers(enum kind kind)
{
	return kind == KIND_KERNEL || kind == KIND_USER;
}

static __always_inline void take_key(void *ctx, void *fields, enum kind kind, struct scratch *s,
				     __u32 place, const struct func_frame *f,
				     const struct func_totals *now, enum of of)
{
	struct sample_key *key = (struct sample_key *)s->words;

	for (__u32 i = 0; i < SAMPLE_KEY_WORDS + FUNC_FIELDS + 1 && i < stack.first; i++)
		s->words[i] = 0;
	take_task(key, bpf_get_current_pid_tgid(), &cfg.task);
	s->found = (struct stack_found){ .source = f->func };
	for (__u32 i = 0; i < FUNC_FIELDS && i < cfg.nr_by; i++) {
		__u64 *to = &s->words[cfg.by[i].at & (STACK_FIRST_MAX - 1)];

		if (cfg.by_ret & 1u << i)
			fetch_number(fields, &cfg.by[i], f->func, to);
		else
			*to = f->fields[i];
	}
	for (__u32 n = 0; n < FUNC_VALUES_MAX && cfg.buckets; n++)
		if (n == cfg.bucket_of) {
			__u64 v = of == OF_TASK ? value_of(f, now, n) : time_of(f, now);

			s->words[cfg.bucket_at & (STACK_FIRST_MAX - 1)] =
				cfg.buckets == BUCKETS_LOG2 ? bucket_log2(v, 0)
							    : bucket_linear(v, 0, &cfg.linear);
		}
	if (cfg.caller) {
		s->words[stack.first & (STACK_FIRST_MAX - 1)] = f->caller;
		s->found.nr_kernel = 1;
	} else if (stack.kernel || stack.user) {
		key->mm = stack_take(ctx, kind == KIND_USER || (kind == KIND_KERNEL && cfg.is_user),
				     cfg.decoded ? STACK_CALLER : 0,
				     kind == KIND_RAW ? STACK_SKIP_RAW : 0, s, place);
	}
	key->stack = s->found;
}

static __always_inline void exemplify(const struct table_slot *slot, __u32 index,
				      const struct func_frame *f, const struct func_totals *now,
				      enum of of)
{
	__u64 value = time_of(f, now);

	for (__u32 n = 0; of == OF_TASK && n < FUNC_VALUES_MAX; n++)
		if (n == cfg.bucket_of)
			value = value_of(f, now, n);
	table_exemplify(slot, index, value);
}

static __always_inline void count_call(void *ctx, void *fields, enum kind kind,
				       const struct func_frame *f, const struct func_totals *now,
				       enum of of)
{
	__u32 place, index;
	struct table_cpu *c = table_enter(how(kind), &place);
	struct table_slot *slot = NULL;
	struct scratch *s;

	if (!c)
		return;
	table_now(c)->seen++;
	s = bpf_map_lookup_elem(&scratch, &place);
	if (s) {
		take_key(ctx, fields, kind, s, place, f, now, of);
		slot = table_count(&s->record, stack.first + s->found.nr_kernel + s->found.nr_user,
				   SAMPLE_KEY_WORDS + FUNC_FIELDS + 1 + 2 * STACK_MAX_FRAMES, c,
				   place, 1, &index);
	} else {
		table_now(c)->lost[TABLE_LOST_MAP]++;
	}
	for (__u32 n = 0; slot && n < FUNC_VALUES_MAX && n < table_nr_measured(); n++) {
		struct table_value *v = table_value_at(index, n);

		if (v)
			table_measure(v, of == OF_TASK ? value_of(f, now, n) : time_of(f, now), 0,
				      slot->count == 1);
	}
	if (slot && table.exemplars)
		exemplify(slot, index, f, now, of);
	table_leave(how(kind), c);
}

/*
 * Not inlined: the text is not to be on the stack while stacks are walked, for kernels up to 6.1
 * count all frames of a chain of calls.
 */
static __noinline int passes(void *fields, __u32 func)
{
	__u64 text[FETCH_STRING_WORDS];
	int result = filter_passes(fields, func, text);

	if (result < 0)
		func_lose(FUNC_LOST_FILTER);
	return result > 0;
}

/* Whether a call that begins is to be measured: counting is on, target, filter. */
static __always_inline int is_wanted(void *ctx, __u32 func)
{
	return control.on && is_target(bpf_get_current_pid_tgid()) &&
	       (!filter.nr || cfg.filter_ret || passes(ctx, func));
}

/* Counts a call that has ended, and is no longer among the task's frames. */
static __always_inline void take_call(void *ctx, enum kind kind, const struct func_frame *f,
				      const struct func_totals *now, enum of of)
{
	__u64 result = 0;
	void *fields = ctx;

	if (!control.on)
		return;
	if (kind == KIND_TRAMPOLINE && (cfg.by_ret || cfg.filter_ret)) {
		bpf_get_func_ret(ctx, &result); /* fails in programs that are not fexit only */
		fields = &result;
	}
	if (filter.nr && cfg.filter_ret && !passes(fields, f->func))
		return;
	if (time_of(f, now) < cfg.min_ns)
		__sync_fetch_and_add(&control.short_calls, 1);
	else
		count_call(ctx, fields, kind, f, now, of);
}

/*
 * Ends a call of a task or stack. @caller: frame of the measured call that made it, or NULL. @err:
 * what was used up to now cannot be read; @is_told: no switch since the call began was missed.
 */
static __always_inline void end_frame(void *ctx, enum kind kind, const struct func_frame *f,
				      struct func_frame *caller, const struct func_totals *now,
				      long err, int is_told)
{
	if (err) {
		func_lose(FUNC_LOST_COUNTER);
	} else if (!is_told) {
		func_lose(FUNC_LOST_SWITCH);
	} else {
		if (caller)
			tell_caller(caller, f, now);
		take_call(ctx, kind, f, now, OF_TASK);
	}
}

#endif
