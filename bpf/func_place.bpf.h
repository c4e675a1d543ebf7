/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * func_place.bpf.h - calls that are told apart by process and stack pointer, whatever thread runs
 * them (FUNC_PLACE_STACK): those of programs that switch between stacks.
 */
#ifndef PMUTRACE_FUNC_PLACE_BPF_H
#define PMUTRACE_FUNC_PLACE_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "func.wire.h"
#include "func_task.bpf.h"
#include "task.bpf.h"

/* The finalizer of MurmurHash3, which is invertible: each bit depends on each of @x. */
static __always_inline __u64 mix(__u64 x)
{
	x = (x ^ x >> 33) * 0xff51afd7ed558ccdull;
	x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53ull;
	return x ^ x >> 33;
}

/* Of the call that begins or ends. Two may have the same by a chance of one in 2^64. */
static __always_inline __u64 place_of_call(bpf_user_pt_regs_t *at, __u32 func)
{
	return mix(call_sp(at, 0) + mix(bpf_get_current_pid_tgid() >> 32 << 32 | func));
}

#endif
