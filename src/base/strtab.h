/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base/strtab.h - interned strings: equal strings have equal ids.
 *
 * Id 0 is the empty string. Strings are copied, NUL-terminated, and live at one
 * address as long as the table.
 */
#ifndef PMUTRACE_BASE_STRTAB_H
#define PMUTRACE_BASE_STRTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

struct strtab;

/* NULL when out of memory. */
struct strtab *strtab__new(void);
void strtab__free(struct strtab *t);

/* 0 or -ENOMEM. @s need not be terminated and must not contain NUL. */
int strtab__add(struct strtab *t, const char *s, size_t len, uint32_t *id) must_check;

/* The id, if the string is there. */
bool strtab__find(const struct strtab *t, const char *s, size_t len, uint32_t *id);

/* Bytes that it takes at most while it grows by @percent of its strings, and @more. */
size_t strtab__bytes(const struct strtab *t, unsigned percent, size_t more);

const char *strtab__get(const struct strtab *t, uint32_t id);
size_t strtab__len(const struct strtab *t, uint32_t id);
uint32_t strtab__nr(const struct strtab *t);

#endif
