// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * count: probes -> counts by fields, task and stack.
 *
 * One program for each kind of probe, of which the loader keeps one. A hit's way: is counting on,
 * is it a target's? -> a place in the table -> does it pass the filter? -> its fields and stack
 * into scratch -> table.bpf.h.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "buckets.bpf.h"
#include "count.wire.h"
#include "fetch.bpf.h"
#include "filter.bpf.h"
#include "sample_key.bpf.h"
#include "stack.bpf.h"
#include "table.bpf.h"
#include "target.bpf.h"
#include "task.bpf.h"
#include "tracepoint.bpf.h"

const volatile struct count_cfg cfg;
volatile struct count_control control;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* set by the loader: cfg.totals of each CPU */
	__type(key, __u32);
	__type(value, __u64);
} totals SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set by the loader: COUNT_CALLS of each program */
	__type(key, __u32);
	__type(value, __u32);
} calls SEC(".maps");

enum kind {
	KIND_FUNCTION, /* kprobes, and uprobes where those cannot be preempted */
	KIND_USER,     /* uprobes */
	KIND_RECORD,   /* tracepoints */
	KIND_RAW,      /* raw tracepoints */
	KIND_EVENT,    /* perf events */
	KIND_CALL,     /* the raw tracepoints of all system calls */
};

/*
 * Programs of kprobes, tracepoints and perf events never nest on a CPU: bpf_prog_active
 * (trace_call_bpf(), kernel/trace/bpf_trace.c). Nor do system calls. Other raw tracepoints may be
 * hit in an interrupt; uprobes' programs may be preempted since 6.0, commit 8c7dcb84e3b7.
 */
static __always_inline enum table_how how(enum kind kind)
{
	if (kind == KIND_USER)
		return TABLE_PREEMPTED;
	return kind == KIND_RAW ? TABLE_INTERRUPTED : TABLE_ALONE;
}

/* The probe's number: by its cookie where one program serves several probes. */
static __always_inline __u32 probe_of(void *ctx)
{
	return cfg.has_cookie ? bpf_get_attach_cookie(ctx) : cfg.source;
}

/* Puts a field into its words of the key, which are 0 before. */
static __always_inline void take_field(void *ctx, struct scratch *s, const volatile struct fetch *f,
				       __u32 probe)
{
	__u64 *to = &s->words[f->at & (STACK_FIRST_MAX - 1)];
	long err;

	if (f->form == FETCH_NUMBER)
		err = fetch_number(ctx, f, probe, to);
	else
		err = fetch_string(ctx, f, probe, to, FETCH_STRING_BYTES);
	if (err < 0)
		__sync_fetch_and_add(&control.fields_unreadable, 1);
}

/* The probe was hit in user mode, and its context is the registers. */
static __always_inline int is_user(void *ctx, enum kind kind)
{
	bpf_user_pt_regs_t *at = ctx;

	if (kind == KIND_USER)
		return 1;
	return (kind == KIND_FUNCTION || kind == KIND_EVENT) && REGS_USER(at);
}

/* Fetches the measure, for sums and histograms. False: it could not be read. */
static __always_inline int take_measure(void *ctx, struct scratch *s, __u32 probe, __u64 *measure)
{
	if (!cfg.measure.source)
		return 1;
	if (fetch_number(ctx, &cfg.measure, probe, measure) < 0)
		return 0;
	if (cfg.buckets == BUCKETS_LOG2)
		s->words[cfg.measure.at & (STACK_FIRST_MAX - 1)] =
			bucket_log2(*measure, cfg.measure_signed);
	else if (cfg.buckets == BUCKETS_LINEAR)
		s->words[cfg.measure.at & (STACK_FIRST_MAX - 1)] =
			bucket_linear(*measure, cfg.measure_signed, &cfg.linear);
	return 1;
}

/* Innermost kernel frames to skip: those by which the program was called. */
static __always_inline __u32 skipped(enum kind kind)
{
	if (kind == KIND_CALL)
		return STACK_SKIP_RAW + cfg.call_frame;
	return kind == KIND_RAW ? STACK_SKIP_RAW : 0;
}

/* @record: what fields are fetched from. */
static __always_inline void take_key(void *ctx, void *record, enum kind kind, struct scratch *s,
				     __u32 place, __u32 probe)
{
	struct sample_key *key = (struct sample_key *)s->words;

	take_task(key, bpf_get_current_pid_tgid(), &cfg.task);
	s->found = (struct stack_found){ .source = probe };
	for (__u32 i = 0; i < COUNT_FIELDS && i < cfg.nr_by; i++)
		take_field(record, s, &cfg.by[i], probe);
	if (stack.kernel || stack.user)
		key->mm =
			stack_take(ctx, is_user(ctx, kind), cfg.at_entry, skipped(kind), s, place);
	key->stack = s->found;
}

static __always_inline void count_in(void *ctx, void *record, enum kind kind, __u32 probe,
				     struct table_cpu *c, __u32 place)
{
	struct scratch *s = bpf_map_lookup_elem(&scratch, &place);
	__u64 measure = 0, weight = 1;
	__u32 index;
	struct table_slot *slot;
	struct table_value *v;

	if (!s) {
		table_now(c)->seen++;
		table_now(c)->lost[TABLE_LOST_MAP]++;
		return;
	}
	if (filter.nr) {
		int passes = filter_passes(record, probe, s->window);

		if (passes < 0)
			__sync_fetch_and_add(&control.filter_unreadable, 1);
		if (passes <= 0)
			return;
	}
	for (__u32 i = 0; i < COUNT_WORDS_MAX && i < stack.first; i++)
		s->words[i] = 0;
	if (!take_measure(record, s, probe, &measure)) {
		__sync_fetch_and_add(&control.measure_unreadable, 1);
		return;
	}
	table_now(c)->seen++;
	take_key(ctx, record, kind, s, place, probe);
	if (kind == KIND_EVENT)
		weight = ((struct bpf_perf_event_data *)ctx)->sample_period;
	slot = table_count(&s->record, stack.first + s->found.nr_kernel + s->found.nr_user,
			   COUNT_WORDS_MAX + 2 * STACK_MAX_FRAMES, c, place, weight, &index);
	if (!slot)
		return;
	if (table.exemplars)
		table_exemplify(slot, index, cfg.measure.source ? measure : 1);
	v = cfg.values ? table_value_at(index, 0) : NULL;
	if (v)
		table_measure(v, measure, cfg.measure_signed, slot->count == 1);
}

/* Totals need atomic operations only where programs of one `source` may be preempted. */
static __always_inline void count_total(enum kind kind, __u32 probe)
{
	__u32 at = bpf_get_smp_processor_id() * cfg.totals + probe;
	__u64 *total = bpf_map_lookup_elem(&totals, &at);

	if (!total)
		return;
	if (how(kind) == TABLE_PREEMPTED)
		__sync_fetch_and_add(total, 1);
	else
		++*total; /* an atomic operation would be a third of the whole price */
}

static __always_inline int count_hit(void *ctx, void *record, enum kind kind, __u32 probe)
{
	struct table_cpu *c;
	__u32 place;

	if (!is_target(bpf_get_current_pid_tgid()))
		return 0;
	if (cfg.totals) {
		count_total(kind, probe);
		return 0;
	}
	c = table_enter(how(kind), &place);
	if (!c)
		return 0;
	count_in(ctx, record, kind, probe, c, place);
	table_leave(how(kind), c);
	return 0;
}

static __always_inline int count(void *ctx, enum kind kind)
{
	return control.on ? count_hit(ctx, ctx, kind, probe_of(ctx)) : 0;
}

SEC("kprobe")
int count_function(void *ctx)
{
	return count(ctx, KIND_FUNCTION);
}

SEC("kprobe")
int count_user(void *ctx)
{
	return count(ctx, KIND_USER);
}

SEC("tracepoint")
int count_record(void *ctx)
{
	count(ctx, KIND_RECORD);
	return TRACEPOINT_PASS_ON;
}

SEC("raw_tp")
int count_raw(struct bpf_raw_tracepoint_args *ctx)
{
	return count(ctx, KIND_RAW);
}

/* TP_PROTO(struct pt_regs *regs, long id), or of the exit (struct pt_regs *regs, long ret) */
SEC("raw_tp")
int count_call(struct bpf_raw_tracepoint_args *ctx)
{
	struct pt_regs___call *regs = (void *)ctx->args[0];
	struct count_syscall record = {};
	__u32 at, *source;

	if (!control.on)
		return 0;
	record.number = call_number(regs);
	if ((__u32)record.number >= COUNT_CALLS)
		return 0;
	at = cfg.calls + record.number;
	source = bpf_map_lookup_elem(&calls, &at);
	if (!source || !*source || call_is_compat())
		return 0;
	if (cfg.at_exit)
		record.args[0] = ctx->args[1];
	else
		call_arguments(regs, cfg.call_args, record.args);
	return count_hit(ctx, &record, KIND_CALL, *source - 1);
}

SEC("perf_event")
int count_event(struct bpf_perf_event_data *ctx)
{
	return count(ctx, KIND_EVENT);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
