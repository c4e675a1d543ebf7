// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * floor - the least that counting stacks can cost: what `sample` is measured against.
 *
 * Same method (frame pointers in block-copied windows of the user stack, kernel frames only for
 * samples in the kernel, a table of its own), and nothing else: no filters, one event, no loss
 * by reason, no flaws told apart, 64 bits of hash and no seed.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "task.bpf.h"

enum {
	FRAMES = 128, /* of each half */
	STEP = 16,    /* words hashed at once */
	SLOT_BITS = 14,
	PROBES = 16,
	STORE_WORDS = 1 << 18, /* per CPU */
	WINDOW_WORDS = 512,
	WINDOW_BYTES = 2048,
	PAGE = 4096,
};

struct scratch {
	__u64 frames[2 * FRAMES + STEP];
	__u64 window[WINDOW_WORDS + 1];
};

struct slot {
	__u64 hash, samples;
	__u32 tgid, nr_kernel, nr_user, at;
	char comm[16];
	__u64 pad;
};

struct table {
	__u64 used; /* words of the store */
	struct slot slots[1 << SLOT_BITS];
	__u64 store[STORE_WORDS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct scratch);
} scratch SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* set by the loader: CPUs */
	__type(key, __u32);
	__type(value, struct table);
} tables SEC(".maps");

struct walk {
	struct scratch *s;
	__u64 fp, base;
	__u32 len, nr;
};

/* One window, or the rest of one: bpf_loop verifies the body once. */
static long walk_some(__u32 round, struct walk *w)
{
	__u64 fp = w->fp, base = w->base, off, next, ret;
	__u32 len = w->len, nr = w->nr, at;
	struct scratch *s = w->s;

	off = fp - base;
	if (off + 16 > len || off >= PAGE) {
		__u32 room = PAGE - (fp & (PAGE - 1));

		if (!fp || (fp & 7))
			return 1;
		len = WINDOW_BYTES < room ? WINDOW_BYTES : room;
		if (len < 16)
			len = 16;
		if (bpf_probe_read_user(s->window, len, (void *)fp))
			return 1;
		base = fp;
	}
#pragma unroll
	for (int i = 0; i < 8; i++) {
		off = fp - base;
		if (off + 16 > len || off >= PAGE || (fp & 7))
			goto out_more;
		at = (off >> 3) & (WINDOW_WORDS - 1);
		next = s->window[at];
		ret = s->window[at + 1];
		if (!ret)
			goto out_done;
		s->frames[nr & (2 * FRAMES - 1)] = ret;
		nr++;
		if (next <= fp)
			goto out_done;
		fp = next;
	}
out_more:
	w->fp = fp;
	w->base = base;
	w->len = len;
	w->nr = nr;
	return nr >= 2 * FRAMES - 8;

out_done:
	w->nr = nr;
	return 1;
}

struct hashing {
	struct scratch *s;
	__u64 a, b, c, d;
};

static long hash_some(__u32 round, struct hashing *h)
{
	const __u64 *w = &h->s->frames[(round * STEP) & (2 * FRAMES - 1)];
	__u64 a = h->a, b = h->b, c = h->c, d = h->d;

#pragma unroll
	for (int i = 0; i < STEP; i += 4) {
		a = (a ^ w[i]) * 0x9e3779b97f4a7c15ull;
		b = (b ^ w[i + 1]) * 0xc2b2ae3d27d4eb4full;
		c = (c ^ w[i + 2]) * 0x165667b19e3779f9ull;
		d = (d ^ w[i + 3]) * 0x27d4eb2f165667c5ull;
		a ^= a >> 32;
		b ^= b >> 31;
		c ^= c >> 30;
		d ^= d >> 29;
	}
	h->a = a;
	h->b = b;
	h->c = c;
	h->d = d;
	return 0;
}

static __always_inline __u64 mix(__u64 h, __u64 x)
{
	h = (h ^ x) * 0x9e3779b97f4a7c15ull;
	return h ^ h >> 29;
}

static __always_inline void count(struct scratch *s, struct table *t, __u32 tgid, __u32 nr_kernel,
				  __u32 nr)
{
	struct hashing h = { s, (__u64)tgid << 32 | nr_kernel << 8 | nr, 1, 2, 3 };
	struct slot *e;
	__u64 hash, at;

	nr &= 2 * FRAMES - 1;
	__asm__ volatile("" : "+r"(nr));
	nr &= 2 * FRAMES - 1;
#pragma unroll
	for (int i = 0; i < STEP - 1; i++)
		s->frames[nr + i] = 0;
	bpf_loop((nr + STEP - 1) / STEP, hash_some, &h, 0);
	hash = mix(mix(mix(h.a, h.b), h.c), h.d) | 1;

	for (__u32 i = 0; i < PROBES; i++) {
		e = &t->slots[((hash >> 32) + i) & ((1 << SLOT_BITS) - 1)];
		if (e->hash == hash) {
			e->samples++;
			return;
		}
		if (e->hash)
			continue;
		at = t->used;
		if (at > STORE_WORDS - 2 * FRAMES ||
		    bpf_probe_read_kernel(&t->store[at], nr * 8, s->frames))
			return;
		t->used = at + nr;
		e->hash = hash;
		e->samples = 1;
		e->tgid = tgid;
		e->nr_kernel = nr_kernel;
		e->nr_user = nr - nr_kernel;
		e->at = at;
		bpf_get_current_comm(e->comm, sizeof(e->comm));
		return;
	}
}

SEC("perf_event")
int floor_sample(struct bpf_perf_event_data *ctx)
{
	__u32 zero = 0, cpu = bpf_get_smp_processor_id();
	struct task_struct *t = bpf_get_current_task_btf();
	struct user_regs regs = { REGS_IP(&ctx->regs), 0, REGS_FP(&ctx->regs) };
	struct walk w = {};
	struct table *table;
	long bytes;
	struct entry_regs entered;
	__u32 nr_kernel = 0;

	if (!t->pid)
		return 0;
	w.s = bpf_map_lookup_elem(&scratch, &zero);
	table = bpf_map_lookup_elem(&tables, &cpu);
	if (!w.s || !table)
		return 0;
	if (!REGS_USER(&ctx->regs)) {
		bytes = bpf_get_stack(ctx, w.s->frames, FRAMES * 8, 0);
		if (bytes > 0)
			nr_kernel = w.nr = (__u32)bytes / 8;
		if (!t->mm || user_regs_at_entry(t, &regs, &entered))
			regs.ip = 0;
	}
	if (regs.ip) {
		w.s->frames[w.nr & (2 * FRAMES - 1)] = regs.ip;
		w.nr++;
		w.fp = regs.fp;
		bpf_loop(2 * FRAMES, walk_some, &w, 0);
	}
	count(w.s, table, t->tgid, nr_kernel, w.nr);
	return 0;
}

/* What being called at all costs. */
SEC("perf_event")
int floor_empty(struct bpf_perf_event_data *ctx)
{
	return 0;
}

/* What the kernel takes to run any program at a system call. */
SEC("raw_tp/sys_enter")
int floor_syscall(void *ctx)
{
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
