/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * func_exit.bpf.h - for probes on the instructions that may leave a function (func_cfg.decoded):
 * decides whether it is left this time.
 *
 * They stand in front of a return or a jump, which the program sees before it is executed. The
 * probe's cookie has what is to be known of it (enum func_cookie); without cookies there are only
 * such instructions as always leave it.
 */
#ifndef PMUTRACE_FUNC_EXIT_BPF_H
#define PMUTRACE_FUNC_EXIT_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "func.wire.h"
#include "func_task.bpf.h"
#include "target.bpf.h"
#include "task.bpf.h"

static __always_inline __u64 exit_cookie(void *ctx)
{
	return cfg.decoded && cfg.has_cookie ? bpf_get_attach_cookie(ctx) : 0;
}

#if defined(__TARGET_ARCH_x86)
/* Bits of RFLAGS, and Jcc's conditions: Intel SDM volume 1, 3.4.3, and volume 1, appendix B. */
enum { FLAG_CF = 1 << 0, FLAG_PF = 1 << 2, FLAG_ZF = 1 << 6, FLAG_SF = 1 << 7, FLAG_OF = 1 << 11 };

static __always_inline int condition_holds(__u32 condition, __u64 flags)
{
	int sign = !!(flags & FLAG_SF), is_less = sign != !!(flags & FLAG_OF), holds;

	switch (condition >> 1 & 7) {
	case 0:
		holds = !!(flags & FLAG_OF);
		break;
	case 1:
		holds = !!(flags & FLAG_CF);
		break;
	case 2:
		holds = !!(flags & FLAG_ZF);
		break;
	case 3:
		holds = !!(flags & (FLAG_CF | FLAG_ZF));
		break;
	case 4:
		holds = sign;
		break;
	case 5:
		holds = !!(flags & FLAG_PF);
		break;
	case 6:
		holds = is_less;
		break;
	default:
		holds = is_less || flags & FLAG_ZF;
		break;
	}
	return holds != (int)(condition & 1);
}

static __always_inline int exit_is_taken(bpf_user_pt_regs_t *at)
{
	__u64 cookie = exit_cookie(at);

	return !(cookie & FUNC_COOKIE_BRANCH) ||
	       condition_holds(cookie >> FUNC_COOKIE_CONDITION & 0xf, at->eflags);
}
#else
static __always_inline int exit_is_taken(bpf_user_pt_regs_t *at)
{
	return 1;
}
#endif

static __always_inline int exit_is_jump(void *ctx)
{
	return !!(exit_cookie(ctx) & FUNC_COOKIE_JUMP);
}

/* Counts a return without a known call, unless the instruction may stay in the function. */
static __always_inline void tell_unmatched(void *ctx)
{
	if (!(exit_cookie(ctx) & FUNC_COOKIE_UNSURE) && control.on &&
	    is_target(bpf_get_current_pid_tgid()))
		__sync_fetch_and_add(&control.unmatched, 1);
}

#endif
