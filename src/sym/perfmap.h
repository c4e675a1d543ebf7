/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sym/perfmap.h - names of code made at run time: /tmp/perf-PID.map.
 *
 * Format: one "START SIZE NAME" a line, the numbers in hex (with or without 0x), the
 * name up to the end of the line (tools/perf/Documentation/jit-interface.txt). JITs
 * append, and reuse addresses: of overlapping entries the last one wins.
 *
 * The file is written by a stranger: only a regular file owned by the process's user or
 * root is read, no symbolic link is followed, lines that do not parse are skipped.
 */
#ifndef PMUTRACE_SYM_PERFMAP_H
#define PMUTRACE_SYM_PERFMAP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/array.h"
#include "sym/symtab.h"

struct perfmap;

/**
 * perfmap__open() - read the map of one process
 * @path: e.g. "/proc/123/root/tmp/perf-1.map"
 * @uid:  owner that is accepted besides root
 *
 * Return: 0; -ENOENT: there is none; -EPERM: wrong owner or not a regular file;
 * -EFBIG: more than 1 GiB or 16 million entries; another -errno.
 */
int perfmap__open(struct perfmap **out, const char *path, uid_t uid) must_check;
void perfmap__close(struct perfmap *m);

/* Parses @text (for tests and fuzzing); what is not a valid line is skipped. */
int perfmap__parse(struct perfmap **out, const char *text, size_t len) must_check;

bool perfmap__find(const struct perfmap *m, uint64_t addr, struct sym *out);

/* True if the file has changed since it was read: worth another perfmap__open(). */
bool perfmap__stale(const struct perfmap *m);

#endif
