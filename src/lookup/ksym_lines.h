/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lookup/ksym_lines.h - the lines of /proc/kallsyms, code and data, as they come.
 *
 * Source: s_show() in kernel/kallsyms.c. What is to be searched by address is better read with
 * sym/kallsyms.h.
 */
#ifndef PMUTRACE_LOOKUP_KSYM_LINES_H
#define PMUTRACE_LOOKUP_KSYM_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"

struct ksym_line {
	uint64_t addr; /* 0: hidden, or really 0 */
	char type;     /* as nm(1) has it */
	const char *name;
	const char *module; /* "" for the kernel itself */
};

typedef int ksym_line_fn(const struct ksym_line *line, void *arg);

/* Calls @fn until it returns other than 0, which is returned then; or -errno, or 0. */
int ksym_lines__each(const char *path, ksym_line_fn *fn, void *arg) must_check;

bool ksym_line__is_code(const struct ksym_line *line);

/* "NAME" or "NAME [MODULE]", of @len bytes and one that may be written to. False for nonsense. */
bool ksym_line__split(char *s, size_t len, const char **name, const char **module);

#endif
