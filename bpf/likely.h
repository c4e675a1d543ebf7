/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * likely.h - which way a condition mostly goes, for the compiler: what is seldom run is put behind
 * the rest. An interrupt finds code in no near cache, and fetches lines in a row faster.
 */
#ifndef PMUTRACE_LIKELY_H
#define PMUTRACE_LIKELY_H

/* Newer bpf_helpers.h has them. */
#ifndef likely
#define likely(x) __builtin_expect(!!(x), 1)
#endif
#ifndef unlikely
#define unlikely(x) __builtin_expect(!!(x), 0)
#endif

#endif
