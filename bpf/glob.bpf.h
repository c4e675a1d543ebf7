/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * glob.bpf.h - '*' and '?' patterns, as base/glob.h makes them, against a string.
 */
#ifndef PMUTRACE_GLOB_BPF_H
#define PMUTRACE_GLOB_BPF_H

#include "vmlinux.h"

#include "target.wire.h"

/*
 * Runs the automaton over at most @len bytes, a constant. 1: it matches; 0: it does not; -1: the
 * string goes on behind @len, and it is the rest that decides.
 */
static __always_inline int glob_matches(const volatile struct target_glob *g, const char *s,
					__u32 len)
{
	__u64 at = 1;

	for (__u32 i = 0; i < len; i++) {
		at |= (at & g->stars) << 1; /* a star may match nothing */
		if (!s[i])
			return (at & g->end) != 0;
		at = (at & g->stars) | (at & g->accepts[(__u8)s[i]]) << 1;
	}
	if (!at)
		return 0;
	return (at & g->stars) << 1 & g->end ? 1 : -1; /* a star at the end takes any rest */
}

#endif
