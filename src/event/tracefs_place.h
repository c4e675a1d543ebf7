/* SPDX-License-Identifier: BSD-2-Clause */
/* event/tracefs_place.h - place and name of a probe in the words of {kprobe,uprobe}_events. */
#ifndef PMUTRACE_EVENT_TRACEFS_PLACE_H
#define PMUTRACE_EVENT_TRACEFS_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/array.h"
#include "base/buf.h"

/**
 * tracefs_place__put() - append a place as the kernel reads it
 * @kernel: of a kprobe; else of a uprobe
 * @what:   as of tracefs_probe__add()
 * @why:    on -EINVAL, a sentence
 *
 * Return: 0; -EINVAL: not of that form, or the kernel's syntax cannot carry it; -ENOMEM.
 */
int tracefs_place__put(struct buf *out, bool kernel, const char *what, struct buf *why) must_check;

/* "/bin/ls:0x10" -> "p_ls_0x10", an identifier in C; what does not fit is cut off. @size > 2. */
void tracefs_place__name(char *out, size_t size, bool is_return, const char *place);

#define TRACEFS_GROUP_PREFIX "pmutrace_"

/* The group of the probes of a process of our own PID namespace. 64 bytes are enough. */
void tracefs_place__group(char *out, size_t size, int pid);

#endif
