/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * orc.wire.h - where the kernel's own unwind rules are (orc.bpf.h).
 */
#ifndef PMUTRACE_ORC_WIRE_H
#define PMUTRACE_ORC_WIRE_H

#include <linux/types.h>

enum {
	ORC_TRAMPOLINES = 4,
	ORC_STEPS = 22, /* of a search, at most */
	ORC_RULES_MAX = 1 << ORC_STEPS,
};

/* Set before load; addresses of the kernel. */
struct orc_cfg {
	__u64 ips;   /* of the first of .orc_unwind_ip */
	__u64 rules; /* of the first of .orc_unwind */
	__u64 text, text_end;
	/* That replace return addresses of functions; 0: there is none. */
	__u64 trampolines[ORC_TRAMPOLINES];
	__u32 nr;     /* rules; 0: they are not known */
	__u32 verify; /* bool: the kernel walks each stack, too, and they are held against each other */
};

enum { ORC_VERIFIED = 64 }; /* innermost frames that are held against the kernel's */

/* What became of stacks of one place, if they are verified. */
struct orc_counts {
	__u64 same, different; /* as the kernel's own walk has them, or not */
	__u64 left;	       /* to the kernel */
};

#endif
