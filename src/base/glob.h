/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base/glob.h - '*' and '?' patterns as an automaton over sets of positions.
 *
 * No backtracking, so the same tables run inside BPF (bpf/target.bpf.h).
 */
#ifndef PMUTRACE_BASE_GLOB_H
#define PMUTRACE_BASE_GLOB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"

/* Bit i stands for "the first i tokens have matched". */
struct glob {
	uint64_t accepts[256]; /* bit i: token i is this byte, or '?' */
	uint64_t stars;	       /* bit i: token i is '*' */
	uint64_t end;	       /* the bit behind the last token */
};

/* 0; -EINVAL: empty; -E2BIG: more than 62 tokens. */
int glob__compile(struct glob *g, const char *pattern) must_check;
bool glob__matches(const struct glob *g, const char *s);

#endif
