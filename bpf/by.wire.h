/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * by.wire.h - which parts a key has: one word of bits, from the command line (--by) through
 * sessions and programs to the profile.
 */
#ifndef PMUTRACE_BY_WIRE_H
#define PMUTRACE_BY_WIRE_H

enum by {
	BY_PID = 1 << 0,
	BY_TID = 1 << 1,
	BY_COMM = 1 << 2,
	BY_CPU = 1 << 3,
	BY_CGROUP = 1 << 4,
	BY_KSTACK = 1 << 5,
	BY_USTACK = 1 << 6,
	BY_CALLER = 1 << 7, /* the innermost frame of the stack, as a part of its own */
};

#endif
