/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * orc.bpf.h - kernel frames by the kernel's own unwind rules (ORC), from given registers on. x86.
 *
 * bpf_get_stack() begins its walk at itself: in the scheduler's tick some fifteen frames of the
 * program and of the interrupt come before the one that was interrupted, and each is waited for
 * where caches have been used by others: 18 to 25 us for a single frame wanted.
 *
 * Sources: arch/x86/kernel/unwind_orc.c, whose unwind_next() this follows; asm/orc_types.h. The
 * tables are .orc_unwind_ip, sorted, each a distance from where it stands, and .orc_unwind, struct
 * orc_entry. Rules that were used are kept: the same return addresses come again.
 *
 * Followed are calls and whole sets of registers in the kernel's own text. Whatever else there is
 * (modules, programs made at run time, functions whose return is probed or traced, registers in
 * part) is left to the kernel: what is told is the same.
 *
 * But for the tables nothing is read outside of 16 KiB from where the interrupted one stood, and of
 * the task's stack: a stray address may be that of a device.
 */
#ifndef PMUTRACE_ORC_BPF_H
#define PMUTRACE_ORC_BPF_H

#include "likely.h"
#include "orc.wire.h"
#include "scratch.bpf.h"
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

const volatile struct orc_cfg orc;

enum orc_walked {
	ORC_MORE,
	ORC_END,  /* the outermost frame, or as many as wanted */
	ORC_LEFT, /* to the kernel */
};

/* ORC_REG_ of asm/orc_types.h */
enum orc_register {
	ORC_NONE = 0,
	ORC_PREVIOUS_SP = 1,
	ORC_BP = 4,
	ORC_SP = 5,
	ORC_BP_INDIRECT = 8,
	ORC_SP_INDIRECT = 9,
};

/* Ours: the kernel's changed with Linux 6.4. */
enum orc_kind {
	ORC_UNKNOWN,
	ORC_OUTERMOST,
	ORC_CALL,
	ORC_REGISTERS,
};

struct orc_rule {
	__s16 sp_offset, bp_offset;
	__u8 sp_reg, bp_reg, kind, unused;
};

struct orc_recent {
	__u64 ip;
	struct orc_rule rule;
};

enum {
	ORC_RECENT_BITS = 10,
	ORC_STACK_BYTES = 16384, /* of a task and of interrupts; twice that with KASAN */
	ORC_REGS_BYTES = 168,	 /* struct pt_regs */
};

/* Of a place: nobody else writes there meanwhile. */
struct orc_place {
	__u32 low, nr; /* of a search: here the verifier does not follow them */
	struct orc_recent recent[1 << ORC_RECENT_BITS];
	__u64 verified[ORC_VERIFIED];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* set by the loader: places */
	__type(key, __u32);
	__type(value, struct orc_place);
} orc_places SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* set by the loader: places */
	__type(key, __u32);
	__type(value, struct orc_counts);
} orc_counts SEC(".maps");

static __always_inline struct orc_recent *orc_recent_of(struct orc_place *p, __u64 ip)
{
	/* Multiplicative: return addresses are not aligned to anything. */
	return &p->recent[(ip * 0x9E3779B97F4A7C15ull) >> (64 - ORC_RECENT_BITS)];
}

/* The address that a rule begins at. -1: it cannot be read. */
static __always_inline int orc_begin(__u32 index, __u64 *begin)
{
	const __u64 at = orc.ips + index * 4ull;
	__s32 distance;

	if (bpf_probe_read_kernel(&distance, sizeof(distance), (void *)at))
		return -1;
	*begin = at + distance;
	return 0;
}

static __always_inline __u8 orc_kind_of(const struct orc_entry *e)
{
	const __u32 type = BPF_CORE_READ_BITFIELD_PROBED(e, type);

	if (bpf_core_field_exists(struct orc_entry, end)) {
		if (BPF_CORE_READ_BITFIELD_PROBED(e, end))
			return ORC_OUTERMOST;
		return type == 0 ? ORC_CALL : type == 1 ? ORC_REGISTERS : ORC_UNKNOWN;
	}
	return type == 1   ? ORC_OUTERMOST
	       : type == 2 ? ORC_CALL
	       : type == 3 ? ORC_REGISTERS
			   : ORC_UNKNOWN;
}

/* Finds the rule of an address, and keeps it. 0 or -1. */
__noinline int orc_search(__u32 place, __u64 ip)
{
	struct orc_place *p = bpf_map_lookup_elem(&orc_places, &place);
	const struct orc_entry *e;
	struct orc_recent *r;
	__u32 middle;
	__u64 begin;

	if (!orc.nr || !p)
		return -1;
	/* The last one that begins at the address or before: in low .. low + nr. */
	p->low = 0;
	p->nr = orc.nr;
	for (int i = 0; i < ORC_STEPS && p->nr > 1; i++) {
		middle = p->nr / 2;
		if (orc_begin(p->low + middle, &begin))
			return -1;
		if (begin <= ip) {
			p->low += middle;
			p->nr -= middle;
		} else {
			p->nr = middle;
		}
	}
	e = (const void *)orc.rules + (__u64)p->low * bpf_core_type_size(struct orc_entry);
	r = orc_recent_of(p, ip);
	r->ip = 0;
	r->rule.sp_offset = BPF_CORE_READ(e, sp_offset);
	r->rule.bp_offset = BPF_CORE_READ(e, bp_offset);
	r->rule.sp_reg = BPF_CORE_READ_BITFIELD_PROBED(e, sp_reg);
	r->rule.bp_reg = BPF_CORE_READ_BITFIELD_PROBED(e, bp_reg);
	r->rule.kind = orc_kind_of(e);
	r->ip = ip;
	return 0;
}

/*
 * Are there so many bytes of a stack? What was interrupted stands on one, which goes on from there:
 * if not on the task's own, on that of interrupts, which leads to it.
 */
static __always_inline int orc_is_stack(struct orc_walk *w, __u64 at, __u32 bytes)
{
	__u64 base;

	if (likely(at >= w->stack && at - w->stack <= ORC_STACK_BYTES - bytes))
		return 1;
	base = (__u64)BPF_CORE_READ((struct task_struct *)bpf_get_current_task(), stack);
	if (at < base || at - base > ORC_STACK_BYTES - bytes)
		return 0;
	w->stack = base;
	return 1;
}

static __always_inline int orc_word(struct orc_walk *w, __u64 at, __u64 *word)
{
	return orc_is_stack(w, at, 8) && !bpf_probe_read_kernel(word, 8, (void *)at) ? 0 : -1;
}

/* Where the caller's stack begins, or its registers lie. -1: this is left to the kernel. */
static __always_inline int orc_frame_end(const struct orc_rule *r, struct orc_walk *w, __u64 *end)
{
	switch (r->sp_reg) {
	case ORC_SP:
		*end = w->sp + r->sp_offset;
		return *end > w->sp || r->kind == ORC_REGISTERS ? 0 : -1;
	case ORC_BP:
		*end = w->bp + r->sp_offset;
		return *end > w->sp ? 0 : -1;
	case ORC_SP_INDIRECT:
		if (orc_word(w, w->sp, end))
			return -1;
		*end += r->sp_offset;
		return 0;
	case ORC_BP_INDIRECT:
		return orc_word(w, w->bp + r->sp_offset, end);
	}
	return -1;
}

/* The caller, whose stack begins at @end, behind the return address. */
static __always_inline int orc_caller(const struct orc_rule *r, struct orc_walk *w, __u64 end)
{
	struct {
		__u64 bp, ip;
	} saved;

	w->sp = end;
	w->is_return = 1;
	if (likely(r->bp_reg == ORC_PREVIOUS_SP && r->bp_offset == -16)) {
		if (!orc_is_stack(w, end - sizeof(saved), sizeof(saved)) ||
		    bpf_probe_read_kernel(&saved, sizeof(saved), (void *)end - sizeof(saved)))
			return ORC_LEFT;
		w->ip = saved.ip;
		w->bp = saved.bp;
		return ORC_MORE;
	}
	if (orc_word(w, end - 8, &w->ip))
		return ORC_LEFT;
	switch (r->bp_reg) {
	case ORC_NONE:
		return ORC_MORE;
	case ORC_PREVIOUS_SP:
		return orc_word(w, end + r->bp_offset, &w->bp) ? ORC_LEFT : ORC_MORE;
	case ORC_BP:
		return orc_word(w, w->bp + r->bp_offset, &w->bp) ? ORC_LEFT : ORC_MORE;
	}
	return ORC_LEFT;
}

/* What was interrupted: all of its registers are at @at. */
static __always_inline int orc_interrupted(const struct orc_rule *r, struct orc_walk *w, __u64 at)
{
	struct entry_regs regs;

	if (r->bp_reg != ORC_NONE || !orc_is_stack(w, at, ORC_REGS_BYTES) ||
	    read_entry_regs((void *)at, &regs))
		return ORC_LEFT;
	if (REGS_USER(&regs))
		return ORC_END;
	w->ip = REGS_IP(&regs);
	w->sp = REGS_SP(&regs);
	w->bp = REGS_FP(&regs);
	w->is_return = 0;
	return ORC_MORE;
}

static __always_inline int orc_is_followed(__u64 ip)
{
	if (ip < orc.text || ip >= orc.text_end)
		return 0;
	for (int i = 0; i < ORC_TRAMPOLINES; i++)
		if (ip == orc.trampolines[i])
			return 0;
	return 1;
}

/* Takes the frame s->kernel, and goes on to its caller: enum orc_walked. */
__noinline int orc_frame(__u32 place)
{
	struct scratch *s = bpf_map_lookup_elem(&scratch, &place);
	struct orc_place *p = bpf_map_lookup_elem(&orc_places, &place);
	struct orc_recent *r;
	struct orc_walk *w;
	__u64 end, ip;

	if (!orc.nr || !s || !p)
		return ORC_LEFT;
	w = &s->kernel;
	if (!orc_is_followed(w->ip))
		return ORC_LEFT;
	if (s->found.nr_kernel >= stack.max_frames) {
		s->found.flaws |= STACK_KERNEL_TRUNCATED;
		return ORC_END;
	}
	s->words[(stack.first + s->found.nr_kernel++) & (STACK_ROOM_WORDS - 1)] = w->ip;
	/* A call may be the last thing a function does: its return address is the next one's. */
	ip = w->ip - w->is_return;
	r = orc_recent_of(p, ip);
	if (unlikely(r->ip != ip) && orc_search(place, ip))
		return ORC_LEFT;
	if (r->rule.kind == ORC_OUTERMOST)
		return ORC_END;
	if (r->rule.kind == ORC_UNKNOWN || orc_frame_end(&r->rule, w, &end))
		return ORC_LEFT;
	return r->rule.kind == ORC_CALL ? orc_caller(&r->rule, w, end)
					: orc_interrupted(&r->rule, w, end);
}

enum { ORC_BLOCK = 16, ORC_BLOCKS = STACK_MAX_FRAMES / ORC_BLOCK };

__noinline int orc_block(__u32 place)
{
	int more = ORC_MORE;

	for (int i = 0; i < ORC_BLOCK && more == ORC_MORE; i++)
		more = orc_frame(place);
	return more;
}

/*
 * Takes all frames of @regs, of kernel mode, into s->found and s->words. 0; -1: they are left to
 * the kernel, and none is there.
 */
static __always_inline int orc_walk_kernel(struct scratch *s, const struct entry_regs *regs,
					   __u32 place)
{
	int more = ORC_MORE;

	if (!orc.nr)
		return -1;
	s->kernel.ip = REGS_IP(regs);
	s->kernel.sp = s->kernel.stack = REGS_SP(regs);
	s->kernel.bp = REGS_FP(regs);
	s->kernel.is_return = 0;
	s->found.nr_kernel = 0;
	for (int i = 0; i <= ORC_BLOCKS && more == ORC_MORE; i++)
		more = orc_block(place);
	if (more == ORC_END)
		return 0;
	s->found.nr_kernel = 0;
	s->found.flaws &= ~STACK_KERNEL_TRUNCATED;
	return -1;
}

#endif
