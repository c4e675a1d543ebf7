/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * func_place.bpf.h - calls that are told apart by where they are on their stack, whatever thread
 * runs them (func_cfg.place): those of programs that switch between stacks, and of Go.
 *
 * Go moves a stack when it has to grow: what stays is the distance from its upper end, which is the
 * second word of the goroutine's struct g (src/runtime/runtime2.go: stack.lo, stack.hi). Since Go
 * 1.17 on x86_64, and always on arm64, a register has the address of that struct
 * (src/cmd/compile/abi-internal.md).
 */
#ifndef PMUTRACE_FUNC_PLACE_BPF_H
#define PMUTRACE_FUNC_PLACE_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "func.wire.h"
#include "func_task.bpf.h"
#include "task.bpf.h"

static __always_inline __u64 goroutine(bpf_user_pt_regs_t *at)
{
#if defined(__TARGET_ARCH_x86)
	return at->r14;
#else
	return at->regs[28];
#endif
}

/* Each bit of the result depends on each of @x: the finalizer of MurmurHash3, which is invertible.
 */
static __always_inline __u64 mix(__u64 x)
{
	x = (x ^ x >> 33) * 0xff51afd7ed558ccdull;
	x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53ull;
	return x ^ x >> 33;
}

/*
 * The call of a function that is about to begin or end. Two of them may have the same id by a
 * chance of one in 2^64. 0; <0: there is no goroutine.
 */
static __always_inline int place_of_call(bpf_user_pt_regs_t *at, __u32 func, __u64 *id)
{
	__u64 place = call_sp(at, 0), g = 0, high;

	if (cfg.place == FUNC_PLACE_GO) {
		g = goroutine(at);
		if (bpf_probe_read_user(&high, sizeof(high), (const void *)(g + 8)))
			return -1;
		place = high - place;
	}
	*id = bpf_get_current_pid_tgid() >> 32 << 32 | func;
	*id = mix(place + mix(g + mix(*id)));
	return 0;
}

#endif
