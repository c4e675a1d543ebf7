// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * sample: perf events -> counts by task and stack.
 *
 * One sample's way: is it a target's? -> its stack into scratch (stack.bpf.h) -> counted by task
 * and stack (table.bpf.h). Every sample that passes the filters ends in a slot or in a loss
 * counter.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "sample.wire.h"
#include "sample_key.bpf.h"
#include "stack.bpf.h"
#include "table.bpf.h"
#include "target.bpf.h"
#include "task.bpf.h"

const volatile struct sample_cfg cfg;

/*
 * Runs in NMI context for hardware events: no locks, no sleeping helpers. Not inlined: sixteen
 * programs share it.
 */
__noinline int take_sample(struct bpf_perf_event_data *ctx, __u32 event)
{
	__u64 pid_tgid = bpf_get_current_pid_tgid(), begin_ns = 0, mm;
	__u32 cpu, index;
	struct sample_key *key;
	struct scratch *s;
	struct user_regs regs;
	struct task_struct *t;
	struct table_cpu *c;
	int user;

	if (!is_target(pid_tgid))
		return 0;
	if (cfg.measures_cost)
		begin_ns = bpf_ktime_get_ns();
	c = table_enter(TABLE_ALONE, &cpu);
	if (!c)
		return 0;
	table_now(c)->seen++;
	s = bpf_map_lookup_elem(&scratch, &cpu);
	if (!s) {
		table_now(c)->lost[TABLE_LOST_MAP]++;
		return 0;
	}

	t = current_task();
	mm = task_mm(t);
	key = (struct sample_key *)s->words;
	__builtin_memset(key, 0, sizeof(*key));
	s->found = (struct stack_found){ .source = event };
	take_task(key, pid_tgid, &cfg);

	user = REGS_USER(&ctx->regs);
	if (stack.kernel && !user)
		walk_kernel(s, ctx, 0);
	/* Who was interrupted in user mode is no kernel thread: one cache line less to look at. */
	if (stack.user && mm && (user || !(task_flags(t) & PF_KTHREAD))) {
		key->mm = mm;
		regs.ip = REGS_IP(&ctx->regs);
		regs.sp = REGS_SP(&ctx->regs);
		regs.fp = REGS_FP(&ctx->regs);
		if (user || !user_regs_at_entry(t, &regs))
			walk_user(s, cpu, &regs, 0);
	}
	key->stack = s->found;
	table_count(&s->record, SAMPLE_KEY_WORDS + s->found.nr_kernel + s->found.nr_user,
		    SAMPLE_KEY_WORDS + 2 * STACK_MAX_FRAMES, c, cpu, ctx->sample_period, &index);
	if (cfg.measures_cost)
		table_now(c)->own_ns += bpf_ktime_get_ns() - begin_ns;
	return 0;
}

/* Which event fired is told by which program ran: attach cookies are newer than 5.10. */
#define EVENT_PROGRAM(n)                                                                           \
	SEC("perf_event")                                                                          \
	int sample_event_##n(struct bpf_perf_event_data *ctx)                                      \
	{                                                                                          \
		return take_sample(ctx, n);                                                        \
	}

EVENT_PROGRAM(0)
EVENT_PROGRAM(1)
EVENT_PROGRAM(2)
EVENT_PROGRAM(3)
EVENT_PROGRAM(4)
EVENT_PROGRAM(5)
EVENT_PROGRAM(6)
EVENT_PROGRAM(7)
EVENT_PROGRAM(8)
EVENT_PROGRAM(9)
EVENT_PROGRAM(10)
EVENT_PROGRAM(11)
EVENT_PROGRAM(12)
EVENT_PROGRAM(13)
EVENT_PROGRAM(14)
EVENT_PROGRAM(15)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
