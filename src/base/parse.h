/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base/parse.h - strict parsing of what people type: the whole string or nothing.
 *
 * All return 0; -EINVAL: not of that form; -ERANGE: out of the range given.
 */
#ifndef PMUTRACE_BASE_PARSE_H
#define PMUTRACE_BASE_PARSE_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

/* Decimal, or hex with 0x. */
int parse__u64(const char *s, uint64_t min, uint64_t max, uint64_t *out) must_check;

/* A count with an optional k, M or G (powers of 1000), or an exponent: "100k", "1e6". */
int parse__count(const char *s, uint64_t min, uint64_t max, uint64_t *out) must_check;

/* A time: a number, decimals allowed, and ns, us, ms, s, m or h; @unit_ns is meant without one. */
int parse__time(const char *s, uint64_t unit_ns, uint64_t *out_ns) must_check;

/* Numbers in a list: "0,2-5,8-14:2". Sorted, without duplicates; the caller frees *out. */
int parse__list(const char *s, uint32_t max, uint32_t **out, size_t *nr) must_check;

/*
 * Of the strings, the one nearest to @s by edit distance, or NULL if none is near enough to be
 * what was meant. @items[i] for i < @nr; @stride bytes lie between the pointers.
 */
const char *nearest(const char *s, const char *const *items, size_t nr, size_t stride);

#endif
